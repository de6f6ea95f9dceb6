/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of RepeatInterleave along a dim: each row of out is the sum of the rows that it was repeated
 * to, which follow one another in yGrad: in doubles, in their order, rounded once.
 */
#include <string.h>

#include "aclnnop/aclnn_repeat_interleave_grad.h"
#include "ops/check.h"
#include "ops/index/index.h"
#include "ops/index/repeats.h"
#include "ops/operands.h"
#include "ops/signature.h"

#define REPEAT_INTERLEAVE_GRAD(X, of)                            \
    X(of, IN, yGrad, &dtypes_fp32_fp16_bf16, .sample = "4x3")    \
    X(of, IN, repeats, &dtypes_int32_int64, .sample = "1:INT64") \
    X(of, INT64, axis, .usual = "0")                             \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(REPEAT_INTERLEAVE_GRAD)

struct plan {
    struct repeats repeats;
    struct operand gradient;
    struct port out; /* as it is */
    int64_t step;    /* in out, from row to row */
    struct index_walk walk;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *gradient = &call->tensor[REPEAT_INTERLEAVE_GRAD_yGrad],
                             *repeats = &call->tensor[REPEAT_INTERLEAVE_GRAD_repeats],
                             *out = &call->tensor[REPEAT_INTERLEAVE_GRAD_out];
    uint32_t axis;
    TRY(check_dtype(call, REPEAT_INTERLEAVE_GRAD_yGrad));
    TRY(check_dtype(call, REPEAT_INTERLEAVE_GRAD_repeats));
    TRY(check_rank(call, REPEAT_INTERLEAVE_GRAD_yGrad));
    if (gradient->rank == 0 || repeats->rank > 1)
        return refuse(call, "yGrad has %u dims and repeats %u; 1 or more, and 1 at most, are expected",
                      gradient->rank, repeats->rank);
    TRY(check_dim(call, REPEAT_INTERLEAVE_GRAD_axis, call->argument[REPEAT_INTERLEAVE_GRAD_axis].int64,
                  gradient->rank, &axis));
    result->computed = gradient->dtype;
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->like = REPEAT_INTERLEAVE_GRAD_yGrad;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(gradient);
    /* One repeat for all does not say of how many rows. */
    if (repeats->count != 1)
        output->shape.dim[axis] = repeats->count;
    else if (call->has_outputs && out->rank == gradient->rank)
        output->shape.dim[axis] = out->shape[axis];
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *gradient = &call->tensor[REPEAT_INTERLEAVE_GRAD_yGrad],
                             *out = &call->tensor[REPEAT_INTERLEAVE_GRAD_out];
    struct executor_content *content;
    void *made;
    uint32_t axis;
    (void)result;
    TRY(check_dim(call, REPEAT_INTERLEAVE_GRAD_axis, call->argument[REPEAT_INTERLEAVE_GRAD_axis].int64,
                  gradient->rank, &axis));
    if (out->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    *plan = (struct plan){.repeats = {.port = port_of(call, REPEAT_INTERLEAVE_GRAD_repeats, ACL_INT64),
                                      .size = out->shape[axis],
                                      .count = gradient->shape[axis],
                                      .whole = "the size of yGrad there"},
                          .gradient = operand_of(call, REPEAT_INTERLEAVE_GRAD_yGrad),
                          .out = port_of(call, REPEAT_INTERLEAVE_GRAD_out, out->dtype),
                          .step = out->stride[axis]};
    const uint64_t extent = (uint64_t)(out->reach - out->offset) + 1;
    plan->walk = (struct index_walk){.transfer = plan->out.transfer,
                                     .floats = index_floats_of(call->settings->isa),
                                     .dtype = out->dtype,
                                     .bytes = plan->out.span.bytes,
                                     .puts = true,
                                     .count = (uint64_t)gradient->shape[axis],
                                     .extent = extent,
                                     .is_dense = extent == plan->out.span.count,
                                     .sum_kind = INDEX_ADD};
    for (uint32_t i = 0; i < out->rank; i++)
        if (i == axis)
            index_add_position(&plan->walk, gradient->shape[i], gradient->stride[i]);
        else
            index_add_slice(&plan->walk, gradient->shape[i], gradient->stride[i], out->stride[i]);
    content->cost_ns = (uint64_t)(gradient->count + out->count) + 100;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return whole_lines(repeats_bytes(&plan->repeats)) + whole_lines(plan->walk.count * sizeof(int64_t)) +
           index_sum_bytes(plan->walk.count);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const double zeros[128] = {0};
    unsigned char *room = (unsigned char *)scratch + whole_lines(repeats_bytes(&plan->repeats));
    int64_t *offset = (int64_t *)(void *)room;
    const int status = repeats_read(&plan->repeats, address, scratch, offset);
    if (status != 0)
        return status;
    room += whole_lines(plan->walk.count * sizeof *offset);
    struct index_walk walk = plan->walk;
    walk.from = address[plan->gradient.address];
    walk.to = address[plan->out.address];
    walk.offset = offset;
    for (uint64_t at = 0, some; at < plan->out.span.count; at += some) {
        const uint64_t left = plan->out.span.count - at;
        some = left < 128 ? left : 128;
        port_deliver(&plan->out, address, at, some, zeros);
    }
    for (uint64_t i = 0; i < walk.count; i++)
        offset[i] *= plan->step;
    if (walk.count > 0)
        index_sum(&walk, room);
    return 0;
}

FUNCTION_OF(aclnnRepeatInterleaveGrad, REPEAT_INTERLEAVE_GRAD, .stem = "repeat_interleave_grad",
            .family = FAMILY_INDEX, .promise = &promise_sum, .operation.work_bytes = work_bytes,
            .operation.run = run, .infer = infer, .plan = plan);
