/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of contract.h for Add, Sub, Mul and Div: every pair of dtypes with several of the result, and what
 * is their own. One operation has four operators: of tensors, of a tensor and a scalar, and both in place.
 */
#ifndef BELAY_TESTS_OPS_CONTRACT_ARITHMETIC_H
#define BELAY_TESTS_OPS_CONTRACT_ARITHMETIC_H

#include "ops/contract.h"
#include "support/arithmetic.h"

/* Of the four operators; sums have alpha. */
enum arithmetic_form { TENSORS, SCALAR, TENSORS_IN_PLACE, SCALAR_IN_PLACE, ARITHMETIC_FORMS };

/* Runs all rows of one operator, whose phases and element are given, and some that only it has. */
int arithmetic_main(enum arithmetic_operation operation, enum arithmetic_form form,
                    const struct operator_under_test *phases, const struct call *own, int own_count);

/* For operator_under_test.element. */
void arithmetic_contract_element(enum arithmetic_operation operation, enum arithmetic_form form,
                                 const void *const *input, const aclDataType *input_dtype, void *output,
                                 aclDataType output_dtype, const struct attributes *attributes);

#endif
