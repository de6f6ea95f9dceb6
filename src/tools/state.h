/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What stands behind a function: a proof over all inputs, cases of others, a reference of Belay's own, or
 * that it refuses.
 */
#ifndef BELAY_TOOLS_STATE_H
#define BELAY_TOOLS_STATE_H

#include <stdbool.h>

/* Lines of `belay ops`, a member "states" of an object of JSON, and a cell of docs/operators.md. */
void state_print(const char *function);
void state_print_json(const char *function);
void state_print_cell(const char *function);

/* The whole name of a function that is exported and refuses, with or without aclnn in front; else NULL. */
const char *state_refused(const char *name);

/* The functions that refuse, in order; NULL behind the last. */
const char *state_next_refused(const char *previous);

#endif
