/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where an operator is in the sources: its contract, what computes it, its header and its tests.
 */
#ifndef BELAY_TOOLS_WHERE_H
#define BELAY_TOOLS_WHERE_H

#include "ops/function.h"

/*
 * A line for each place, as compilers write them, so that editors and terminals lead there. The lines are
 * those of the tree that the current folder is in; outside of one the contract's alone is known, which is the
 * line on which it ends.
 */
void where_print(const struct function *function);

/* Prints the places as members of an object of JSON, without lines but the contract's. */
void where_print_json(const struct function *function);

#endif
