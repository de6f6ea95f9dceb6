/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Logit and its gradient, Signbit, and rounding to decimals.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include <math.h>

#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"
#include "simd/maths/logarithm.h"
#include "simd/maths/simple.h"

/* ln(z / (1 - z)), z being x or, where eps is not below 0, x between eps and 1 - eps, as FLOAT has them. */
static inline doubles formula_logit(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const float eps = (float)number[0], most = 1 - eps;
    doubles z = x[0];
    if (eps >= 0)
        z = choose(z < (double)eps, broadcast((double)eps),
                   choose(z > (double)most, broadcast((double)most), z));
    return maths_log(z / (1 - z));
}

/* x[1] / (x (1 - x)); outside of 0 to 1 NaN, outside of eps to 1 - eps 0. */
static inline doubles formula_logit_grad(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const float eps = (float)number[0], most = 1 - eps;
    doubles value = x[1] / (x[0] * (1 - x[0]));
    if (eps >= 0)
        return choose((x[0] < (double)eps) | (x[0] > (double)most), broadcast(0), value);
    return choose((x[0] < 0) | (x[0] > 1), broadcast((double)NAN), value);
}

/* Whether the sign bit is set, that of a NaN too. */
static inline doubles formula_signbit(const doubles *x, const void *prepared)
{
    return truth((longs)(sign_bit(x[0]) != 0));
}

static inline int64_t integer_signbit(const int64_t *x, const int64_t *number)
{
    return x[0] < 0;
}

/* 10^|decimals|, up to 10^308. */
static inline double power_of_ten(double decimals)
{
    double power = 1;
    for (double left = decimals < 0 ? -decimals : decimals; left >= 1; left--)
        power *= 10;
    return power;
}

/* The product or quotient with the power is rounded to the dtype, to FLOAT for 16 bits, then to a whole
 * number; where it overflows, x is whole for as many decimals. */
static inline doubles rounded(doubles x, double decimals, bool is_single)
{
    if (decimals > 308)
        return x;
    if (decimals < -308)
        return with_sign_of(broadcast(0), x);
    const double power = power_of_ten(decimals);
    doubles scaled = decimals < 0 ? x / power : x * power;
    if (is_single)
        scaled = doubles_of(floats_of(scaled));
    doubles whole = maths_round(scaled), value = decimals < 0 ? whole * power : whole / power;
    return choose(absolute(scaled) < (double)INFINITY, value, x);
}

static inline doubles formula_round_decimals(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return rounded(x[0], number[0], true);
}

static inline doubles formula_round_decimals_wide(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return rounded(x[0], number[0], false);
}

/* To a multiple of 10^-decimals, ties to the even one. */
static inline int64_t integer_round_decimals(const int64_t *x, const int64_t *number)
{
    if (number[0] >= 0)
        return x[0];
    if (number[0] < -19)
        return 0;
    uint64_t unit = 1, size = x[0] < 0 ? 0 - (uint64_t)x[0] : (uint64_t)x[0];
    for (int64_t left = number[0]; left < 0; left++)
        unit *= 10;
    const uint64_t times = size / unit, rest = size % unit, half = unit / 2;
    const uint64_t nearest = (times + (rest > half || (rest == half && (times & 1) != 0))) * unit;
    return (int64_t)(x[0] < 0 ? 0 - nearest : nearest);
}

FORMULA_INTEGERS(signbit, 1)
FORMULA_INTEGERS(round_decimals, 1)
FORMULA_KERNELS(logit, 1, .doubles = formula_logit)
FORMULA_KERNELS(logit_grad, 2, .doubles = formula_logit_grad)
FORMULA_KERNELS_BESIDE(signbit, (INTEGERS_OF(signbit)), 1, .doubles = formula_signbit)
FORMULA_KERNELS_BESIDE(round_decimals, (INTEGERS_OF(round_decimals)), 1, .doubles = formula_round_decimals,
                       .wide = formula_round_decimals_wide)

#else

/* The contract. */
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "aclnnop/aclnn_round.h"
#include "aclnnop/aclnn_signbit.h"
#include "ops/pointwise/forms.h"

FORMULA(logit, .out = DTYPE_EQUAL);
FORMULA(logit_grad, .out = DTYPE_EQUAL, .is_of_one_dtype = true);
FORMULA(signbit, .out = DTYPE_ANY);
FORMULA(round_decimals, .out = DTYPE_EQUAL);

FORM(aclnnLogit, logit, logit, ulp1, formula_infer, FLOATS(input), (DOUBLE, eps, .usual = "-1"),
     (OUT, out, &dtypes_fp32_fp16_bf16));
FORM(aclnnLogitGrad, logit_grad, logit_grad, ulp1, formula_infer, FLOATS(x), FLOATS(dy),
     (DOUBLE, eps, .usual = "-1"), (OUT, out, &dtypes_fp32_fp16_bf16));

static aclnnStatus infer_signbit(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    result->output[0].dtype = ACL_BOOL;
    return ACLNN_SUCCESS;
}

FORM(aclnnSignbit, signbit, signbit, exact, infer_signbit, (IN, self, &dtypes_reals),
     (OUT, out, &dtypes_reals));

FORM(aclnnRoundDecimals, round, round_decimals, exact, formula_infer, (IN, self, &dtypes_floats_int32_int64),
     (INT64, decimals, .usual = "0"), (OUT, out, &dtypes_floats_int32_int64));
FORM(aclnnInplaceRoundDecimals, round, round_decimals, exact, formula_infer,
     (BOTH, selfRef, &dtypes_floats_int32_int64), (INT64, decimals, .usual = "0"));

#endif
