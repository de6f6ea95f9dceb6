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
#define ADAPTIVE_AVG_POOL2D(X, of)           \
    TENSOR(X, of, self, "2x3x4x5")           \
    X(of, INTS, outputSize, .sample = "3,2") \
    RESULT(X, of, out)
SIGNATURE(ADAPTIVE_AVG_POOL2D)
#define ADAPTIVE_AVG_POOL3D(X, of)             \
    TENSOR(X, of, self, "2x3x4x5x2")           \
    X(of, INTS, outputSize, .sample = "3,2,1") \
    RESULT(X, of, out)
SIGNATURE(ADAPTIVE_AVG_POOL3D)
#define ADAPTIVE_AVG_POOL2D_BACKWARD(X, of) \
    TENSOR(X, of, gradOutput, "2x3x3x2")    \
    TENSOR(X, of, self, "2x3x4x5")          \
    RESULT(X, of, out)
SIGNATURE(ADAPTIVE_AVG_POOL2D_BACKWARD)
#define ADAPTIVE_AVG_POOL3D_BACKWARD(X, of) \
    TENSOR(X, of, gradOutput, "2x3x3x2x1")  \
    TENSOR(X, of, self, "2x3x4x5x2")        \
    RESULT(X, of, out)
SIGNATURE(ADAPTIVE_AVG_POOL3D_BACKWARD)

/* Windows of so many axes, kernelSize being parameter first; cubeMathType is before what is written. */
#define WINDOWS(axes_, first_, cube_, out_)                                                              \
    {                                                                                                    \
        .parameters = {.window = {(first_), (first_) + 1, (first_) + 2, WINDOW_UNDILATED, (first_) + 3}, \
                       .axes = (axes_),                                                                  \
                       .self = (first_)-1,                                                               \
                       .is_gradient = (first_) == 2},                                                    \
        .counts_padding = (first_) + 4, .divisor = (first_) + 5, .cube = (cube_), .out = (out_)          \
    }
#define ADAPTIVE(axes_, self_)                       \
    {                                                \
        .parameters = {.axes = (axes_),              \
                       .self = (self_),              \
                       .sizes = 1 - (self_),         \
                       .is_adaptive = true,          \
                       .is_gradient = (self_) == 1}, \
        .out = 2                                     \
    }
static const struct averages windows_2 = WINDOWS(2, 1, 7, 8), windows_2_backward = WINDOWS(2, 2, 8, 9),
                             windows_3 = WINDOWS(3, 1, NO_PARAMETER, 7),
                             windows_3_backward = WINDOWS(3, 2, NO_PARAMETER, 8), adaptive_2 = ADAPTIVE(2, 0),
                             adaptive_3 = ADAPTIVE(3, 0), adaptive_2_backward = ADAPTIVE(2, 1),
                             adaptive_3_backward = ADAPTIVE(3, 1);

#define AVERAGES(averages_)                                                                     \
    .promise = &promise_sum, .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, .plan = plan, \
    .of_family = &(averages_)

FUNCTION_OF(aclnnAvgPool2d, AVG_POOL2D, .stem = "avgpool2d", AVERAGES(windows_2));

FUNCTION_OF(aclnnAvgPool2dBackward, AVG_POOL2D_BACKWARD, .stem = "avgpool2d_backward",
            AVERAGES(windows_2_backward));

FUNCTION_OF(aclnnAvgPool3d, AVG_POOL3D, .stem = "avgpool3d", AVERAGES(windows_3));

FUNCTION_OF(aclnnAvgPool3dBackward, AVG_POOL3D_BACKWARD, .stem = "avgpool3d_backward",
            AVERAGES(windows_3_backward));

FUNCTION_OF(aclnnAdaptiveAvgPool2d, ADAPTIVE_AVG_POOL2D, .stem = "adaptive_avg_pool2d", AVERAGES(adaptive_2));
FUNCTION_OF(aclnnAdaptiveAvgPool3d, ADAPTIVE_AVG_POOL3D, .stem = "adaptive_avg_pool3d", AVERAGES(adaptive_3));

FUNCTION_OF(aclnnAdaptiveAvgPool2dBackward, ADAPTIVE_AVG_POOL2D_BACKWARD,
            .stem = "adaptive_avg_pool2d_backward", AVERAGES(adaptive_2_backward));

FUNCTION_OF(aclnnAdaptiveAvgPool3dBackward, ADAPTIVE_AVG_POOL3D_BACKWARD,
            .stem = "adaptive_avg_pool3d_backward", AVERAGES(adaptive_3_backward));
