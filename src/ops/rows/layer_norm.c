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
#include "ops/rows/normalise.h"
#include "ops/rows/rows.h"

enum { INPUT, NORMALIZED_SHAPE, WEIGHT, BIAS, EPS, OUT, MEAN, RSTD };

ROWS_LEVELS(layer_norm);
static const struct rows rows = {layer_norm_rows, layer_norm_rows_fp32, .element_ps = 300};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *input = &call->tensor[INPUT];
    int64_t outer[OPERAND_RANK_MAX];
    axes along;
    TRY(check_dtype(call, INPUT));
    TRY(check_factor_dtype(call, WEIGHT, INPUT));
    TRY(check_factor_dtype(call, BIAS, INPUT));
    if (call_has(call, WEIGHT) && call_has(call, BIAS))
        TRY(check_same_dtype(call, BIAS, WEIGHT, NULL));
    TRY(check_rank(call, INPUT));
    TRY(check_normalized(call, INPUT, NORMALIZED_SHAPE, &along));
    TRY(check_factor_shape(call, WEIGHT, NORMALIZED_SHAPE));
    TRY(check_factor_shape(call, BIAS, NORMALIZED_SHAPE));
    result->computed = call_dtype(call, INPUT);
    result_add(result, result->computed, DTYPE_ANY)->like = INPUT;
    for (uint32_t i = 0; i < input->rank; i++) /* one element a row */
        outer[i] = (along >> i & 1) != 0 ? 1 : input->shape[i];
    result_by_count(result, input->rank, outer);
    result_by_count(result, input->rank, outer);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(INPUT, WHOLE), ROWS_TENSOR(WEIGHT, WHOLE),
                                               ROWS_TENSOR(BIAS, WHOLE)},
                                    output[] = {ROWS_TENSOR(OUT, WHOLE), ROWS_TENSOR(MEAN, SINGLE),
                                                ROWS_TENSOR(RSTD, SINGLE)};
    axes along;
    (void)result;
    TRY(check_normalized(call, INPUT, NORMALIZED_SHAPE, &along));
    const struct rows_request request = {.rank = call->tensor[INPUT].rank,
                                         .shape = call->tensor[INPUT].shape,
                                         .along = along,
                                         .input = input,
                                         .output = output,
                                         .inputs = 3,
                                         .outputs = 3,
                                         .parameters = &call->argument[EPS].fp64,
                                         .parameter_bytes = sizeof(double)};
    return rows_plan(call, &request);
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
