/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attributes of operators that are called by their names.
 */
#ifndef BELAY_RUNTIME_NAMED_OP_ATTRIBUTE_H
#define BELAY_RUNTIME_NAMED_OP_ATTRIBUTE_H

#include "acl/acl_op.h"
#include "base/export.h"

/* 0 for NULL and for live attributes; 100000 with a sentence, which api opens, for anything else. */
int op_attribute_check(const char *api, const aclopAttr *attr);

/* *copy has what attr has, NULL for NULL; aclopDestroyAttr takes it. 100000 or 200000, with a sentence. */
int op_attribute_copy(const char *api, const aclopAttr *attr, aclopAttr **copy) SHARED(op_attribute_copy);

/* The number of that name (a boolean is 0 or 1), or its text; missing where there is none, or attr is not
 * live. A text lasts as long as attr. */
double op_attribute_number(const aclopAttr *attr, const char *name, double missing)
    SHARED(op_attribute_number);
const char *op_attribute_text(const aclopAttr *attr, const char *name, const char *missing)
    SHARED(op_attribute_text);

/* The whole numbers of that name, or others, and how many; none where there is none, or attr is not live. */
const int64_t *op_attribute_list(const aclopAttr *attr, const char *name, uint64_t *count)
    SHARED(op_attribute_list);
const float *op_attribute_floats(const aclopAttr *attr, const char *name, uint64_t *count)
    SHARED(op_attribute_floats);

#endif
