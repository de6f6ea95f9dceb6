/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What Add, Sub, Mul and Div share of their contracts.
 */
#include "ops/pointwise/arithmetic.h"

#include <string.h>

#include "ops/check_message.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

#define BF16     DTYPE_BIT(ACL_BF16)
#define HALVES   (BF16 | DTYPE_BIT(ACL_FLOAT16))
#define FLOATS   (HALVES | DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_DOUBLE))
#define COMPLEX  (DTYPE_BIT(ACL_COMPLEX64) | DTYPE_BIT(ACL_COMPLEX128))
#define NATURALS (DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_UINT32) | DTYPE_BIT(ACL_UINT64))
#define INTEGERS                                                                                \
    (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT16) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64) | \
     DTYPE_BIT(ACL_UINT8) | NATURALS)
#define BOOLEAN (DTYPE_BIT(ACL_BOOL))

/* Dtypes of live handles are known ones. */
static bool is_one_of(aclDataType dtype, uint64_t set)
{
    return (unsigned)dtype < 64 && (set >> dtype & 1) != 0;
}

static bool is_newest(const struct call *call)
{
    return call->settings->product == PRODUCT_950;
}

/* Of the output, which decides some of what is computed; undefined where there is none yet. */
static aclDataType target_dtype(const struct call *call)
{
    unsigned out = call_output(call);
    return call->has_outputs || !parameter_is_output(&call->function->parameter[out])
               ? call->tensor[out].dtype
               : ACL_DT_UNDEFINED;
}

/* An output of two tensors that broadcast. */
static aclnnStatus infer_broadcast(const struct call *call, struct result *result, enum dtype_rule rule)
{
    static const unsigned both[] = {SELF, OTHER};
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, OTHER));
    return result_broadcast(result, call, both, 2, result->computed, rule);
}

/* An output of a tensor and a scalar, whose result has this dtype. */
static aclnnStatus infer_shape(const struct call *call, struct result *result, aclDataType dtype,
                               enum dtype_rule rule)
{
    TRY(check_rank(call, SELF));
    result_add(result, dtype, rule)->like = SELF;
    return ACLNN_SUCCESS;
}

/*
 * The dtype that a tensor and a scalar are computed in. ACL_DT_UNDEFINED where they do not promote. On the
 * newest product a scalar never widens a tensor but a 16-bit one: is_exact says that this need not be.
 */
static aclDataType tensor_and_scalar(const struct call *call, aclDataType self, aclDataType other,
                                     aclDataType out, bool is_exact)
{
    bool is_complex = is_one_of(other, COMPLEX), is_float = is_one_of(other, FLOATS);
    if (is_newest(call)) {
        if (is_one_of(self, COMPLEX))
            return self;
        if (is_complex)
            return self == ACL_DOUBLE ? ACL_COMPLEX128 : ACL_COMPLEX64;
        if (is_one_of(self, FLOATS))
            return is_one_of(self, HALVES) && !is_exact ? ACL_FLOAT : self;
        if (is_float)
            return ACL_FLOAT;
        return self == ACL_BOOL ? promote(self, other) : self;
    }
    if (is_complex || is_one_of(self, COMPLEX))
        return promote(self, other);
    if (is_one_of(self, FLOATS))
        return self;
    if (other == ACL_DOUBLE && out == ACL_FLOAT)
        return ACL_FLOAT;
    return is_float || self == ACL_BOOL ? promote(self, other) : self;
}

/* A 16-bit tensor that a scalar makes compute in FLOAT, and whose results go to its own dtype, rounds them
 * once, to that. */
static aclDataType rounded_once(aclDataType computed, aclDataType self, aclDataType out)
{
    return computed == ACL_FLOAT && out == self && is_one_of(self, HALVES) ? self : computed;
}

/* The parts of a number that is not an integer, rounded to fp32 or kept. */
static void set_parts(double *parts, const struct scalar_value *scalar, bool is_fp64)
{
    struct scalar_value part[2] = {*scalar, {.dtype = ACL_DOUBLE, .value.real = 0}};
    if (is_one_of(scalar->dtype, COMPLEX))
        for (int i = 0; i < 2; i++)
            part[i] = (struct scalar_value){.dtype = ACL_DOUBLE, .value.real = scalar->value.complex_[i]};
    for (int i = 0; i < 2; i++)
        parts[i] = is_fp64 ? scalar_to_fp64(&part[i]) : scalar_to_fp32(&part[i]);
}

static void set_scalar(const struct scalar_value *scalar, aclDataType computed, double *parts, uint64_t *bits)
{
    if (is_one_of(computed, FLOATS | COMPLEX)) {
        set_parts(parts, scalar, computed == ACL_DOUBLE || computed == ACL_COMPLEX128);
    } else {
        _Alignas(16) unsigned char element[16] = {0};
        scalar_convert(scalar, computed, element);
        memcpy(bits, element, sizeof *bits); /* what is behind the element is 0 */
    }
}

/* alpha is an integer or BOOL where it scales truth, and what may become the dtype of the sum elsewhere. */
static aclnnStatus check_alpha(const struct call *call, aclDataType computed)
{
    uint64_t allowed = computed == ACL_BOOL ? INTEGERS | BOOLEAN : castable_to(computed);
    return is_one_of(call->scalar[ALPHA].dtype, allowed) ? ACLNN_SUCCESS
                                                         : tell_scalar(call, ALPHA, allowed, computed);
}

struct arithmetic_parameters arithmetic_sum(const struct scalar_value *alpha, aclDataType computed,
                                            bool subtracts)
{
    struct arithmetic_parameters parameters = {.subtracts = subtracts};
    set_scalar(alpha, computed, parameters.alpha, &parameters.alpha_bits);
    parameters.alpha_is_one = parameters.alpha[0] == 1 && parameters.alpha[1] == 0;
    if (subtracts && is_one_of(computed, FLOATS))
        parameters.alpha[0] = -parameters.alpha[0];
    else if (subtracts && is_one_of(computed, INTEGERS))
        parameters.alpha_bits = 0 - parameters.alpha_bits;
    return parameters;
}

void arithmetic_set_scalar(struct arithmetic_parameters *parameters, const struct scalar_value *scalar,
                           aclDataType computed)
{
    parameters->has_scalar = true;
    set_scalar(scalar, computed, parameters->other, &parameters->other_bits);
}

static struct arithmetic_parameters sum_parameters(const struct call *call, aclDataType computed,
                                                   bool subtracts)
{
    return arithmetic_sum(&call->scalar[ALPHA], computed, subtracts);
}

aclnnStatus linear_infer(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    TRY(check_dtype(call, ALPHA));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(check_alpha(call, result->computed));
    return infer_broadcast(call, result, DTYPE_CASTABLE);
}

static aclnnStatus linear_plan(const struct call *call, const struct result *result, bool subtracts)
{
    const struct arithmetic_parameters parameters = sum_parameters(call, result->computed, subtracts);
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

aclnnStatus linear_scalar_infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    TRY(check_dtype(call, ALPHA));
    aclDataType self = call->tensor[SELF].dtype, target = target_dtype(call);
    bool is_exact =
        scalar_is_exact(&call->scalar[OTHER], self) && scalar_is_exact(&call->scalar[ALPHA], self);
    aclDataType computed = tensor_and_scalar(call, self, call->scalar[OTHER].dtype, target, is_exact);
    if (computed == ACL_DT_UNDEFINED)
        return tell_promotion(call, OTHER, self);
    TRY(check_alpha(call, computed));
    result->computed = rounded_once(computed, self, target);
    return infer_shape(call, result, computed, DTYPE_CASTABLE);
}

static aclnnStatus linear_scalar_plan(const struct call *call, const struct result *result, bool subtracts)
{
    struct arithmetic_parameters parameters = sum_parameters(call, result->computed, subtracts);
    parameters.has_scalar = true;
    set_scalar(&call->scalar[OTHER], result->computed, parameters.other, &parameters.other_bits);
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

aclnnStatus sum_plan(const struct call *call, const struct result *result)
{
    return linear_plan(call, result, false);
}

aclnnStatus sum_scalar_plan(const struct call *call, const struct result *result)
{
    return linear_scalar_plan(call, result, false);
}

aclnnStatus difference_plan(const struct call *call, const struct result *result)
{
    return linear_plan(call, result, true);
}

aclnnStatus difference_scalar_plan(const struct call *call, const struct result *result)
{
    return linear_scalar_plan(call, result, true);
}

/* The dtype of Muls: BFLOAT16 is computed in FLOAT, and so is BOOL beside DOUBLE. */
static aclDataType product_with_scalar(const struct call *call, aclDataType self, aclDataType other,
                                       aclDataType out, bool is_exact)
{
    if (!is_newest(call) && self == ACL_BF16 && !is_one_of(other, COMPLEX))
        return ACL_FLOAT;
    if (!is_newest(call) && self == ACL_BOOL && other == ACL_DOUBLE)
        return ACL_FLOAT;
    return tensor_and_scalar(call, self, other, out, is_exact);
}

aclnnStatus product_infer(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    TRY(check_promotion(call, both, 2, &result->computed));
    return infer_broadcast(call, result, is_newest(call) ? DTYPE_ANY : DTYPE_CASTABLE);
}

aclnnStatus product_plan(const struct call *call, const struct result *result)
{
    static const struct arithmetic_parameters parameters = {.has_scalar = false};
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

aclnnStatus product_scalar_infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    aclDataType self = call->tensor[SELF].dtype, target = target_dtype(call);
    bool is_exact = scalar_is_exact(&call->scalar[OTHER], self);
    aclDataType computed = product_with_scalar(call, self, call->scalar[OTHER].dtype, target, is_exact);
    if (computed == ACL_DT_UNDEFINED)
        return tell_promotion(call, OTHER, self);
    result->computed = rounded_once(computed, self, target);
    return infer_shape(call, result, computed, is_newest(call) ? DTYPE_CASTABLE : DTYPE_ANY);
}

aclnnStatus product_scalar_plan(const struct call *call, const struct result *result)
{
    struct arithmetic_parameters parameters = {.has_scalar = true};
    set_scalar(&call->scalar[OTHER], result->computed, parameters.other, &parameters.other_bits);
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

/*
 * The dtypes that a quotient's kernel takes and gives. Integers and BOOL give FLOAT: exactly from those that
 * FLOAT has, and from INT64, in whose place DOUBLE is as large.
 */
static aclDataType dividend_dtype(aclDataType computed)
{
    bool is_small = is_one_of(computed, INTEGERS | BOOLEAN) && computed != ACL_INT32 && computed != ACL_INT64;
    return is_small ? ACL_FLOAT : computed;
}

static aclDataType quotient_dtype(aclDataType computed)
{
    return computed == ACL_INT64                     ? ACL_DOUBLE
           : is_one_of(computed, INTEGERS | BOOLEAN) ? ACL_FLOAT
                                                     : computed;
}

static bool are_integers(const struct call *call)
{
    const uint64_t all = INTEGERS | BOOLEAN;
    return is_one_of(call_dtype(call, SELF), all) && is_one_of(call_dtype(call, OTHER), all);
}

/* What decides whether the result may go to out: on the newest product integers count as the FLOAT that they
 * give. */
static aclDataType counted_as(const struct call *call, aclDataType computed)
{
    return is_newest(call) && is_one_of(computed, INTEGERS | BOOLEAN) ? ACL_FLOAT : computed;
}

/* What counts for the output is not always what is usual: quotients of integers are FLOAT unless an output
 * of integers is given. */
static aclnnStatus check_quotient(const struct call *call, aclDataType counted)
{
    return call->has_outputs ? check_castable(call, counted, call_output(call)) : ACLNN_SUCCESS;
}

aclnnStatus quotient_infer(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    TRY(check_dtype(call, OTHER));
    TRY(check_dtype(call, SELF));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(check_quotient(call, counted_as(call, result->computed)));
    TRY(infer_broadcast(call, result, DTYPE_ANY));
    if (are_integers(call))
        result->output[0].dtype = ACL_FLOAT;
    return ACLNN_SUCCESS;
}

aclnnStatus quotient_plan(const struct call *call, const struct result *result)
{
    static const struct arithmetic_parameters parameters = {.has_scalar = false};
    return elementwise_plan_to(call, dividend_dtype(result->computed), quotient_dtype(result->computed),
                               &parameters, sizeof parameters);
}

/* The dtype of Divs, in which integers and BOOL are FLOAT. */
static aclDataType quotient_by_scalar(const struct call *call, aclDataType self, aclDataType other,
                                      aclDataType out, bool is_exact)
{
    if (is_newest(call))
        return counted_as(call, tensor_and_scalar(call, self, other, out, is_exact));
    aclDataType own = is_one_of(self, FLOATS | COMPLEX) ? self : ACL_FLOAT;
    return is_one_of(other, COMPLEX) ? promote(own, other) : own;
}

/* The quotient of integers is the same in whatever dtype holds them; fewer bits take less time. */
static aclDataType dtype_of_integers(aclDataType self, const struct scalar_value *other)
{
    aclDataType dtype = promote(self, other->dtype);
    bool is_short = self != ACL_INT64 && other->dtype == ACL_INT64 && other->value.integer >= INT32_MIN &&
                    other->value.integer <= INT32_MAX;
    return dtype == ACL_INT64 && is_short ? ACL_INT32 : dtype;
}

aclnnStatus quotient_scalar_infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, OTHER));
    TRY(check_dtype(call, SELF));
    aclDataType self = call->tensor[SELF].dtype, other = call->scalar[OTHER].dtype,
                target = target_dtype(call);
    bool is_exact = scalar_is_exact(&call->scalar[OTHER], self);
    aclDataType computed = quotient_by_scalar(call, self, other, target, is_exact);
    TRY(check_quotient(call, is_newest(call) ? computed : self));
    result->computed = are_integers(call) ? dtype_of_integers(self, &call->scalar[OTHER])
                                          : rounded_once(computed, self, target);
    return infer_shape(call, result, computed, DTYPE_ANY);
}

aclnnStatus quotient_scalar_plan(const struct call *call, const struct result *result)
{
    struct arithmetic_parameters parameters = {.has_scalar = true};
    aclDataType dividend = dividend_dtype(result->computed);
    set_scalar(&call->scalar[OTHER], dividend, parameters.other, &parameters.other_bits);
    return elementwise_plan_to(call, dividend, quotient_dtype(result->computed), &parameters,
                               sizeof parameters);
}
