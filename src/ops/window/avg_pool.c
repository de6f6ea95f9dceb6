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

#define TENSOR(name_, sample_) READ(name_, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define WINDOW_LIST(kernel_, stride_, padding_)                                            \
    NUMBERS(kernel_, .sample = "2"), NUMBERS(stride_, .is_optional = true, .sample = "2"), \
        NUMBERS(padding_, .sample = "0"), USUAL("ceilMode", BOOL, "false"),                \
        USUAL("countIncludePad", BOOL, "true"), USUAL("divisorOverride", INT64, "0")
#define RESULT(name_) WRITTEN(name_, &dtypes_fp32_fp16_bf16)

static const struct parameter on_2_axes[] = {TENSOR("self", "2x3x4x5"),
                                             WINDOW_LIST("kernelSize", "strides", "paddings"), CUBE_MATH_TYPE,
                                             RESULT("out")};
static const struct parameter on_2_axes_backward[] = {
    TENSOR("gradOutput", "2x3x2x2"), TENSOR("self", "2x3x4x5"),
    WINDOW_LIST("kernelSize", "stride", "padding"), CUBE_MATH_TYPE, RESULT("gradInput")};
static const struct parameter on_3_axes[] = {TENSOR("self", "2x3x4x5x2"),
                                             WINDOW_LIST("kernelSize", "stride", "padding"), RESULT("out")};
static const struct parameter on_3_axes_backward[] = {
    TENSOR("gradOutput", "2x3x2x2x1"), TENSOR("self", "2x3x4x5x2"),
    WINDOW_LIST("kernelSize", "stride", "padding"), RESULT("output")};
static const struct parameter adaptive_on_2_axes[] = {TENSOR("self", "2x3x4x5"),
                                                      NUMBERS("outputSize", .sample = "3,2"), RESULT("out")};
static const struct parameter adaptive_on_3_axes[] = {
    TENSOR("self", "2x3x4x5x2"), NUMBERS("outputSize", .sample = "3,2,1"), RESULT("out")};
static const struct parameter adaptive_on_2_axes_backward[] = {TENSOR("gradOutput", "2x3x3x2"),
                                                               TENSOR("self", "2x3x4x5"), RESULT("out")};
static const struct parameter adaptive_on_3_axes_backward[] = {TENSOR("gradOutput", "2x3x3x2x1"),
                                                               TENSOR("self", "2x3x4x5x2"), RESULT("out")};

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

#define AVERAGES(averages_, list_)                                                                   \
    PARAMETERS(list_), .promise = &promise_sum, .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, \
                       .plan = plan, .of_family = &(averages_)

FUNCTION(aclnnAvgPool2d,
         (const aclTensor *self, const aclIntArray *kernelSize, const aclIntArray *strides,
          const aclIntArray *paddings, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
          int8_t cubeMathType, aclTensor *out),
         (ARG(self), ARG(kernelSize), ARG(strides), ARG(paddings), ARG(ceilMode), ARG(countIncludePad),
          ARG(divisorOverride), ARG(cubeMathType), ARG(out)),
         .stem = "avgpool2d", AVERAGES(windows_2, on_2_axes));

FUNCTION(aclnnAvgPool2dBackward,
         (const aclTensor *gradOutput, const aclTensor *self, const aclIntArray *kernelSize,
          const aclIntArray *stride, const aclIntArray *padding, bool ceilMode, bool countIncludePad,
          int64_t divisorOverride, int8_t cubeMathType, aclTensor *gradInput),
         (ARG(gradOutput), ARG(self), ARG(kernelSize), ARG(stride), ARG(padding), ARG(ceilMode),
          ARG(countIncludePad), ARG(divisorOverride), ARG(cubeMathType), ARG(gradInput)),
         .stem = "avgpool2d_backward", AVERAGES(windows_2_backward, on_2_axes_backward));

FUNCTION(aclnnAvgPool3d,
         (const aclTensor *self, const aclIntArray *kernelSize, const aclIntArray *stride,
          const aclIntArray *padding, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
          aclTensor *out),
         (ARG(self), ARG(kernelSize), ARG(stride), ARG(padding), ARG(ceilMode), ARG(countIncludePad),
          ARG(divisorOverride), ARG(out)),
         .stem = "avgpool3d", AVERAGES(windows_3, on_3_axes));

FUNCTION(aclnnAvgPool3dBackward,
         (const aclTensor *gradOutput, const aclTensor *self, const aclIntArray *kernelSize,
          const aclIntArray *stride, const aclIntArray *padding, bool ceilMode, bool countIncludePad,
          int64_t divisorOverride, aclTensor *output),
         (ARG(gradOutput), ARG(self), ARG(kernelSize), ARG(stride), ARG(padding), ARG(ceilMode),
          ARG(countIncludePad), ARG(divisorOverride), ARG(output)),
         .stem = "avgpool3d_backward", AVERAGES(windows_3_backward, on_3_axes_backward));

FUNCTION(aclnnAdaptiveAvgPool2d, (const aclTensor *self, const aclIntArray *outputSize, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(out)), .stem = "adaptive_avg_pool2d",
         AVERAGES(adaptive_2, adaptive_on_2_axes));

FUNCTION(aclnnAdaptiveAvgPool3d, (const aclTensor *self, const aclIntArray *outputSize, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(out)), .stem = "adaptive_avg_pool3d",
         AVERAGES(adaptive_3, adaptive_on_3_axes));

FUNCTION(aclnnAdaptiveAvgPool2dBackward, (const aclTensor *gradOutput, const aclTensor *self, aclTensor *out),
         (ARG(gradOutput), ARG(self), ARG(out)), .stem = "adaptive_avg_pool2d_backward",
         AVERAGES(adaptive_2_backward, adaptive_on_2_axes_backward));

FUNCTION(aclnnAdaptiveAvgPool3dBackward, (const aclTensor *gradOutput, const aclTensor *self, aclTensor *out),
         (ARG(gradOutput), ARG(self), ARG(out)), .stem = "adaptive_avg_pool3d_backward",
         AVERAGES(adaptive_3_backward, adaptive_on_3_axes_backward));
