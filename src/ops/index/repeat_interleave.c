/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements, slices of a dim, or numbers from 0 on, each as often as a tensor of repeats says that is read
 * when the work runs: a repeat below 0, or another sum of them than outputSize, fails the work before
 * anything is written. Bits stay as they are.
 */
#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_repeat_interleave.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/index/index.h"
#include "ops/index/repeats.h"
#include "ops/port.h"
#include "ops/signature.h"

#define REPEAT_INTERLEAVE(X, of)                                                \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals) \
    X(of, IN, repeats, &dtypes_int32_int64, .sample = "1:INT64")                \
    X(of, INT64, outputSize, .sample = "6")                                     \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals)
SIGNATURE(REPEAT_INTERLEAVE)
#define REPEAT_INTERLEAVE_WITH_DIM(X, of)                                       \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals) \
    X(of, IN, repeats, &dtypes_int32_int64, .sample = "1:INT64")                \
    X(of, INT64, dim, .usual = "0")                                             \
    X(of, INT64, outputSize, .sample = "2")                                     \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals)
SIGNATURE(REPEAT_INTERLEAVE_WITH_DIM)
#define REPEAT_INTERLEAVE_TENSOR(X, of)                          \
    X(of, IN, repeats, &dtypes_int32_int64, .sample = "3:INT64") \
    X(of, INT64, outputSize, .sample = "3")                      \
    X(of, OUT, out, &dtypes_int32_int64)
SIGNATURE(REPEAT_INTERLEAVE_TENSOR)

enum form { NUMBERS, FLAT, WITH_DIM };

struct plan {
    const struct transfer *transfer;
    enum form form;
    uint32_t self, bytes; /* an operand; of an element */
    aclDataType dtype;
    struct repeats given;
    struct port out; /* numbers in INT64, elements as they are */
    struct span self_span;
    int64_t step; /* in self, with a dim */
    uint32_t rank, dim;
    int64_t extent;                  /* elements from the first to the last of self */
    int64_t shape[OPERAND_RANK_MAX]; /* of out */
    int64_t self_stride[OPERAND_RANK_MAX], out_stride[OPERAND_RANK_MAX];
};

static enum form form_of(const struct call *call)
{
    return call->function->parameter_count == REPEAT_INTERLEAVE_TENSOR_out + 1 ? NUMBERS
           : call->function->parameter_count == REPEAT_INTERLEAVE_out + 1      ? FLAT
                                                                               : WITH_DIM;
}

static unsigned repeats_of(const struct call *call)
{
    return form_of(call) == NUMBERS ? REPEAT_INTERLEAVE_TENSOR_repeats : REPEAT_INTERLEAVE_repeats;
}

static int64_t size_of_output(const struct call *call)
{
    const enum form form = form_of(call);
    return call
        ->argument[form == NUMBERS ? REPEAT_INTERLEAVE_TENSOR_outputSize
                   : form == FLAT  ? REPEAT_INTERLEAVE_outputSize
                                   : REPEAT_INTERLEAVE_WITH_DIM_outputSize]
        .int64;
}

static aclnnStatus tell_repeats(const struct call *call, int64_t size)
{
    const struct tensor_view *repeats = &call->tensor[repeats_of(call)];
    return refuse(call,
                  "repeats has %u dims and %" PRId64 " elements; 1 dim at most and %" PRId64
                  " elements, or one, are expected",
                  repeats->rank, repeats->count, size);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const enum form form = form_of(call);
    const struct tensor_view *self = &call->tensor[REPEAT_INTERLEAVE_self],
                             *repeats = &call->tensor[repeats_of(call)];
    const int64_t size = size_of_output(call);
    uint32_t dim = 0;
    TRY(check_dtype(call, REPEAT_INTERLEAVE_self));
    TRY(check_dtype(call, repeats_of(call)));
    TRY(check_rank(call, REPEAT_INTERLEAVE_self));
    if (form == WITH_DIM && self->rank == 0)
        return refuse(call, "self has 0 dims; 1 or more are expected");
    if (form == WITH_DIM)
        TRY(check_dim(call, REPEAT_INTERLEAVE_WITH_DIM_dim,
                      call->argument[REPEAT_INTERLEAVE_WITH_DIM_dim].int64, self->rank, &dim));
    const int64_t own = form == NUMBERS ? repeats->count : form == FLAT ? self->count : self->shape[dim];
    if (repeats->rank > 1 || (repeats->count != own && repeats->count != 1))
        return tell_repeats(call, own);
    if (size < 0)
        return refuse(call, "outputSize is %" PRId64 "; 0 or more is expected", size);
    result->computed =
        call->tensor[form == NUMBERS ? REPEAT_INTERLEAVE_TENSOR_repeats : REPEAT_INTERLEAVE_self].dtype;
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->like = REPEAT_INTERLEAVE_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = form == WITH_DIM ? self->rank : 1;
    for (uint32_t i = 0; form == WITH_DIM && i < self->rank; i++)
        output->shape.dim[i] = self->shape[i];
    output->shape.dim[dim] = size;
    return ACLNN_SUCCESS;
}

static void fill_plan(const struct call *call, struct plan *plan)
{
    const unsigned output = call_output(call), repeats = repeats_of(call);
    const struct tensor_view *self = &call->tensor[REPEAT_INTERLEAVE_self], *out = &call->tensor[output];
    uint32_t dim = 0;
    const enum form form = form_of(call);
    if (form == WITH_DIM)
        (void)check_dim(call, REPEAT_INTERLEAVE_WITH_DIM_dim,
                        call->argument[REPEAT_INTERLEAVE_WITH_DIM_dim].int64, self->rank, &dim);
    *plan = (struct plan){
        .transfer = transfer_of(call->settings->isa),
        .form = form,
        .self = call->first_operand[REPEAT_INTERLEAVE_self],
        .out = port_of(call, output, form == NUMBERS ? ACL_INT64 : out->dtype),
        .bytes = dtype_bytes(out->dtype),
        .dtype = out->dtype,
        .given = {.port = port_of(call, repeats, ACL_INT64),
                  .size = form == NUMBERS    ? call->tensor[repeats].count
                          : form == WITH_DIM ? self->shape[dim]
                                             : self->count,
                  .count = size_of_output(call),
                  .whole = "outputSize"},
        .self_span = span_of(self, SPAN_AS_IT_IS),
        .step = form == WITH_DIM ? self->stride[dim] : 0,
        .rank = out->rank,
        .dim = dim,
        .extent = self->reach - self->offset + 1,
    };
    memcpy(plan->shape, out->shape, out->rank * sizeof out->shape[0]);
    memcpy(plan->out_stride, out->stride, out->rank * sizeof out->stride[0]);
    if (form == WITH_DIM)
        memcpy(plan->self_stride, self->stride, self->rank * sizeof self->stride[0]);
}

/* The work looks at the repeats also where out has no elements, as they may be wrong then; but those of
 * nothing have nobody to tell. */
static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    void *made;
    (void)result;
    if (call->tensor[repeats_of(call)].count == 0 || call->tensor[REPEAT_INTERLEAVE_self].count == 0)
        return size_of_output(call) == 0 || call->tensor[call_output(call)].count == 0
                   ? call_idle(call)
                   : refuse(call, "outputSize is %" PRId64 "; 0 is expected for nothing",
                            size_of_output(call));
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    fill_plan(call, (struct plan *)made);
    const struct tensor_view *out = &call->tensor[call_output(call)];
    content->cost_ns = (uint64_t)out->count * dtype_bytes(out->dtype) / 8 + 100;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* The repeats, and an offset for each place in out. */
static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = (const struct plan *)plan_memory;
    return whole_lines(repeats_bytes(&plan->given)) +
           whole_lines((size_t)plan->given.count * sizeof(int64_t));
}

/* The offsets of what comes to each place; 0, or the status of a fault. */
static int read_repeats(const struct plan *plan, void *const *address, int64_t *room, int64_t *offset)
{
    const int status = repeats_read(&plan->given, address, room, offset);
    for (int64_t i = 0; status == 0 && plan->form != NUMBERS && i < plan->given.count; i++)
        offset[i] =
            plan->form == FLAT ? span_place(&plan->self_span, (uint64_t)offset[i]) : offset[i] * plan->step;
    return status;
}

static void move_slices(const struct plan *plan, void *const *address, const int64_t *offset)
{
    struct index_walk walk = {.transfer = plan->transfer,
                              .dtype = plan->dtype,
                              .bytes = plan->bytes,
                              .from = address[plan->self],
                              .to = address[plan->out.address],
                              .offset = offset,
                              .count = (uint64_t)plan->given.count,
                              .extent = (uint64_t)plan->extent};
    for (uint32_t i = 0; i < plan->rank; i++)
        if (i == plan->dim)
            index_add_position(&walk, plan->given.count, plan->out_stride[i]);
        else
            index_add_slice(&walk, plan->shape[i], plan->self_stride[i], plan->out_stride[i]);
    index_move(&walk);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = (const struct plan *)plan_memory;
    int64_t *repeat = (int64_t *)scratch;
    int64_t *offset =
        (int64_t *)(void *)((unsigned char *)scratch + whole_lines(repeats_bytes(&plan->given)));
    const int status = read_repeats(plan, address, repeat, offset);
    if (status != 0 || plan->given.count == 0)
        return status;
    if (plan->form == NUMBERS)
        port_deliver(&plan->out, address, 0, (uint64_t)plan->given.count, offset);
    else
        move_slices(plan, address, offset);
    return 0;
}

#define INTERLEAVE                                                                  \
    .stem = "repeat_interleave", .family = FAMILY_INDEX, .promise = &promise_exact, \
    .operation.work_bytes = work_bytes, .operation.run = run, .infer = infer, .plan = plan

FUNCTION_OF(aclnnRepeatInterleave, REPEAT_INTERLEAVE, INTERLEAVE);
FUNCTION_OF(aclnnRepeatInterleaveWithDim, REPEAT_INTERLEAVE_WITH_DIM, INTERLEAVE);
FUNCTION_OF(aclnnRepeatInterleaveTensor, REPEAT_INTERLEAVE_TENSOR, INTERLEAVE);
