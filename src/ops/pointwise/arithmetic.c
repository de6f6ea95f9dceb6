/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Add and Sub, out = self +- alpha * other, Mul and Div, where other is a tensor or a scalar: the contracts.
 * The formulas, and the kernels, are in linear.c, mul.c and div.c.
 */
#include "ops/pointwise/arithmetic.h"

#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "ops/check.h"
#include "ops/loops/elementwise.h"
#include "ops/check_message.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "simd/vector/kernel.h"
#include "tensor/dtype.h"

/* The places of the parameters; products and quotients have no ALPHA. */
/* A tensor and another one or a scalar, with alpha or without. */
#define ALPHA(X, of) X(of, SCALAR, alpha, &dtypes_all, .usual = "1:INT64")
#define NOTHING(X, of)
#define OF_TWO(X, of, kind, others, more, outs)           \
    X(of, IN, self, &dtypes_floats_integers_bool_complex) \
    X(of, kind, other, others)                            \
    more(X, of) X(of, OUT, out, outs)
SIGNATURE_PLACES(OF_TWO, , , ALPHA, )
#define IN_PLACE(X, of, ref, refs, kind, others, more) \
    X(of, ref, selfRef, refs)                          \
    X(of, kind, other, others)                         \
    more(X, of)

enum kind { SUM, DIFFERENCE, PRODUCT, QUOTIENT };

/* What of_family of these functions is. */
struct arithmetic_operator {
    struct elementwise elementwise;
    enum kind kind;
};

static const uint64_t whole_numbers =
    DTYPES_INTEGERS | DTYPES_NATURALS | DTYPE_BIT(ACL_BOOL); /* what quotients make floats of */

static enum kind kind_of(const struct call *call)
{
    return ((const struct arithmetic_operator *)call->function->of_family)->kind;
}

static bool has_alpha(const struct call *call)
{
    return kind_of(call) <= DIFFERENCE;
}

static bool is_newest(const struct call *call)
{
    return call->settings->product == PRODUCT_950;
}

static bool are_integers(const struct call *call)
{
    return dtype_is_one_of(call_dtype(call, OF_TWO_self), whole_numbers) &&
           dtype_is_one_of(call_dtype(call, OF_TWO_other), whole_numbers);
}

/* The parts of a number that is not an integer, rounded to fp32 or kept. */
static void set_parts(double *parts, const struct scalar_value *scalar, bool is_fp64)
{
    struct scalar_value part[2] = {*scalar, {.dtype = ACL_DOUBLE, .value.real = 0}};
    for (int i = 0; i < 2; i++) {
        if (dtype_is_one_of(scalar->dtype, DTYPES_COMPLEX))
            part[i] = (struct scalar_value){.dtype = ACL_DOUBLE, .value.real = scalar->value.complex_[i]};
        parts[i] = is_fp64 ? scalar_to_fp64(&part[i]) : scalar_to_fp32(&part[i]);
    }
}

static void set_scalar(const struct scalar_value *scalar, aclDataType computed, double *parts, uint64_t *bits)
{
    if (dtype_is_one_of(computed, DTYPES_FLOATS | DTYPES_COMPLEX)) {
        set_parts(parts, scalar, computed == ACL_DOUBLE || computed == ACL_COMPLEX128);
    } else {
        _Alignas(16) unsigned char element[16] = {0};
        scalar_convert(scalar, computed, element);
        memcpy(bits, element, sizeof *bits); /* what is behind the element is 0 */
    }
}

struct arithmetic_parameters arithmetic_sum(const struct scalar_value *alpha, aclDataType computed,
                                            bool subtracts)
{
    struct arithmetic_parameters parameters = {.subtracts = subtracts};
    set_scalar(alpha, computed, parameters.alpha, &parameters.alpha_bits);
    parameters.alpha_is_one = parameters.alpha[0] == 1 && parameters.alpha[1] == 0;
    if (subtracts && dtype_is_one_of(computed, DTYPES_FLOATS))
        parameters.alpha[0] = -parameters.alpha[0];
    else if (subtracts && computed != ACL_BOOL)
        parameters.alpha_bits = 0 - parameters.alpha_bits;
    return parameters;
}

void arithmetic_set_scalar(struct arithmetic_parameters *parameters, const struct scalar_value *scalar,
                           aclDataType computed)
{
    parameters->has_scalar = true;
    set_scalar(scalar, computed, parameters->other, &parameters->other_bits);
}

/* alpha is an integer or BOOL where it scales truth, and what may become the dtype of the sum elsewhere. */
static aclnnStatus check_alpha(const struct call *call, aclDataType computed)
{
    uint64_t allowed = computed == ACL_BOOL ? whole_numbers : castable_to(computed);
    return !has_alpha(call) || dtype_is_one_of(call->scalar[OF_TWO_alpha].dtype, allowed)
               ? ACLNN_SUCCESS
               : tell_scalar(call, OF_TWO_alpha, allowed, computed);
}

/* What decides whether a quotient may go to out: on the newest product integers count as the FLOAT that they
 * give. An output of integers must be given: what is usual is FLOAT. */
static aclDataType counted_as(const struct call *call, aclDataType computed)
{
    return is_newest(call) && dtype_is_one_of(computed, whole_numbers) ? ACL_FLOAT : computed;
}

static aclnnStatus check_quotient(const struct call *call, aclDataType counted)
{
    return kind_of(call) == QUOTIENT && call->has_outputs ? check_castable(call, counted, call_output(call))
                                                          : ACLNN_SUCCESS;
}

/*
 * The dtype that a tensor and a scalar are computed in. ACL_DT_UNDEFINED where they do not promote. On the
 * newest product a scalar never widens a tensor but a 16-bit one: is_exact says that this need not be.
 */
static aclDataType tensor_and_scalar(const struct call *call, aclDataType self, aclDataType other,
                                     aclDataType out, bool is_exact)
{
    bool is_complex = dtype_is_one_of(other, DTYPES_COMPLEX),
         is_float = dtype_is_one_of(other, DTYPES_FLOATS);
    if (is_newest(call)) {
        if (dtype_is_one_of(self, DTYPES_COMPLEX))
            return self;
        if (is_complex)
            return self == ACL_DOUBLE ? ACL_COMPLEX128 : ACL_COMPLEX64;
        if (dtype_is_one_of(self, DTYPES_FLOATS))
            return dtype_is_one_of(self, DTYPES_16_BITS) && !is_exact ? ACL_FLOAT : self;
        if (is_float)
            return ACL_FLOAT;
        return self == ACL_BOOL ? promote(self, other) : self;
    }
    if (is_complex || dtype_is_one_of(self, DTYPES_COMPLEX))
        return promote(self, other);
    if (dtype_is_one_of(self, DTYPES_FLOATS))
        return self;
    if (other == ACL_DOUBLE && out == ACL_FLOAT)
        return ACL_FLOAT;
    return is_float || self == ACL_BOOL ? promote(self, other) : self;
}

/* The dtype of a tensor beside a scalar by an operator's own rules: Muls computes BFLOAT16 in FLOAT, and BOOL
 * beside DOUBLE; Divs integers. */
static aclDataType dtype_beside_scalar(const struct call *call, aclDataType self, aclDataType other,
                                       aclDataType out, bool is_exact)
{
    aclDataType own = dtype_is_one_of(self, whole_numbers) ? ACL_FLOAT : self;
    bool is_complex = dtype_is_one_of(other, DTYPES_COMPLEX);
    if (is_newest(call)) {
        aclDataType computed = tensor_and_scalar(call, self, other, out, is_exact);
        return kind_of(call) == QUOTIENT ? counted_as(call, computed) : computed;
    }
    if (kind_of(call) == QUOTIENT)
        return is_complex ? promote(own, other) : own;
    if (kind_of(call) == PRODUCT &&
        ((self == ACL_BF16 && !is_complex) || (self == ACL_BOOL && other == ACL_DOUBLE)))
        return ACL_FLOAT;
    return tensor_and_scalar(call, self, other, out, is_exact);
}

/* The quotient of integers is the same in whatever dtype holds them; fewer bits take less time. */
static aclDataType dtype_of_integers(aclDataType self, const struct scalar_value *other)
{
    aclDataType dtype = promote(self, other->dtype);
    bool is_short = self != ACL_INT64 && other->dtype == ACL_INT64 && other->value.integer >= INT32_MIN &&
                    other->value.integer <= INT32_MAX;
    return dtype == ACL_INT64 && is_short ? ACL_INT32 : dtype;
}

static aclnnStatus infer_scalar(const struct call *call, struct result *result)
{
    const struct scalar_value *other = &call->scalar[OF_TWO_other];
    const aclDataType self = call->tensor[OF_TWO_self].dtype;
    const unsigned out = call_output(call);
    const bool is_given = call->has_outputs || !parameter_is_output(&call->function->parameter[out]);
    const aclDataType target = is_given ? call->tensor[out].dtype : ACL_DT_UNDEFINED;
    const bool is_exact = scalar_is_exact(other, self) &&
                          (!has_alpha(call) || scalar_is_exact(&call->scalar[OF_TWO_alpha], self));
    const aclDataType computed = dtype_beside_scalar(call, self, other->dtype, target, is_exact);
    if (computed == ACL_DT_UNDEFINED)
        return tell_promotion(call, OF_TWO_other, self);
    TRY(check_alpha(call, computed));
    TRY(check_quotient(call, is_newest(call) ? computed : self));
    TRY(check_rank(call, OF_TWO_self));
    result->computed = computed;
    if (kind_of(call) == QUOTIENT && are_integers(call))
        result->computed = dtype_of_integers(self, other);
    else if (computed == ACL_FLOAT && target == self && dtype_is_one_of(self, DTYPES_16_BITS))
        result->computed = self; /* rounded once, to 16 bits */
    const bool castable = has_alpha(call) || (kind_of(call) == PRODUCT && is_newest(call));
    result_add(result, computed, castable ? DTYPE_CASTABLE : DTYPE_ANY)->like = OF_TWO_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_tensors(const struct call *call, struct result *result)
{
    static const unsigned both[] = {OF_TWO_self, OF_TWO_other};
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(check_alpha(call, result->computed));
    TRY(check_quotient(call, counted_as(call, result->computed)));
    TRY(check_rank(call, OF_TWO_self));
    TRY(check_rank(call, OF_TWO_other));
    const bool castable = has_alpha(call) || (kind_of(call) == PRODUCT && !is_newest(call));
    TRY(result_broadcast(result, call, both, 2, result->computed, castable ? DTYPE_CASTABLE : DTYPE_ANY));
    if (kind_of(call) == QUOTIENT && are_integers(call))
        result->output[0].dtype = ACL_FLOAT;
    return ACLNN_SUCCESS;
}

static bool is_beside_scalar(const struct call *call)
{
    return call->function->parameter[OF_TWO_other].kind == PARAMETER_SCALAR;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool divides = kind_of(call) == QUOTIENT;
    TRY(check_dtype(call, divides ? OF_TWO_other : OF_TWO_self));
    TRY(check_dtype(call, divides ? OF_TWO_self : OF_TWO_other));
    if (has_alpha(call))
        TRY(check_dtype(call, OF_TWO_alpha));
    return is_beside_scalar(call) ? infer_scalar(call, result) : infer_tensors(call, result);
}

/*
 * Integers and BOOL give a quotient in FLOAT: exactly from those that FLOAT has, and from INT32 and INT64 by
 * kernels that write floats as large.
 */
static aclnnStatus plan(const struct call *call, const struct result *result)
{
    aclDataType computed = result->computed, written = computed;
    if (kind_of(call) == QUOTIENT && dtype_is_one_of(computed, whole_numbers)) {
        written = computed == ACL_INT64 ? ACL_DOUBLE : ACL_FLOAT;
        computed = computed == ACL_INT64 || computed == ACL_INT32 ? computed : ACL_FLOAT;
    }
    struct arithmetic_parameters parameters = {.has_scalar = false};
    if (has_alpha(call))
        parameters = arithmetic_sum(&call->scalar[OF_TWO_alpha], computed, kind_of(call) == DIFFERENCE);
    if (is_beside_scalar(call)) {
        const struct scalar_value *other = &call->scalar[OF_TWO_other];
        const struct scalar_value summand = scalar_of_sum(other, computed, call->settings->product);
        arithmetic_set_scalar(&parameters, has_alpha(call) ? &summand : other, computed);
    }
    return elementwise_plan_to(call, computed, written, &parameters, sizeof parameters);
}

KERNEL_LEVELS(linear);
KERNEL_LEVELS(mul);
KERNEL_LEVELS(div);

/* Kernels, and what an element of 16 bits costs. */
#define OPERATOR(stem, kind, kernels, half_cost)                \
    static const struct arithmetic_operator stem##_operator = { \
        {kernels##_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = (half_cost)}, kind}
OPERATOR(add, SUM, linear, 80);
OPERATOR(sub, DIFFERENCE, linear, 80);
OPERATOR(mul, PRODUCT, mul, 110);
OPERATOR(div, QUOTIENT, div, 120);

#define ARITHMETIC(stem_)                                                                                  \
    .stem = #stem_, .promise = &promise_exact, ELEMENTWISE(&stem_##_operator.elementwise), .infer = infer, \
    .plan = plan
#define NUMBERS &dtypes_floats_integers_bool_complex
#define DIVIDED &dtypes_floats_integers_bool_complex_not_on_950_integers_bool
#define RATIOS  &dtypes_all_not_on_950_integers_naturals_bool

FUNCTION_LIKE(aclnnAdd, (OF_TWO, IN, NUMBERS, ALPHA, &dtypes_all), ARITHMETIC(add));
FUNCTION_LIKE(aclnnAdds, (OF_TWO, SCALAR, &dtypes_all, ALPHA, &dtypes_all), ARITHMETIC(add));
FUNCTION_LIKE(aclnnInplaceAdd, (IN_PLACE, CONST_BOTH, NUMBERS, IN, NUMBERS, ALPHA), ARITHMETIC(add));
FUNCTION_LIKE(aclnnInplaceAdds, (IN_PLACE, CONST_BOTH, NUMBERS, SCALAR, &dtypes_all, ALPHA), ARITHMETIC(add));
FUNCTION_LIKE(aclnnSub, (OF_TWO, IN, NUMBERS, ALPHA, &dtypes_all), ARITHMETIC(sub));
FUNCTION_LIKE(aclnnSubs, (OF_TWO, SCALAR, &dtypes_all, ALPHA, &dtypes_all), ARITHMETIC(sub));
FUNCTION_LIKE(aclnnInplaceSub, (IN_PLACE, BOTH, NUMBERS, IN, NUMBERS, ALPHA), ARITHMETIC(sub));
FUNCTION_LIKE(aclnnInplaceSubs, (IN_PLACE, BOTH, NUMBERS, SCALAR, &dtypes_all, ALPHA), ARITHMETIC(sub));
FUNCTION_LIKE(aclnnMul, (OF_TWO, IN, NUMBERS, NOTHING, NUMBERS), ARITHMETIC(mul));
FUNCTION_LIKE(aclnnMuls, (OF_TWO, SCALAR, &dtypes_all, NOTHING, NUMBERS), ARITHMETIC(mul));
FUNCTION_LIKE(aclnnInplaceMul, (IN_PLACE, BOTH, NUMBERS, IN, NUMBERS, NOTHING), ARITHMETIC(mul));
FUNCTION_LIKE(aclnnInplaceMuls, (IN_PLACE, BOTH, NUMBERS, SCALAR, &dtypes_all, NOTHING), ARITHMETIC(mul));
FUNCTION_LIKE(aclnnDiv, (OF_TWO, IN, NUMBERS, NOTHING, RATIOS), ARITHMETIC(div));
FUNCTION_LIKE(aclnnDivs, (OF_TWO, SCALAR, NUMBERS, NOTHING, RATIOS), ARITHMETIC(div));
FUNCTION_LIKE(aclnnInplaceDiv, (IN_PLACE, BOTH, DIVIDED, IN, NUMBERS, NOTHING), ARITHMETIC(div));
FUNCTION_LIKE(aclnnInplaceDivs, (IN_PLACE, BOTH, DIVIDED, SCALAR, NUMBERS, NOTHING), ARITHMETIC(div));
