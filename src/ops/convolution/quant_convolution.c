/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * output = the convolution of input with weight, of INT8 or of floats of 8 bits, times the scale of the channel: a
 * bias of whole numbers is added to the sums, one of floats behind the scale. In doubles, which hold the sums of
 * INT8 as they are, and rounded once.
 */
#include "aclnnop/aclnn_quant_convolution.h"

#include <inttypes.h>
#include <string.h>

#include "ops/contraction/scale_bits.h"
#include "ops/convolution/geometry.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "tensor/dtype.h"

enum { TERMS_PER_NS = 1 };

#define QUANT(X, of)                                                                                \
    X(of, IN, input, &dtypes_int8_on_950_float8_hifloat8, .sample = "1x4x5x6:INT8")                 \
    X(of, IN, weight, &dtypes_int8_on_950_float8_hifloat8, .sample = "2x4x3x3:INT8")                \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16_int32, .is_optional = true, .sample = "2:INT32") \
    X(of, IN, scale, &dtypes_fp32_fp16_bf16_int64_uint64, .sample = "2:FLOAT")                      \
    X(of, IN, offsetOptional, &dtypes_fp32, .is_optional = true, .sample = "")                      \
    X(of, INTS, stride, .usual = "1")                                                               \
    X(of, INTS, padding, .usual = "0")                                                              \
    X(of, INTS, dilation, .usual = "1")                                                             \
    X(of, BOOL, transposed, .usual = "false")                                                       \
    X(of, INTS, outputPaddingOptional, .is_optional = true, .usual = "0")                           \
    X(of, INT64, groups, .usual = "1")                                                              \
    X(of, INT32, offsetx, .usual = "0")                                                             \
    X(of, CONST_TEXT, roundMode, .is_optional = true, .usual = "rint")                              \
    X(of, OUT, output, &dtypes_fp32_fp16_bf16)
SIGNATURE(QUANT)

static const struct convolution_parameters parameters = {
    QUANT_input, QUANT_weight, QUANT_stride, QUANT_padding, QUANT_dilation, NO_PARAMETER, false, 0, 0};

static aclnnStatus read_geometry(const struct call *call, struct geometry *geometry)
{
    struct convolution_parameters own = parameters;
    own.groups = call->argument[QUANT_groups].int64;
    return geometry_read(call, &own, &call->tensor[QUANT_input], &call->tensor[QUANT_weight], geometry);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const char *mode = call->argument[QUANT_roundMode].string;
    struct geometry geometry;
    TRY(check_all_dtypes(call));
    const aclDataType input = call_dtype(call, QUANT_input), weight = call_dtype(call, QUANT_weight);
    if (input != weight && !(dtype_is_one_of(input, DTYPES_FLOAT8) && dtype_is_one_of(weight, DTYPES_FLOAT8)))
        return refuse(call, "weight is %s; %s, as input is, is expected", dtype_name(weight),
                      dtype_name(input));
    if (call->argument[QUANT_transposed].boolean)
        return refuse(call, "transposed is true; false is expected");
    if (call_has_elements(call, QUANT_offsetOptional) || call->argument[QUANT_offsetx].int64 != 0)
        return refuse(call, "offsetOptional is given, or offsetx is not 0; NULL and 0 are expected");
    if (mode != NULL && mode[0] != '\0' && strcmp(mode, "rint") != 0)
        return refuse(call, "roundMode is \"%.20s\"; \"rint\" is expected", mode);
    TRY(read_geometry(call, &geometry));
    const struct shape shape = geometry_output(&geometry, call->tensor[QUANT_input].rank);
    if (call->tensor[QUANT_scale].count != 1)
        TRY(check_sizes(call, QUANT_scale, SIZES(shape.dim[1])));
    TRY(check_optional_sizes(call, QUANT_biasOptional, SIZES(shape.dim[1])));
    if (input != ACL_INT8 && call_has_elements(call, QUANT_biasOptional) &&
        call_dtype(call, QUANT_biasOptional) == ACL_INT32)
        return refuse(call, "biasOptional is INT32; floats are expected where input is %s",
                      dtype_name(input));
    result->computed = ACL_FLOAT;
    struct output *output =
        result_add(result, call->has_outputs ? call_dtype(call, QUANT_output) : ACL_FLOAT16, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return check_element_count(call, &output->shape);
}

static uint64_t size_of(const struct geometry *geometry, bool is_small)
{
    uint64_t size = 1;
    for (int i = 0; i < CONVOLUTION_AXES; i++)
        size *= (uint64_t)(is_small ? geometry->axis[i].small : geometry->axis[i].large);
    return size;
}

static uint64_t kernel_size(const struct geometry *geometry)
{
    uint64_t size = 1; /* of no channels any number */
    for (int i = 0; i < CONVOLUTION_AXES; i++)
        size *= (uint64_t)geometry->axis[i].kernel;
    return size;
}

/* Where in a plane a place of the kernel meets the input; -1: nowhere. */
static int64_t met_at(const struct convolution_axis *axis, const int64_t *at, const int64_t *k)
{
    int64_t from = 0;
    for (int i = 0; i < CONVOLUTION_AXES; i++) {
        const int64_t place = at[i] * axis[i].stride - axis[i].padding + k[i] * axis[i].dilation;
        if (place < 0 || place >= axis[i].large)
            return -1;
        from = from * axis[i].large + place;
    }
    return from;
}

/* What a channel of the input adds to an element at a place along all axes. */
static double add_channel(const struct geometry *geometry, const double *plane, const double *weight,
                          const int64_t *at, double sum)
{
    const struct convolution_axis *axis = geometry->axis;
    int64_t k[CONVOLUTION_AXES];
    for (k[0] = 0; k[0] < axis[0].kernel; k[0]++)
        for (k[1] = 0; k[1] < axis[1].kernel; k[1]++)
            for (k[2] = 0; k[2] < axis[2].kernel; k[2]++, weight++) {
                const int64_t from = met_at(axis, at, k);
                if (from >= 0)
                    sum += plane[from] * *weight;
            }
    return sum;
}

static double scale_at(const struct task *task, uint64_t channel)
{
    const aclDataType dtype = task_dtype(task, QUANT_scale);
    return dtype == ACL_INT64 || dtype == ACL_UINT64
               ? scale_in_bits((uint64_t)task_integer(task, QUANT_scale, channel))
               : task_number(task, QUANT_scale, channel);
}

struct parameters {
    struct geometry geometry;
    bool is_one_scale;
};

/* A channel of an image's output. */
static void visit_channel(const struct task *task, uint64_t number)
{
    const struct parameters *own = task->parameters;
    const struct geometry *geometry = &own->geometry;
    const uint64_t outs = (uint64_t)(geometry->small_channels * geometry->groups),
                   channels = (uint64_t)geometry->large_channels, image = number / outs, out = number % outs,
                   group = out / (uint64_t)geometry->small_channels, plane = size_of(geometry, false),
                   made = size_of(geometry, true), kernel = kernel_size(geometry);
    double *planes = task->room, *weight = planes + channels * plane, *to = weight + channels * kernel;
    const bool has_bias = task_has(task, QUANT_biasOptional);
    const double bias = has_bias ? task_number(task, QUANT_biasOptional, out) : 0,
                 scale = scale_at(task, own->is_one_scale ? 0 : out);
    const bool is_bias_whole = has_bias && task_dtype(task, QUANT_biasOptional) == ACL_INT32;
    task_read(task, QUANT_input, (image * (uint64_t)geometry->groups + group) * channels * plane,
              channels * plane, planes);
    task_read(task, QUANT_weight, out * channels * kernel, channels * kernel, weight);
    for (uint64_t i = 0; i < made; i++) {
        const struct convolution_axis *axis = geometry->axis;
        const int64_t at[] = {(int64_t)i / (axis[1].small * axis[2].small),
                              (int64_t)i / axis[2].small % axis[1].small, (int64_t)i % axis[2].small};
        double sum = 0;
        for (uint64_t c = 0; c < channels; c++)
            sum = add_channel(geometry, planes + c * plane, weight + c * kernel, at, sum);
        to[i] = is_bias_whole ? (sum + bias) * scale : sum * scale + bias;
    }
    task_write(task, QUANT_output, number * made, made, to);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct parameters own = {.is_one_scale = call->tensor[QUANT_scale].count == 1};
    (void)result;
    TRY(read_geometry(call, &own.geometry));
    const struct geometry *geometry = &own.geometry;
    const uint64_t made = size_of(geometry, true), channels = (uint64_t)geometry->large_channels,
                   kernel = kernel_size(geometry);
    return row_tasks_plan(
        call,
        &(struct row_tasks_request){
            .body = visit_channel,
            .count = call->tensor[QUANT_output].count == 0
                         ? 0
                         : (uint64_t)(geometry->batch * geometry->small_channels * geometry->groups),
            .task_ns = made * channels * kernel / TERMS_PER_NS + channels * size_of(geometry, false) + 100,
            .room = channels * (size_of(geometry, false) + kernel) + made,
            .parameters = &own,
            .parameter_bytes = sizeof own});
}

FUNCTION_OF(aclnnQuantConvolution, QUANT, .stem = "quant_convolution", .family = FAMILY_CONTRACTION,
            .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
