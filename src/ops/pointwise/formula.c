/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of functions that are a formula of some tensors and some numbers.
 */
#include "ops/pointwise/formula.h"

#include <string.h>

#include "ops/scalar.h"
#include "simd/formula_numbers.h"
#include "tensor/dtype.h"

#define SIGNED_INTEGERS \
    (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT16) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64))

_Static_assert(sizeof(struct formula_numbers) <= PARAMETER_BYTES, "a plan has room for them");

/* The dtype in which integers that have no kernels of their own are computed. */
static aclDataType computed_dtype(const struct formula *formula, aclDataType dtype)
{
    const enum arithmetic arithmetic = arithmetic_of(dtype);
    bool is_own =
        arithmetic < ARITHMETICS || (arithmetic < ARITHMETIC_ALL &&
                                     formula->elementwise.kernels[ISA_BASELINE]->exact[arithmetic] != NULL);
    return is_own ? dtype : ACL_FLOAT;
}

unsigned formula_inputs(const struct call *call, unsigned *parameter)
{
    unsigned count = 0;
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == PARAMETER_TENSOR &&
            parameter_is_read(&call->function->parameter[i]))
            parameter[count++] = i;
    return count;
}

aclnnStatus formula_infer(const struct call *call, struct result *result)
{
    const struct formula *formula = call->function->of_family;
    unsigned input[PARAMETERS_MAX], count = formula_inputs(call, input);
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (parameter_is_read(&call->function->parameter[i]) ||
            call->function->parameter[i].kind == PARAMETER_SCALAR)
            TRY(check_dtype(call, i));
    if (formula->is_of_one_dtype) {
        for (unsigned i = 1; i < count; i++)
            TRY(check_same_dtype(call, input[i], input[0], NULL));
        result->computed = call->tensor[input[0]].dtype;
    } else {
        TRY(check_promotion(call, input, count, &result->computed));
    }
    result->computed = computed_dtype(formula, result->computed);
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
            return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is %g; 0 or more is expected",
                        call->function->operation.name, call->function->parameter[i].name,
                        scalar_to_fp64(&call->scalar[i]));
    return ACLNN_SUCCESS;
}

double formula_scalar(const struct call *call, unsigned parameter, aclDataType computed)
{
    return computed == ACL_DOUBLE ? scalar_to_fp64(&call->scalar[parameter])
                                  : scalar_to_fp32(&call->scalar[parameter]);
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

aclnnStatus formula_plan(const struct call *call, const struct result *result)
{
    struct formula_numbers numbers = {{0}, {0}};
    unsigned count = 0;
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (!parameter_is_tensor(&call->function->parameter[i])) {
            formula_number(call, i, result->computed, &numbers.fp64[count], &numbers.int64[count]);
            count++;
        }
    return elementwise_plan(call, result->computed, &numbers, sizeof numbers);
}
