/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Floats of 8 bits, which the newest product stores, moves and converts, but does not compute in; and the
 * sets of dtypes of functions that do so. A further dtype of the kind is a bit here and a row in convert.c.
 */
#ifndef BELAY_OPS_FLOAT8_H
#define BELAY_OPS_FLOAT8_H

#include "ops/dtype_bits.h"

#define DTYPES_FLOAT8 (DTYPE_BIT(ACL_FLOAT8_E4M3FN) | DTYPE_BIT(ACL_FLOAT8_E5M2))

/* The set of a function that moves elements and computes nothing of them, beside what else it takes. */
#define SET_MOVED(bits, not_on_oldest, on_newest) \
    SET_WITH_BF16_AND(bits, not_on_oldest, (on_newest) | DTYPES_FLOAT8)

extern const struct dtype_set dtypes_copied;        /* all, and on the newest product floats of 8 bits */
extern const struct dtype_set dtypes_fillable;      /* of fill_scalar, and these */
extern const struct dtype_set dtypes_moved_numbers; /* of dtypes_arithmetic, and these */
extern const struct dtype_set dtypes_moved_reals;   /* of dtypes_real_scalars, and these */

#endif
