/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sets of dtypes that parameters accept.
 */
#include "ops/dtypes.h"

#define DEFINE_DTYPES(name, ...) const struct dtype_set name = __VA_ARGS__;
DTYPE_SETS(DEFINE_DTYPES)
