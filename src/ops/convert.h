/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion of contiguous elements between floating-point dtypes.
 */
#ifndef BELAY_OPS_CONVERT_H
#define BELAY_OPS_CONVERT_H

#include <stddef.h>

#include "acl/acl_base.h"

/* The most elements that one call converts. */
enum { CONVERT_MAX = 1024 };

/*
 * From FLOAT16, BF16, FLOAT or DOUBLE to one of these, or to COMPLEX64 or COMPLEX128 with an imaginary part
 * of +0. Each value is rounded once, to nearest with ties to even, subnormals kept, overflow to infinity;
 * where a value loses bits, NaN becomes the canonical one. from and to are aligned to their elements and do
 * not overlap. The dtypes differ. Needs the default floating-point environment.
 */
typedef void convert_function(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype,
                              size_t count);

#endif
