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

enum { INPUT, NORMALIZED_SHAPE, WEIGHT, BIAS, EPS, OUT, MEAN, RSTD, MODE };

ROWS_LEVELS(layer_norm);
static const struct rows rows = {layer_norm_rows, layer_norm_rows_fp32, .is_roomless = true,
                                 .element_ps = 300};

/* How precise it is to be, which changes nothing: 2 is for FLOAT16 alone. */
static aclnnStatus check_mode(const struct call *call)
{
    const int64_t mode = call->argument[MODE].int64;
    bool is_fp16 = call_dtype(call, INPUT) == ACL_FLOAT16;
    for (unsigned i = WEIGHT; i <= BIAS; i++)
        is_fp16 = is_fp16 && (!call_has(call, i) || call_dtype(call, i) == ACL_FLOAT16);
    return mode == 0 || mode == 1 || (mode == 2 && is_fp16)
               ? ACLNN_SUCCESS
               : refuse(call, "implMode is %lld; 0, 1, or 2 with FLOAT16 alone is expected", (long long)mode);
}

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
    if (call->function->parameter_count > MODE)
        TRY(check_mode(call));
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

#define PARAMETERS_OF_LAYER_NORM                                                                   \
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16),                                               \
    [NORMALIZED_SHAPE] = {"normalizedShape", .kind = PARAMETER_INT_ARRAY, .sample = "3"},          \
    [WEIGHT] = READ("weightOptional", &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3"), \
    [BIAS] = READ("biasOptional", &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3"),     \
    [EPS] = USUAL("eps", DOUBLE, "1e-05"), [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),         \
    [MEAN] = WRITTEN("meanOutOptional", &dtypes_fp32_fp16_bf16, .is_optional = true),              \
    [RSTD] = WRITTEN("rstdOutOptional", &dtypes_fp32_fp16_bf16, .is_optional = true)

static const struct parameter parameters[] = {PARAMETERS_OF_LAYER_NORM};
static const struct parameter mode_parameters[] = {
    PARAMETERS_OF_LAYER_NORM, [MODE] = USUAL("implMode", INT32, "0")};

FUNCTION(aclnnLayerNorm,
         (const aclTensor *input, const aclIntArray *normalizedShape, const aclTensor *weightOptional,
          const aclTensor *biasOptional, double eps, aclTensor *out, aclTensor *meanOutOptional,
          aclTensor *rstdOutOptional),
         (ARG(input), ARG(normalizedShape), ARG(weightOptional), ARG(biasOptional), ARG(eps), ARG(out),
          ARG(meanOutOptional), ARG(rstdOutOptional)),
         .stem = "layer_norm", PARAMETERS(parameters), .promise = &promise_sum, ROWS(&rows), .infer = infer,
         .plan = plan);

FUNCTION(aclnnFastLayerNorm,
         (const aclTensor *input, const aclIntArray *normalizedShape, const aclTensor *weightOptional,
          const aclTensor *biasOptional, double eps, aclTensor *out, aclTensor *meanOutOptional,
          aclTensor *rstdOutOptional),
         (ARG(input), ARG(normalizedShape), ARG(weightOptional), ARG(biasOptional), ARG(eps), ARG(out),
          ARG(meanOutOptional), ARG(rstdOutOptional)),
         .stem = "layer_norm", PARAMETERS(parameters), .promise = &promise_sum, ROWS(&rows), .infer = infer,
         .plan = plan);

FUNCTION(aclnnLayerNormWithImplMode,
         (const aclTensor *input, const aclIntArray *normalizedShape, const aclTensor *weightOptional,
          const aclTensor *biasOptional, double eps, aclTensor *out, aclTensor *meanOutOptional,
          aclTensor *rstdOutOptional, int32_t implMode),
         (ARG(input), ARG(normalizedShape), ARG(weightOptional), ARG(biasOptional), ARG(eps), ARG(out),
          ARG(meanOutOptional), ARG(rstdOutOptional), ARG(implMode)),
         .stem = "layer_norm", PARAMETERS(mode_parameters), .promise = &promise_sum, ROWS(&rows),
         .infer = infer, .plan = plan);

#endif
