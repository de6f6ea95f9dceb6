/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements apart into the byte with their exponents and what is below it, and together again. Nothing is made shorter:
 * the low bytes of 64 elements follow one another in mantissa, and the high ones in fixed, behind a header, and where
 * that is full in var. Only the second function reads what the first has written.
 */
#include "aclnnop/aclnn_hans_decode.h"
#include "aclnnop/aclnn_hans_encode.h"

#include <inttypes.h>
#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { GROUP = 64, HEADER = 512, VALUES = 256, GROUP_NS = 200, WIDEST = 4 };

#define FLT3 &dtypes_fp32_fp16_bf16
#define ENCODE(X, of)                                      \
    X(of, IN, input, FLT3, .sample = "64:FLOAT16")         \
    X(of, BOTH, pdf, &dtypes_int32, .sample = "256:INT32") \
    X(of, BOOL, statistic, .usual = "false")               \
    X(of, BOOL, reshuff, .usual = "false")                 \
    X(of, OUT, mantissa, FLT3) X(of, OUT, fixed, FLT3) X(of, OUT, var, FLT3)
#define DECODE(X, of)                                                       \
    X(of, IN, mantissa, FLT3, .sample = "32:FLOAT16")                       \
    X(of, IN, fixed, FLT3, .sample = "288:FLOAT16", .is_partly_read = true) \
    X(of, IN, var, FLT3, .sample = "32:FLOAT16", .is_partly_read = true)    \
    X(of, UNUSED, pdf, &dtypes_int32, .sample = "256:INT32")                \
    X(of, BOOL, reshuff, .usual = "false")                                  \
    X(of, OUT, out, FLT3)
SIGNATURE(ENCODE)
SIGNATURE(DECODE)

struct hans {
    uint64_t groups, bytes, fixed; /* of an element; groups that fixed has */
    uint8_t whole, mantissa;       /* the places; fixed and var follow mantissa */
    bool encodes, counts;
};

static uint64_t whole_groups(const struct tensor_view *view, uint64_t bytes, uint64_t header)
{
    const uint64_t all = (uint64_t)view->count * bytes;
    return all >= header ? (all - header) / GROUP : 0;
}

static aclnnStatus check_room(const struct call *call, struct hans *hans, const struct tensor_view *whole)
{
    const struct tensor_view *mantissa = &call->tensor[hans->mantissa],
                             *fixed = &call->tensor[hans->mantissa + 1],
                             *var = &call->tensor[hans->mantissa + 2];
    if ((uint64_t)mantissa->count * hans->bytes != (uint64_t)whole->count * (hans->bytes - 1))
        return refuse(call, "mantissa has %" PRId64 " elements; %" PRIu64 " are expected", mantissa->count,
                      (uint64_t)whole->count * (hans->bytes - 1) / hans->bytes);
    if ((uint64_t)fixed->count * hans->bytes < HEADER)
        return refuse(call, "fixed has %" PRIu64 " bytes; %d or more are expected",
                      (uint64_t)fixed->count * hans->bytes, HEADER);
    hans->fixed = whole_groups(fixed, hans->bytes, HEADER);
    if (hans->fixed + whole_groups(var, hans->bytes, 0) < hans->groups)
        return refuse(call, "fixed and var have %" PRIu64 " bytes; more than %" PRIu64 " are expected",
                      (uint64_t)(fixed->count + var->count) * hans->bytes, hans->groups * GROUP + HEADER);
    return ACLNN_SUCCESS;
}

static aclnnStatus read_hans(const struct call *call, struct hans *hans)
{
    const bool encodes = call->function->parameter == ENCODE_parameters;
    *hans = (struct hans){.whole = encodes ? (uint8_t)ENCODE_input : (uint8_t)DECODE_out,
                          .mantissa = encodes ? (uint8_t)ENCODE_mantissa : (uint8_t)DECODE_mantissa,
                          .encodes = encodes,
                          .counts = encodes && call->argument[ENCODE_statistic].boolean};
    TRY(check_all_dtypes(call));
    const struct tensor_view *whole = &call->tensor[hans->whole],
                             *pdf = &call->tensor[encodes ? (unsigned)ENCODE_pdf : (unsigned)DECODE_pdf];
    if (!encodes && (!call->has_outputs || !call_has(call, DECODE_out)))
        return ACLNN_SUCCESS; /* what comes out is as long as mantissa says */
    if (encodes && pdf->count != VALUES)
        return refuse(call, "pdf has %" PRId64 " elements; %d are expected", pdf->count, VALUES);
    if (whole->count % GROUP != 0)
        return refuse(call, "%s has %" PRId64 " elements; a multiple of %d is expected",
                      call_name(call, hans->whole), whole->count, GROUP);
    hans->bytes =
        call_dtype(call, 0) == ACL_FLOAT ? 4 : 2; /* of the first: others are judged with the outputs */
    hans->groups = (uint64_t)whole->count / GROUP;
    for (unsigned i = DECODE_fixed; !encodes && i <= DECODE_var; i++)
        TRY(check_same_dtype(call, i, DECODE_mantissa, NULL));
    return !encodes || call->has_outputs ? check_room(call, hans, whole) : ACLNN_SUCCESS;
}

static void add_as_given(const struct call *call, struct result *result, unsigned parameter,
                         aclDataType dtype, int64_t count)
{
    const struct tensor_view *view = &call->tensor[parameter];
    if (call->has_outputs && call_has(call, parameter))
        result_sized(result, dtype, DTYPE_EQUAL, view->rank, view->shape);
    else
        result_sized(result, dtype, DTYPE_EQUAL, SIZES(count));
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct hans hans;
    TRY(read_hans(call, &hans));
    if (!hans.encodes) {
        const struct tensor_view *mantissa = &call->tensor[DECODE_mantissa];
        result->computed = mantissa->dtype;
        const int64_t bytes = mantissa->dtype == ACL_FLOAT ? 4 : 2;
        add_as_given(call, result, DECODE_out, mantissa->dtype, mantissa->count / (bytes - 1) * bytes);
        return ACLNN_SUCCESS;
    }
    const struct tensor_view *input = &call->tensor[ENCODE_input];
    const int64_t bytes = input->dtype == ACL_FLOAT ? 4 : 2, count = input->count;
    result->computed = input->dtype;
    result_add(result, ACL_INT32, DTYPE_EQUAL)->like = ENCODE_pdf;
    add_as_given(call, result, ENCODE_mantissa, input->dtype, count / bytes * (bytes - 1));
    add_as_given(call, result, ENCODE_fixed, input->dtype, (count + HEADER) / bytes);
    add_as_given(call, result, ENCODE_var, input->dtype, GROUP);
    return ACLNN_SUCCESS;
}

/* Where the high bytes of a group are. */
static unsigned high_place(const struct hans *hans, uint64_t group, uint64_t *at)
{
    const bool is_fixed = group < hans->fixed;
    *at = (is_fixed ? HEADER + group * GROUP : (group - hans->fixed) * GROUP) / hans->bytes;
    return hans->mantissa + (is_fixed ? 1U : 2U);
}

static void take_group(const struct task *task, uint64_t group)
{
    const struct hans *hans = task->parameters;
    const uint64_t bytes = hans->bytes, low = bytes - 1;
    uint8_t whole[GROUP * WIDEST], below[GROUP * WIDEST], high[GROUP];
    uint64_t at;
    const unsigned place = high_place(hans, group, &at);
    if (hans->encodes)
        task_get(task, hans->whole, group * GROUP, GROUP, whole);
    else {
        task_get(task, hans->mantissa, group * GROUP * low / bytes, GROUP * low / bytes, below);
        task_get(task, place, at, GROUP / bytes, high);
    }
    for (uint64_t i = 0; i < GROUP; i++)
        for (uint64_t k = 0; k < bytes; k++) {
            uint8_t *const apart = k < low ? &below[i * low + k] : &high[i];
            if (hans->encodes)
                *apart = whole[i * bytes + k];
            else
                whole[i * bytes + k] = *apart;
        }
    if (!hans->encodes) {
        task_put(task, hans->whole, group * GROUP, GROUP, whole);
        return;
    }
    task_put(task, hans->mantissa, group * GROUP * low / bytes, GROUP * low / bytes, below);
    task_put(task, place, at, GROUP / bytes, high);
}

/* How often each high byte is there, and zeros where nothing else will be. */
static int start(struct task *task)
{
    const struct hans *hans = task->parameters;
    uint64_t count[VALUES] = {0};
    if (!hans->encodes)
        return 0;
    for (uint64_t group = 0; hans->counts && group < hans->groups; group++) {
        uint8_t whole[GROUP * WIDEST];
        task_get(task, hans->whole, group * GROUP, GROUP, whole);
        for (uint64_t i = 0; i < GROUP; i++)
            count[whole[i * hans->bytes + hans->bytes - 1]]++;
    }
    for (uint64_t i = 0; hans->counts && i < VALUES; i++)
        task_set_integer(task, ENCODE_pdf, i, (int64_t)(count[i] < INT32_MAX ? count[i] : INT32_MAX));
    const uint64_t all[] = {(uint64_t)task->numbers[0], (uint64_t)task->numbers[1]},
                   own = hans->groups < hans->fixed ? hans->groups : hans->fixed,
                   used[] = {(HEADER + own * GROUP) / hans->bytes,
                             (hans->groups - own) * GROUP / hans->bytes};
    task_clear(task, ENCODE_fixed, 0, HEADER / hans->bytes);
    for (unsigned i = 0; i < 2; i++)
        if (all[i] > used[i])
            task_clear(task, ENCODE_fixed + i, used[i], all[i] - used[i]);
    return 0;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct hans hans;
    (void)result;
    TRY(read_hans(call, &hans));
    const int64_t sizes[] = {call->tensor[hans.mantissa + 1].count, call->tensor[hans.mantissa + 2].count};
    return row_tasks_plan(call, &(struct row_tasks_request){.body = take_group,
                                                            .start = start,
                                                            .count = hans.groups,
                                                            .task_ns = GROUP_NS,
                                                            .parameters = &hans,
                                                            .parameter_bytes = sizeof hans,
                                                            .numbers = sizes,
                                                            .number_count = 2});
}

#define APART .family = FAMILY_MOVE, .promise = &promise_exact, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnHansEncode, ENCODE, .stem = "hans_encode", APART);
FUNCTION_OF(aclnnHansDecode, DECODE, .stem = "hans_decode", APART);
