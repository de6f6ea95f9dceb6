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

enum {
    GRAD_OUTPUT,
    INPUT,
    WEIGHT,
    BIAS_SIZES,
    STRIDE,
    PADDING,
    DILATION,
    TRANSPOSED,
    OUTPUT_PADDING,
    GROUPS,
    OUTPUT_MASK,
    CUBE,
    GRAD_INPUT,
    GRAD_WEIGHT,
    GRAD_BIAS
};
enum { T_BIAS = 3, T_PAD, T_CUBE, T_GRAD_INPUT, T_GRAD_WEIGHT, T_GRAD_BIAS };

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
    const struct call_values *mask = &call->values[OUTPUT_MASK];
    const bool is_transposed = call->argument[TRANSPOSED].boolean;
    *seen = (struct seen){
        .parameters = {INPUT, WEIGHT, STRIDE, PADDING, DILATION,
                       is_transposed ? OUTPUT_PADDING : NO_PARAMETER, is_transposed,
                       call->argument[GROUPS].int64, 0},
        .outputs = GRAD_INPUT,
        .cube = CUBE,
        .grad_output = call->tensor[GRAD_OUTPUT],
        .input = call->tensor[INPUT],
        .weight = call->tensor[WEIGHT],
    };
    if (mask->count != 3)
        return refuse(call, "outputMask has %llu values; 3 are expected", (unsigned long long)mask->count);
    for (unsigned i = 0; i < 3; i++) {
        seen->asks[i] = mask->value.boolean[i];
        if (call->has_outputs && seen->asks[i] && !call_has(call, GRAD_INPUT + i))
            return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL, but outputMask asks for it",
                        call->function->operation.name, call_name(call, GRAD_INPUT + i));
        seen->written[i] = call->tensor[GRAD_INPUT + i];
    }
    return ACLNN_SUCCESS;
}

/* (T, B, C) and (K, Cin, Cout) as (B, C, T) and (Cout, Cin, K). */
static aclnnStatus see_time_first(const struct call *call, struct seen *seen)
{
    for (unsigned i = GRAD_OUTPUT; i <= WEIGHT; i++)
        TRY(check_rank_is(call, i, 3));
    const int64_t pad = call->argument[T_PAD].int64;
    if (pad < 0)
        return refuse(call, "pad is %lld; 0 or more is expected", (long long)pad);
    *seen = (struct seen){
        .parameters = {INPUT, WEIGHT, NO_PARAMETER, NO_PARAMETER, NO_PARAMETER, NO_PARAMETER, false, 1, pad},
        .outputs = T_GRAD_INPUT,
        .cube = T_CUBE,
        .asks = {true, true, true},
        .grad_output = view_permuted(&call->tensor[GRAD_OUTPUT], 1, 2, 0),
        .input = view_permuted(&call->tensor[INPUT], 1, 2, 0),
        .weight = view_permuted(&call->tensor[WEIGHT], 2, 1, 0),
        .written = {view_permuted(&call->tensor[T_GRAD_INPUT], 1, 2, 0),
                    view_permuted(&call->tensor[T_GRAD_WEIGHT], 2, 1, 0), call->tensor[T_GRAD_BIAS]},
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
    return refuse(call, "%s has shape %s; that of the output, %s, is expected", call_name(call, GRAD_OUTPUT),
                  shape_text(TEXT, grad), dims_text(TEXT, shape.rank, shape.dim));
}

static aclnnStatus check_bias(const struct call *call, const struct seen *seen, int64_t channels)
{
    if (function_of(call)->is_time_first)
        return call->tensor[T_BIAS].count == channels
                   ? ACLNN_SUCCESS
                   : refuse(call, "bias has %lld elements; %lld are expected, one for each channel",
                            (long long)call->tensor[T_BIAS].count, (long long)channels);
    const struct call_values *sizes = &call->values[BIAS_SIZES];
    if (!seen->asks[2] ||
        (call_has(call, BIAS_SIZES) && sizes->count == 1 && sizes->value.int64[0] == channels))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "biasSizes is expected to have the number of channels, %lld, where gradBias is asked for",
                  (long long)channels);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, INPUT, WEIGHT};
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
        const unsigned like = i == 0 ? INPUT : i == 1 ? WEIGHT : GRAD_OUTPUT;
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
        .weight = weight_of(&seen->weight, call->first_operand[WEIGHT]),
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
    plan.grad_output = side_of(&seen.grad_output, call->first_operand[GRAD_OUTPUT]);
    plan.in = side_of(&seen.input, call->first_operand[INPUT]);
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

#define NUMBERS(name_, ...)                                       \
    {                                                             \
        .name = (name_), .kind = PARAMETER_INT_ARRAY, __VA_ARGS__ \
    }
static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_fp32_fp16_bf16, .sample = "1x2x3x4"),
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16, .sample = "1x4x5x6"),
    [WEIGHT] = READ("weight", &dtypes_fp32_fp16_bf16, .sample = "2x4x3x3"),
    [BIAS_SIZES] = NUMBERS("biasSizes", .is_optional = true, .sample = "2"),
    [STRIDE] = NUMBERS("stride", .usual = "1"),
    [PADDING] = NUMBERS("padding", .usual = "0"),
    [DILATION] = NUMBERS("dilation", .usual = "1"),
    [TRANSPOSED] = USUAL("transposed", BOOL, "false"),
    [OUTPUT_PADDING] = NUMBERS("outputPadding", .is_optional = true, .usual = "0"),
    [GROUPS] = USUAL("groups", INT32, "1"),
    [OUTPUT_MASK] = {.name = "outputMask", .kind = PARAMETER_BOOL_ARRAY, .usual = "true,true,true"},
    [CUBE] = CUBE_MATH_TYPE,
    [GRAD_INPUT] = WRITTEN("gradInput", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [GRAD_WEIGHT] = WRITTEN("gradWeight", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [GRAD_BIAS] = WRITTEN("gradBias", &dtypes_fp32_fp16_bf16, .is_optional = true),
};

static const struct parameter parameters_time_first[] = {
    [GRAD_OUTPUT] = READ("self", &dtypes_fp32_fp16_bf16, .sample = "4x2x4"),
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16, .sample = "5x2x3"),
    [WEIGHT] = READ("weight", &dtypes_fp32_fp16_bf16, .sample = "2x3x4"),
    [T_BIAS] = READ("bias", &dtypes_fp32_fp16_bf16, .sample = "4"),
    [T_PAD] = USUAL("pad", INT64, "0"),
    [T_CUBE] = CUBE_MATH_TYPE,
    [T_GRAD_INPUT] = WRITTEN("gradInput", &dtypes_fp32_fp16_bf16),
    [T_GRAD_WEIGHT] = WRITTEN("gradWeight", &dtypes_fp32_fp16_bf16),
    [T_GRAD_BIAS] = WRITTEN("gradBias", &dtypes_fp32_fp16_bf16),
};

static const struct backward_function convolution = {see_convolution, false},
                                      time_first = {see_time_first, true};

#define BACKWARD(list_, function_)                                                                          \
    .stem = "convolution_backward", PARAMETERS(list_), .promise = &promise_sum,                             \
    .family = FAMILY_CONTRACTION, .operation.run = run, .operation.work_bytes = work_bytes, .infer = infer, \
    .plan = plan_backward, .of_family = &(function_)

FUNCTION(aclnnConvolutionBackward,
         (const aclTensor *gradOutput, const aclTensor *input, const aclTensor *weight,
          const aclIntArray *biasSizes, const aclIntArray *stride, const aclIntArray *padding,
          const aclIntArray *dilation, bool transposed, const aclIntArray *outputPadding, int groups,
          const aclBoolArray *outputMask, int8_t cubeMathType, aclTensor *gradInput, aclTensor *gradWeight,
          aclTensor *gradBias),
         (ARG(gradOutput), ARG(input), ARG(weight), ARG(biasSizes), ARG(stride), ARG(padding), ARG(dilation),
          ARG(transposed), ARG(outputPadding), ARG(groups), ARG(outputMask), ARG(cubeMathType),
          ARG(gradInput), ARG(gradWeight), ARG(gradBias)),
         BACKWARD(parameters, convolution));

FUNCTION(aclnnConvTbcBackward,
         (const aclTensor *self, const aclTensor *input, const aclTensor *weight, const aclTensor *bias,
          int64_t pad, int8_t cubeMathType, aclTensor *gradInput, aclTensor *gradWeight, aclTensor *gradBias),
         (ARG(self), ARG(input), ARG(weight), ARG(bias), ARG(pad), ARG(cubeMathType), ARG(gradInput),
          ARG(gradWeight), ARG(gradBias)),
         BACKWARD(parameters_time_first, time_first));
