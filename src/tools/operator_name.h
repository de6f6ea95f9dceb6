/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators by the names that people write.
 */
#ifndef BELAY_TOOLS_OPERATOR_NAME_H
#define BELAY_TOOLS_OPERATOR_NAME_H

#include "ops/function.h"
#include "tools/complete.h"

/*
 * aclnnSiluBackward by this name, by SiluBackward or by silu_backward, in letters of either case; or the
 * first operator of a header by the header's stem. NULL where there is none.
 */
const struct function *operator_named(const char *name);

/* The same, after a complaint that names the nearest where there is none. */
const struct function *operator_find(const char *verb, const char *name);

/* The operators whose names begin as the line does; in the form of the headers' names where that is meant. */
void operator_offer(const struct completion *completion);

#endif
