/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of a convolution: of its input, which is a convolution the other way; of its weight; and of
 * its bias.
 */
#include <string.h>

#include "aclnnop/aclnn_convolution_backward.h"
#include "ops/convolution/channel_sums.h"
#include "ops/convolution/correlation.h"
#include "ops/convolution/weight_gradient.h"
#include "ops/operands.h"
#include "ops/signature.h"

#define CONVOLUTION_BACKWARD(X, of)                                     \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16, .sample = "1x2x3x4")  \
    X(of, IN, input, &dtypes_fp32_fp16_bf16, .sample = "1x4x5x6")       \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "2x4x3x3")      \
    X(of, INTS, biasSizes, .is_optional = true, .sample = "2")          \
    X(of, INTS, stride, .usual = "1")                                   \
    X(of, INTS, padding, .usual = "0")                                  \
    X(of, INTS, dilation, .usual = "1")                                 \
    X(of, BOOL, transposed, .usual = "false")                           \
    X(of, INTS, outputPadding, .is_optional = true, .usual = "0")       \
    X(of, INT32, groups, .usual = "1")                                  \
    X(of, BOOLS, outputMask, .usual = "true,true,true")                 \
    CUBE_MATH_TYPE(X, of)                                               \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16, .is_optional = true)  \
    X(of, OUT, gradWeight, &dtypes_fp32_fp16_bf16, .is_optional = true) \
    X(of, OUT, gradBias, &dtypes_fp32_fp16_bf16, .is_optional = true)
SIGNATURE(CONVOLUTION_BACKWARD)
#define CONV_TBC_BACKWARD(X, of)                                 \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "4x2x4")   \
    X(of, IN, input, &dtypes_fp32_fp16_bf16, .sample = "5x2x3")  \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "2x3x4") \
    X(of, IN, bias, &dtypes_fp32_fp16_bf16, .sample = "4")       \
    X(of, INT64, pad, .usual = "0")                              \
    CUBE_MATH_TYPE(X, of)                                        \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16)                \
    X(of, OUT, gradWeight, &dtypes_fp32_fp16_bf16)               \
    X(of, OUT, gradBias, &dtypes_fp32_fp16_bf16)
SIGNATURE(CONV_TBC_BACKWARD)

struct backward {
    bool has[3]; /* of input, weight and bias */
    bool is_transposed;
    struct side grad_output, in;
    struct correlation input;
    struct weight_gradient weight;
    struct channel_sums bias;
};

static size_t work_bytes(const void *plan_bytes)
{
    const struct backward *plan = (const struct backward *)plan_bytes;
    const size_t input = plan->has[0] ? correlation_work_bytes(&plan->input) : 0;
    const size_t weight = plan->has[1] ? weight_gradient_work_bytes(&plan->weight) : 0;
    return input > weight ? input : weight;
}

static int run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct backward *plan = (const struct backward *)plan_bytes;
    const unsigned char *grad_output = address[plan->grad_output.address];
    const unsigned char *in = address[plan->in.address];
    if (plan->has[0])
        correlation_run(&plan->input, address, grad_output, scratch);
    if (plan->has[1])
        weight_gradient_run(&plan->weight, address, plan->is_transposed ? in : grad_output,
                            plan->is_transposed ? grad_output : in, scratch);
    if (plan->has[2])
        channel_sums_run(&plan->bias, address, grad_output);
    return 0;
}

/* What differs between the functions: where arguments are, and how tensors are seen. */
struct seen {
    struct convolution_parameters parameters;
    unsigned outputs; /* the first of the three */
    uint8_t cube;
    bool asks[3];
    struct tensor_view grad_output, input, weight, written[3];
};

/* of_family */
struct backward_function {
    aclnnStatus (*see)(const struct call *call, struct seen *seen);
    bool is_time_first;
};

static const struct backward_function *function_of(const struct call *call)
{
    return (const struct backward_function *)call->function->of_family;
}

static aclnnStatus see_convolution(const struct call *call, struct seen *seen)
{
    const struct call_values *mask = &call->values[CONVOLUTION_BACKWARD_outputMask];
    const bool is_transposed = call->argument[CONVOLUTION_BACKWARD_transposed].boolean;
    *seen = (struct seen){
        .parameters = {CONVOLUTION_BACKWARD_input, CONVOLUTION_BACKWARD_weight, CONVOLUTION_BACKWARD_stride,
                       CONVOLUTION_BACKWARD_padding, CONVOLUTION_BACKWARD_dilation,
                       is_transposed ? CONVOLUTION_BACKWARD_outputPadding : NO_PARAMETER, is_transposed,
                       call->argument[CONVOLUTION_BACKWARD_groups].int64, 0},
        .outputs = CONVOLUTION_BACKWARD_gradInput,
        .cube = CONVOLUTION_BACKWARD_cubeMathType,
        .grad_output = call->tensor[CONVOLUTION_BACKWARD_gradOutput],
        .input = call->tensor[CONVOLUTION_BACKWARD_input],
        .weight = call->tensor[CONVOLUTION_BACKWARD_weight],
    };
    if (mask->count != 3)
        return refuse(call, "outputMask has %llu values; 3 are expected", (unsigned long long)mask->count);
    for (unsigned i = 0; i < 3; i++) {
        seen->asks[i] = mask->value.boolean[i];
        if (call->has_outputs && seen->asks[i] && !call_has(call, CONVOLUTION_BACKWARD_gradInput + i))
            return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL, but outputMask asks for it",
                        call->function->operation.name, call_name(call, CONVOLUTION_BACKWARD_gradInput + i));
        seen->written[i] = call->tensor[CONVOLUTION_BACKWARD_gradInput + i];
    }
    return ACLNN_SUCCESS;
}

/* (T, B, C) and (K, Cin, Cout) as (B, C, T) and (Cout, Cin, K). */
static aclnnStatus see_time_first(const struct call *call, struct seen *seen)
{
    for (unsigned i = CONVOLUTION_BACKWARD_gradOutput; i <= CONVOLUTION_BACKWARD_weight; i++)
        TRY(check_rank_is(call, i, 3));
    const int64_t pad = call->argument[CONV_TBC_BACKWARD_pad].int64;
    if (pad < 0)
        return refuse(call, "pad is %lld; 0 or more is expected", (long long)pad);
    *seen = (struct seen){
        .parameters = {CONVOLUTION_BACKWARD_input, CONVOLUTION_BACKWARD_weight, NO_PARAMETER, NO_PARAMETER,
                       NO_PARAMETER, NO_PARAMETER, false, 1, pad},
        .outputs = CONV_TBC_BACKWARD_gradInput,
        .cube = CONV_TBC_BACKWARD_cubeMathType,
        .asks = {true, true, true},
        .grad_output = view_permuted(&call->tensor[CONVOLUTION_BACKWARD_gradOutput], 1, 2, 0),
        .input = view_permuted(&call->tensor[CONVOLUTION_BACKWARD_input], 1, 2, 0),
        .weight = view_permuted(&call->tensor[CONVOLUTION_BACKWARD_weight], 2, 1, 0),
        .written = {view_permuted(&call->tensor[CONV_TBC_BACKWARD_gradInput], 1, 2, 0),
                    view_permuted(&call->tensor[CONV_TBC_BACKWARD_gradWeight], 2, 1, 0),
                    call->tensor[CONV_TBC_BACKWARD_gradBias]},
    };
    return ACLNN_SUCCESS;
}

static aclnnStatus read_geometry(const struct call *call, const struct seen *seen, struct geometry *geometry)
{
    const struct tensor_view *grad = &seen->grad_output;
    TRY(geometry_read(call, &seen->parameters, &seen->input, &seen->weight, geometry));
    const struct shape shape = geometry_output(geometry, seen->input.rank);
    if (grad->rank == shape.rank && memcmp(grad->shape, shape.dim, shape.rank * sizeof shape.dim[0]) == 0)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; that of the output, %s, is expected",
                  call_name(call, CONVOLUTION_BACKWARD_gradOutput), shape_text(TEXT, grad),
                  dims_text(TEXT, shape.rank, shape.dim));
}

static aclnnStatus check_bias(const struct call *call, const struct seen *seen, int64_t channels)
{
    if (function_of(call)->is_time_first)
        return call->tensor[CONV_TBC_BACKWARD_bias].count == channels
                   ? ACLNN_SUCCESS
                   : refuse(call, "bias has %lld elements; %lld are expected, one for each channel",
                            (long long)call->tensor[CONV_TBC_BACKWARD_bias].count, (long long)channels);
    const struct call_values *sizes = &call->values[CONVOLUTION_BACKWARD_biasSizes];
    if (!seen->asks[2] || (call_has(call, CONVOLUTION_BACKWARD_biasSizes) && sizes->count == 1 &&
                           sizes->value.int64[0] == channels))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "biasSizes is expected to have the number of channels, %lld, where gradBias is asked for",
                  (long long)channels);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {CONVOLUTION_BACKWARD_gradOutput, CONVOLUTION_BACKWARD_input,
                                      CONVOLUTION_BACKWARD_weight};
    struct seen seen;
    struct geometry geometry;
    if (!function_of(call)->is_time_first)
        TRY(function_of(call)->see(call, &seen)); /* what is asked for and NULL comes first */
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == PARAMETER_TENSOR &&
            !parameter_is_output(&call->function->parameter[i]))
            TRY(check_dtype(call, i));
    TRY(check_promotion(call, inputs, 3, &result->computed));
    TRY(function_of(call)->see(call, &seen));
    TRY(read_geometry(call, &seen, &geometry));
    const int64_t channels = seen.grad_output.shape[1];
    TRY(check_bias(call, &seen, channels));
    TRY(check_choice(call, seen.cube));
    for (unsigned i = 0; i < 3; i++) {
        const unsigned like = i == 0   ? CONVOLUTION_BACKWARD_input
                              : i == 1 ? CONVOLUTION_BACKWARD_weight
                                       : CONVOLUTION_BACKWARD_gradOutput;
        struct output *output = result_add(result, call->tensor[like].dtype, DTYPE_ANY);
        output->shape_rule = SHAPE_EQUAL;
        output->shape = shape_of(&call->tensor[like]);
        if (i == 2)
            output->shape = (struct shape){.rank = 1, .dim = {channels}};
        output->is_unwanted = !seen.asks[i];
    }
    return ACLNN_SUCCESS;
}

static void plan_input(const struct call *call, const struct seen *seen, const struct geometry *geometry,
                       struct backward *plan)
{
    plan->input = (struct correlation){
        .geometry = *geometry,
        .is_spread = !geometry->is_transposed,
        .in = plan->grad_output,
        .out = side_of(&seen->written[0], call->first_operand[seen->outputs]),
        .weight = weight_of(&seen->weight, call->first_operand[CONVOLUTION_BACKWARD_weight]),
        .is_exact = call->settings->accuracy == ACCURACY_EXACT,
    };
    correlation_prepare(&plan->input, call->settings->isa, call->settings->thread_count);
}

static void plan_weight(const struct call *call, const struct seen *seen, const struct geometry *geometry,
                        struct backward *plan)
{
    plan->weight = (struct weight_gradient){
        .geometry = *geometry,
        .small = geometry->is_transposed ? plan->in : plan->grad_output,
        .large = geometry->is_transposed ? plan->grad_output : plan->in,
        .out = weight_of(&seen->written[1], call->first_operand[seen->outputs + 1]),
        .is_exact = call->settings->accuracy == ACCURACY_EXACT,
    };
    weight_gradient_prepare(&plan->weight, call->settings->isa, call->settings->thread_count);
}

static void plan_bias(const struct call *call, const struct seen *seen, const struct geometry *geometry,
                      struct backward *plan)
{
    const struct operand operand = operand_of(call, seen->outputs + 2);
    plan->bias = (struct channel_sums){
        .batch = geometry->batch,
        .channels = seen->grad_output.shape[1],
        .side = plan->grad_output,
        .dtype = operand.dtype,
        .bytes = operand.bytes,
        .address = operand.address,
        .stride = seen->written[2].stride[0],
        .kernels = convolution_kernels_of(call->settings->isa),
        .transfer = transfer_of(call->settings->isa),
    };
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        plan->bias.size[i] = geometry->is_transposed ? geometry->axis[i].large : geometry->axis[i].small;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    struct seen seen;
    struct geometry geometry;
    struct executor_content *content;
    void *place;
    (void)result;
    TRY(function_of(call)->see(call, &seen));
    TRY(read_geometry(call, &seen, &geometry));
    struct backward plan = {.is_transposed = geometry.is_transposed};
    plan.grad_output = side_of(&seen.grad_output, call->first_operand[CONVOLUTION_BACKWARD_gradOutput]);
    plan.in = side_of(&seen.input, call->first_operand[CONVOLUTION_BACKWARD_input]);
    bool has_any = false;
    for (unsigned i = 0; i < 3; i++) {
        plan.has[i] = seen.asks[i] && seen.written[i].count > 0;
        has_any = has_any || plan.has[i];
    }
    if (!has_any)
        return call_idle(call);
    if (plan.has[0])
        plan_input(call, &seen, &geometry, &plan);
    if (plan.has[1])
        plan_weight(call, &seen, &geometry, &plan);
    if (plan.has[2])
        plan_bias(call, &seen, &geometry, &plan);
    TRY(call_begin(call, sizeof plan, &content, &place));
    memcpy(place, &plan, sizeof plan);
    content->cost_ns = (uint64_t)seen.grad_output.count + plan.input.cost_ns + plan.weight.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static const struct backward_function convolution = {see_convolution, false},
                                      time_first = {see_time_first, true};

#define BACKWARD(function_)                                                                          \
    .stem = "convolution_backward", .promise = &promise_sum, .family = FAMILY_CONTRACTION,           \
    .operation.run = run, .operation.work_bytes = work_bytes, .infer = infer, .plan = plan_backward, \
    .of_family = &(function_)

FUNCTION_OF(aclnnConvolutionBackward, CONVOLUTION_BACKWARD, BACKWARD(convolution));
FUNCTION_OF(aclnnConvTbcBackward, CONV_TBC_BACKWARD, BACKWARD(time_first));
