/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = (x - mean) rstd weight + bias over the last dims, rstd = 1 / sqrt(variance + eps) with the variance
 * divided by the number of elements. Of nothing the mean is 0 and rstd NaN.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row_moments.h"

enum { X, WEIGHT, BIAS };
enum { Y, MEAN, RSTD };

static inline __attribute__((always_inline)) void layer_norm(enum arithmetic dtype, const void *const *input,
                                                             void *const *output, size_t count, double *room,
                                                             const void *parameters)
{
    const double eps = *(const double *)parameters;
    const struct row_moments moments = row_moments(dtype, input[X], count);
    const struct row_scale scale = {moments.mean, 1 / sqrt(moments.variance + eps), 1, -0.0, input[WEIGHT],
                                    input[BIAS]};
    (void)room;
    row_store_single(dtype, output[MEAN], scale.mean);
    row_store_single(dtype, output[RSTD], scale.rstd);
    if (scale.weights != NULL && scale.biases != NULL)
        row_normalise(dtype, output[Y], input[X], &scale, count); /* the compiler knows that they are there */
    else
        row_normalise(dtype, output[Y], input[X], &scale, count);
}

ROWS_KERNELS(layer_norm, layer_norm)

#else

/* The contract. */
#include "aclnnop/aclnn_layer_norm.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"

#define PARAMETERS_OF_LAYER_NORM(X, of)                                                   \
    X(of, IN, input, &dtypes_fp32_fp16_bf16)                                              \
    X(of, INTS, normalizedShape, .sample = "3")                                           \
    X(of, IN, weightOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3")   \
    X(of, DOUBLE, eps, .usual = "1e-05")                                                  \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                               \
    X(of, OUT, meanOutOptional, &dtypes_fp32_fp16_bf16, .is_optional = true)              \
    X(of, OUT, rstdOutOptional, &dtypes_fp32_fp16_bf16, .is_optional = true)
#define LAYER_NORM(X, of)                PARAMETERS_OF_LAYER_NORM(X, of)
SIGNATURE(LAYER_NORM)
#define LAYER_NORM_WITH_IMPL_MODE(X, of) PARAMETERS_OF_LAYER_NORM(X, of) X(of, INT32, implMode, .usual = "0")
SIGNATURE(LAYER_NORM_WITH_IMPL_MODE)

ROWS_LEVELS(layer_norm);
static const struct rows rows = {layer_norm_rows, layer_norm_rows_fp32, .is_roomless = true,
                                 .element_ps = 300};

/* How precise it is to be, which changes nothing: 2 is for FLOAT16 alone. */
static aclnnStatus check_mode(const struct call *call)
{
    const int64_t mode = call->argument[LAYER_NORM_WITH_IMPL_MODE_implMode].int64;
    bool is_fp16 = call_dtype(call, LAYER_NORM_input) == ACL_FLOAT16;
    for (unsigned i = LAYER_NORM_weightOptional; i <= LAYER_NORM_biasOptional; i++)
        is_fp16 = is_fp16 && (!call_has(call, i) || call_dtype(call, i) == ACL_FLOAT16);
    return mode == 0 || mode == 1 || (mode == 2 && is_fp16)
               ? ACLNN_SUCCESS
               : refuse(call, "implMode is %lld; 0, 1, or 2 with FLOAT16 alone is expected", (long long)mode);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *input = &call->tensor[LAYER_NORM_input];
    int64_t outer[OPERAND_RANK_MAX];
    axes along;
    TRY(check_dtype(call, LAYER_NORM_input));
    TRY(check_factor_dtype(call, LAYER_NORM_weightOptional, LAYER_NORM_input));
    TRY(check_factor_dtype(call, LAYER_NORM_biasOptional, LAYER_NORM_input));
    if (call_has(call, LAYER_NORM_weightOptional) && call_has(call, LAYER_NORM_biasOptional))
        TRY(check_same_dtype(call, LAYER_NORM_biasOptional, LAYER_NORM_weightOptional, NULL));
    TRY(check_rank(call, LAYER_NORM_input));
    if (call->function->parameter_count > LAYER_NORM_WITH_IMPL_MODE_implMode)
        TRY(check_mode(call));
    TRY(check_normalized(call, LAYER_NORM_input, LAYER_NORM_normalizedShape, &along));
    TRY(check_factor_shape(call, LAYER_NORM_weightOptional, LAYER_NORM_normalizedShape));
    TRY(check_factor_shape(call, LAYER_NORM_biasOptional, LAYER_NORM_normalizedShape));
    result->computed = call_dtype(call, LAYER_NORM_input);
    result_add(result, result->computed, DTYPE_ANY)->like = LAYER_NORM_input;
    for (uint32_t i = 0; i < input->rank; i++) /* one element a row */
        outer[i] = (along >> i & 1) != 0 ? 1 : input->shape[i];
    result_by_count(result, input->rank, outer);
    result_by_count(result, input->rank, outer);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(LAYER_NORM_input, WHOLE),
                                               ROWS_TENSOR(LAYER_NORM_weightOptional, WHOLE),
                                               ROWS_TENSOR(LAYER_NORM_biasOptional, WHOLE)},
                                    output[] = {ROWS_TENSOR(LAYER_NORM_out, WHOLE),
                                                ROWS_TENSOR(LAYER_NORM_meanOutOptional, SINGLE),
                                                ROWS_TENSOR(LAYER_NORM_rstdOutOptional, SINGLE)};
    axes along;
    (void)result;
    TRY(check_normalized(call, LAYER_NORM_input, LAYER_NORM_normalizedShape, &along));
    const struct rows_request request = {.rank = call->tensor[LAYER_NORM_input].rank,
                                         .shape = call->tensor[LAYER_NORM_input].shape,
                                         .along = along,
                                         .input = input,
                                         .output = output,
                                         .inputs = 3,
                                         .outputs = 3,
                                         .parameters = &call->argument[LAYER_NORM_eps].fp64,
                                         .parameter_bytes = sizeof(double)};
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnLayerNorm, LAYER_NORM, .stem = "layer_norm", .promise = &promise_sum, ROWS(&rows),
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnFastLayerNorm, LAYER_NORM, .stem = "layer_norm", .promise = &promise_sum, ROWS(&rows),
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnLayerNormWithImplMode, LAYER_NORM_WITH_IMPL_MODE, .stem = "layer_norm",
            .promise = &promise_sum, ROWS(&rows), .infer = infer, .plan = plan);

#endif
