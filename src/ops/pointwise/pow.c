/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of two numbers: powers, angles, logarithms of sums, and products with logarithms. Floats are as
 * C99 has them.
 *
 * Powers of integers wrap; with a negative exponent they are 0 but for those of 1 and -1. Powers of complex
 * numbers are those of simd/loops/complex_functions.h.
 */
#include "ops/pointwise/arithmetic.h"
#include "simd/vector/kernel.h"

/* What powers of complex numbers are given: a scalar, which is the exponent or the base. */
struct complex_power {
    struct arithmetic_parameters numbers; /* first */
    bool scalar_is_base;
};

#ifdef KERNEL_PASS

#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"
#include "simd/maths/arc.h"
#include "simd/loops/complex_functions.h"
#include "simd/maths/power.h"
#include "simd/maths/power_fp32.h"

static inline doubles formula_pow(const doubles *x, const void *prepared)
{
    return short_pow(x[0], x[1]);
}

/* The exponents that programs use most are rounded once, as in doubles. */
static inline vector fp32_pow(const vector *numbers, const void *prepared)
{
    const vector x = numbers[0], y = numbers[1], infinity = vector_of((float)INFINITY);
    const flags is_square = vector_equal(y, vector_of(2)), is_first = vector_equal(y, vector_of(1)),
                is_root = vector_equal(y, vector_of(0.5F)), is_inverse = vector_equal(y, vector_of(-1));
    if (!vector_any_flag(~is_square))
        return x * x;
    vector value = x;
    if (vector_any_flag(~(is_square | is_first | is_root | is_inverse)))
        value = fp32_power_of(x, y);
    value = vector_choose(is_square, x * x, value);
    value = vector_choose(is_first, x, value);
    if (vector_any_flag(is_root)) {
        const vector root = vector_root(vector_choose(vector_equal(x, -infinity), infinity, x)) + 0;
        value = vector_choose(is_root, root, value); /* of -0 it is +0 */
    }
    if (vector_any_flag(is_inverse))
        value = vector_choose(is_inverse, 1 / x, value);
    return value;
}

static inline doubles formula_pow_wide(const doubles *x, const void *prepared)
{
    return maths_pow(x[0], x[1]);
}

static inline int64_t integer_pow(const int64_t *x, const int64_t *number)
{
    uint64_t factor = (uint64_t)x[0], value = 1;
    if (x[1] < 0)
        return x[0] == 1 ? 1 : x[0] == -1 ? (x[1] & 1) != 0 ? -1 : 1 : 0;
    for (int64_t rest = x[1]; rest > 0; rest >>= 1, factor *= factor)
        value *= (rest & 1) != 0 ? factor : 1;
    return (int64_t)value;
}

static inline doubles formula_atan2(const doubles *x, const void *prepared)
{
    return maths_atan2(x[0], x[1]);
}

/* The greater one and what the lesser one adds: m + ln(1 + e^-d), d being how far they are apart. The two may
 * cancel, so that shorter functions would not do. */
static inline doubles formula_logaddexp(const doubles *x, const void *prepared)
{
    doubles most = choose(x[1] > x[0], x[1], x[0]), apart = absolute(x[0] - x[1]);
    doubles value = most + maths_log1p(maths_exp(-apart));
    return choose(x[0] == x[1], x[0] + maths_ln2[0], value); /* infinities are 0 apart */
}

static inline doubles formula_logaddexp2(const doubles *x, const void *prepared)
{
    doubles most = choose(x[1] > x[0], x[1], x[0]), apart = absolute(x[0] - x[1]);
    doubles value = most + maths_log1p(maths_exp2(-apart)) * 0x1.71547652b82fep+0;
    return choose(x[0] == x[1], x[0] + 1, value);
}

/* NaN of the second one counts beside 0, too. */
static inline doubles formula_xlogy(const doubles *x, const void *prepared)
{
    return choose((x[0] == 0) & (x[1] == x[1]), broadcast(0), x[0] * maths_log(x[1]));
}

/* A scalar is the second number that the loop sees, and may be the base. */
static inline void pow_of_complex(bool is_wide, doubles (*input)[PARTS], doubles *result,
                                  const void *prepared)
{
    const struct complex_power *power = prepared;
    (void)is_wide;
    complex_pow(input[power->scalar_is_base], input[!power->scalar_is_base], result);
}

COMPLEX_KERNEL_OF(pow_complex64, false, 2, pow_of_complex, arithmetic_scalar(parameters))
COMPLEX_KERNEL_OF(pow_complex128, true, 2, pow_of_complex, arithmetic_scalar(parameters))

FORMULA_INTEGERS(pow, 2)
FORMULA_KERNELS_BESIDE(
    pow, (INTEGERS_OF(pow), [ARITHMETIC_COMPLEX64] = pow_complex64, [ARITHMETIC_COMPLEX128] = pow_complex128),
    2, .doubles = formula_pow, .wide = formula_pow_wide, .floats = fp32_pow)
FORMULA_KERNELS(atan2, 2, .doubles = formula_atan2)
FORMULA_KERNELS(logaddexp, 2, .doubles = formula_logaddexp)
FORMULA_KERNELS(logaddexp2, 2, .doubles = formula_logaddexp2)
FORMULA_KERNELS(xlogy, 2, .doubles = formula_xlogy)

#else

/* The contract. */
#include "aclnnop/aclnn_atan2.h"
#include "aclnnop/aclnn_logaddexp.h"
#include "aclnnop/aclnn_logaddexp2.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_xlogy.h"
#include "ops/pointwise/forms.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

/* Integers beside a DOUBLE go to FLOAT where out is that. */
static aclDataType dtype_of_pow(const struct call *call)
{
    const aclDataType dtype = formula_beside_scalar(call);
    const aclDataType own = call_has(call, 0) && call->function->parameter[0].kind == PARAMETER_TENSOR
                                ? call->tensor[0].dtype
                                : call->tensor[1].dtype;
    return dtype == ACL_DOUBLE && own != ACL_DOUBLE && formula_of_out(call) == ACL_FLOAT ? ACL_FLOAT : dtype;
}

FORMULA(pow, .out = DTYPE_CASTABLE, .broadcasts = true, .computes = &dtypes_floats_integers_complex);
FORMULA_BY(pow_scalar, pow, 1500, .out = DTYPE_CASTABLE, .inputs = 2, .dtype = dtype_of_pow,
           .computes = &dtypes_floats_integers_complex);
FORMULA(atan2, .out = DTYPE_ANY, .broadcasts = true);
FORMULA(logaddexp, .out = DTYPE_EQUAL, .broadcasts = true, .dtype = formula_of_out);
FORMULA(logaddexp2, .out = DTYPE_EQUAL, .broadcasts = true, .dtype = formula_of_out);

enum { EXPONENT = 1 }; /* the parameter */

/* The newest product takes no negative scalar as an exponent of integers. */
static aclnnStatus infer_power(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    if (call->settings->product != PRODUCT_950 || !dtype_is_one_of(result->computed, DTYPES_INTEGERS) ||
        !scalar_is_negative(&call->scalar[EXPONENT]))
        return ACLNN_SUCCESS;
    return refuse(call, "exponent is %g beside integers; 0 or more is expected",
                  scalar_to_fp64(&call->scalar[EXPONENT]));
}

/* Squares are those of aclnnSquare. */
KERNEL_LEVELS(square);
static const struct elementwise squares = {square_kernels, .cost_ps = {300, 300}};

static aclnnStatus plan_power(const struct call *call, const struct result *result)
{
    struct complex_power power = {.scalar_is_base = false};
    if (dtype_is_one_of(result->computed, DTYPES_FLOATS) &&
        call->function->parameter[EXPONENT].kind == PARAMETER_SCALAR &&
        scalar_to_fp64(&call->scalar[EXPONENT]) == 2)
        return elementwise_plan_of(call, &squares, result->computed, result->computed, NULL, 0);
    if (!dtype_is_one_of(result->computed, DTYPES_COMPLEX))
        return formula_plan(call, result);
    for (unsigned i = 0; i < 2; i++)
        if (call->function->parameter[i].kind == PARAMETER_SCALAR) {
            arithmetic_set_scalar(&power.numbers, &call->scalar[i], result->computed);
            power.scalar_is_base = i == 0;
        }
    return elementwise_plan(call, result->computed, &power, sizeof power);
}

#define NUMBERS &dtypes_floats_integers_bool_complex
FORM_PLANNED(aclnnPowTensorScalar, pow, pow_scalar, ulp1, infer_power, plan_power, (IN, self, NUMBERS),
             (SCALAR, exponent, NUMBERS, .usual = "2"), (OUT, out, &dtypes_all));
FORM_PLANNED(aclnnInplacePowTensorScalar, pow, pow_scalar, ulp1, infer_power, plan_power,
             (BOTH, self, NUMBERS), (SCALAR, exponent, NUMBERS, .usual = "2"));
FORM_PLANNED(aclnnPowScalarTensor, pow, pow_scalar, ulp1, formula_infer, plan_power, (SCALAR, self, NUMBERS),
             (IN, exponent, NUMBERS), (OUT, out, &dtypes_all));
FORM_PLANNED(aclnnPowTensorTensor, pow_tensor_tensor, pow, ulp1, formula_infer, plan_power,
             (IN, self, NUMBERS), (IN, exponent, NUMBERS), (OUT, out, &dtypes_all));
FORM_PLANNED(aclnnInplacePowTensorTensor, pow_tensor_tensor, pow, ulp1, formula_infer, plan_power,
             (BOTH, self, NUMBERS), (IN, exponent, NUMBERS));

OF_TWO(aclnnAtan2, atan2, atan2, ulp2, self, other, dtypes_floats_integers_bool, dtypes_floats_integers_bool)
OF_TWO_IN_PLACE(aclnnInplaceAtan2, atan2, atan2, ulp2, selfRef, other, dtypes_floats_integers_bool)

FORMULA(xlogy, .out = DTYPE_CASTABLE, .broadcasts = true);
FORMULA_BY(xlogy_scalar, xlogy, 1500, .out = DTYPE_CASTABLE, .inputs = 2, .dtype = formula_beside_scalar);
OF_TWO(aclnnXLogYTensor, xlogy, xlogy, ulp2, self, other, dtypes_floats_integers_bool, dtypes_floats_complex)
OF_TWO_IN_PLACE(aclnnInplaceXLogYTensor, xlogy, xlogy, ulp2, selfRef, other, dtypes_floats)
SCALAR_FIRST(aclnnXLogYScalarSelf, xlogy, xlogy_scalar, ulp2, self, other, dtypes_floats_integers_bool,
             dtypes_floats_integers_bool, dtypes_floats_complex)
WITH_SCALAR(aclnnXLogYScalarOther, xlogy, xlogy_scalar, ulp2, self, other, dtypes_floats_integers_bool,
            dtypes_floats_integers_bool, dtypes_floats_complex)
WITH_SCALAR_IN_PLACE(aclnnInplaceXLogYScalarOther, xlogy, xlogy_scalar, ulp2, selfRef, other, dtypes_floats,
                     dtypes_floats_integers_bool)

/* Both inputs may become what out is, in which they are computed. */
static aclnnStatus infer_of_out(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    result->computed = arithmetic_of(formula_of_out(call)) < ARITHMETICS ? formula_of_out(call) : ACL_FLOAT;
    result->output[0].dtype = result->computed;
    return ACLNN_SUCCESS;
}

#define LOG_OF_SUM(name, stem)                                                                        \
    FORM(name, stem, stem, ulp2, infer_of_out, (IN, self, &dtypes_reals), (IN, other, &dtypes_reals), \
         (OUT, out, &dtypes_fp32_fp16_bf16));
LOG_OF_SUM(aclnnLogAddExp, logaddexp)
LOG_OF_SUM(aclnnLogAddExp2, logaddexp2)

#endif
