/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attributes of operators that are called by their names.
 */
#ifndef BELAY_RUNTIME_OP_ATTRIBUTE_H
#define BELAY_RUNTIME_OP_ATTRIBUTE_H

#include "acl/acl_op.h"

/* 0 for NULL and for live attributes; 100000 with a sentence, which api opens, for anything else. */
int op_attribute_check(const char *api, const aclopAttr *attr);

#endif
