/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors again and again. Expand: dims of size 1, and new ones in front. Repeat: the whole along each dim.
 * RepeatInterleaveInt: each element, or each slice of a dim. Bits stay as they are.
 */
#include "aclnnop/aclnn_repeat.h"

#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/move.h"
#include "ops/signature.h"

#define EXPAND(X, of)                                                         \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_small) \
    X(of, INTS, size, .sample = "4,2,3")                                      \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_small)
SIGNATURE(EXPAND)
#define REPEAT_INTERLEAVE_INT(X, of)                                            \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals) \
    X(of, INT64, repeats, .sample = "2")                                        \
    X(of, INT64, outputSize, .sample = "12")                                    \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals)
SIGNATURE(REPEAT_INTERLEAVE_INT)
#define REPEAT_INTERLEAVE_INT_WITH_DIM(X, of)                                   \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals) \
    X(of, INT64, repeats, .sample = "2")                                        \
    X(of, INT64, dim, .usual = "0")                                             \
    X(of, INT64, outputSize, .sample = "4")                                     \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals)
SIGNATURE(REPEAT_INTERLEAVE_INT_WITH_DIM)

/* One part with axes for the caller to add. */
static aclnnStatus begin(const struct call *call, struct executor_content **content, struct move_plan **plan,
                         struct move_part **part)
{
    const aclDataType dtype = call->tensor[EXPAND_self].dtype;
    TRY(move_begin(call, 1, dtype, dtype, content, plan));
    *part = move_add(*plan, call->first_operand[EXPAND_self], call->first_operand[call_output(call)], dtype);
    return ACLNN_SUCCESS;
}

/* At least as many elements as self has dims, and 8 at most. */
static aclnnStatus check_length(const struct call *call)
{
    const uint64_t count = call->values[EXPAND_size].count;
    const uint32_t rank = call->tensor[EXPAND_self].rank;
    if (count >= rank && count <= OPERAND_RANK_MAX)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has %" PRIu64 " elements; %u to %d are expected", call_name(call, EXPAND_size),
                  count, rank, OPERAND_RANK_MAX);
}

/* What self has along a dim of out. */
static int64_t own_size(const struct call *call, uint32_t rank, uint32_t dim)
{
    const struct tensor_view *self = &call->tensor[EXPAND_self];
    const uint32_t added = rank - self->rank;
    return dim < added ? 1 : self->shape[dim - added];
}

/* How many times a dim is repeated that is expanded: once where its size stays or is named, or, of size 1, as
 * often as the new size says. Below 0: the size is refused. */
static int64_t times_to(int64_t given, int64_t own, bool is_new)
{
    return given == own || (given == -1 && !is_new) ? 1 : own == 1 ? given : -1;
}

static aclnnStatus infer_times(const struct call *call, struct result *result, bool expands)
{
    const struct call_values *sizes = &call->values[EXPAND_size];
    const struct shape none = {.rank = (uint32_t)sizes->count};
    TRY(check_dtype(call, EXPAND_self));
    TRY(check_rank(call, EXPAND_self));
    TRY(check_length(call));
    struct shape *shape = result_reshaped(result, call, EXPAND_self, none);
    for (uint32_t i = 0; i < shape->rank; i++) {
        const int64_t given = sizes->value.int64[i], own = own_size(call, shape->rank, i);
        const int64_t times =
            expands ? times_to(given, own, i + call->tensor[EXPAND_self].rank < shape->rank) : given;
        if (times < 0)
            return refuse(call, "%s holds %" PRId64 ", which is not expected there for the shape of self",
                          call_name(call, EXPAND_size), given);
        if (__builtin_mul_overflow(own, times, &shape->dim[i]))
            return refuse(call, "out would have more than 2^63 - 1 elements");
    }
    return check_element_count(call, shape);
}

static aclnnStatus infer_expand(const struct call *call, struct result *result)
{
    return infer_times(call, result, true);
}

static aclnnStatus infer_repeat(const struct call *call, struct result *result)
{
    return infer_times(call, result, false);
}

static aclnnStatus plan_times(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[EXPAND_self], *out = &call->tensor[EXPAND_out];
    struct executor_content *content;
    struct move_plan *plan;
    struct move_part *part;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(begin(call, &content, &plan, &part));
    const uint32_t added = out->rank - self->rank;
    for (uint32_t i = 0; i < out->rank; i++) {
        const int64_t own = own_size(call, out->rank, i);
        move_add_axis(part, out->shape[i] / own, 0, own * out->stride[i]);
        if (i >= added)
            move_add_axis(part, own, self->stride[i - added], out->stride[i]);
    }
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnExpand, EXPAND, .stem = "expand", MOVE, .infer = infer_expand, .plan = plan_times);

#define REPEAT(X, of)                     \
    X(of, IN, self, &dtypes_all_small)    \
    X(of, INTS, repeats, .sample = "2,2") \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(REPEAT)

FUNCTION_OF(aclnnRepeat, REPEAT, .stem = "repeat", MOVE, .infer = infer_repeat, .plan = plan_times);

/* out's size along what is repeated is the number of elements there times repeats, and outputSize. */
static aclnnStatus check_output_size(const struct call *call, int64_t own, int64_t given)
{
    const int64_t times = call->argument[REPEAT_INTERLEAVE_INT_repeats].int64;
    int64_t size;
    if (times >= 0 && !__builtin_mul_overflow(own, times, &size) && size == given)
        return ACLNN_SUCCESS;
    return refuse(call,
                  "repeats is %" PRId64 " and outputSize is %" PRId64
                  "; a number of 0 or more is expected, and %" PRId64 " times that",
                  times, given, own);
}

static aclnnStatus infer_flat(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, EXPAND_self));
    TRY(check_rank(call, EXPAND_self));
    TRY(check_output_size(call, call->tensor[EXPAND_self].count,
                          call->argument[REPEAT_INTERLEAVE_INT_outputSize].int64));
    result_reshaped(
        result, call, EXPAND_self,
        (struct shape){.rank = 1, .dim = {call->argument[REPEAT_INTERLEAVE_INT_outputSize].int64}});
    return ACLNN_SUCCESS;
}

/* The axes of self, each element of it followed by its repetitions; the dims of out have these strides. */
static aclnnStatus plan_interleaved(const struct call *call, const int64_t *to_stride, int64_t step)
{
    const struct tensor_view *self = &call->tensor[EXPAND_self];
    struct executor_content *content;
    struct move_plan *plan;
    struct move_part *part;
    if (call->tensor[call_output(call)].count == 0)
        return call_idle(call);
    TRY(begin(call, &content, &plan, &part));
    for (uint32_t i = 0; i < self->rank; i++)
        move_add_axis(part, self->shape[i], self->stride[i], to_stride[i]);
    move_add_axis(part, call->argument[REPEAT_INTERLEAVE_INT_repeats].int64, 0, step);
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_flat(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[EXPAND_self];
    int64_t to_stride[OPERAND_RANK_MAX], step = call->tensor[REPEAT_INTERLEAVE_INT_out].stride[0];
    (void)result;
    uint64_t next = (uint64_t)step * (uint64_t)call->argument[REPEAT_INTERLEAVE_INT_repeats].int64;
    for (uint32_t i = self->rank; i-- > 0; next *= (uint64_t)self->shape[i])
        to_stride[i] = (int64_t)next;
    return plan_interleaved(call, to_stride, step);
}

static aclnnStatus infer_with_dim(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[EXPAND_self];
    uint32_t dim;
    TRY(check_dtype(call, EXPAND_self));
    TRY(check_rank(call, EXPAND_self));
    if (self->rank == 0)
        return refuse(call, "self has 0 dims; 1 or more are expected");
    TRY(check_dim(call, REPEAT_INTERLEAVE_INT_WITH_DIM_dim,
                  call->argument[REPEAT_INTERLEAVE_INT_WITH_DIM_dim].int64, self->rank, &dim));
    TRY(check_output_size(call, self->shape[dim],
                          call->argument[REPEAT_INTERLEAVE_INT_WITH_DIM_outputSize].int64));
    struct shape *shape = result_reshaped(result, call, EXPAND_self, shape_of(self));
    shape->dim[dim] = call->argument[REPEAT_INTERLEAVE_INT_WITH_DIM_outputSize].int64;
    return check_element_count(call, shape);
}

static aclnnStatus plan_with_dim(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[EXPAND_self],
                             *out = &call->tensor[REPEAT_INTERLEAVE_INT_WITH_DIM_out];
    int64_t to_stride[OPERAND_RANK_MAX];
    uint32_t dim;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, REPEAT_INTERLEAVE_INT_WITH_DIM_dim,
                  call->argument[REPEAT_INTERLEAVE_INT_WITH_DIM_dim].int64, self->rank, &dim));
    for (uint32_t i = 0; i < self->rank; i++)
        to_stride[i] = out->stride[i] * (i == dim ? call->argument[REPEAT_INTERLEAVE_INT_repeats].int64 : 1);
    return plan_interleaved(call, to_stride, out->stride[dim]);
}

FUNCTION_OF(aclnnRepeatInterleaveInt, REPEAT_INTERLEAVE_INT, .stem = "repeat_interleave", MOVE,
            .infer = infer_flat, .plan = plan_flat);

FUNCTION_OF(aclnnRepeatInterleaveIntWithDim, REPEAT_INTERLEAVE_INT_WITH_DIM, .stem = "repeat_interleave",
            MOVE, .infer = infer_with_dim, .plan = plan_with_dim);
