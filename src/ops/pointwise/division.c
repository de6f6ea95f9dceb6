/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Remainders with the sign of the divisor (Remainder) and of the dividend (Fmod), and quotients without their
 * fraction: the floor of the exact one (FloorDivide, DivMod of mode 2) or what is nearer to 0 (mode 1).
 *
 * Integers divided by 0: Remainder gives the dividend, Fmod -1, quotients the largest or the smallest number
 * of the dtype by the sign of the dividend, and 0 for 0. The smallest number divided by -1 wraps.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"
#include "simd/maths/simple.h"

/*
 * The rest of size / by, exact: size - q by, where q is the quotient without its fraction, less than 2^51, or, as
 * rounding may have it, 1 more. The rest is a multiple of the last place of size or by and no larger than by, so that
 * each step is exact; products far from the ends of the range are.
 */
static inline doubles rest_by_quotient(doubles size, doubles by, doubles quotient)
{
    doubles product = quotient * by, rest = (size - product) - product_rest(quotient, by, product);
    rest = choose(rest < 0, rest + by, rest);
    return choose(rest >= by, rest - by, rest);
}

/* Numbers whose products with quotients are far from the ends of the range: all of FLOAT but 0, infinity and NaN. */
static inline longs is_in_range(doubles size, doubles by)
{
    return (size < 0x1p1000) & (by > 0x1p-900) & (by < 0x1p1000);
}

/*
 * The rest of a / b, where the quotient may have too many digits: so many powers of two times b leave a rest that is
 * smaller by 49 digits and has the same rest, until it is small enough. What is beyond that by the C library.
 */
static __attribute__((noinline)) doubles rest_of_any(doubles a, doubles b)
{
    enum { DIGITS = 49, EXPONENT = 52 };
    const longs usual = is_in_range(absolute(a), absolute(b)) & (absolute(a) / absolute(b) < 0x1p1000);
    const doubles by = choose(usual, absolute(b), broadcast(1));
    doubles rest = choose(usual, absolute(a), broadcast(0)), quotient = maths_trunc(rest / by);
    for (longs far = quotient >= 0x1p50; any(far); far = quotient >= 0x1p50) {
        const longs power = (longs)quotient >> EXPONENT << EXPONENT;
        const doubles times = choose(far, (doubles)(power - ((int64_t)DIGITS << EXPONENT)), broadcast(1));
        rest = rest_by_quotient(rest, by * times, maths_trunc(rest / (by * times)));
        quotient = maths_trunc(rest / by);
    }
    rest = with_sign_of(rest_by_quotient(rest, by, quotient), a);
    for (int i = 0; i < LANES; i++)
        if (usual[i] == 0)
            rest[i] = fmod(a[i], b[i]);
    return rest;
}

/* The rest of a / b with the sign of a. */
static inline doubles rest_of(doubles a, doubles b)
{
    doubles size = absolute(a), by = absolute(b), quotient = maths_trunc(size / by);
    if (any(~(is_in_range(size, by) & (quotient < 0x1p50))))
        return rest_of_any(a, b);
    return with_sign_of(rest_by_quotient(size, by, quotient), a);
}

/* What lies beyond 2^53 has no fraction, nor have infinities; whole is the exact quotient less its fraction.
 */
static inline doubles whole_quotient(doubles quotient, doubles whole)
{
    longs is_small = absolute(quotient) < 0x1p53;
    return choose(is_small, whole, quotient);
}

static inline doubles formula_fmod(const doubles *x, const void *prepared)
{
    return rest_of(x[0], x[1]);
}

static inline doubles formula_remainder(const doubles *x, const void *prepared)
{
    doubles rest = formula_fmod(x, prepared);
    longs differ = (longs)(sign_bit(rest) != sign_bit(x[1]));
    return choose(differ & (rest != 0), rest + x[1], rest);
}

static inline doubles formula_truncated(const doubles *x, const void *prepared)
{
    doubles quotient = x[0] / x[1], whole = maths_round((x[0] - formula_fmod(x, prepared)) / x[1]);
    return whole_quotient(quotient, with_sign_of(absolute(whole), quotient));
}

/* An infinite dividend has no rest, and no floor. */
static inline doubles formula_floored(const doubles *x, const void *prepared)
{
    doubles quotient = x[0] / x[1], rest = formula_fmod(x, prepared);
    doubles whole = maths_round((x[0] - rest) / x[1]);
    longs differ = (longs)(sign_bit(rest) != sign_bit(x[1]));
    whole = whole - truth(differ & (rest != 0));
    whole = choose(whole == 0, with_sign_of(broadcast(0), quotient), whole);
    doubles value = whole_quotient(quotient, whole);
    return choose((x[1] != 0) & ~(absolute(x[0]) < (double)INFINITY), broadcast((double)NAN), value);
}

/* By -1 nothing is left, and dividing the smallest number would trap. */
static inline int64_t integer_fmod(const int64_t *x, const int64_t *number)
{
    return x[1] == 0 ? -1 : x[1] == -1 ? 0 : x[0] % x[1];
}

static inline int64_t integer_remainder(const int64_t *x, const int64_t *number)
{
    const int64_t rest = x[1] == 0 ? x[0] : integer_fmod(x, number);
    return rest != 0 && x[1] != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}

/* number[0] and number[1]: the smallest and the largest of the dtype. */
static inline int64_t integer_truncated(const int64_t *x, const int64_t *number)
{
    if (x[1] == 0)
        return x[0] > 0 ? number[1] : x[0] < 0 ? number[0] : 0;
    return x[1] == -1 ? (int64_t)(0 - (uint64_t)x[0]) : x[0] / x[1];
}

static inline int64_t integer_floored(const int64_t *x, const int64_t *number)
{
    const int64_t quotient = integer_truncated(x, number);
    const int64_t rest = x[1] == 0 ? 0 : integer_fmod(x, number);
    return quotient - (rest != 0 && (rest < 0) != (x[1] < 0));
}

FORMULA_INTEGERS(fmod, 2)
FORMULA_INTEGERS(remainder, 2)
FORMULA_INTEGERS(truncated, 2)
FORMULA_INTEGERS(floored, 2)
FORMULA_KERNELS_BESIDE(fmod, (INTEGERS_OF(fmod)), 2, .doubles = formula_fmod)
FORMULA_KERNELS_BESIDE(remainder, (INTEGERS_OF(remainder)), 2, .doubles = formula_remainder)
FORMULA_KERNELS_BESIDE(truncated, (INTEGERS_OF(truncated)), 2, .doubles = formula_truncated)
FORMULA_KERNELS_BESIDE(floored, (INTEGERS_OF(floored)), 2, .doubles = formula_floored)

#else

/* The contract. */
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_fmod_scalar.h"
#include "aclnnop/aclnn_fmod_tensor.h"
#include "aclnnop/aclnn_remainder.h"
#include "ops/pointwise/arithmetic.h"
#include "ops/pointwise/forms.h"
#include "tensor/dtype.h"

KERNEL_LEVELS(fmod);
KERNEL_LEVELS(remainder);
KERNEL_LEVELS(truncated);
KERNEL_LEVELS(floored);

/* A scalar beside a divisor is computed in the dtype of out; on the newest product as everywhere. */
static aclDataType of_divisor(const struct call *call)
{
    return call->settings->product == PRODUCT_950 ? formula_beside_scalar(call) : formula_of_out(call);
}

FORMULA_BY(remainder, remainder, 1500, .out = DTYPE_CASTABLE, .broadcasts = true,
           .computes = &dtypes_floats_int32_int64);
FORMULA_BY(remainder_by, remainder, 1500, .out = DTYPE_CASTABLE, .inputs = 2, .dtype = formula_beside_scalar,
           .computes = &dtypes_floats_int32_int64);
FORMULA_BY(remainder_of, remainder, 1500, .out = DTYPE_CASTABLE, .inputs = 2, .dtype = of_divisor,
           .computes = &dtypes_floats_int32_int64);
FORMULA_BY(fmod, fmod, 1500, .out = DTYPE_ANY, .broadcasts = true,
           .computes = &dtypes_floats_int8_int32_int64_uint8);
FORMULA_BY(fmod_by, fmod, 1500, .out = DTYPE_ANY, .inputs = 2, .dtype = formula_beside_scalar,
           .computes = &dtypes_floats_int8_int32_int64_uint8);
FORMULA_BY(floored, floored, 1500, .out = DTYPE_ANY, .broadcasts = true);
FORMULA_BY(floored_by, floored, 1500, .out = DTYPE_ANY, .inputs = 2, .dtype = formula_beside_scalar);

OF_TWO(aclnnRemainderTensorTensor, remainder, remainder, exact, self, other, dtypes_floats_integers_bool,
       dtypes_all)
OF_TWO_IN_PLACE(aclnnInplaceRemainderTensorTensor, remainder, remainder, exact, selfRef, other,
                dtypes_floats_integers_bool)
WITH_SCALAR(aclnnRemainderTensorScalar, remainder, remainder_by, exact, self, other,
            dtypes_floats_integers_bool, dtypes_floats_integers_bool, dtypes_all)
WITH_SCALAR_IN_PLACE(aclnnInplaceRemainderTensorScalar, remainder, remainder_by, exact, selfRef, other,
                     dtypes_floats_integers_bool, dtypes_floats_integers_bool)

/* What counts for the output is the dtype of other. */
static aclnnStatus infer_remainder_of(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    if (call->settings->product != PRODUCT_950)
        result->output[0].dtype = call->tensor[1].dtype;
    return ACLNN_SUCCESS;
}

FORM(aclnnRemainderScalarTensor, remainder, remainder_of, exact, infer_remainder_of,
     (SCALAR, self, &dtypes_floats_integers_bool), (IN, other, &dtypes_floats_int32_int64),
     (OUT, out, &dtypes_floats_int32_int64));

OF_TWO(aclnnFmodTensor, fmod_tensor, fmod, exact, self, other, dtypes_floats_int8_int32_int64_uint8,
       dtypes_floats_int8_int32_int64_uint8)
OF_TWO_IN_PLACE(aclnnInplaceFmodTensor, fmod_tensor, fmod, exact, selfRef, other,
                dtypes_floats_int8_int32_int64_uint8)
WITH_SCALAR(aclnnFmodScalar, fmod_scalar, fmod_by, exact, self, other, dtypes_floats_int8_int32_int64_uint8,
            dtypes_floats_int8_int32_int64_uint8, dtypes_floats_int8_int32_int64_uint8)
WITH_SCALAR_IN_PLACE(aclnnInplaceFmodScalar, fmod_scalar, fmod_by, exact, selfRef, other,
                     dtypes_floats_int8_int32_int64_uint8, dtypes_floats_int8_int32_int64_uint8)

/* On the newest product the result may not be cast to just anything. */
static aclnnStatus infer_floored(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    if (call->settings->product == PRODUCT_950)
        result->output[0].dtype_rule = DTYPE_CASTABLE;
    return ACLNN_SUCCESS;
}

/* The ends of a dtype of integers, as the formula's numbers. */
static aclnnStatus plan_quotient(const struct call *call, const struct result *result,
                                 const struct formula_contract *formula)
{
    struct formula_numbers numbers = formula_numbers_of(call, result->computed);
    const unsigned bits = 8 * (unsigned)dtype_bytes(result->computed);
    const bool is_natural = result->computed == ACL_UINT8;
    numbers.int64[0] = is_natural ? 0 : INT64_MIN >> (64 - bits);
    numbers.int64[1] = is_natural ? UINT8_MAX : INT64_MAX >> (64 - bits);
    return elementwise_plan_of(call, &formula->elementwise, result->computed, result->computed, &numbers,
                               sizeof numbers);
}

static aclnnStatus plan_floored(const struct call *call, const struct result *result)
{
    return plan_quotient(call, result, call->function->of_family);
}

#define REALS &dtypes_floats_integers_bool

/* Quotients of BOOL are FLOAT, which may not become BOOL on the newest product; tensors of both may go to
 * complex numbers, too. */
FORM_PLANNED(aclnnFloorDivide, floor_divide, floored, exact, infer_floored, plan_floored, (IN, self, REALS),
             (IN, other, REALS), (OUT, out, &dtypes_floats_integers_bool_complex_not_on_950_bool));
FORM_PLANNED(aclnnInplaceFloorDivide, floor_divide, floored, exact, infer_floored, plan_floored,
             (BOTH, selfRef, &dtypes_floats_integers_bool_not_on_950_bool), (IN, other, REALS));
FORM_PLANNED(aclnnFloorDivides, floor_divide, floored_by, exact, infer_floored, plan_floored,
             (IN, self, REALS), (SCALAR, other, REALS),
             (OUT, out, &dtypes_floats_integers_bool_not_on_950_bool));
FORM_PLANNED(aclnnInplaceFloorDivides, floor_divide, floored_by, exact, infer_floored, plan_floored,
             (BOTH, selfRef, &dtypes_floats_integers_bool_not_on_950_bool), (SCALAR, other, REALS));

/*
 * DivMod: mode 0 is Div, in whose kernels integers and BOOL give FLOAT, INT64 by way of DOUBLE; 1 and 2 are
 * quotients without fraction, which BOOL has as FLOAT and complex numbers do not have.
 */
enum { SELF, OTHER, MODE };
KERNEL_LEVELS(div);
static const struct elementwise quotients = {div_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 120};
FORMULA_BY(truncated, truncated, 1500, .out = DTYPE_ANY);
FORMULA_BY(div_mod, floored, 1500, .out = DTYPE_ANY, .broadcasts = true);
FORMULA_BY(div_mods, floored, 1500, .out = DTYPE_ANY, .inputs = 2, .dtype = formula_beside_scalar);

static bool has_scalar(const struct call *call)
{
    return call->function->parameter[OTHER].kind == PARAMETER_SCALAR;
}

/* Whose results are FLOAT. */
static bool is_quotient_of_integers(aclDataType dtype)
{
    return arithmetic_of(dtype) >= ARITHMETICS && arithmetic_of(dtype) <= ARITHMETIC_BOOL;
}

/* What decides whether the result may go to out, on the newest product and on the others. */
static aclnnStatus check_div_mod(const struct call *call, aclDataType dtype)
{
    const bool is_newest = call->settings->product == PRODUCT_950;
    const int64_t mode = call->argument[MODE].int64;
    aclDataType counted = !is_newest && has_scalar(call) ? call->tensor[SELF].dtype : dtype;
    if (is_newest && is_quotient_of_integers(dtype) && (mode == 0 || dtype == ACL_BOOL))
        counted = ACL_FLOAT;
    return call->has_outputs && !(is_newest && mode == 1) ? check_castable(call, counted, call_output(call))
                                                          : ACLNN_SUCCESS;
}

static aclnnStatus infer_div_mod(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    const int64_t mode = call->argument[MODE].int64;
    aclDataType dtype;
    TRY(formula_infer(call, result));
    if (has_scalar(call) && (mode != 0 || !is_quotient_of_integers(formula_all_together(call))))
        dtype = formula_beside_scalar(call);
    else
        TRY(check_promotion(call, both, 2, &dtype));
    if (mode < 0 || mode > 2)
        return refuse(call, "mode is %d; 0, 1 or 2 is expected", (int)mode);
    if (mode != 0 && arithmetic_of(dtype) > ARITHMETIC_BOOL)
        return refuse(call, "mode is %d beside %s, in which this is not computed; 0 is expected", (int)mode,
                      dtype_name(dtype));
    TRY(check_div_mod(call, dtype));
    result->computed = mode != 0 && dtype == ACL_BOOL ? ACL_FLOAT : dtype;
    result->output[0].dtype = mode == 0 && is_quotient_of_integers(dtype) ? ACL_FLOAT : result->computed;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_div_mod(const struct call *call, const struct result *result)
{
    const aclDataType computed = result->computed;
    if (call->argument[MODE].int64 != 0)
        return plan_quotient(call, result,
                             call->argument[MODE].int64 == 1 ? &truncated_formula : &div_mod_formula);
    const bool is_large = computed == ACL_INT32 || computed == ACL_INT64;
    const bool is_small = is_quotient_of_integers(computed) && !is_large;
    const aclDataType dividend = is_small ? ACL_FLOAT : computed;
    const aclDataType quotient = !is_large ? dividend : computed == ACL_INT64 ? ACL_DOUBLE : ACL_FLOAT;
    struct arithmetic_parameters parameters = {.has_scalar = false};
    if (has_scalar(call))
        arithmetic_set_scalar(&parameters, &call->scalar[OTHER], dividend);
    return elementwise_plan_of(call, &quotients, dividend, quotient, &parameters, sizeof parameters);
}

#define NUMBERS &dtypes_floats_integers_bool_complex
#define MODE_   (INT32, mode, .usual = "1")
FORM_PLANNED(aclnnDivMod, div, div_mod, exact, infer_div_mod, plan_div_mod, (IN, self, NUMBERS),
             (IN, other, NUMBERS), MODE_, (OUT, out, &dtypes_all));
FORM_PLANNED(aclnnInplaceDivMod, div, div_mod, exact, infer_div_mod, plan_div_mod, (BOTH, selfRef, NUMBERS),
             (IN, other, NUMBERS), MODE_);
FORM_PLANNED(aclnnDivMods, div, div_mods, exact, infer_div_mod, plan_div_mod, (IN, self, NUMBERS),
             (SCALAR, other, NUMBERS), MODE_, (OUT, out, &dtypes_all));
FORM_PLANNED(aclnnInplaceDivMods, div, div_mods, exact, infer_div_mod, plan_div_mod, (BOTH, selfRef, NUMBERS),
             (SCALAR, other, NUMBERS), MODE_);

#endif
