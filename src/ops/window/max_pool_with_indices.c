/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest element of each window, with its own bits, and where in the plane it lies.
 *
 * The first of equal elements in row-major order counts, -0 equals +0, and the last NaN counts before every
 * number.
 */
#include <string.h>

#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "ops/signature.h"
#include "ops/window/greatest.h"
#include "ops/window/pool.h"
#include "tensor/dtype.h"

#define BY_WINDOWS(X, of, sample_)                             \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = sample_) \
    DILATED_WINDOW(X, of)                                      \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                    \
    X(of, OUT, indices, &dtypes_int32_int64)
SIGNATURE_PLACES(BY_WINDOWS, )
#define BY_SIZES(X, of, sample_, sizes_, set)  \
    X(of, IN, self, &(set), .sample = sample_) \
    X(of, INTS, outputSize, .sample = sizes_)  \
    X(of, OUT, outputOut, &(set))              \
    X(of, OUT, indicesOut, &dtypes_int32_int64)
SIGNATURE_PLACES(BY_SIZES, , , )

static inline __attribute__((always_inline)) int64_t find_greatest(const struct pool *pool,
                                                                   enum plane_of plane_of, const void *plane,
                                                                   const struct pool_part *part)
{
    const int64_t height = pool->axis[1].in, width = pool->axis[2].in;
    struct greatest greatest = {.place = -1};
    for (int64_t a = 0; a < part[0].count; a++)
        for (int64_t b = 0; b < part[1].count; b++) {
            const int64_t row =
                (part[0].begin + a * part[0].step) * height + part[1].begin + b * part[1].step;
            int64_t place = row * width + part[2].begin;
            for (int64_t c = 0; c < part[2].count; c++, place += part[2].step)
                greatest_meet(&greatest, plane_of, plane, place);
        }
    return greatest.place;
}

static int64_t find_greatest_fp32(const struct pool *pool, const float *plane, const struct pool_part *part)
{
    return find_greatest(pool, PLANE_OF_FP32, plane, part);
}

static int64_t find_greatest_fp64(const struct pool *pool, const double *plane, const struct pool_part *part)
{
    return find_greatest(pool, PLANE_OF_FP64, plane, part);
}

static int64_t pool_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                          void *room)
{
    const struct pool *pool = (const struct pool *)(const void *)walk->parameters;
    const struct pool_axis *axis = pool->axis;
    const uint32_t bytes = dtype_bytes(pool->dtype);
    const bool is_double = pool->dtype == ACL_DOUBLE;
    const float *plane =
        is_double ? NULL : plane_floats(walk, input[0], pool->dtype, (float *)room, pool_in(pool));
    unsigned char *out = (unsigned char *)output[0];
    uint64_t number = 0;
    struct pool_part part[POOL_AXES];
    for (int64_t a = 0; a < axis[0].out; a++) {
        part[0] = pool_part(&axis[0], a, false);
        for (int64_t b = 0; b < axis[1].out; b++) {
            part[1] = pool_part(&axis[1], b, false);
            for (int64_t c = 0; c < axis[2].out; c++, number++) {
                part[2] = pool_part(&axis[2], c, false);
                const int64_t place = is_double ? find_greatest_fp64(pool, (const double *)input[0], part)
                                                : find_greatest_fp32(pool, plane, part);
                const void *greatest =
                    (const unsigned char *)input[0] + (place < 0 ? 0 : (uint64_t)place * bytes);
                unsigned char none[sizeof(double)];
                if (place < 0) {
                    plane_convert(walk, &(float){-__builtin_inff()}, ACL_FLOAT, none, pool->dtype, 1);
                    greatest = none;
                }
                memcpy(out + number * bytes, greatest, bytes);
                if (pool->index_dtype == ACL_INT32)
                    ((int32_t *)output[1])[number] = (int32_t)place;
                else
                    ((int64_t *)output[1])[number] = place;
            }
        }
    }
    return -1;
}

static const struct pool_parameters *parameters_of(const struct call *call)
{
    return (const struct pool_parameters *)call->function->of_family;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct pool_parameters *parameters = parameters_of(call);
    struct pool pool;
    TRY(check_dtype(call, BY_WINDOWS_self));
    TRY(pool_read(call, parameters, &pool));
    result->computed = pool.dtype;
    struct output *out = result_add(result, pool.dtype, DTYPE_EQUAL);
    struct output *indices = result_add(result, parameters->is_adaptive ? ACL_INT64 : ACL_INT32, DTYPE_ANY);
    out->like = indices->like = BY_WINDOWS_self;
    out->shape_rule = indices->shape_rule = SHAPE_EQUAL;
    out->shape = indices->shape = pool_shape(&call->tensor[BY_WINDOWS_self], parameters->axes, &pool);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct pool_parameters *parameters = parameters_of(call);
    const unsigned out = parameters->is_adaptive ? BY_SIZES_outputOut : BY_WINDOWS_out;
    struct pool pool;
    (void)result;
    TRY(pool_read(call, parameters, &pool));
    if (call->tensor[out].count == 0)
        return call_idle(call);
    pool.index_dtype = call->tensor[out + 1].dtype;
    if (pool.index_dtype == ACL_INT32 && pool_in(&pool) > INT32_MAX)
        return refuse(call, "%s has dtype INT32 and planes more elements than that has numbers",
                      call_name(call, out + 1));
    struct plane_request request = pool_request(call, parameters, &pool);
    request.function = pool_plane;
    request.outputs = 2;
    request.parameter[0] = BY_WINDOWS_self;
    request.parameter[1] = out;
    request.parameter[2] = out + 1;
    request.room_bytes =
        pool.dtype == ACL_FLOAT || pool.dtype == ACL_DOUBLE ? 0 : pool_in(&pool) * sizeof(float);
    return plane_walk_plan(call, &request);
}

#define WINDOWS                                                                            \
    {                                                                                      \
        BY_WINDOWS_kernelSize, BY_WINDOWS_stride, BY_WINDOWS_padding, BY_WINDOWS_dilation, \
            BY_WINDOWS_ceilMode                                                            \
    }
static const struct pool_parameters windows_2 = {.window = WINDOWS, .axes = 2},
                                    windows_3 = {.window = WINDOWS, .axes = 3};
static const struct pool_parameters adaptive_2 = {.axes = 2,
                                                  .sizes = BY_SIZES_outputSize,
                                                  .is_adaptive = true},
                                    adaptive_3 = {
                                        .axes = 3, .sizes = BY_SIZES_outputSize, .is_adaptive = true};

#define POOL_FUNCTION(windows_)                                                                   \
    .promise = &promise_exact, .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, .plan = plan, \
    .of_family = &(windows_)

FUNCTION_LIKE(aclnnMaxPool2dWithIndices, (BY_WINDOWS, "2x3x4x5"), .stem = "max_pool2d_with_indices",
              POOL_FUNCTION(windows_2));
FUNCTION_LIKE(aclnnMaxPool3dWithArgmax, (BY_WINDOWS, "2x3x4x5x2"), .stem = "max_pool3d_with_argmax",
              POOL_FUNCTION(windows_3));
FUNCTION_LIKE(aclnnAdaptiveMaxPool2d, (BY_SIZES, "2x3x4x5", "3,2", dtypes_floats),
              .stem = "adaptive_max_pool2d", POOL_FUNCTION(adaptive_2));
FUNCTION_LIKE(aclnnAdaptiveMaxPool3d, (BY_SIZES, "2x3x4x5x2", "3,2,2", dtypes_fp32_fp16_bf16),
              .stem = "adaptive_max_pool3d", POOL_FUNCTION(adaptive_3));
