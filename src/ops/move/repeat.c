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

enum { SELF, SIZES, OUT };
enum { TIMES = 1, FLAT_SIZE, FLAT_OUT, DIM = 2, DIM_SIZE, DIM_OUT };

/* One part with axes for the caller to add. */
static aclnnStatus begin(const struct call *call, struct executor_content **content, struct move_plan **plan,
                         struct move_part **part)
{
    const aclDataType dtype = call->tensor[SELF].dtype;
    TRY(move_begin(call, 1, dtype, dtype, content, plan));
    *part = move_add(*plan, call->first_operand[SELF], call->first_operand[call_output(call)], dtype);
    return ACLNN_SUCCESS;
}

/* At least as many elements as self has dims, and 8 at most. */
static aclnnStatus check_length(const struct call *call)
{
    const uint64_t count = call->values[SIZES].count;
    const uint32_t rank = call->tensor[SELF].rank;
    if (count >= rank && count <= OPERAND_RANK_MAX)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has %" PRIu64 " elements; %u to %d are expected", call_name(call, SIZES), count,
                  rank, OPERAND_RANK_MAX);
}

/* What self has along a dim of out. */
static int64_t own_size(const struct call *call, uint32_t rank, uint32_t dim)
{
    const struct tensor_view *self = &call->tensor[SELF];
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
    const struct call_values *sizes = &call->values[SIZES];
    const struct shape none = {.rank = (uint32_t)sizes->count};
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(check_length(call));
    struct shape *shape = result_reshaped(result, call, SELF, none);
    for (uint32_t i = 0; i < shape->rank; i++) {
        const int64_t given = sizes->value.int64[i], own = own_size(call, shape->rank, i);
        const int64_t times =
            expands ? times_to(given, own, i + call->tensor[SELF].rank < shape->rank) : given;
        if (times < 0)
            return refuse(call, "%s holds %" PRId64 ", which is not expected there for the shape of self",
                          call_name(call, SIZES), given);
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
    const struct tensor_view *self = &call->tensor[SELF], *out = &call->tensor[OUT];
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

static const struct parameter of_expand[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_float8),
    [SIZES] = {"size", .kind = PARAMETER_INT_ARRAY, .sample = "4,2,3"},
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_float8),
};
FUNCTION(aclnnExpand, (const aclTensor *self, const aclIntArray *size, aclTensor *out),
         (ARG(self), ARG(size), ARG(out)), .stem = "expand", PARAMETERS(of_expand), MOVE,
         .infer = infer_expand, .plan = plan_times);

static const struct parameter of_repeat[] = {
    [SELF] = READ("self", &dtypes_all_float8),
    [SIZES] = {"repeats", .kind = PARAMETER_INT_ARRAY, .sample = "2,2"},
    [OUT] = WRITTEN("out", &dtypes_all_float8),
};
FUNCTION(aclnnRepeat, (const aclTensor *self, const aclIntArray *repeats, aclTensor *out),
         (ARG(self), ARG(repeats), ARG(out)), .stem = "repeat", PARAMETERS(of_repeat), MOVE,
         .infer = infer_repeat, .plan = plan_times);

/* out's size along what is repeated is the number of elements there times repeats, and outputSize. */
static aclnnStatus check_output_size(const struct call *call, int64_t own, int64_t given)
{
    const int64_t times = call->argument[TIMES].int64;
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
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(check_output_size(call, call->tensor[SELF].count, call->argument[FLAT_SIZE].int64));
    result_reshaped(result, call, SELF, (struct shape){.rank = 1, .dim = {call->argument[FLAT_SIZE].int64}});
    return ACLNN_SUCCESS;
}

/* The axes of self, each element of it followed by its repetitions; the dims of out have these strides. */
static aclnnStatus plan_interleaved(const struct call *call, const int64_t *to_stride, int64_t step)
{
    const struct tensor_view *self = &call->tensor[SELF];
    struct executor_content *content;
    struct move_plan *plan;
    struct move_part *part;
    if (call->tensor[call_output(call)].count == 0)
        return call_idle(call);
    TRY(begin(call, &content, &plan, &part));
    for (uint32_t i = 0; i < self->rank; i++)
        move_add_axis(part, self->shape[i], self->stride[i], to_stride[i]);
    move_add_axis(part, call->argument[TIMES].int64, 0, step);
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_flat(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    int64_t to_stride[OPERAND_RANK_MAX], step = call->tensor[FLAT_OUT].stride[0];
    (void)result;
    uint64_t next = (uint64_t)step * (uint64_t)call->argument[TIMES].int64;
    for (uint32_t i = self->rank; i-- > 0; next *= (uint64_t)self->shape[i])
        to_stride[i] = (int64_t)next;
    return plan_interleaved(call, to_stride, step);
}

static aclnnStatus infer_with_dim(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    uint32_t dim;
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    if (self->rank == 0)
        return refuse(call, "self has 0 dims; 1 or more are expected");
    TRY(check_dim(call, DIM, call->argument[DIM].int64, self->rank, &dim));
    TRY(check_output_size(call, self->shape[dim], call->argument[DIM_SIZE].int64));
    struct shape *shape = result_reshaped(result, call, SELF, shape_of(self));
    shape->dim[dim] = call->argument[DIM_SIZE].int64;
    return check_element_count(call, shape);
}

static aclnnStatus plan_with_dim(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *out = &call->tensor[DIM_OUT];
    int64_t to_stride[OPERAND_RANK_MAX];
    uint32_t dim;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, DIM, call->argument[DIM].int64, self->rank, &dim));
    for (uint32_t i = 0; i < self->rank; i++)
        to_stride[i] = out->stride[i] * (i == dim ? call->argument[TIMES].int64 : 1);
    return plan_interleaved(call, to_stride, out->stride[dim]);
}

static const struct parameter of_flat[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16_integers_bool_float8_on_950_naturals),
    [TIMES] = {.name = "repeats", .kind = PARAMETER_INT64, .sample = "2"},
    [FLAT_SIZE] = {.name = "outputSize", .kind = PARAMETER_INT64, .sample = "12"},
    [FLAT_OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16_integers_bool_float8_on_950_naturals),
};
FUNCTION(aclnnRepeatInterleaveInt,
         (const aclTensor *self, int64_t repeats, int64_t outputSize, aclTensor *out),
         (ARG(self), ARG(repeats), ARG(outputSize), ARG(out)), .stem = "repeat_interleave",
         PARAMETERS(of_flat), MOVE, .infer = infer_flat, .plan = plan_flat);

static const struct parameter of_dim[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16_integers_bool_float8_on_950_naturals),
    [TIMES] = {.name = "repeats", .kind = PARAMETER_INT64, .sample = "2"},
    [DIM] = USUAL("dim", INT64, "0"),
    [DIM_SIZE] = {.name = "outputSize", .kind = PARAMETER_INT64, .sample = "4"},
    [DIM_OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16_integers_bool_float8_on_950_naturals),
};
FUNCTION(aclnnRepeatInterleaveIntWithDim,
         (const aclTensor *self, int64_t repeats, int64_t dim, int64_t outputSize, aclTensor *out),
         (ARG(self), ARG(repeats), ARG(dim), ARG(outputSize), ARG(out)), .stem = "repeat_interleave",
         PARAMETERS(of_dim), MOVE, .infer = infer_with_dim, .plan = plan_with_dim);
