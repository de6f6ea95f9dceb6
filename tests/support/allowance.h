/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Results that are promised within a bound: what an element may be instead of the nearest number.
 */
#ifndef BELAY_TESTS_SUPPORT_ALLOWANCE_H
#define BELAY_TESTS_SUPPORT_ALLOWANCE_H

#include <stdbool.h>

#include "acl/acl_base.h"

/* Of a DOUBLE or a complex number; a real number has one part. */
struct allowance {
    double error[2]; /* by how much each part may be off the nearest number */
    bool has_steps;  /* the formula's steps in doubles may count instead: where one of them overflows */
    double steps[2];
};

/* So many units in the last place of each part of an element, FLOAT's or DOUBLE's. */
void allow_units(struct allowance *allowance, double units, const void *element, aclDataType dtype);

/*
 * out holds what was found. It stays if it is exact, or anything within the allowance of it, converted to its
 * dtype; otherwise exact is converted to out.
 */
void store_unless_allowed(const void *exact, aclDataType dtype, const struct allowance *allowance, void *out,
                          aclDataType out_dtype);

#endif
