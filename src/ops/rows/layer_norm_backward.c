/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of LayerNorm: with n = (x - mean) rstd and h = gradOut weight, that of the input is
 * rstd (h - mean of h - n mean of h n) over each row, those of weight and bias are the sums of gradOut n and
 * gradOut over all rows.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row_gradient.h"

enum { GRADIENT, X, MEAN, RSTD, WEIGHT };
enum { GRADIENT_X, GRADIENT_WEIGHT, GRADIENT_BIAS };

static inline __attribute__((always_inline)) void
of_row(enum arithmetic dtype, const struct row_gradient_terms *terms, void *gradient, size_t count)
{
    struct row_sums mean = row_gradient_sums(dtype, terms, count);
    mean.h /= (double)count;
    mean.hn /= (double)count;
    if (gradient != NULL)
        row_gradient_store(dtype, gradient, terms->row, terms->factor, 1, terms->row->rstd, mean, count);
}

static inline __attribute__((always_inline)) void layer_norm_backward(enum arithmetic dtype,
                                                                      const void *const *input,
                                                                      void *const *output, size_t count,
                                                                      double *room, const void *parameters)
{
    const struct row_gradient row = {input[GRADIENT], input[X], row_single(dtype, input[MEAN], 0),
                                     row_single(dtype, input[RSTD], 1)};
    const struct row_gradient_terms terms = {&row, input[WEIGHT], output[GRADIENT_WEIGHT],
                                             output[GRADIENT_BIAS]};
    (void)room, (void)parameters;
    if (terms.factor != NULL && terms.sums_of_normal != NULL && terms.sums_of_gradient != NULL)
        of_row(dtype, &terms, output[GRADIENT_X], count); /* the compiler knows that they are there */
    else
        of_row(dtype, &terms, output[GRADIENT_X], count);
}

ROWS_KERNELS(layer_norm_backward, layer_norm_backward)

#else

/* The contract. */
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/loops/rows.h"

enum {
    GRAD_OUT,
    INPUT,
    NORMALIZED_SHAPE,
    MEAN,
    RSTD,
    WEIGHT,
    BIAS,
    MASK,
    GRAD_INPUT,
    GRAD_WEIGHT,
    GRAD_BIAS
};

ROWS_LEVELS(layer_norm_backward);
static const struct rows rows = {layer_norm_backward_rows, layer_norm_backward_rows_fp32, .is_roomless = true,
                                 .element_ps = 600};

static int64_t rows_of(const struct call *call, axes along)
{
    int64_t count = 1;
    for (uint32_t i = 0; (along >> i & 1) == 0; i++)
        count *= call->tensor[INPUT].shape[i];
    return count;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct call_values *shape = &call->values[NORMALIZED_SHAPE];
    axes along;
    TRY(check_mask(call, MASK, 3));
    TRY(check_dtype(call, GRAD_OUT));
    TRY(check_dtype(call, INPUT));
    TRY(check_same_dtype(call, INPUT, GRAD_OUT, NULL));
    TRY(check_dtype(call, MEAN));
    TRY(check_dtype(call, RSTD));
    TRY(check_factor_dtype(call, WEIGHT, INPUT));
    TRY(check_factor_dtype(call, BIAS, INPUT));
    TRY(check_rank(call, INPUT));
    TRY(check_same_shape(call, GRAD_OUT, INPUT, NULL));
    TRY(check_normalized(call, INPUT, NORMALIZED_SHAPE, &along));
    TRY(check_count(call, MEAN, rows_of(call, along), "one for each row"));
    TRY(check_count(call, RSTD, rows_of(call, along), "one for each row"));
    TRY(check_factor_shape(call, WEIGHT, NORMALIZED_SHAPE));
    result->computed = call_dtype(call, INPUT);
    result_add(result, result->computed, DTYPE_ANY)->like = INPUT;
    result_by_count(result, (uint32_t)shape->count, shape->value.int64);
    result_by_count(result, (uint32_t)shape->count, shape->value.int64);
    for (unsigned i = 0; i < 3; i++)
        result->output[i].is_unwanted = !mask_has(call, MASK, i);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(GRAD_OUT, WHOLE), ROWS_TENSOR(INPUT, WHOLE),
                                               ROWS_TENSOR(MEAN, SINGLE), ROWS_TENSOR(RSTD, SINGLE),
                                               ROWS_TENSOR(WEIGHT, WHOLE)};
    struct rows_tensor output[] = {ROWS_TENSOR(GRAD_INPUT, WHOLE), ROWS_TENSOR(GRAD_WEIGHT, SUMS),
                                   ROWS_TENSOR(GRAD_BIAS, SUMS)};
    axes along;
    TRY(check_normalized(call, INPUT, NORMALIZED_SHAPE, &along));
    for (unsigned i = 0; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    const struct rows_request request = {.rank = call->tensor[INPUT].rank,
                                         .shape = call->tensor[INPUT].shape,
                                         .along = along,
                                         .input = input,
                                         .output = output,
                                         .inputs = 5,
                                         .outputs = 3};
    return rows_plan(call, &request);
}

static const struct parameter parameters[] = {
    [GRAD_OUT] = READ("gradOut", &dtypes_fp32_fp16_bf16),
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16),
    [NORMALIZED_SHAPE] = {"normalizedShape", .kind = PARAMETER_INT_ARRAY, .sample = "3"},
    [MEAN] = READ("mean", &dtypes_fp32_fp16_bf16, .sample = "2"),
    [RSTD] = READ("rstd", &dtypes_fp32_fp16_bf16, .sample = "2"),
    [WEIGHT] = READ("weightOptional", &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3"),
    [BIAS] = READ("biasOptional", &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3"),
    [MASK] = {"outputMask", .kind = PARAMETER_BOOL_ARRAY, .usual = "true,true,true"},
    [GRAD_INPUT] = WRITTEN("gradInputOut", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [GRAD_WEIGHT] = WRITTEN("gradWeightOut", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [GRAD_BIAS] = WRITTEN("gradBiasOut", &dtypes_fp32_fp16_bf16, .is_optional = true),
};

FUNCTION(aclnnLayerNormBackward,
         (const aclTensor *gradOut, const aclTensor *input, const aclIntArray *normalizedShape,
          const aclTensor *mean, const aclTensor *rstd, const aclTensor *weightOptional,
          const aclTensor *biasOptional, const aclBoolArray *outputMask, aclTensor *gradInputOut,
          aclTensor *gradWeightOut, aclTensor *gradBiasOut),
         (ARG(gradOut), ARG(input), ARG(normalizedShape), ARG(mean), ARG(rstd), ARG(weightOptional),
          ARG(biasOptional), ARG(outputMask), ARG(gradInputOut), ARG(gradWeightOut), ARG(gradBiasOut)),
         .stem = "layer_norm_backward", PARAMETERS(parameters), .promise = &promise_sum, ROWS(&rows),
         .infer = infer, .plan = plan);

#endif
