/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an attribute of an operator by name is where a call does not give it.
 */
#ifndef BELAY_RUNTIME_NAMED_ATTRIBUTE_DEFAULT_H
#define BELAY_RUNTIME_NAMED_ATTRIBUTE_DEFAULT_H

#include "base/export.h"
#include "runtime/named/named_operator.h"

enum { ATTRIBUTE_DEFAULT_BYTES = 32 };

/* As text, "0" or "none"; empty where the kind does not look at the attribute, or takes nothing for nothing. */
void attribute_default(const struct named_operator *named, const char *name,
                       char text[ATTRIBUTE_DEFAULT_BYTES]) SHARED(attribute_default);

#endif
