/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * output = the convolution of input with weight, plus bias; plain or transposed, of one axis to three.
 */
#include <string.h>

#include "aclnnop/aclnn_convolution.h"
#include "ops/convolution/correlation.h"
#include "ops/operands.h"
#include "ops/signature.h"

#define CONVOLUTION(X, of)                                                      \
    X(of, IN, input, &dtypes_fp32_fp16_bf16, .sample = "1x4x5x6")               \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "2x4x3x3")              \
    X(of, IN, bias, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "2") \
    X(of, INTS, stride, .usual = "1")                                           \
    X(of, INTS, padding, .usual = "0")                                          \
    X(of, INTS, dilation, .usual = "1")                                         \
    X(of, BOOL, transposed, .usual = "false")                                   \
    X(of, INTS, outputPadding, .is_optional = true, .usual = "0")               \
    X(of, INT64, groups, .usual = "1")                                          \
    X(of, OUT, output, &dtypes_fp32_fp16_bf16)                                  \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(CONVOLUTION)
#define CONV_DEPTHWISE2D(X, of)                                                 \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "1x2x5x6")                \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "4x1x3x3")              \
    X(of, INTS, kernelSize, .sample = "3,3")                                    \
    X(of, IN, bias, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4") \
    X(of, INTS, stride, .usual = "1")                                           \
    X(of, INTS, padding, .usual = "0")                                          \
    X(of, INTS, dilation, .usual = "1")                                         \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                     \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(CONV_DEPTHWISE2D)
#define CONV_TBC(X, of)                                          \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "5x2x3")   \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "2x3x4") \
    X(of, IN, bias, &dtypes_fp32_fp16_bf16, .sample = "4")       \
    X(of, INT64, pad, .usual = "0")                              \
    X(of, OUT, output, &dtypes_fp32_fp16_bf16)                   \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(CONV_TBC)

/* The plan: the correlation and nothing else. */
static int run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct correlation *plan = (const struct correlation *)plan_bytes;
    correlation_run(plan, address, address[plan->in.address], scratch);
    return 0;
}

/* What differs between the functions: where arguments are, and how tensors are seen. */
struct seen {
    struct convolution_parameters parameters;
    uint8_t bias, output, cube;
    struct tensor_view input, weight;
};

static aclnnStatus check_bias(const struct call *call, const struct seen *seen, int64_t channels)
{
    if (!call_has(call, seen->bias))
        return ACLNN_SUCCESS;
    TRY(check_rank(call, seen->bias));
    if (call->tensor[seen->bias].count == channels)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has %lld elements; %lld are expected, one for each channel",
                  call_name(call, seen->bias), (long long)call->tensor[seen->bias].count,
                  (long long)channels);
}

static struct bias bias_of(const struct call *call, unsigned parameter)
{
    const struct tensor_view *view = &call->tensor[parameter];
    struct bias bias = {.dtype = view->dtype,
                        .bytes = dtype_bytes(view->dtype),
                        .address = call->first_operand[parameter],
                        .rank = view->rank};
    memcpy(bias.size, view->shape, view->rank * sizeof bias.size[0]);
    memcpy(bias.stride, view->stride, view->rank * sizeof bias.stride[0]);
    return bias;
}

static aclnnStatus plan_seen(const struct call *call, const struct seen *seen,
                             const struct geometry *geometry, const struct tensor_view *output)
{
    if (output->count == 0)
        return call_idle(call);
    struct correlation plan = {
        .geometry = *geometry,
        .is_spread = geometry->is_transposed,
        .in = side_of(&seen->input, call->first_operand[CONVOLUTION_input]),
        .out = side_of(output, call->first_operand[seen->output]),
        .weight = weight_of(&seen->weight, call->first_operand[CONVOLUTION_weight]),
        .has_bias = call_has(call, seen->bias),
        .is_exact = call->settings->accuracy == ACCURACY_EXACT,
    };
    if (plan.has_bias)
        plan.bias = bias_of(call, seen->bias);
    correlation_prepare(&plan, call->settings->isa, call->settings->thread_count);
    struct executor_content *content;
    void *place;
    TRY(call_begin(call, sizeof plan, &content, &place));
    memcpy(place, &plan, sizeof plan);
    content->cost_ns = plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* of_family: how a function's arguments are seen, with the checks that are its own. */
struct convolution_function {
    aclnnStatus (*see)(const struct call *call, struct seen *seen);
    bool is_time_first; /* the output is (T, B, C) */
};

static aclnnStatus see_convolution(const struct call *call, struct seen *seen)
{
    const bool is_transposed = call->argument[CONVOLUTION_transposed].boolean;
    *seen = (struct seen){
        .parameters = {CONVOLUTION_input, CONVOLUTION_weight, CONVOLUTION_stride, CONVOLUTION_padding,
                       CONVOLUTION_dilation, is_transposed ? CONVOLUTION_outputPadding : NO_PARAMETER,
                       is_transposed, call->argument[CONVOLUTION_groups].int64, 0},
        .bias = CONVOLUTION_bias,
        .output = CONVOLUTION_output,
        .cube = CONVOLUTION_cubeMathType,
        .input = call->tensor[CONVOLUTION_input],
        .weight = call->tensor[CONVOLUTION_weight],
    };
    return ACLNN_SUCCESS;
}

/* A group for each channel. */
static aclnnStatus see_depthwise(const struct call *call, struct seen *seen)
{
    const struct call_values *kernel = &call->values[CONV_DEPTHWISE2D_kernelSize];
    TRY(check_rank_is(call, CONVOLUTION_input, 4));
    TRY(check_rank_is(call, CONVOLUTION_weight, 4));
    *seen = (struct seen){
        .parameters = {CONVOLUTION_input, CONVOLUTION_weight, CONV_DEPTHWISE2D_stride,
                       CONV_DEPTHWISE2D_padding, CONV_DEPTHWISE2D_dilation, NO_PARAMETER, false,
                       call->tensor[CONVOLUTION_input].shape[1], 0},
        .bias = CONV_DEPTHWISE2D_bias,
        .output = CONV_DEPTHWISE2D_out,
        .cube = CONV_DEPTHWISE2D_cubeMathType,
        .input = call->tensor[CONVOLUTION_input],
        .weight = call->tensor[CONVOLUTION_weight],
    };
    if (kernel->count == 2 && memcmp(kernel->value.int64, &seen->weight.shape[2], 2 * sizeof(int64_t)) == 0)
        return ACLNN_SUCCESS;
    return refuse(call, "kernelSize is expected to have the last two sizes of weight, %lld and %lld",
                  (long long)seen->weight.shape[2], (long long)seen->weight.shape[3]);
}

/* (T, B, Cin) and (K, Cin, Cout). */
static aclnnStatus see_time_first(const struct call *call, struct seen *seen)
{
    TRY(check_rank_is(call, CONVOLUTION_input, 3));
    TRY(check_rank_is(call, CONVOLUTION_weight, 3));
    const int64_t pad = call->argument[CONV_TBC_pad].int64;
    if (pad < 0)
        return refuse(call, "pad is %lld; 0 or more is expected", (long long)pad);
    *seen = (struct seen){
        .parameters = {CONVOLUTION_input, CONVOLUTION_weight, NO_PARAMETER, NO_PARAMETER, NO_PARAMETER,
                       NO_PARAMETER, false, 1, pad},
        .bias = CONVOLUTION_bias,
        .output = CONV_TBC_output,
        .cube = CONV_TBC_cubeMathType,
        .input = view_permuted(&call->tensor[CONVOLUTION_input], 1, 2, 0),
        .weight = view_permuted(&call->tensor[CONVOLUTION_weight], 2, 1, 0),
    };
    return ACLNN_SUCCESS;
}

static const struct convolution_function *function_of(const struct call *call)
{
    return (const struct convolution_function *)call->function->of_family;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const unsigned both[] = {CONVOLUTION_input, CONVOLUTION_weight};
    struct seen seen;
    struct geometry geometry;
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == PARAMETER_TENSOR && call_has(call, i) &&
            !parameter_is_output(&call->function->parameter[i]))
            TRY(check_dtype(call, i));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(function_of(call)->see(call, &seen));
    TRY(geometry_read(call, &seen.parameters, &seen.input, &seen.weight, &geometry));
    struct shape shape = geometry_output(&geometry, seen.input.rank);
    TRY(check_bias(call, &seen, shape.dim[1]));
    TRY(check_choice(call, seen.cube));
    if (function_of(call)->is_time_first)
        shape = (struct shape){.rank = 3, .dim = {shape.dim[2], shape.dim[0], shape.dim[1]}};
    struct output *output = result_add(result, result->computed, DTYPE_ANY);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_convolution(const struct call *call, const struct result *result)
{
    struct seen seen;
    struct geometry geometry;
    (void)result;
    TRY(function_of(call)->see(call, &seen));
    TRY(geometry_read(call, &seen.parameters, &seen.input, &seen.weight, &geometry));
    const struct tensor_view *output = &call->tensor[seen.output];
    const struct tensor_view permuted = view_permuted(output, 1, 2, 0);
    return plan_seen(call, &seen, &geometry, function_of(call)->is_time_first ? &permuted : output);
}

static const struct convolution_function convolution = {see_convolution, false},
                                         depthwise = {see_depthwise, false},
                                         time_first = {see_time_first, true};

#define AS_CONVOLUTION(function_)                                                                       \
    .stem = "convolution", .promise = &promise_sum, .family = FAMILY_CONTRACTION, .operation.run = run, \
    .operation.work_bytes = correlation_work_bytes, .infer = infer, .plan = plan_convolution,           \
    .of_family = &(function_)

FUNCTION_OF(aclnnConvolution, CONVOLUTION, AS_CONVOLUTION(convolution));
FUNCTION_OF(aclnnConvDepthwise2d, CONV_DEPTHWISE2D, AS_CONVOLUTION(depthwise));
FUNCTION_OF(aclnnConvTbc, CONV_TBC, AS_CONVOLUTION(time_first));
