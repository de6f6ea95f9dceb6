/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gate of a mixture of experts: of each row the k greatest of the softmax, or the softmax of the k
 * greatest, in their order; of equal ones the first comes first, and NaN is greater than all numbers.
 */
#include "aclnnop/aclnn_moe_gating_top_k_softmax.h"
#include "aclnnop/aclnn_moe_gating_top_k_softmax_v2.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/dtypes.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "simd/loops/rows_kernel.h"

LEVEL_TABLE(rows_function, softmax_rows, softmax_row);

/* The places of parameters of both functions; the second has two numbers more, and the softmax in place of
 * the rows. */
#define INPUTS(X, of)                                                          \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "3x4")                      \
    X(of, IN, finished, &dtypes_bool, .is_optional = true, .sample = "3:BOOL") \
    X(of, INT64, k, .sample = "2")
#define MOE_GATING_TOP_K_SOFTMAX(X, of)      \
    INPUTS(X, of)                            \
    X(of, OUT, yOut, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, expertIdxOut, &dtypes_int32)  \
    X(of, OUT, rowIdxOut, &dtypes_int32)
SIGNATURE(MOE_GATING_TOP_K_SOFTMAX)
#define MOE_GATING_TOP_K_SOFTMAX_V2(X, of)                \
    INPUTS(X, of)                                         \
    X(of, INT64, renorm, .usual = "0")                    \
    X(of, BOOL, outputSoftmaxResultFlag, .usual = "true") \
    X(of, OUT, yOut, &dtypes_fp32_fp16_bf16)              \
    X(of, OUT, expertIdxOut, &dtypes_int32)               \
    X(of, OUT, softmaxOutOptional, &dtypes_fp32, .is_optional = true)
SIGNATURE(MOE_GATING_TOP_K_SOFTMAX_V2)
enum { EXPERTS_ON_STACK = 4096, ROWS_AT_ONCE = 4, ELEMENT_PS = 4000, SHARES_MAX = 16, ROOM_LINES = 5 };

struct gating_plan {
    rows_function *softmax;
    struct port x, finished, out[3]; /* y, experts, the third */
    bool has_finished, renorm, has_rows, has_softmax;
    uint64_t rows, experts, k, cost_ns;
    uint64_t shares; /* of rows that have memory of their own; 0 where rows are short and have the stack */
};

static bool is_v2(const struct call *call)
{
    return call->function->parameter_count == MOE_GATING_TOP_K_SOFTMAX_V2_softmaxOutOptional + 1;
}

static bool wants_softmax(const struct call *call)
{
    return is_v2(call) && call->argument[MOE_GATING_TOP_K_SOFTMAX_V2_renorm].int64 == 0 &&
           call->argument[MOE_GATING_TOP_K_SOFTMAX_V2_outputSoftmaxResultFlag].boolean &&
           (!call->has_outputs || call_has(call, MOE_GATING_TOP_K_SOFTMAX_V2_softmaxOutOptional));
}

static void add_like(struct result *result, const struct tensor_view *x, aclDataType dtype, int64_t last)
{
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(x);
    output->shape.dim[x->rank - 1] = last;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[MOE_GATING_TOP_K_SOFTMAX_x];
    const int64_t k = call->argument[MOE_GATING_TOP_K_SOFTMAX_k].int64,
                  experts = x->rank > 0 ? x->shape[x->rank - 1] : 0;
    TRY(check_dtype(call, MOE_GATING_TOP_K_SOFTMAX_x));
    TRY(call_has(call, MOE_GATING_TOP_K_SOFTMAX_finished)
            ? check_dtype(call, MOE_GATING_TOP_K_SOFTMAX_finished)
            : ACLNN_SUCCESS);
    if (x->rank < 2 || x->rank > 3)
        return refuse(call, "x has %u dims; 2 or 3 are expected", x->rank);
    if (call_has(call, MOE_GATING_TOP_K_SOFTMAX_finished)) {
        TRY(check_rank(call, MOE_GATING_TOP_K_SOFTMAX_finished));
        struct shape rows = shape_of(x);
        rows.rank--;
        const struct shape given = shape_of(&call->tensor[MOE_GATING_TOP_K_SOFTMAX_finished]);
        if (given.rank != rows.rank || memcmp(given.dim, rows.dim, rows.rank * sizeof rows.dim[0]) != 0)
            return tell_fit(call, MOE_GATING_TOP_K_SOFTMAX_finished, &rows, "the rows of x");
    }
    if (experts > INT32_MAX)
        return refuse(call, "x has rows of %" PRId64 " elements; at most %d are expected", experts,
                      INT32_MAX);
    if (k < 1 || k > experts)
        return refuse(call, "k is %" PRId64 "; 1 to %" PRId64 ", the elements of a row, are expected", k,
                      experts);
    if (is_v2(call) && (call->argument[MOE_GATING_TOP_K_SOFTMAX_V2_renorm].int64 < 0 ||
                        call->argument[MOE_GATING_TOP_K_SOFTMAX_V2_renorm].int64 > 1))
        return refuse(call, "renorm is %" PRId64 "; 0 or 1 is expected",
                      call->argument[MOE_GATING_TOP_K_SOFTMAX_V2_renorm].int64);
    result->computed = x->dtype;
    add_like(result, x, x->dtype, k);
    add_like(result, x, ACL_INT32, k);
    add_like(result, x, is_v2(call) ? ACL_FLOAT : ACL_INT32, is_v2(call) ? experts : k);
    result->output[2].is_unwanted = is_v2(call) && !wants_softmax(call);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[MOE_GATING_TOP_K_SOFTMAX_x];
    const unsigned first_out = is_v2(call) ? MOE_GATING_TOP_K_SOFTMAX_V2_yOut : MOE_GATING_TOP_K_SOFTMAX_yOut;
    struct executor_content *content;
    void *made;
    (void)result;
    if (x->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct gating_plan), &content, &made));
    struct gating_plan *plan = made;
    *plan = (struct gating_plan){.softmax = softmax_rows[call->settings->isa],
                                 .x = port_of(call, MOE_GATING_TOP_K_SOFTMAX_x, ACL_DOUBLE),
                                 .has_finished = call_has(call, MOE_GATING_TOP_K_SOFTMAX_finished),
                                 .renorm = is_v2(call) &&
                                           call->argument[MOE_GATING_TOP_K_SOFTMAX_V2_renorm].int64 == 1,
                                 .has_rows = !is_v2(call),
                                 .has_softmax = wants_softmax(call),
                                 .experts = (uint64_t)x->shape[x->rank - 1],
                                 .k = (uint64_t)call->argument[MOE_GATING_TOP_K_SOFTMAX_k].int64,
                                 .cost_ns = (uint64_t)((double)x->count * ELEMENT_PS / 1000)};
    plan->rows = (uint64_t)x->count / plan->experts;
    if (plan->experts > EXPERTS_ON_STACK)
        plan->shares = plan->rows < SHARES_MAX ? plan->rows : SHARES_MAX;
    if (plan->has_finished)
        plan->finished = port_of(call, MOE_GATING_TOP_K_SOFTMAX_finished, ACL_BOOL);
    for (unsigned i = 0; i < (plan->has_rows || plan->has_softmax ? 3 : 2); i++)
        plan->out[i] =
            port_of(call, first_out + i, i == 0 || (i == 2 && plan->has_softmax) ? ACL_DOUBLE : ACL_INT32);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* What a row takes: x, its softmax and what makes that, places and marks; each at a line. */
static size_t room_bytes(uint64_t experts)
{
    return (size_t)experts * (3 * sizeof(double) + sizeof(int32_t) + 1) + ROOM_LINES * 64;
}

static size_t work_bytes(const void *prepared)
{
    const struct gating_plan *plan = prepared;
    return (size_t)plan->shares * whole_lines(room_bytes(plan->experts));
}

struct gating_work {
    const struct gating_plan *plan;
    void *const *address;
};

struct room {
    double *x, *share, *kernel;
    int32_t *place;
    uint8_t *is_taken;
};

static struct room room_in(unsigned char *memory, uint64_t experts)
{
    const size_t wide = whole_lines(experts * sizeof(double)),
                 narrow = whole_lines(experts * sizeof(int32_t));
    unsigned char *behind = memory + 3 * wide;
    return (struct room){.x = (double *)(void *)memory,
                         .share = (double *)(void *)(memory + wide),
                         .kernel = (double *)(void *)(memory + 2 * wide),
                         .place = (int32_t *)(void *)behind,
                         .is_taken = behind + narrow};
}

static bool is_greater(double a, double b)
{
    return a > b || (a != a && b == b);
}

/* The places of the k greatest, each of which is taken out. */
static void select_greatest(const struct room *room, uint64_t count, uint64_t k)
{
    const double *value = room->x;
    memset(room->is_taken, 0, (size_t)count);
    for (uint64_t j = 0; j < k; j++) {
        uint64_t best = count;
        for (uint64_t i = 0; i < count; i++)
            if (room->is_taken[i] == 0 && (best == count || is_greater(value[i], value[best])))
                best = i;
        room->is_taken[best] = 1;
        room->place[j] = (int32_t)best;
        room->kernel[j] = value[best];
    }
}

static void write_row(const struct gating_work *work, unsigned out, uint64_t row, uint64_t count,
                      const void *value)
{
    port_deliver(&work->plan->out[out], work->address, row * count, count, value);
}

static void take_row(void *context, uint64_t row, unsigned char *memory)
{
    const struct gating_work *work = context;
    const struct gating_plan *plan = work->plan;
    const bool is_short = true;
    const struct room room = room_in(memory, plan->experts);
    double *const x = room.x, *const share = room.share;
    int32_t *const place = room.place;
    uint8_t is_finished = 0; /* a BOOL of any bits */
    if (plan->has_finished)
        port_bring(&plan->finished, work->address, row, 1, &is_finished);
    port_bring(&plan->x, work->address, row * plan->experts, plan->experts, x);
    if (!plan->renorm) {
        plan->softmax((const void *const[]){x}, (void *const[]){share}, (size_t)plan->experts, room.kernel,
                      &is_short);
        if (plan->has_softmax)
            write_row(work, 2, row, plan->experts, share);
    }
    select_greatest(&room, plan->experts, plan->k);
    if (plan->renorm) {
        memcpy(x, room.kernel, (size_t)plan->k * sizeof x[0]);
        plan->softmax((const void *const[]){x}, (void *const[]){share}, (size_t)plan->k, room.kernel,
                      &is_short);
    }
    for (uint64_t j = 0; j < plan->k; j++) {
        x[j] = share[plan->renorm ? j : (uint64_t)place[j]];
        place[j] = is_finished != 0 ? (int32_t)plan->experts : place[j];
    }
    write_row(work, 0, row, plan->k, x);
    write_row(work, 1, row, plan->k, place);
    for (uint64_t j = 0; j < plan->k; j++)
        place[j] = (int32_t)(j * plan->rows + row);
    if (plan->has_rows)
        write_row(work, 2, row, plan->k, place);
}

static void take_on_stack(void *context, uint64_t row)
{
    enum { BYTES = EXPERTS_ON_STACK * (3 * sizeof(double) + sizeof(int32_t) + 1) };
    _Alignas(64) unsigned char memory[BYTES + ROOM_LINES * 64] __attribute__((uninitialized));
    take_row(context, row, memory);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct gating_plan *plan = prepared;
    struct gating_work work = {.plan = plan, .address = address};
    const struct task_memory memory = {scratch, whole_lines(room_bytes(plan->experts)), plan->shares};
    if (plan->shares > 0)
        tasks_run_in_memory(take_row, &work, plan->rows, &memory, plan->cost_ns);
    else
        tasks_run(take_on_stack, &work, plan->rows, ROWS_AT_ONCE, plan->cost_ns);
    return 0;
}

#define GATING                                                                          \
    .family = FAMILY_ROWS, .promise = &promise_sum, .operation.work_bytes = work_bytes, \
    .operation.run = run, .infer = infer, .plan = plan

FUNCTION_OF(aclnnMoeGatingTopKSoftmax, MOE_GATING_TOP_K_SOFTMAX, .stem = "moe_gating_top_k_softmax", GATING);

FUNCTION_OF(aclnnMoeGatingTopKSoftmaxV2, MOE_GATING_TOP_K_SOFTMAX_V2, .stem = "moe_gating_top_k_softmax_v2",
            GATING);
