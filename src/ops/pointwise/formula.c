/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of functions that are a formula of some tensors and some numbers.
 */
#include "ops/pointwise/formula.h"

#include <math.h>
#include <string.h>

#include "ops/check_message.h"
#include "ops/scalar.h"
#include "simd/loops/formula_numbers.h"
#include "tensor/dtype.h"

#define SIGNED_INTEGERS \
    (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT16) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64))

_Static_assert(sizeof(struct formula_numbers) <= PARAMETER_BYTES, "a plan has room for them");

unsigned formula_inputs(const struct call *call, unsigned *parameter)
{
    unsigned count = 0;
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == PARAMETER_TENSOR &&
            parameter_is_read(&call->function->parameter[i]) && call_has(call, i))
            parameter[count++] = i;
    return count;
}

static bool is_scalar(const struct call *call, unsigned parameter)
{
    return call->function->parameter[parameter].kind == PARAMETER_SCALAR;
}

static aclDataType together(const struct call *call, bool has_scalars)
{
    unsigned input[PARAMETERS_MAX], count = 0;
    aclDataType dtype = ACL_DT_UNDEFINED;
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call_has(call, i) &&
            (parameter_is_read(&call->function->parameter[i]) || (has_scalars && is_scalar(call, i))))
            input[count++] = i;
    return check_promotion(call, input, count, &dtype) == ACLNN_SUCCESS ? dtype : ACL_DT_UNDEFINED;
}

static aclDataType of_tensors(const struct call *call)
{
    return together(call, false);
}

aclDataType formula_all_together(const struct call *call)
{
    return together(call, true);
}

aclDataType formula_of_out(const struct call *call)
{
    unsigned input[PARAMETERS_MAX];
    (void)formula_inputs(call, input);
    const unsigned out = call_output(call);
    const aclDataType own = call->tensor[input[0]].dtype,
                      dtype = call->has_outputs ? call->tensor[out].dtype : own;
    const bool is_in = dtype_is_in(call->function->parameter[out].dtypes, call->settings->product, dtype);
    return is_in ? dtype : own; /* what is in no set is told of later */
}

/* BOOL, integers, floats, complex numbers. */
static int kind_of(aclDataType dtype)
{
    const enum arithmetic arithmetic = arithmetic_of(dtype);
    return arithmetic == ARITHMETIC_BOOL  ? 0
           : arithmetic < ARITHMETICS     ? 2
           : arithmetic > ARITHMETIC_BOOL ? 3
                                          : 1;
}

aclDataType formula_beside_scalar(const struct call *call)
{
    unsigned input[PARAMETERS_MAX], scalar = 0;
    (void)formula_inputs(call, input);
    while (!is_scalar(call, scalar) || !call_has(call, scalar))
        scalar++;
    const aclDataType own = call->tensor[input[0]].dtype, other = call->scalar[scalar].dtype;
    if (kind_of(other) <= kind_of(own))
        return own;
    if (call->settings->product == PRODUCT_950 && kind_of(other) == 2)
        return ACL_FLOAT;
    const aclDataType dtype = promote(own, other);
    if (dtype == ACL_DT_UNDEFINED)
        (void)tell_promotion(call, scalar, own);
    return dtype;
}

static aclnnStatus check_dtypes(const struct call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call_has(call, i) && (parameter_is_read(&call->function->parameter[i]) || is_scalar(call, i)))
            TRY(check_dtype(call, i));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_scalars(const struct call *call, aclDataType computed)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (is_scalar(call, i) && call_has(call, i) && !can_cast(call->scalar[i].dtype, computed))
            return tell_scalar(call, i, castable_to(computed), computed);
    return ACLNN_SUCCESS;
}

/* The dtype of the arithmetic, before what has no kernels becomes FLOAT. */
static aclnnStatus find_dtype(const struct call *call, const unsigned *input, unsigned count,
                              aclDataType *dtype)
{
    const struct formula_contract *formula = call->function->of_family;
    if (formula->is_of_one_dtype)
        for (unsigned i = 1; i < count; i++)
            TRY(check_same_dtype(call, input[i], input[0], NULL));
    *dtype = formula->is_of_one_dtype ? call->tensor[input[0]].dtype
             : formula->dtype != NULL ? formula->dtype(call)
                                      : of_tensors(call);
    if (*dtype == ACL_DT_UNDEFINED)
        return ACLNN_ERR_PARAM_INVALID;
    if (formula->computes == NULL || dtype_is_in(formula->computes, call->settings->product, *dtype))
        return ACLNN_SUCCESS;
    return refuse(call, "the arguments promote to %s, in which this is not computed", dtype_name(*dtype));
}

aclnnStatus formula_infer(const struct call *call, struct result *result)
{
    const struct formula_contract *formula = call->function->of_family;
    unsigned input[PARAMETERS_MAX], count = formula_inputs(call, input);
    TRY(check_dtypes(call));
    TRY(find_dtype(call, input, count, &result->computed));
    if (formula->casts_scalars)
        TRY(check_scalars(call, result->computed));
    result->computed = elementwise_computed_dtype(&formula->elementwise, result->computed);
    for (unsigned i = 0; i < count; i++)
        TRY(check_rank(call, input[i]));
    if (formula->broadcasts)
        return result_broadcast(result, call, input, count, result->computed, formula->out);
    for (unsigned i = 1; i < count; i++)
        TRY(check_same_shape(call, input[i], input[0], NULL));
    result_add(result, result->computed, formula->out)->like = input[0];
    return ACLNN_SUCCESS;
}

aclnnStatus formula_infer_not_negative(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == PARAMETER_SCALAR && scalar_is_negative(&call->scalar[i]))
            return refuse(call, "%s is %g; 0 or more is expected", call_name(call, i),
                          scalar_to_fp64(&call->scalar[i]));
    return ACLNN_SUCCESS;
}

aclnnStatus formula_infer_as_first(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    result->output[0].dtype = call->tensor[0].dtype;
    return ACLNN_SUCCESS;
}

static double scalar_as(const struct scalar_value *scalar, aclDataType computed)
{
    return computed == ACL_DOUBLE ? scalar_to_fp64(scalar) : scalar_to_fp32(scalar);
}

double formula_scalar(const struct call *call, unsigned parameter, aclDataType computed)
{
    return scalar_as(&call->scalar[parameter], computed);
}

/* Beside floats and where they are computed as FLOAT, integers do not see their numbers. */
static int64_t formula_integer(const struct call *call, unsigned parameter, aclDataType computed)
{
    int64_t element[2] = {0, 0};
    uint64_t bits;
    scalar_convert(&call->scalar[parameter], computed, element);
    memcpy(&bits, element, sizeof bits);
    const unsigned shift = 64 - 8 * (unsigned)dtype_bytes(computed);
    bool is_signed = (DTYPE_BIT(computed) & SIGNED_INTEGERS) != 0;
    return is_signed ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
}

static void formula_number(const struct call *call, unsigned parameter, aclDataType computed, double *fp64,
                           int64_t *int64)
{
    switch (call->function->parameter[parameter].kind) {
    case PARAMETER_SCALAR:
        *fp64 = formula_scalar(call, parameter, computed);
        *int64 = arithmetic_of(computed) >= ARITHMETICS ? formula_integer(call, parameter, computed) : 0;
        break;
    case PARAMETER_DOUBLE:
        *fp64 = call->argument[parameter].fp64;
        memcpy(int64, fp64, sizeof *int64);
        break;
    case PARAMETER_FLOAT:
        *fp64 = (double)call->argument[parameter].fp32;
        break;
    case PARAMETER_BOOL:
        *fp64 = call->argument[parameter].boolean;
        break;
    default:
        *fp64 = (double)call->argument[parameter].int64;
        *int64 = call->argument[parameter].int64;
        break;
    }
}

/* An input that is not given bounds nothing: the call says which side it is on. */
static void absent_number(bool is_first, double *fp64, int64_t *int64)
{
    *fp64 = is_first ? -(double)INFINITY : (double)INFINITY;
    *int64 = is_first ? INT64_MIN : INT64_MAX;
}

static bool is_input(const struct call *call, unsigned parameter)
{
    const struct formula_contract *formula = call->function->of_family;
    unsigned before = 0;
    for (unsigned i = 0; i < parameter; i++)
        before += is_scalar(call, i) || parameter_is_read(&call->function->parameter[i]);
    return formula->inputs > 0 ? before < formula->inputs
                               : parameter_is_read(&call->function->parameter[parameter]);
}

/* Numbers of the formula come first, those that stand for inputs behind them. */
struct formula_numbers formula_numbers_of(const struct call *call, aclDataType computed)
{
    const struct formula_contract *formula = call->function->of_family;
    struct formula_numbers numbers = {{0}, {0}, {0}};
    unsigned count = 0, last = FORMULA_NUMBERS_MAX, input = 0;
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        const bool counts = is_scalar(call, i) || parameter_is_read(parameter);
        if (!counts && (parameter_is_tensor(parameter) || parameter->kind == PARAMETER_STRING))
            continue;
        if (counts && is_input(call, i)) {
            const unsigned place = input++;
            if (parameter_is_tensor(parameter) && call_has(call, i))
                continue;
            numbers.place[place] = (uint8_t)last--;
            if (call_has(call, i))
                formula_number(call, i, computed, &numbers.fp64[last], &numbers.int64[last]);
            else
                absent_number(place == 1, &numbers.fp64[last], &numbers.int64[last]);
            if (formula->is_sum && dtype_is_one_of(computed, DTYPES_16_BITS)) {
                const struct scalar_value summand =
                    scalar_of_sum(&call->scalar[i], computed, call->settings->product);
                numbers.fp64[last] = scalar_as(&summand, computed);
            }
        } else {
            formula_number(call, i, computed, &numbers.fp64[count], &numbers.int64[count]);
            count++;
        }
    }
    return numbers;
}

aclnnStatus formula_plan(const struct call *call, const struct result *result)
{
    const struct formula_numbers numbers = formula_numbers_of(call, result->computed);
    return elementwise_plan(call, result->computed, &numbers, sizeof numbers);
}
