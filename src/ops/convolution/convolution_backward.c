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
#include "ops/operand.h"

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

/* Inputs that share memory with an output are copied before anything is written. */
struct backward {
    bool has[3]; /* of input, weight and bias */
    bool is_transposed;
    struct side grad_output, in;
    struct side written[3];
    struct correlation input;
    struct weight_gradient weight;
    struct channel_sums bias;
};

static size_t copy_bytes(const struct backward *plan, const struct side *side, void *const *address)
{
    bool meets = false;
    for (int i = 0; i < 3; i++)
        meets = meets || (plan->has[i] && sides_meet(side, &plan->written[i], address));
    return meets && side->extent > 0 ? whole_lines(side->extent * side->bytes) : 0;
}

static size_t scratch_bytes(const void *plan_bytes, void *const *address)
{
    const struct backward *plan = (const struct backward *)plan_bytes;
    const size_t input = plan->has[0] ? correlation_scratch_bytes(&plan->input) : 0;
    const size_t weight = plan->has[1] ? weight_gradient_scratch_bytes(&plan->weight) : 0;
    return copy_bytes(plan, &plan->grad_output, address) + copy_bytes(plan, &plan->in, address) +
           (input > weight ? input : weight);
}

/* The side where it is, or a copy. */
static const unsigned char *take_side(const struct backward *plan, const struct side *side,
                                      void *const *address, unsigned char **memory)
{
    const size_t bytes = copy_bytes(plan, side, address);
    unsigned char *copy = *memory;
    if (bytes == 0)
        return address[side->address];
    memcpy(copy, address[side->address], (size_t)(side->extent * side->bytes));
    *memory += bytes;
    return copy;
}

static int run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct backward *plan = (const struct backward *)plan_bytes;
    unsigned char *memory = (unsigned char *)scratch;
    const unsigned char *grad_output = take_side(plan, &plan->grad_output, address, &memory);
    const unsigned char *in = take_side(plan, &plan->in, address, &memory);
    if (plan->has[0]) /* first: it alone reads the weight */
        correlation_run(&plan->input, address, grad_output, memory);
    if (plan->has[1])
        weight_gradient_run(&plan->weight, address, plan->is_transposed ? in : grad_output,
                            plan->is_transposed ? grad_output : in, memory);
    if (plan->has[2])
        channel_sums_run(&plan->bias, address, grad_output);
    return 0;
}

static aclnnStatus check_mask(const struct call *call)
{
    const struct call_values *mask = &call->values[OUTPUT_MASK];
    if (mask->count != 3)
        return refuse(call, "outputMask has %llu values; 3 are expected", (unsigned long long)mask->count);
    for (unsigned i = 0; i < 3; i++)
        if (call->has_outputs && mask->value.boolean[i] && !call_has(call, GRAD_INPUT + i))
            return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL, but outputMask asks for it",
                        call->function->operation.name, call_name(call, GRAD_INPUT + i));
    return ACLNN_SUCCESS;
}

static struct convolution_parameters parameters_of(const struct call *call)
{
    const bool is_transposed = call->argument[TRANSPOSED].boolean;
    return (struct convolution_parameters){INPUT,
                                           WEIGHT,
                                           STRIDE,
                                           PADDING,
                                           DILATION,
                                           is_transposed ? OUTPUT_PADDING : NO_PARAMETER,
                                           is_transposed,
                                           call->argument[GROUPS].int64,
                                           0};
}

static aclnnStatus read_geometry(const struct call *call, struct geometry *geometry)
{
    const struct convolution_parameters parameters = parameters_of(call);
    const struct tensor_view *grad = &call->tensor[GRAD_OUTPUT];
    TRY(geometry_read(call, &parameters, &call->tensor[INPUT], &call->tensor[WEIGHT], geometry));
    const struct shape shape = geometry_output(geometry, call->tensor[INPUT].rank);
    if (grad->rank == shape.rank && memcmp(grad->shape, shape.dim, shape.rank * sizeof shape.dim[0]) == 0)
        return ACLNN_SUCCESS;
    return refuse(call, "gradOutput has shape %s; that of the output, %s, is expected",
                  shape_text(TEXT, grad), dims_text(TEXT, shape.rank, shape.dim));
}

static aclnnStatus check_bias_sizes(const struct call *call, int64_t channels)
{
    const struct call_values *sizes = &call->values[BIAS_SIZES];
    if (!call->values[OUTPUT_MASK].value.boolean[2])
        return ACLNN_SUCCESS;
    if (call_has(call, BIAS_SIZES) && sizes->count == 1 && sizes->value.int64[0] == channels)
        return ACLNN_SUCCESS;
    return refuse(call,
                  "biasSizes is expected to have the number of channels, %lld, where gradBias is asked for",
                  (long long)channels);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, INPUT, WEIGHT};
    struct geometry geometry;
    TRY(check_mask(call));
    for (unsigned i = 0; i < 3; i++)
        TRY(check_dtype(call, inputs[i]));
    TRY(check_promotion(call, inputs, 3, &result->computed));
    TRY(read_geometry(call, &geometry));
    const int64_t channels = geometry_output(&geometry, call->tensor[INPUT].rank).dim[1];
    TRY(check_bias_sizes(call, channels));
    TRY(check_choice(call, CUBE));
    for (unsigned i = 0; i < 3; i++) {
        const unsigned like = i == 0 ? INPUT : i == 1 ? WEIGHT : GRAD_OUTPUT;
        struct output *output = result_add(result, call->tensor[like].dtype, DTYPE_ANY);
        output->shape_rule = SHAPE_EQUAL;
        output->shape = shape_of(&call->tensor[like]);
        if (i == 2)
            output->shape = (struct shape){.rank = 1, .dim = {channels}};
        output->is_unwanted = !call->values[OUTPUT_MASK].value.boolean[i];
    }
    return ACLNN_SUCCESS;
}

/* For sides_meet. */
static struct side memory_of(const struct call *call, unsigned parameter)
{
    const struct operand operand = operand_of(call, parameter);
    return (struct side){.bytes = operand.bytes, .address = operand.address, .extent = operand.extent};
}

static void plan_input(const struct call *call, const struct geometry *geometry, struct backward *plan)
{
    plan->input = (struct correlation){
        .geometry = *geometry,
        .is_spread = !geometry->is_transposed,
        .in = plan->grad_output,
        .out = side_of(&call->tensor[GRAD_INPUT], call->first_operand[GRAD_INPUT]),
        .weight = weight_of(&call->tensor[WEIGHT], call->first_operand[WEIGHT]),
        .is_exact = call->settings->accuracy == ACCURACY_EXACT,
    };
    correlation_prepare(&plan->input, call->settings->isa, call->settings->thread_count);
}

static void plan_weight(const struct call *call, const struct geometry *geometry, struct backward *plan)
{
    plan->weight = (struct weight_gradient){
        .geometry = *geometry,
        .small = geometry->is_transposed ? plan->in : plan->grad_output,
        .large = geometry->is_transposed ? plan->grad_output : plan->in,
        .out = weight_of(&call->tensor[GRAD_WEIGHT], call->first_operand[GRAD_WEIGHT]),
        .is_exact = call->settings->accuracy == ACCURACY_EXACT,
    };
    weight_gradient_prepare(&plan->weight, call->settings->isa, call->settings->thread_count);
}

static void plan_bias(const struct call *call, const struct geometry *geometry, struct backward *plan)
{
    const struct tensor_view *out = &call->tensor[GRAD_BIAS], *grad = &call->tensor[GRAD_OUTPUT];
    const struct operand operand = operand_of(call, GRAD_BIAS);
    plan->bias = (struct channel_sums){
        .batch = geometry->batch,
        .channels = grad->shape[1],
        .side = plan->grad_output,
        .dtype = operand.dtype,
        .bytes = operand.bytes,
        .address = operand.address,
        .stride = out->stride[0],
        .kernels = convolution_kernels_of(call->settings->isa),
        .transfer = transfer_of(call->settings->isa),
    };
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        plan->bias.size[i] = geometry->is_transposed ? geometry->axis[i].large : geometry->axis[i].small;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    struct geometry geometry;
    struct backward plan = {.is_transposed = call->argument[TRANSPOSED].boolean};
    struct executor_content *content;
    void *place;
    TRY(read_geometry(call, &geometry));
    plan.grad_output = side_of(&call->tensor[GRAD_OUTPUT], call->first_operand[GRAD_OUTPUT]);
    plan.in = side_of(&call->tensor[INPUT], call->first_operand[INPUT]);
    bool has_any = false;
    for (unsigned i = 0; i < 3; i++) {
        plan.has[i] = !result->output[i].is_unwanted && call->tensor[GRAD_INPUT + i].count > 0;
        if (plan.has[i])
            plan.written[i] = memory_of(call, GRAD_INPUT + i);
        has_any = has_any || plan.has[i];
    }
    if (!has_any)
        return call_idle(call);
    uint64_t cost_ns = (uint64_t)call->tensor[GRAD_OUTPUT].count;
    if (plan.has[0])
        plan_input(call, &geometry, &plan);
    if (plan.has[1])
        plan_weight(call, &geometry, &plan);
    if (plan.has[2])
        plan_bias(call, &geometry, &plan);
    cost_ns += plan.input.cost_ns + plan.weight.cost_ns;
    TRY(call_begin(call, sizeof plan, &content, &place));
    memcpy(place, &plan, sizeof plan);
    content->cost_ns = cost_ns;
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

FUNCTION(aclnnConvolutionBackward,
         (const aclTensor *gradOutput, const aclTensor *input, const aclTensor *weight,
          const aclIntArray *biasSizes, const aclIntArray *stride, const aclIntArray *padding,
          const aclIntArray *dilation, bool transposed, const aclIntArray *outputPadding, int groups,
          const aclBoolArray *outputMask, int8_t cubeMathType, aclTensor *gradInput, aclTensor *gradWeight,
          aclTensor *gradBias),
         (ARG(gradOutput), ARG(input), ARG(weight), ARG(biasSizes), ARG(stride), ARG(padding), ARG(dilation),
          ARG(transposed), ARG(outputPadding), ARG(groups), ARG(outputMask), ARG(cubeMathType),
          ARG(gradInput), ARG(gradWeight), ARG(gradBias)),
         .stem = "convolution_backward", PARAMETERS(parameters), .promise = &promise_sum,
         .family = FAMILY_CONTRACTION, .operation.run = run, .operation.scratch_bytes = scratch_bytes,
         .infer = infer, .plan = plan_backward);
