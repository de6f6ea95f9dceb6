/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Type promotion and castability: the tables of the contract, in one place.
 */
#ifndef BELAY_OPS_PROMOTE_H
#define BELAY_OPS_PROMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"

/* The dtype in which a and b are computed together; ACL_DT_UNDEFINED where there is none. Symmetric. */
aclDataType promote(aclDataType a, aclDataType b) SHARED(promote);

/* Whether a result of dtype from may be stored in a tensor of dtype to: never complex to real or float to
 * integer. */
bool can_cast(aclDataType from, aclDataType to);

/* The dtypes that may become it, as a set of DTYPE_BIT. */
uint64_t castable_to(aclDataType dtype);

/* The dtypes that it may become. */
uint64_t castable_from(aclDataType dtype);

#endif
