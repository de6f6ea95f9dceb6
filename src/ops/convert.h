/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion of contiguous elements between dtypes.
 */
#ifndef BELAY_OPS_CONVERT_H
#define BELAY_OPS_CONVERT_H

#include <stddef.h>

#include "acl/acl_base.h"

/* The most elements that are converted at a time, where that takes memory for what is between. */
enum { CONVERT_MAX = 1024 };

/*
 * Between any two of the floats, INT8..INT64, UINT8..UINT64, BOOL, COMPLEX64, COMPLEX128 and small numbers
 * (DTYPES_SMALL, each in a byte of its own), which differ:
 *
 *   to floats     The nearest one, ties to even, subnormals kept, overflow to infinity; rounded once. Every NaN
 *                 becomes the canonical one.
 *   to integers   From floats without the fraction, NaN to 0: INT32, INT64, UINT32 and UINT64 take the nearest
 *                 number that they have, the others the low bits of what INT64 would be. From integers the low
 *                 bits.
 *   to BOOL       1 for what is not 0, NaN included.
 *   from BOOL     1 for every byte that is not 0.
 *   complex       To a real dtype the real part, but to BOOL both; from one with an imaginary part of +0.
 *
 *   small numbers The nearest one as well; which at ties, beyond the greatest and for NaN, convert_float8.h says
 *                 of each. To INT4 the low bits of what INT8 would be.
 *
 * from and to are aligned to their elements and do not overlap. Needs the default floating-point environment.
 */
typedef void convert_function(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype,
                              size_t count);

#endif
