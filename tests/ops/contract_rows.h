/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of contract.h that hold for every operator of the kind, whatever it computes.
 */
#ifndef BELAY_TESTS_OPS_CONTRACT_ROWS_H
#define BELAY_TESTS_OPS_CONTRACT_ROWS_H

#include "ops/contract.h"

enum { ROWS_MAX = 512 };

/* Writes the rows, whose texts live as long as the process, and returns their number. */
int contract_rows(const struct operator_under_test *op, struct call rows[ROWS_MAX]);

#endif
