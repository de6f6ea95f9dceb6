/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Activations that are a formula of one tensor and some numbers. Each says what becomes of NaN and of the
 * limits where its formula does not.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "ops/pointwise/gates.h"
#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"
#include "simd/maths/exponential_fp32.h"
#include "simd/maths/logarithm.h"
#include "simd/maths/simple.h"
#include "simd/maths/short.h"

/* A function of simd/maths, or the short one of FLOAT and 16 bits. */
typedef doubles maths_function(doubles x);
#define BY_MATHS inline __attribute__((always_inline)) doubles

/* NaN stays. */
static inline doubles formula_celu(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double alpha = number[0], inverse = 1 / alpha;
    return choose(x[0] > 0, x[0], alpha * short_expm1(x[0] * inverse));
}

/* e^x - 1 is within 1 ulp as long as nothing else is rounded. */
static inline vector fp32_celu(const vector *x, const void *prepared)
{
    const double *number = prepared;
    if (number[0] != 1)
        return fp32_by_doubles(x, 1, formula_celu, number);
    return vector_choose(vector_greater(x[0], vector_of(0)), x[0], fp32_maths_expm1(x[0]));
}

/* NaN stays. */
static BY_MATHS elu_by(maths_function *expm1_of, doubles x, const double *number)
{
    const double alpha = number[0], scale = number[1], input_scale = number[2];
    return choose(x > 0, scale * x, alpha * scale * expm1_of(input_scale * x));
}

static inline doubles formula_elu(const doubles *x, const void *prepared)
{
    return elu_by(short_expm1, x[0], prepared);
}

static inline doubles formula_elu_wide(const doubles *x, const void *prepared)
{
    return elu_by(maths_expm1, x[0], prepared);
}

static inline vector fp32_elu(const vector *x, const void *prepared)
{
    const double *number = prepared;
    if (number[0] * number[1] != 1 || number[2] != 1)
        return fp32_by_doubles(x, 1, formula_elu, number);
    const vector above = fp32_product(x[0], vector_of((float)number[1]));
    return vector_choose(vector_greater(x[0], vector_of(0)), above, fp32_maths_expm1(x[0]));
}

/* Klambauer, Unterthiner, Mayr, Hochreiter, 2017: the fixed point of mean 0 and variance 1. */
static inline doubles formula_selu(const doubles *x, const void *prepared)
{
    static const double of_selu[] = {1.6732632423543772848, 1.0507009873554804934, 1};
    return formula_elu(x, of_selu);
}

/* ln (1 + e^z) / beta with z = beta x, in the form that cannot overflow; x itself beyond the threshold. */
static BY_MATHS softplus_by(maths_function *exp_of, maths_function *log1p_of, doubles x, const double *number)
{
    const double beta = number[0], threshold = number[1];
    doubles z = beta * x, above = choose(z > 0, z, broadcast(0)),
            soft = above + log1p_of(exp_of(-absolute(z)));
    return choose(z > threshold, x, beta == 1 ? soft : soft / beta);
}

static inline doubles formula_softplus(const doubles *x, const void *prepared)
{
    return softplus_by(short_exp, short_log1p, x[0], prepared);
}

static inline doubles formula_softplus_wide(const doubles *x, const void *prepared)
{
    return softplus_by(maths_exp, maths_log1p, x[0], prepared);
}

static inline vector fp32_softplus(const vector *x, const void *prepared)
{
    const double *number = prepared;
    if (number[0] != 1)
        return fp32_by_doubles(x, 1, formula_softplus, number);
    return vector_choose(vector_greater(x[0], vector_of((float)number[1])), x[0], fp32_softplus_of(x[0]));
}

static inline doubles formula_hardsigmoid(const doubles *x, const void *prepared)
{
    doubles inner = (x[0] + 3) / 6, above = choose(x[0] >= 3, broadcast(1), inner);
    return choose(x[0] <= -3, broadcast(0), above);
}

/* x + 3 as a pair of floats times 1 / 6 as another: 0 and 1 at the ends, to which all beyond them is cut. */
static inline vector fp32_hardsigmoid(const vector *x, const void *prepared)
{
    const vector sixth = vector_of(0x1.555556p-3F), sixth_low = vector_of(-0x1.555556p-28F);
    vector inner = vector_clamp(x[0], vector_of(3));
    vector sum = inner + 3, low = inner - (sum - 3), product = sum * sixth;
    low = fused(low, sixth, fused(sum, sixth_low, fused_minus(sum, sixth, product)));
    return product + low;
}

/* A negative lambd counts as 0. */
static inline doubles formula_hardshrink(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double lambd = number[0] > 0 || number[0] != number[0] ? number[0] : 0;
    return choose(absolute(x[0]) <= lambd, broadcast(0), x[0]);
}

static inline vector fp32_hardshrink(const vector *x, const void *prepared)
{
    const double *number = prepared;
    const float lambd = (float)(number[0] > 0 || number[0] != number[0] ? number[0] : 0);
    const flags is_beyond = vector_greater(vector_absolute(x[0]), vector_of(lambd)) | vector_is_nan(x[0]) |
                            vector_is_nan(vector_of(lambd));
    return vector_choose(is_beyond, x[0], vector_of(0));
}

/* Between the two the sign of x stays. */
static inline doubles formula_softshrink(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double lambd = number[0];
    doubles inner = choose(x[0] < -lambd, x[0] + lambd, x[0] * 0);
    return choose(x[0] > lambd, x[0] - lambd, inner);
}

static inline vector fp32_softshrink(const vector *x, const void *prepared)
{
    const double *number = prepared;
    const float lambd = (float)number[0];
    vector inner = vector_choose(vector_greater(vector_of(-lambd), x[0]), x[0] + lambd, x[0] * 0);
    return vector_choose(vector_greater(x[0], vector_of(lambd)), x[0] - lambd, inner);
}

static inline doubles formula_softsign(const doubles *x, const void *prepared)
{
    return x[0] / (1 + absolute(x[0]));
}

static inline doubles formula_logsigmoid(const doubles *x, const void *prepared)
{
    return choose(x[0] < 0, x[0], broadcast(0)) - short_log1p(short_exp(-absolute(x[0])));
}

/* ln (1 / (1 + e^-x)) is computed as -(ln (1 + e^-x)), but is +0 at infinity. */
static inline vector fp32_logsigmoid(const vector *x, const void *prepared)
{
    const flags is_0 = vector_equal(x[0], vector_of((float)INFINITY));
    return vector_choose(is_0, vector_of(0), -fp32_softplus_of(-x[0]));
}

/* x tanh(ln (1 + e^x)) = x (w^2 + 2 w) / (w^2 + 2 w + 2) with w = e^x, which beyond 300 is large enough. */
static inline doubles formula_mish(const doubles *x, const void *prepared)
{
    doubles w = short_exp(at_most(x[0], 300)), n = w * (w + 2);
    return x[0] * (n / (n + 2));
}

/* x / (1 + e^-1.702x) */
static inline doubles formula_fast_gelu(const doubles *x, const void *prepared)
{
    return x[0] / (1 + short_exp(x[0] * -1.702));
}

static inline doubles formula_gelu_v2(const doubles *x, const void *prepared)
{
    return gelu(x[0], prepared);
}

/* Integers take part in comparisons only. */
static inline doubles formula_threshold(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return choose(x[0] <= number[0], broadcast(number[1]), x[0]);
}

static inline vector fp32_threshold(const vector *x, const void *prepared)
{
    const double *number = prepared;
    const vector limit = vector_of((float)number[0]);
    const flags is_above = vector_greater(x[0], limit) | vector_is_nan(x[0]) | vector_is_nan(limit);
    return vector_choose(is_above, x[0], vector_of((float)number[1]));
}

static inline int64_t integer_threshold(const int64_t *x, const int64_t *number)
{
    return x[0] <= number[0] ? number[1] : x[0];
}

FORMULA_KERNELS(celu, 1, .doubles = formula_celu, .floats = fp32_celu)
FORMULA_KERNELS(elu, 1, .doubles = formula_elu, .wide = formula_elu_wide, .floats = fp32_elu)
FORMULA_KERNELS(selu, 1, .doubles = formula_selu)
FORMULA_KERNELS(softplus, 1, .doubles = formula_softplus, .wide = formula_softplus_wide,
                .floats = fp32_softplus)
FORMULA_KERNELS(hardsigmoid, 1, .doubles = formula_hardsigmoid, .floats = fp32_hardsigmoid)
FORMULA_KERNELS(hardshrink, 1, .doubles = formula_hardshrink, .floats = fp32_hardshrink,
                .floats_round_once = true)
FORMULA_KERNELS(softshrink, 1, .doubles = formula_softshrink, .floats = fp32_softshrink)
FORMULA_KERNELS(softsign, 1, .doubles = formula_softsign)
FORMULA_KERNELS(logsigmoid, 1, .doubles = formula_logsigmoid, .floats = fp32_logsigmoid)
FORMULA_KERNELS(mish, 1, .doubles = formula_mish)
FORMULA_KERNELS(fast_gelu, 1, .doubles = formula_fast_gelu)
FORMULA_KERNELS(gelu_v2, 1, .doubles = formula_gelu_v2)
FORMULA_INTEGERS(threshold, 1)
FORMULA_KERNELS_BESIDE(threshold, (INTEGERS_OF(threshold)), 1, .doubles = formula_threshold,
                       .floats = fp32_threshold)

#else

/* The contract. */
#include "aclnnop/aclnn_celu.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_fast_gelu.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardshrink.h"
#include "aclnnop/aclnn_hardsigmoid.h"
#include "aclnnop/aclnn_logsigmoid.h"
#include "aclnnop/aclnn_mish.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softshrink.h"
#include "aclnnop/aclnn_softsign.h"
#include "aclnnop/aclnn_threshold.h"
#include "ops/pointwise/forms.h"
#include "ops/scalar.h"

FORMULA(celu, .out = DTYPE_CASTABLE);
FORMULA(elu, .out = DTYPE_CASTABLE);
FORMULA(selu, .out = DTYPE_ANY);
FORMULA(softplus, .out = DTYPE_CASTABLE);
FORMULA(hardsigmoid, .out = DTYPE_EQUAL);
FORMULA(hardshrink, .out = DTYPE_ANY);
FORMULA(softshrink, .out = DTYPE_ANY);
FORMULA(softsign, .out = DTYPE_EQUAL);
FORMULA(logsigmoid, .out = DTYPE_EQUAL);
FORMULA(mish, .out = DTYPE_EQUAL);
FORMULA(fast_gelu, .out = DTYPE_EQUAL);
FORMULA(gelu_v2, .out = DTYPE_EQUAL);
FORMULA(threshold, .out = DTYPE_CASTABLE);

/* alpha divides. */
static aclnnStatus infer_celu(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    const double alpha = formula_scalar(call, 1, result->computed);
    if (alpha < 0 || alpha > 0)
        return ACLNN_SUCCESS;
    return refuse(call, "alpha is %g; a number other than 0 is expected", alpha);
}

FORM(aclnnCelu, celu, celu, formula, infer_celu, FLOATS(self), REAL(alpha, "1"),
     (OUT, out, &dtypes_floats_complex));

FORM(aclnnInplaceCelu, celu, celu, formula, infer_celu, (BOTH, selfRef, &dtypes_fp32_fp16_bf16),
     REAL(alpha, "1"));

#define ELU_SCALARS REAL(alpha, "1"), REAL(scale, "1"), REAL(inputScale, "1")
FORM(aclnnElu, elu, elu, formula, formula_infer, WIDE(self), ELU_SCALARS, (OUT, out, &dtypes_floats_complex));

FORM(aclnnInplaceElu, elu, elu, formula, formula_infer, (BOTH, selfRef, &dtypes_floats), ELU_SCALARS);

OF_ONE(aclnnSelu, selu, selu, formula, self, dtypes_fp32_fp16_bf16_int8_int32,
       dtypes_fp32_fp16_bf16_int8_int32)
OF_ONE_IN_PLACE(aclnnInplaceSelu, selu, selu, formula, selfRef, dtypes_fp32_fp16_bf16_int8_int32)

FORM(aclnnSoftplus, softplus, softplus, formula, formula_infer, WIDE(self), REAL(beta, "1"),
     REAL(threshold, "20"), (OUT, out, &dtypes_floats_complex));

FORM(aclnnHardsigmoid, hardsigmoid, hardsigmoid, formula, formula_infer_as_first,
     (IN, self, &dtypes_fp32_fp16_bf16_int32), (OUT, out, &dtypes_fp32_fp16_bf16_int32));

FORM(aclnnInplaceHardsigmoid, hardsigmoid, hardsigmoid, formula, formula_infer_as_first,
     (BOTH, self, &dtypes_fp32_fp16_bf16_int32));

FORM(aclnnHardshrink, hardshrink, hardshrink, exact, formula_infer, FLOATS(self), REAL(lambd, "0.5"),
     (OUT, out, &dtypes_fp32_fp16_bf16));

FORM(aclnnSoftshrink, softshrink, softshrink, exact, formula_infer_not_negative, FLOATS(self),
     REAL(lambd, "0.5"), (OUT, out, &dtypes_fp32_fp16_bf16));

OF_ONE(aclnnSoftsign, softsign, softsign, formula, self, dtypes_fp32_fp16_bf16, dtypes_fp32_fp16_bf16)
OF_ONE(aclnnLogSigmoid, logsigmoid, logsigmoid, formula, self, dtypes_fp32_fp16_bf16, dtypes_fp32_fp16_bf16)

FORM(aclnnLogSigmoidForward, logsigmoid, logsigmoid, formula, formula_infer, FLOATS(self),
     (OUT, out, &dtypes_fp32_fp16_bf16), (MUTABLE_UNUSED, buffer, &dtypes_all, .is_optional = true));

OF_ONE(aclnnMish, mish, mish, formula, self, dtypes_fp32_fp16_bf16, dtypes_fp32_fp16_bf16)
OF_ONE_IN_PLACE(aclnnInplaceMish, mish, mish, formula, selfRef, dtypes_fp32_fp16_bf16)
OF_ONE(aclnnFastGelu, fast_gelu, fast_gelu, formula, self, dtypes_fp32_fp16_bf16, dtypes_fp32_fp16_bf16)

FORM(aclnnGeluV2, gelu_v2, gelu_v2, formula, formula_infer, FLOATS(x), (INT64, approximate, .usual = "0"),
     (OUT, y, &dtypes_fp32_fp16_bf16));

#define THRESHOLD_SCALARS REAL(threshold, "0"), REAL(value, "0")
FORM(aclnnThreshold, threshold, threshold, exact, formula_infer, (IN, self, &dtypes_floats_integers),
     THRESHOLD_SCALARS, (OUT, out, &dtypes_all));

FORM(aclnnInplaceThreshold, threshold, threshold, exact, formula_infer,
     (BOTH, selfRef, &dtypes_floats_integers), THRESHOLD_SCALARS);

#endif
