/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = (x - mean) rstd weight + bias over the last dims, rstd = 1 / sqrt(variance + eps) with the variance
 * divided by the number of elements. Of nothing the mean is 0 and rstd NaN.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include <math.h>

#include "simd/row.h"

enum { X, WEIGHT, BIAS };
enum { Y, MEAN, RSTD };

struct line {
    const double *x;
    const void *weight, *bias; /* which may be NULL */
    void *y;
    double mean, rstd;
};

static inline __attribute__((always_inline)) void normalise(enum arithmetic dtype, const struct line *line,
                                                            bool has_weight, bool has_bias, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        doubles value = (row_load(ARITHMETIC_FP64, line->x, i, left) - line->mean) * line->rstd;
        if (has_weight)
            value *= row_load(dtype, line->weight, i, left);
        if (has_bias)
            value += row_load(dtype, line->bias, i, left);
        row_store(dtype, line->y, i, value, left, true);
    }
}

static inline __attribute__((always_inline)) void layer_norm(enum arithmetic dtype, const void *const *input,
                                                             void *const *output, size_t count, double *room,
                                                             const void *parameters)
{
    const double eps = *(const double *)parameters;
    const double mean = count == 0 ? 0 : row_sum(dtype, input[X], count, room, row_itself, 0) / (double)count;
    const double variance =
        count == 0 ? (double)NAN
                   : row_sum(ARITHMETIC_FP64, room, count, NULL, row_square, mean) / (double)count;
    const double rstd = 1 / sqrt(variance + eps);
    if (output[MEAN] != NULL)
        row_store(dtype, output[MEAN], 0, broadcast(mean), 1, true);
    if (output[RSTD] != NULL)
        row_store(dtype, output[RSTD], 0, broadcast(rstd), 1, true);
    const struct line line = {room, input[WEIGHT], input[BIAS], output[Y], mean, rstd};
    if (line.weight != NULL && line.bias != NULL)
        normalise(dtype, &line, true, true, count);
    else
        normalise(dtype, &line, line.weight != NULL, line.bias != NULL, count);
}

ROWS_KERNELS(layer_norm, layer_norm)

#else

/* The contract. */
#include "aclnnop/aclnn_layer_norm.h"
#include "ops/check.h"
#include "ops/rows/rows.h"
#include "tensor/dtype.h"

enum { INPUT, NORMALIZED_SHAPE, WEIGHT, BIAS, EPS, OUT, MEAN, RSTD };

ROWS_LEVELS(layer_norm);
static const struct rows rows = {layer_norm_rows, layer_norm_rows_fp32, .element_ps = 300};

/* The dims that are normalised: the last ones, as many as normalizedShape has, of these sizes. */
static aclnnStatus check_normalized(const struct call *call, axes *along)
{
    const struct tensor_view *input = &call->tensor[INPUT];
    const struct call_values *shape = &call->values[NORMALIZED_SHAPE];
    const char *api = call->function->operation.name;
    if (shape->count < 1 || shape->count > input->rank)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: normalizedShape has %llu dims and input %u; from 1 to as many are expected", api,
                    (unsigned long long)shape->count, input->rank);
    const uint32_t first = input->rank - (uint32_t)shape->count;
    *along = 0;
    for (uint32_t i = first; i < input->rank; i++) {
        if (shape->value.int64[i - first] != input->shape[i])
            return fail(ACLNN_ERR_PARAM_INVALID,
                        "%s: normalizedShape has %lld at %u where input has %lld; its last dims are expected",
                        api, (long long)shape->value.int64[i - first], i - first, (long long)input->shape[i]);
        *along |= UINT32_C(1) << i;
    }
    return ACLNN_SUCCESS;
}

/* weight or bias, if it was given: FLOAT or the input's dtype. */
static aclnnStatus check_factor_dtype(const struct call *call, unsigned parameter)
{
    if (!call_has(call, parameter))
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, parameter));
    return call_dtype(call, parameter) == ACL_FLOAT ? ACLNN_SUCCESS
                                                    : check_same_dtype(call, parameter, INPUT, NULL);
}

/* And of exactly the normalised shape. */
static aclnnStatus check_factor_shape(const struct call *call, unsigned parameter)
{
    const struct tensor_view *view = &call->tensor[parameter];
    const struct call_values *shape = &call->values[NORMALIZED_SHAPE];
    if (!call_has(call, parameter))
        return ACLNN_SUCCESS;
    bool is_same = view->rank == shape->count;
    for (uint32_t i = 0; is_same && i < view->rank; i++)
        is_same = view->shape[i] == shape->value.int64[i];
    return is_same ? ACLNN_SUCCESS
                   : fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has another shape than normalizedShape",
                          call->function->operation.name, call->function->parameter[parameter].name);
}

/* One element a row. */
static void add_statistic(const struct call *call, struct result *result, axes along)
{
    const struct tensor_view *input = &call->tensor[INPUT];
    struct output *output = result_add(result, ACL_FLOAT, DTYPE_ANY);
    output->shape_rule = SHAPE_BY_COUNT;
    output->shape.rank = input->rank;
    for (uint32_t i = 0; i < input->rank; i++)
        output->shape.dim[i] = (along >> i & 1) != 0 ? 1 : input->shape[i];
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    axes along;
    TRY(check_dtype(call, INPUT));
    TRY(check_factor_dtype(call, WEIGHT));
    TRY(check_factor_dtype(call, BIAS));
    if (call_has(call, WEIGHT) && call_has(call, BIAS))
        TRY(check_same_dtype(call, BIAS, WEIGHT, NULL));
    TRY(check_rank(call, INPUT));
    TRY(check_normalized(call, &along));
    TRY(check_factor_shape(call, WEIGHT));
    TRY(check_factor_shape(call, BIAS));
    result->computed = call_dtype(call, INPUT);
    result_add(result, result->computed, DTYPE_ANY)->like = INPUT;
    add_statistic(call, result, along);
    add_statistic(call, result, along);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {{INPUT, ROWS_WHOLE}, {WEIGHT, ROWS_WHOLE}, {BIAS, ROWS_WHOLE}};
    static const struct rows_tensor output[] = {{OUT, ROWS_WHOLE}, {MEAN, ROWS_SINGLE}, {RSTD, ROWS_SINGLE}};
    const struct shape shape = shape_of(&call->tensor[INPUT]);
    axes along;
    (void)result;
    TRY(check_normalized(call, &along));
    return rows_plan(call, &shape, along, input, 3, output, 3, &call->argument[EPS].fp64, sizeof(double));
}

static const struct parameter parameters[] = {
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16),
    [NORMALIZED_SHAPE] = {"normalizedShape", .kind = PARAMETER_INT_ARRAY, .sample = "3"},
    [WEIGHT] = READ("weightOptional", &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3"),
    [BIAS] = READ("biasOptional", &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3"),
    [EPS] = USUAL("eps", DOUBLE, "1e-05"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
    [MEAN] = WRITTEN("meanOutOptional", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [RSTD] = WRITTEN("rstdOutOptional", &dtypes_fp32_fp16_bf16, .is_optional = true),
};

FUNCTION(aclnnLayerNorm,
         (const aclTensor *input, const aclIntArray *normalizedShape, const aclTensor *weightOptional,
          const aclTensor *biasOptional, double eps, aclTensor *out, aclTensor *meanOutOptional,
          aclTensor *rstdOutOptional),
         (ARG(input), ARG(normalizedShape), ARG(weightOptional), ARG(biasOptional), ARG(eps), ARG(out),
          ARG(meanOutOptional), ARG(rstdOutOptional)),
         .stem = "layer_norm", PARAMETERS(parameters), .promise = &promise_sum, ROWS(&rows), .infer = infer,
         .plan = plan);

#endif
