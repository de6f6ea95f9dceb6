/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The mean of each window, and the gradient of these means: sums run in DOUBLE, in row-major order of the
 * window's elements or of the windows, and are rounded once.
 */
#include <string.h>

#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_avgpool3d.h"
#include "aclnnop/aclnn_avgpool3d_backward.h"
#include "ops/contraction/product.h"
#include "ops/signature.h"
#include "ops/window/pool.h"

static double divisor_of(const struct pool *pool, const struct pool_part *part)
{
    if (pool->divisor != 0)
        return (double)pool->divisor;
    return (double)part[0].counted * (double)part[1].counted * (double)part[2].counted;
}

static double mean_of(const struct pool *pool, const float *plane, const struct pool_part *part)
{
    double sum = 0;
    for (int64_t a = part[0].begin; a < part[0].begin + part[0].count; a++)
        for (int64_t b = part[1].begin; b < part[1].begin + part[1].count; b++) {
            const float *row = plane + (a * pool->axis[1].in + b) * pool->axis[2].in;
            for (int64_t c = part[2].begin; c < part[2].begin + part[2].count; c++)
                sum += (double)row[c];
        }
    return part[0].count * part[1].count * part[2].count == 0 ? 0 : sum / divisor_of(pool, part);
}

static void spread(const struct pool *pool, double *plane, const struct pool_part *part, double grad)
{
    const double share = grad / divisor_of(pool, part);
    for (int64_t a = part[0].begin; a < part[0].begin + part[0].count; a++)
        for (int64_t b = part[1].begin; b < part[1].begin + part[1].count; b++) {
            double *row = plane + (a * pool->axis[1].in + b) * pool->axis[2].in;
            for (int64_t c = part[2].begin; c < part[2].begin + part[2].count; c++)
                row[c] += share;
        }
}

/* Room: doubles of what comes out, then floats of what goes in. */
static int64_t walk_windows(const struct plane_walk *walk, const void *const *input, void *const *output,
                            void *room, bool is_gradient)
{
    const struct pool *pool = (const struct pool *)(const void *)walk->parameters;
    const struct pool_axis *axis = pool->axis;
    const uint64_t of_input = is_gradient ? pool_out(pool) : pool_in(pool),
                   of_output = is_gradient ? pool_in(pool) : pool_out(pool);
    double *result = (double *)room;
    const float *from = plane_floats(walk, input[0], pool->dtype, (float *)(result + of_output), of_input);
    struct pool_part part[POOL_AXES];
    uint64_t number = 0;
    if (is_gradient)
        memset(result, 0, (size_t)of_output * sizeof *result);
    for (int64_t a = 0; a < axis[0].out; a++) {
        part[0] = pool_part(&axis[0], a, pool->counts_padding);
        for (int64_t b = 0; b < axis[1].out; b++) {
            part[1] = pool_part(&axis[1], b, pool->counts_padding);
            for (int64_t c = 0; c < axis[2].out; c++, number++) {
                part[2] = pool_part(&axis[2], c, pool->counts_padding);
                if (is_gradient)
                    spread(pool, result, part, (double)from[number]);
                else
                    result[number] = mean_of(pool, from, part);
            }
        }
    }
    plane_convert(walk, result, ACL_DOUBLE, output[0], pool->dtype, of_output);
    return -1;
}

static int64_t average(const struct plane_walk *walk, const void *const *input, void *const *output,
                       void *room)
{
    return walk_windows(walk, input, output, room, false);
}

static int64_t average_gradient(const struct plane_walk *walk, const void *const *input, void *const *output,
                                void *room)
{
    return walk_windows(walk, input, output, room, true);
}

/* of_family: where parameters are; NO_PARAMETER where there is none. */
struct averages {
    struct pool_parameters parameters;
    uint8_t counts_padding, divisor, cube, out;
};

static const struct averages *averages_of(const struct call *call)
{
    return (const struct averages *)call->function->of_family;
}

static aclnnStatus read_pool(const struct call *call, struct pool *pool)
{
    const struct averages *averages = averages_of(call);
    TRY(pool_read(call, &averages->parameters, pool));
    if (averages->parameters.is_adaptive)
        return ACLNN_SUCCESS;
    pool->counts_padding = call->argument[averages->counts_padding].boolean;
    pool->divisor = call->argument[averages->divisor].int64;
    return averages->cube == NO_PARAMETER ? ACLNN_SUCCESS : check_choice(call, averages->cube);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct averages *averages = averages_of(call);
    const struct pool_parameters *parameters = &averages->parameters;
    const unsigned self = parameters->self;
    struct pool pool;
    for (unsigned i = 0; i <= self; i++)
        TRY(check_dtype(call, i));
    if (parameters->is_gradient)
        TRY(check_same_dtype(call, 0, self, NULL));
    TRY(read_pool(call, &pool));
    const struct shape shape = pool_shape(&call->tensor[self], parameters->axes, &pool);
    if (parameters->is_gradient)
        TRY(pool_check_shape(call, 0, &shape));
    result->computed = pool.dtype;
    struct output *output = result_add(result, pool.dtype, DTYPE_EQUAL);
    output->like = self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = parameters->is_gradient ? shape_of(&call->tensor[self]) : shape;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct averages *averages = averages_of(call);
    struct pool pool;
    (void)result;
    TRY(read_pool(call, &pool));
    if (call->tensor[averages->out].count == 0)
        return call_idle(call);
    const bool is_gradient = averages->parameters.is_gradient;
    struct plane_request request = pool_request(call, &averages->parameters, &pool);
    request.function = is_gradient ? average_gradient : average;
    request.parameter[0] = 0;
    request.parameter[1] = averages->out;
    request.room_bytes = (is_gradient ? pool_in(&pool) : pool_out(&pool)) * sizeof(double);
    request.room_bytes +=
        pool.dtype == ACL_FLOAT ? 0 : (is_gradient ? pool_out(&pool) : pool_in(&pool)) * sizeof(float);
    return plane_walk_plan(call, &request);
}

#define TENSOR(X, of, name_, sample_) X(of, IN, name_, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define WINDOW_LIST(X, of, kernel_, stride_, padding_)       \
    X(of, INTS, kernel_, .sample = "2")                      \
    X(of, INTS, stride_, .is_optional = true, .sample = "2") \
    X(of, INTS, padding_, .sample = "0")                     \
    X(of, BOOL, ceilMode, .usual = "false")                  \
    X(of, BOOL, countIncludePad, .usual = "true")            \
    X(of, INT64, divisorOverride, .usual = "0")
#define RESULT(X, of, name_) X(of, OUT, name_, &dtypes_fp32_fp16_bf16)
#define AVG_POOL2D(X, of)                             \
    TENSOR(X, of, self, "2x3x4x5")                    \
    WINDOW_LIST(X, of, kernelSize, strides, paddings) \
    CUBE_MATH_TYPE(X, of)                             \
    RESULT(X, of, out)
SIGNATURE(AVG_POOL2D)
#define AVG_POOL2D_BACKWARD(X, of)                  \
    TENSOR(X, of, gradOutput, "2x3x2x2")            \
    TENSOR(X, of, self, "2x3x4x5")                  \
    WINDOW_LIST(X, of, kernelSize, stride, padding) \
    CUBE_MATH_TYPE(X, of)                           \
    RESULT(X, of, gradInput)
SIGNATURE(AVG_POOL2D_BACKWARD)
#define AVG_POOL3D(X, of)                           \
    TENSOR(X, of, self, "2x3x4x5x2")                \
    WINDOW_LIST(X, of, kernelSize, stride, padding) \
    RESULT(X, of, out)
SIGNATURE(AVG_POOL3D)
#define AVG_POOL3D_BACKWARD(X, of)                  \
    TENSOR(X, of, gradOutput, "2x3x2x2x1")          \
    TENSOR(X, of, self, "2x3x4x5x2")                \
    WINDOW_LIST(X, of, kernelSize, stride, padding) \
    RESULT(X, of, output)
SIGNATURE(AVG_POOL3D_BACKWARD)
#define ADAPTED(X, of, sample_, size) \
    TENSOR(X, of, self, sample_) X(of, INTS, outputSize, .sample = size) RESULT(X, of, out)
SIGNATURE_PLACES(ADAPTED, , )
#define ADAPTED_BACKWARD(X, of, grad, sample_) \
    TENSOR(X, of, gradOutput, grad) TENSOR(X, of, self, sample_) RESULT(X, of, out)
SIGNATURE_PLACES(ADAPTED_BACKWARD, , )

/* Where the parameters of a list with windows of so many axes are; a gradient is of what has gradOutput first. */
#define WINDOWS(of, axes_, stride_, padding_, cube_, out_)                                            \
    {                                                                                                 \
        .parameters = {.window = {of##_kernelSize, of##_##stride_, of##_##padding_, WINDOW_UNDILATED, \
                                  of##_ceilMode},                                                     \
                       .axes = (axes_),                                                               \
                       .self = of##_self,                                                             \
                       .is_gradient = of##_self > 0},                                                 \
        .counts_padding = of##_countIncludePad, .divisor = of##_divisorOverride, .cube = (cube_),     \
        .out = of##_##out_                                                                            \
    }
#define ADAPTIVE(of, axes_, sizes_)                   \
    {                                                 \
        .parameters = {.axes = (axes_),               \
                       .self = of##_self,             \
                       .sizes = of##_##sizes_,        \
                       .is_adaptive = true,           \
                       .is_gradient = of##_self > 0}, \
        .out = of##_out                               \
    }
static const struct averages windows_2 =
                                 WINDOWS(AVG_POOL2D, 2, strides, paddings, AVG_POOL2D_cubeMathType, out),
                             windows_2_backward = WINDOWS(AVG_POOL2D_BACKWARD, 2, stride, padding,
                                                          AVG_POOL2D_BACKWARD_cubeMathType, gradInput),
                             windows_3 = WINDOWS(AVG_POOL3D, 3, stride, padding, NO_PARAMETER, out),
                             windows_3_backward =
                                 WINDOWS(AVG_POOL3D_BACKWARD, 3, stride, padding, NO_PARAMETER, output),
                             adaptive_2 = ADAPTIVE(ADAPTED, 2, outputSize),
                             adaptive_3 = ADAPTIVE(ADAPTED, 3, outputSize),
                             adaptive_2_backward = ADAPTIVE(ADAPTED_BACKWARD, 2, gradOutput),
                             adaptive_3_backward = ADAPTIVE(ADAPTED_BACKWARD, 3, gradOutput);

#define AVERAGES(stem_, averages_)                                                                 \
    .stem = (stem_), .promise = &promise_sum, .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, \
    .plan = plan, .of_family = &(averages_)

FUNCTION_OF(aclnnAvgPool2d, AVG_POOL2D, AVERAGES("avgpool2d", windows_2));
FUNCTION_OF(aclnnAvgPool2dBackward, AVG_POOL2D_BACKWARD, AVERAGES("avgpool2d_backward", windows_2_backward));
FUNCTION_OF(aclnnAvgPool3d, AVG_POOL3D, AVERAGES("avgpool3d", windows_3));
FUNCTION_OF(aclnnAvgPool3dBackward, AVG_POOL3D_BACKWARD, AVERAGES("avgpool3d_backward", windows_3_backward));
FUNCTION_LIKE(aclnnAdaptiveAvgPool2d, (ADAPTED, "2x3x4x5", "3,2"),
              AVERAGES("adaptive_avg_pool2d", adaptive_2));
FUNCTION_LIKE(aclnnAdaptiveAvgPool3d, (ADAPTED, "2x3x4x5x2", "3,2,1"),
              AVERAGES("adaptive_avg_pool3d", adaptive_3));
FUNCTION_LIKE(aclnnAdaptiveAvgPool2dBackward, (ADAPTED_BACKWARD, "2x3x3x2", "2x3x4x5"),
              AVERAGES("adaptive_avg_pool2d_backward", adaptive_2_backward));
FUNCTION_LIKE(aclnnAdaptiveAvgPool3dBackward, (ADAPTED_BACKWARD, "2x3x3x2x1", "2x3x4x5x2"),
              AVERAGES("adaptive_avg_pool3d_backward", adaptive_3_backward));
