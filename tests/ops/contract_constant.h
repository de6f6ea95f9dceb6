/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table of operators in place that give every element one value: they differ in the value and in dtypes.
 */
#ifndef BELAY_TESTS_OPS_CONTRACT_CONSTANT_H
#define BELAY_TESTS_OPS_CONTRACT_CONSTANT_H

#include <stdint.h>

#include "ops/contract.h"

/*
 * Runs the rows that all of them share and the operator's own, if it has any, as contract_main does. The
 * operator says its name, its phases, its own rows, and which dtypes it accepts beside those of all.
 */
int contract_constant_main(struct operator_under_test operator_under_test, uint8_t value);

#endif
