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

struct arithmetic_rows {
    const struct call *calls;
    int count;
};

/* By form: what Add and Sub have besides every pair of dtypes. */
extern const struct arithmetic_rows sum_rows[ARITHMETIC_FORMS];

/* Runs all rows of the four operators of an operation. By form: name and phases, and rows of their own. */
int arithmetic_main(enum arithmetic_operation operation, const struct operator_under_test *phases,
                    const struct arithmetic_rows *own);

#endif
