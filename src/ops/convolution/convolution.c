/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * output = the convolution of input with weight, plus bias; plain or transposed, of one axis to three.
 */
#include <string.h>

#include "aclnnop/aclnn_convolution.h"
#include "ops/convolution/correlation.h"
#include "ops/operand.h"

enum { INPUT, WEIGHT, BIAS };
enum { STRIDE = 3, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS, OUTPUT, CUBE };
enum { D_KERNEL_SIZE = 2, D_BIAS, D_STRIDE, D_PADDING, D_DILATION, D_OUTPUT, D_CUBE };
enum { T_PAD = 3, T_OUTPUT, T_CUBE };

/* The plan: the correlation and nothing else. */
static size_t scratch_bytes(const void *plan_bytes, void *const *address)
{
    const struct correlation *plan = (const struct correlation *)plan_bytes;
    const size_t copy =
        sides_meet(&plan->in, &plan->out, address) ? whole_lines(plan->in.extent * plan->in.bytes) : 0;
    return copy + correlation_scratch_bytes(plan);
}

static int run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct correlation *plan = (const struct correlation *)plan_bytes;
    const unsigned char *in = address[plan->in.address];
    unsigned char *memory = (unsigned char *)scratch;
    if (sides_meet(&plan->in, &plan->out, address)) {
        const size_t bytes = (size_t)(plan->in.extent * plan->in.bytes);
        memcpy(memory, in, bytes);
        in = memory;
        memory += whole_lines(bytes);
    }
    correlation_run(plan, address, in, memory);
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

static aclnnStatus check_dtypes(const struct call *call, const struct seen *seen, struct result *result)
{
    const unsigned both[] = {INPUT, WEIGHT};
    TRY(check_dtype(call, INPUT));
    TRY(check_dtype(call, WEIGHT));
    if (call_has(call, seen->bias))
        TRY(check_dtype(call, seen->bias));
    return check_promotion(call, both, 2, &result->computed);
}

static aclnnStatus infer_seen(const struct call *call, const struct seen *seen, struct geometry *geometry,
                              struct result *result)
{
    TRY(check_dtypes(call, seen, result));
    TRY(geometry_read(call, &seen->parameters, &seen->input, &seen->weight, geometry));
    const struct shape shape = geometry_output(geometry, seen->input.rank);
    TRY(check_bias(call, seen, shape.dim[1]));
    TRY(check_choice(call, seen->cube));
    struct output *output = result_add(result, result->computed, DTYPE_ANY);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return ACLNN_SUCCESS;
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
        .in = side_of(&seen->input, call->first_operand[INPUT]),
        .out = side_of(output, call->first_operand[seen->output]),
        .weight = weight_of(&seen->weight, call->first_operand[WEIGHT]),
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

static struct seen seen_of_convolution(const struct call *call)
{
    return (struct seen){
        .parameters = {INPUT, WEIGHT, STRIDE, PADDING, DILATION,
                       call->argument[TRANSPOSED].boolean ? OUTPUT_PADDING : NO_PARAMETER,
                       call->argument[TRANSPOSED].boolean, call->argument[GROUPS].int64, 0},
        .bias = BIAS,
        .output = OUTPUT,
        .cube = CUBE,
        .input = call->tensor[INPUT],
        .weight = call->tensor[WEIGHT],
    };
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct seen seen = seen_of_convolution(call);
    struct geometry geometry;
    return infer_seen(call, &seen, &geometry, result);
}

static aclnnStatus plan_convolution(const struct call *call, const struct result *result)
{
    const struct seen seen = seen_of_convolution(call);
    struct geometry geometry;
    (void)result;
    TRY(geometry_read(call, &seen.parameters, &seen.input, &seen.weight, &geometry));
    return plan_seen(call, &seen, &geometry, &call->tensor[OUTPUT]);
}

#define NUMBERS(name_, ...)                                       \
    {                                                             \
        .name = (name_), .kind = PARAMETER_INT_ARRAY, __VA_ARGS__ \
    }
static const struct parameter parameters[] = {
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16, .sample = "1x4x5x6"),
    [WEIGHT] = READ("weight", &dtypes_fp32_fp16_bf16, .sample = "2x4x3x3"),
    [BIAS] = READ("bias", &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "2"),
    [STRIDE] = NUMBERS("stride", .usual = "1"),
    [PADDING] = NUMBERS("padding", .usual = "0"),
    [DILATION] = NUMBERS("dilation", .usual = "1"),
    [TRANSPOSED] = USUAL("transposed", BOOL, "false"),
    [OUTPUT_PADDING] = NUMBERS("outputPadding", .is_optional = true, .usual = "0"),
    [GROUPS] = USUAL("groups", INT64, "1"),
    [OUTPUT] = WRITTEN("output", &dtypes_fp32_fp16_bf16),
    [CUBE] = CUBE_MATH_TYPE,
};

FUNCTION(aclnnConvolution,
         (const aclTensor *input, const aclTensor *weight, const aclTensor *bias, const aclIntArray *stride,
          const aclIntArray *padding, const aclIntArray *dilation, bool transposed,
          const aclIntArray *outputPadding, int64_t groups, aclTensor *output, int8_t cubeMathType),
         (ARG(input), ARG(weight), ARG(bias), ARG(stride), ARG(padding), ARG(dilation), ARG(transposed),
          ARG(outputPadding), ARG(groups), ARG(output), ARG(cubeMathType)),
         .stem = "convolution", PARAMETERS(parameters), .promise = &promise_sum, .family = FAMILY_CONTRACTION,
         .operation.run = run, .operation.scratch_bytes = scratch_bytes, .infer = infer,
         .plan = plan_convolution);
