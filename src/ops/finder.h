/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that are not the library's own: what finds them is left here when it is loaded.
 */
#ifndef BELAY_OPS_FINDER_H
#define BELAY_OPS_FINDER_H

#include "ops/function.h"

/* Calls visit with each description, for good. */
typedef void functions_finder(void (*visit)(const struct function *function));

void functions_find_by(functions_finder *finder);

#endif
