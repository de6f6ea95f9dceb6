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
#include "ops/signature.h"

#define LAYER_NORM_BACKWARD(X, of)                                                        \
    X(of, IN, gradOut, &dtypes_fp32_fp16_bf16)                                            \
    X(of, IN, input, &dtypes_fp32_fp16_bf16)                                              \
    X(of, INTS, normalizedShape, .sample = "3")                                           \
    X(of, IN, mean, &dtypes_fp32_fp16_bf16, .sample = "2")                                \
    X(of, IN, rstd, &dtypes_fp32_fp16_bf16, .sample = "2")                                \
    X(of, IN, weightOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3")   \
    X(of, BOOLS, outputMask, .usual = "true,true,true")                                   \
    X(of, OUT, gradInputOut, &dtypes_fp32_fp16_bf16, .is_optional = true)                 \
    X(of, OUT, gradWeightOut, &dtypes_fp32_fp16_bf16, .is_optional = true)                \
    X(of, OUT, gradBiasOut, &dtypes_fp32_fp16_bf16, .is_optional = true)
SIGNATURE(LAYER_NORM_BACKWARD)

ROWS_LEVELS(layer_norm_backward);
static const struct rows rows = {layer_norm_backward_rows, layer_norm_backward_rows_fp32, .is_roomless = true,
                                 .element_ps = 600};

static int64_t rows_of(const struct call *call, axes along)
{
    int64_t count = 1;
    for (uint32_t i = 0; (along >> i & 1) == 0; i++)
        count *= call->tensor[LAYER_NORM_BACKWARD_input].shape[i];
    return count;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct call_values *shape = &call->values[LAYER_NORM_BACKWARD_normalizedShape];
    axes along;
    TRY(check_mask(call, LAYER_NORM_BACKWARD_outputMask, 3));
    TRY(check_dtype(call, LAYER_NORM_BACKWARD_gradOut));
    TRY(check_dtype(call, LAYER_NORM_BACKWARD_input));
    TRY(check_same_dtype(call, LAYER_NORM_BACKWARD_input, LAYER_NORM_BACKWARD_gradOut, NULL));
    TRY(check_dtype(call, LAYER_NORM_BACKWARD_mean));
    TRY(check_dtype(call, LAYER_NORM_BACKWARD_rstd));
    TRY(check_factor_dtype(call, LAYER_NORM_BACKWARD_weightOptional, LAYER_NORM_BACKWARD_input));
    TRY(check_factor_dtype(call, LAYER_NORM_BACKWARD_biasOptional, LAYER_NORM_BACKWARD_input));
    TRY(check_rank(call, LAYER_NORM_BACKWARD_input));
    TRY(check_same_shape(call, LAYER_NORM_BACKWARD_gradOut, LAYER_NORM_BACKWARD_input, NULL));
    TRY(check_normalized(call, LAYER_NORM_BACKWARD_input, LAYER_NORM_BACKWARD_normalizedShape, &along));
    TRY(check_count(call, LAYER_NORM_BACKWARD_mean, rows_of(call, along), "one for each row"));
    TRY(check_count(call, LAYER_NORM_BACKWARD_rstd, rows_of(call, along), "one for each row"));
    TRY(check_factor_shape(call, LAYER_NORM_BACKWARD_weightOptional, LAYER_NORM_BACKWARD_normalizedShape));
    result->computed = call_dtype(call, LAYER_NORM_BACKWARD_input);
    result_add(result, result->computed, DTYPE_ANY)->like = LAYER_NORM_BACKWARD_input;
    result_by_count(result, (uint32_t)shape->count, shape->value.int64);
    result_by_count(result, (uint32_t)shape->count, shape->value.int64);
    for (unsigned i = 0; i < 3; i++)
        result->output[i].is_unwanted = !mask_has(call, LAYER_NORM_BACKWARD_outputMask, i);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {
        ROWS_TENSOR(LAYER_NORM_BACKWARD_gradOut, WHOLE), ROWS_TENSOR(LAYER_NORM_BACKWARD_input, WHOLE),
        ROWS_TENSOR(LAYER_NORM_BACKWARD_mean, SINGLE), ROWS_TENSOR(LAYER_NORM_BACKWARD_rstd, SINGLE),
        ROWS_TENSOR(LAYER_NORM_BACKWARD_weightOptional, WHOLE)};
    struct rows_tensor output[] = {ROWS_TENSOR(LAYER_NORM_BACKWARD_gradInputOut, WHOLE),
                                   ROWS_TENSOR(LAYER_NORM_BACKWARD_gradWeightOut, SUMS),
                                   ROWS_TENSOR(LAYER_NORM_BACKWARD_gradBiasOut, SUMS)};
    axes along;
    TRY(check_normalized(call, LAYER_NORM_BACKWARD_input, LAYER_NORM_BACKWARD_normalizedShape, &along));
    for (unsigned i = 0; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    const struct rows_request request = {.rank = call->tensor[LAYER_NORM_BACKWARD_input].rank,
                                         .shape = call->tensor[LAYER_NORM_BACKWARD_input].shape,
                                         .along = along,
                                         .input = input,
                                         .output = output,
                                         .inputs = 5,
                                         .outputs = 3};
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnLayerNormBackward, LAYER_NORM_BACKWARD, .stem = "layer_norm_backward",
            .promise = &promise_sum, ROWS(&rows), .infer = infer, .plan = plan);

#endif
