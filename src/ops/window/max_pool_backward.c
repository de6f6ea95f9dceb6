/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = for each element of a plane the sum of gradOutput over the windows whose maximum it was, which
 * indices tell, or a mask of bits: in FLOAT, in the row-major order of the windows, rounded once.
 */
#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "ops/signature.h"
#include "ops/window/pool.h"
#include "runtime/streams/fault.h"

#define TENSORS(X, of, grad, sample_, found, set)                 \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16, .sample = grad) \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = sample_)    \
    X(of, IN, indices, &(set), .sample = found)
#define BY_SIZES(X, of, grad, sample_, found, set) \
    TENSORS(X, of, grad, sample_, found, set)      \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16)
SIGNATURE_PLACES(BY_SIZES, , , , )
#define BY_WINDOWS(X, of, grad, sample_, found, set) \
    TENSORS(X, of, grad, sample_, found, set)        \
    DILATED_WINDOW(X, of)                            \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16)
SIGNATURE_PLACES(BY_WINDOWS, , , , )

static int64_t index_at(const struct pool *pool, const void *indices, uint64_t number)
{
    return pool->index_dtype == ACL_INT32 ? ((const int32_t *)indices)[number]
                                          : ((const int64_t *)indices)[number];
}

/* Sums begin at 0, where the result is FLOAT in the output itself. */
static float *begin_sums(const struct plane_walk *walk, void *output, void *room)
{
    const struct pool *pool = (const struct pool *)(const void *)walk->parameters;
    float *sum = pool->dtype == ACL_FLOAT ? (float *)output : (float *)room;
    memset(sum, 0, (size_t)pool_in(pool) * sizeof *sum);
    return sum;
}

/* Which NaN a sum is, of NaN and of infinities, is the processor's choice; conversions give the canonical one. */
static void end_sums(const struct plane_walk *walk, float *sum, void *output)
{
    const struct pool *pool = (const struct pool *)(const void *)walk->parameters;
    const uint64_t in = pool_in(pool);
    if (pool->dtype != ACL_FLOAT) {
        plane_convert(walk, sum, ACL_FLOAT, output, pool->dtype, in);
        return;
    }
    for (uint64_t i = 0; i < in; i++)
        sum[i] = sum[i] == sum[i] ? sum[i] : __builtin_nanf("");
}

/* Only windows with gaps may have no element in the plane, and -1 for its place then. */
static bool may_be_empty(const struct pool *pool)
{
    return pool->axis[0].dilation > 1 || pool->axis[1].dilation > 1 || pool->axis[2].dilation > 1;
}

static int64_t add_by_index(const struct plane_walk *walk, const void *const *input, void *const *output,
                            void *room)
{
    const struct pool *pool = (const struct pool *)(const void *)walk->parameters;
    const uint64_t in = pool_in(pool), out = pool_out(pool);
    const float *grad = plane_floats(walk, input[0], pool->dtype, (float *)room + in, out);
    float *sum = begin_sums(walk, output[0], room);
    for (uint64_t i = 0; i < out; i++) {
        const int64_t index = index_at(pool, input[1], i);
        if (index == -1 && may_be_empty(pool))
            continue;
        if (index < 0 || (uint64_t)index >= in)
            return (int64_t)i;
        sum[index] += grad[i];
    }
    end_sums(walk, sum, output[0]);
    return -1;
}

static int tell_index(const struct plane_walk *walk, const void *indices, int64_t plane, int64_t element)
{
    const struct pool *pool = (const struct pool *)(const void *)walk->parameters;
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "indices holds %" PRId64 " for window %" PRId64 " of plane %" PRId64
                          "; 0 to %" PRIu64 " are expected",
                          index_at(pool, indices, (uint64_t)element), element, plane, pool_in(pool) - 1);
}

/* Adds gradients whose windows have their bits set to sums that are so far apart: +0 where it is not set, which
 * changes no sum that begins at +0. Branches would be mistaken. */
static inline __attribute__((always_inline)) void add_byte(unsigned bits, uint64_t count, const float *grad,
                                                           float *sum, int64_t apart)
{
    for (uint64_t i = 0; i < count; i++, sum += apart) {
        uint32_t value;
        float masked;
        memcpy(&value, grad + i, sizeof value);
        value &= -(bits >> i & 1);
        memcpy(&masked, &value, sizeof masked);
        *sum += masked;
    }
}

/* The same of windows side by side; bytes without bits are passed over. */
static inline __attribute__((always_inline)) void add_marked(const unsigned char *bits, uint64_t window,
                                                             uint64_t count, const float *grad, float *sum,
                                                             int64_t apart)
{
    for (uint64_t some; count > 0;
         count -= some, window += some, grad += some, sum += (int64_t)some * apart) {
        const unsigned rest = bits[window / 8] >> window % 8;
        some = 8 - window % 8 < count ? 8 - window % 8 : count;
        if (rest != 0 && some == 8)
            add_byte(rest, 8, grad, sum, apart);
        else if (rest != 0)
            add_byte(rest, some, grad, sum, apart);
    }
}

/* The windows along an axis, first to behind, for which an element that is so far behind their beginning lies on
 * the tensor. */
static void windows_with(const struct pool_axis *axis, int64_t offset, int64_t *first, int64_t *behind)
{
    *first = offset < 0 ? (-offset - 1) / axis->stride + 1 : 0;
    *behind = offset < axis->in ? (axis->in - 1 - offset) / axis->stride + 1 : 0;
    *behind = *behind < axis->out ? *behind : axis->out;
}

/* Adds the gradients of the windows whose bits are set to their elements at one place. */
static void add_place(const struct pool *pool, int64_t place, const unsigned char *bits, const float *grad,
                      float *sum)
{
    const struct pool_axis *high = &pool->axis[1], *wide = &pool->axis[2];
    const int64_t down = place / wide->kernel - high->padding, right = place % wide->kernel - wide->padding;
    int64_t first_row, behind_row, first, behind;
    windows_with(high, down, &first_row, &behind_row);
    windows_with(wide, right, &first, &behind);
    /* A stride that no second window needs may be of any size. */
    const int64_t apart = behind - first > 1 ? wide->stride : 0;
    for (int64_t row = first_row; row < behind_row && first < behind; row++) {
        const int64_t window = row * wide->out + first;
        float *to = sum + (row * high->stride + down) * wide->in + first * wide->stride + right;
        const uint64_t count = (uint64_t)(behind - first);
        if (wide->stride == 2)
            add_marked(bits, (uint64_t)window, count, grad + window, to, 2);
        else
            add_marked(bits, (uint64_t)window, count, grad + window, to, apart);
    }
}

static int64_t add_by_bits(const struct plane_walk *walk, const void *const *input, void *const *output,
                           void *room)
{
    const struct pool *pool = (const struct pool *)(const void *)walk->parameters;
    const struct pool_axis *high = &pool->axis[1], *wide = &pool->axis[2];
    const uint64_t out = pool_out(pool), row_bytes = (out + 15) / 16 * 32 + 32;
    const float *grad = plane_floats(walk, input[0], pool->dtype, (float *)room + pool_in(pool), out);
    const unsigned char *mask = (const unsigned char *)input[1];
    float *sum = begin_sums(walk, output[0], room);
    /* An element has the windows in their order where places run backwards. */
    for (int64_t place = high->kernel * wide->kernel; place-- > 0;)
        add_place(pool, place, mask + (uint64_t)place * row_bytes, grad, sum);
    end_sums(walk, sum, output[0]);
    return -1;
}

/* of_family: where parameters are, and whether a mask takes the place of indices. */
struct gradient {
    struct pool_parameters parameters;
    bool has_mask;
};

static const struct gradient *gradient_of(const struct call *call)
{
    return (const struct gradient *)call->function->of_family;
}

static aclnnStatus check_mask(const struct call *call, const struct pool *pool)
{
    const struct pool_axis *high = &pool->axis[1], *wide = &pool->axis[2];
    struct shape shape = shape_of(&call->tensor[BY_WINDOWS_self]);
    int64_t windows, places;
    if (high->dilation != 1 || wide->dilation != 1)
        return refuse(call, "dilation has %" PRId64 "; 1 is expected",
                      high->dilation > 1 ? high->dilation : wide->dilation);
    if (__builtin_mul_overflow(high->out, wide->out, &windows) || windows > INT64_MAX / 2 - 64 ||
        __builtin_mul_overflow(high->kernel, wide->kernel, &places))
        return refuse(call, "indices has more than 2^63 - 1 elements; that many at most are expected");
    shape.dim[shape.rank - 2] = places;
    shape.dim[shape.rank - 1] = ((windows + 15) / 16 + 1) * 32;
    return pool_check_shape(call, BY_WINDOWS_indices, &shape);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct gradient *gradient = gradient_of(call);
    struct pool pool;
    TRY(check_dtype(call, BY_WINDOWS_gradOutput));
    TRY(check_dtype(call, BY_WINDOWS_self));
    TRY(check_dtype(call, BY_WINDOWS_indices));
    TRY(check_same_dtype(call, BY_WINDOWS_gradOutput, BY_WINDOWS_self, NULL));
    TRY(pool_read(call, &gradient->parameters, &pool));
    const struct shape shape = pool_shape(&call->tensor[BY_WINDOWS_self], gradient->parameters.axes, &pool);
    TRY(pool_check_shape(call, BY_WINDOWS_gradOutput, &shape));
    TRY(gradient->has_mask ? check_mask(call, &pool) : pool_check_shape(call, BY_WINDOWS_indices, &shape));
    result->computed = pool.dtype;
    struct output *output = result_add(result, pool.dtype, DTYPE_EQUAL);
    output->like = BY_WINDOWS_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(&call->tensor[BY_WINDOWS_self]);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct gradient *gradient = gradient_of(call);
    struct pool pool;
    (void)result;
    TRY(pool_read(call, &gradient->parameters, &pool));
    pool.index_dtype = call->tensor[BY_WINDOWS_indices].dtype;
    if (call->tensor[BY_WINDOWS_self].count == 0)
        return call_idle(call);
    struct plane_request request = pool_request(call, &gradient->parameters, &pool);
    request.function = gradient->has_mask ? add_by_bits : add_by_index;
    request.explain = tell_index;
    request.inputs = 2;
    request.parameter[0] = BY_WINDOWS_gradOutput;
    request.parameter[1] = BY_WINDOWS_indices;
    request.parameter[2] = gradient->parameters.is_adaptive ? BY_SIZES_gradInput : BY_WINDOWS_gradInput;
    request.room_bytes = pool.dtype == ACL_FLOAT ? 0 : (pool_in(&pool) + pool_out(&pool)) * sizeof(float);
    return plane_walk_plan(call, &request);
}

#define WINDOWS(axes_)                                                                                \
    {                                                                                                 \
        .window = {BY_WINDOWS_kernelSize, BY_WINDOWS_stride, BY_WINDOWS_padding, BY_WINDOWS_dilation, \
                   BY_WINDOWS_ceilMode},                                                              \
        .axes = (axes_), .self = BY_WINDOWS_self, .is_gradient = true                                 \
    }
#define ADAPTIVE(axes_)                                                                                \
    {                                                                                                  \
        .axes = (axes_), .self = BY_WINDOWS_self, .sizes = BY_WINDOWS_gradOutput, .is_adaptive = true, \
        .is_gradient = true                                                                            \
    }
static const struct gradient mask_2 = {WINDOWS(2), true}, windows_2 = {WINDOWS(2), false},
                             windows_3 = {WINDOWS(3), false}, adaptive_2 = {ADAPTIVE(2), false},
                             adaptive_3 = {ADAPTIVE(3), false};

#define POOL_FUNCTION(gradient_)                                                                \
    .promise = &promise_sum, .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, .plan = plan, \
    .of_family = &(gradient_)

FUNCTION_LIKE(aclnnMaxPool2dWithMaskBackward,
              (BY_WINDOWS, "2x3x2x2", "2x3x4x5", "2x3x4x64:INT8", dtypes_int8_uint8),
              .stem = "max_pool2d_with_indices_backward", POOL_FUNCTION(mask_2));
FUNCTION_LIKE(aclnnMaxPool2dWithIndicesBackward,
              (BY_WINDOWS, "2x3x2x2", "2x3x4x5", "2x3x2x2:INT32", dtypes_int32_int64),
              .stem = "max_pool2d_with_indices_backward", POOL_FUNCTION(windows_2));
FUNCTION_LIKE(aclnnMaxPool3dWithArgmaxBackward,
              (BY_WINDOWS, "2x3x2x2x1", "2x3x4x5x2", "2x3x2x2x1:INT32", dtypes_int32_int64),
              .stem = "max_pool3d_with_argmax_backward", POOL_FUNCTION(windows_3));
FUNCTION_LIKE(aclnnAdaptiveMaxPool2dBackward,
              (BY_SIZES, "2x3x3x2", "2x3x4x5", "2x3x3x2:INT64", dtypes_int32_int64),
              .stem = "adaptive_max_pool2d_backward", POOL_FUNCTION(adaptive_2));
FUNCTION_LIKE(aclnnAdaptiveMaxPool3dBackward,
              (BY_SIZES, "2x3x3x2x1", "2x3x4x5x2", "2x3x3x2x1:INT64", dtypes_int32_int64),
              .stem = "adaptive_max_pool3d_backward", POOL_FUNCTION(adaptive_3));
