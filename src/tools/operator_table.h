/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tables of docs/operators.md, each between the two lines by which scripts/operator_tables.sh knows its
 * place.
 */
#ifndef BELAY_TOOLS_OPERATOR_TABLE_H
#define BELAY_TOOLS_OPERATOR_TABLE_H

#include "ops/function.h"

/* What an operator takes and returns: a row per parameter. */
void print_parameter_table(const struct function *function);

/* How accurate and how fast all operators are: a row for each. */
void print_promise_table(void);

#endif
