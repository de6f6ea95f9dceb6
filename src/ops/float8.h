/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Floats of 8 bits, which are stored, moved and converted, but not computed in; and the sets of dtypes of
 * functions that do so. A further dtype of the kind is a bit here and a row in convert.c.
 */
#ifndef BELAY_OPS_FLOAT8_H
#define BELAY_OPS_FLOAT8_H

#include "ops/dtype_set.h"
#include "tensor/dtype.h"

#define DTYPES_FLOAT8 (DTYPE_BIT(ACL_FLOAT8_E4M3FN) | DTYPE_BIT(ACL_FLOAT8_E5M2))

extern const struct dtype_set dtypes_copied;   /* all, and on the newest product floats of 8 bits */
extern const struct dtype_set dtypes_fillable; /* of fill_scalar, and these */

#endif
