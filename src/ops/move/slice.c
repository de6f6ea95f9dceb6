/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Slices of dims, in steps. Slice and SliceV2: Python's rule with steps above 0. StridedSlice: TensorFlow's,
 * with steps of either sign, and dims that come and go by masks. Bits stay as they are.
 */
#include "aclnnop/aclnn_slice.h"

#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_slice_v2.h"
#include "aclnnop/aclnn_strided_slice.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/move/segments.h"
#include "ops/signature.h"

/* What comes out: its shape, and for each dim of self its slice and the dim of out that this is. */
struct sliced {
    struct shape shape;
    struct segments segments[OPERAND_RANK_MAX];
    uint32_t out_dim[OPERAND_RANK_MAX]; /* OPERAND_RANK_MAX where there is none */
};

#define SLICE(X, of)                                                                                  \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                                                   \
    X(of, INT64, start, .usual = "0")                                                                 \
    X(of, INT64, end, .sample = "2")                                                                  \
    X(of, INT64, step, .usual = "1")                                                                  \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_small)
SIGNATURE(SLICE)
#define SLICE_V2(X, of)                                                                               \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_small, .is_partly_read = true) \
    X(of, INTS, starts, .sample = "0,1")                                                              \
    X(of, INTS, ends, .sample = "2,3")                                                                \
    X(of, INTS, axes, .sample = "0,1")                                                                \
    X(of, INTS, steps, .sample = "1,1")                                                               \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_small)
SIGNATURE(SLICE_V2)
#define STRIDED_SLICE(X, of)                                   \
    X(of, IN, self, &dtypes_all_small, .is_partly_read = true) \
    X(of, INTS, begin, .sample = "0,2")                        \
    X(of, INTS, end, .sample = "2,0")                          \
    X(of, INTS, strides, .sample = "1,-1")                     \
    X(of, INT64, beginMask, .usual = "0")                      \
    X(of, INT64, endMask, .usual = "0")                        \
    X(of, INT64, ellipsisMask, .usual = "0")                   \
    X(of, INT64, newAxisMask, .usual = "0")                    \
    X(of, INT64, shrinkAxisMask, .usual = "0")                 \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(STRIDED_SLICE)

static struct sliced whole_of(const struct tensor_view *self)
{
    struct sliced sliced = {.shape.rank = self->rank};
    for (uint32_t i = 0; i < self->rank; i++) {
        sliced.shape.dim[i] = self->shape[i];
        sliced.segments[i] = segments_whole(self->shape[i]);
        sliced.out_dim[i] = i;
    }
    return sliced;
}

static int64_t clip(int64_t value, int64_t size, int64_t low, int64_t high)
{
    value += value < 0 ? size : 0;
    return value < low ? low : value > high ? high : value;
}

/* One dim; start, end and step are elements of the arguments. */
static aclnnStatus slice_dim(const struct call *call, unsigned step_parameter, uint32_t dim, int64_t start,
                             int64_t end, int64_t step, struct sliced *sliced)
{
    const int64_t size = call->tensor[SLICE_self].shape[dim];
    if (step <= 0)
        return refuse(call, "%s is %" PRId64 "; 1 or more is expected", call_name(call, step_parameter),
                      step);
    start = clip(start, size, 0, size);
    end = clip(end, size, start, size);
    const int64_t count = end > start ? (end - start - 1) / step + 1 : 0;
    sliced->shape.dim[dim] = count;
    sliced->segments[dim].segment[0] = (struct segment){count, start, step, 0};
    return ACLNN_SUCCESS;
}

static aclnnStatus read_slice(const struct call *call, struct sliced *sliced)
{
    const union argument *argument = call->argument;
    uint32_t dim;
    *sliced = whole_of(&call->tensor[SLICE_self]);
    TRY(check_dim(call, SLICE_dim, argument[SLICE_dim].int64, call->tensor[SLICE_self].rank, &dim));
    return slice_dim(call, SLICE_step, dim, argument[SLICE_start].int64, argument[SLICE_end].int64,
                     argument[SLICE_step].int64, sliced);
}

static aclnnStatus read_slice_v2(const struct call *call, struct sliced *sliced)
{
    const struct call_values *values = call->values;
    uint32_t seen = 0;
    *sliced = whole_of(&call->tensor[SLICE_self]);
    for (unsigned i = SLICE_V2_ends; i <= SLICE_V2_steps; i++)
        if (values[i].count != values[SLICE_V2_starts].count)
            return refuse(call, "%s has %" PRIu64 " elements; %" PRIu64 ", as many as starts, are expected",
                          call_name(call, i), values[i].count, values[SLICE_V2_starts].count);
    for (uint64_t i = 0; i < values[SLICE_V2_axes].count; i++) {
        uint32_t dim;
        TRY(check_dim(call, SLICE_V2_axes, values[SLICE_V2_axes].value.int64[i],
                      call->tensor[SLICE_self].rank, &dim));
        if (seen >> dim & 1)
            return refuse(call, "axes names dim %u twice; once at most is expected", dim);
        seen |= 1u << dim;
        TRY(slice_dim(call, SLICE_V2_steps, dim, values[SLICE_V2_starts].value.int64[i],
                      values[SLICE_V2_ends].value.int64[i], values[SLICE_V2_steps].value.int64[i], sliced));
    }
    return ACLNN_SUCCESS;
}

static bool is_marked(const struct call *call, unsigned mask, uint64_t entry)
{
    return entry < 64 && ((uint64_t)call->argument[mask].int64 >> entry & 1) != 0;
}

/* The slice of a dim that an entry gives. */
static struct segment entry_slice(const struct call *call, uint64_t entry, int64_t size)
{
    const int64_t step = call->values[STRIDED_SLICE_strides].value.int64[entry];
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    int64_t begin = clip(call->values[STRIDED_SLICE_begin].value.int64[entry], size, low, high);
    int64_t end = clip(call->values[STRIDED_SLICE_end].value.int64[entry], size, low, high);
    if (is_marked(call, STRIDED_SLICE_beginMask, entry))
        begin = step > 0 ? low : high;
    if (is_marked(call, STRIDED_SLICE_endMask, entry))
        end = step > 0 ? high : low;
    const bool is_empty = step > 0 ? end <= begin : end >= begin;
    const int64_t distance = step > 0 ? end - begin - 1 : end - begin + 1;
    return (struct segment){is_empty ? 0 : distance / step + 1, begin, step, 0};
}

/* Lengths, steps and masks by themselves; *missing is how many dims no entry is about. */
static aclnnStatus check_entries(const struct call *call, uint32_t *missing)
{
    const uint64_t count = call->values[STRIDED_SLICE_begin].count;
    const uint32_t rank = call->tensor[SLICE_self].rank;
    uint64_t used = 0, ellipses = 0;
    for (unsigned i = STRIDED_SLICE_end; i <= STRIDED_SLICE_strides; i++)
        if (call->values[i].count != count)
            return refuse(call, "%s has %" PRIu64 " elements; %" PRIu64 ", as many as begin, are expected",
                          call_name(call, i), call->values[i].count, count);
    for (uint64_t i = 0; i < count; i++) {
        if (call->values[STRIDED_SLICE_strides].value.int64[i] == 0)
            return refuse(call, "strides holds 0; another number is expected");
        bool is_ellipsis = is_marked(call, STRIDED_SLICE_ellipsisMask, i);
        ellipses += is_ellipsis;
        used += !is_ellipsis && !is_marked(call, STRIDED_SLICE_newAxisMask, i);
    }
    if (ellipses > 1)
        return refuse(call, "ellipsisMask has more than one bit; one at most is expected");
    if (used > rank)
        return refuse(
            call, "begin has elements for %" PRIu64 " dims; %u, as many as self has, are expected at most",
            used, rank);
    *missing = rank - (uint32_t)used;
    return ACLNN_SUCCESS;
}

static aclnnStatus add_dim(const struct call *call, int64_t size, struct shape *shape)
{
    if (shape->rank == OPERAND_RANK_MAX)
        return refuse(call, "out would have more than %d dims; that many are expected", OPERAND_RANK_MAX);
    shape->dim[shape->rank++] = size;
    return ACLNN_SUCCESS;
}

/* The next dims of self as they are. */
static aclnnStatus keep_dims(const struct call *call, uint32_t *dim, uint32_t count, struct sliced *sliced)
{
    for (; count > 0; count--, ++*dim) {
        sliced->out_dim[*dim] = sliced->shape.rank;
        TRY(add_dim(call, call->tensor[SLICE_self].shape[*dim], &sliced->shape));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus shrink_dim(const struct call *call, uint64_t entry, uint32_t dim, struct sliced *sliced)
{
    const int64_t size = call->tensor[SLICE_self].shape[dim],
                  given = call->values[STRIDED_SLICE_begin].value.int64[entry];
    const int64_t index = given + (given < 0 ? size : 0);
    if (call->values[STRIDED_SLICE_strides].value.int64[entry] < 0 || index < 0 || index >= size)
        return refuse(call,
                      "begin holds %" PRId64 " for dim %u, which vanishes; an index into its %" PRId64
                      " elements and a stride above 0 are expected",
                      given, dim, size);
    sliced->segments[dim].segment[0] = (struct segment){1, index, 1, 0};
    sliced->out_dim[dim] = OPERAND_RANK_MAX;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_strided(const struct call *call, struct sliced *sliced)
{
    uint32_t dim = 0, missing;
    *sliced = whole_of(&call->tensor[SLICE_self]);
    sliced->shape.rank = 0;
    TRY(check_entries(call, &missing));
    for (uint64_t i = 0; i < call->values[STRIDED_SLICE_begin].count; i++) {
        if (is_marked(call, STRIDED_SLICE_ellipsisMask, i)) {
            TRY(keep_dims(call, &dim, missing, sliced));
            missing = 0;
        } else if (is_marked(call, STRIDED_SLICE_newAxisMask, i)) {
            TRY(add_dim(call, 1, &sliced->shape));
        } else if (is_marked(call, STRIDED_SLICE_shrinkAxisMask, i)) {
            TRY(shrink_dim(call, i, dim++, sliced));
        } else {
            const struct segment slice = entry_slice(call, i, call->tensor[SLICE_self].shape[dim]);
            sliced->segments[dim].segment[0] = slice;
            sliced->out_dim[dim++] = sliced->shape.rank;
            TRY(add_dim(call, slice.size, &sliced->shape));
        }
    }
    return keep_dims(call, &dim, missing, sliced);
}

typedef aclnnStatus read_function(const struct call *call, struct sliced *sliced);

/* A description's of_family points to how its slices are read. */
struct reading {
    read_function *read;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SLICE_self];
    const struct reading *reading = (const struct reading *)call->function->of_family;
    struct sliced sliced;
    TRY(check_dtype(call, SLICE_self));
    TRY(check_rank(call, SLICE_self));
    if (self->rank == 0 && reading->read != read_strided)
        return refuse(call, "self has 0 dims; 1 or more are expected");
    TRY(reading->read(call, &sliced));
    result_reshaped(result, call, SLICE_self, sliced.shape);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct reading *reading = (const struct reading *)call->function->of_family;
    const unsigned out = call_output(call);
    int64_t to_stride[OPERAND_RANK_MAX];
    struct sliced sliced;
    (void)result;
    TRY(reading->read(call, &sliced));
    for (uint32_t i = 0; i < call->tensor[SLICE_self].rank; i++)
        to_stride[i] =
            sliced.out_dim[i] == OPERAND_RANK_MAX ? 0 : call->tensor[out].stride[sliced.out_dim[i]];
    return segments_plan(call, SLICE_self, out, sliced.segments, to_stride);
}

static const struct reading slice = {read_slice}, slice_v2 = {read_slice_v2}, strided = {read_strided};

#define AS_SLICE MOVE, .infer = infer, .plan = plan

FUNCTION_OF(aclnnSlice, SLICE, .stem = "slice", AS_SLICE, .of_family = &slice);
FUNCTION_OF(aclnnSliceV2, SLICE_V2, .stem = "slice_v2", AS_SLICE, .of_family = &slice_v2);
FUNCTION_OF(aclnnStridedSlice, STRIDED_SLICE, .stem = "strided_slice", AS_SLICE, .of_family = &strided);
