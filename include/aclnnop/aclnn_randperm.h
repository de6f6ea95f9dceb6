/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers from 0 to n - 1 in a random order.
 * out has shape {n} and is INT8 to INT64, UINT8, FLOAT, FLOAT16, BFLOAT16 or DOUBLE, cast as aclnnCast casts
 * INT64. Number i draws 64 bits, and the order is that of these, equal ones by i.
 * Random bits are those of aclnn_uniform.h: they depend on seed, offset and the element's row-major number
 * alone, the same on every processor, with any number of threads and in any layout; other libraries and
 * devices give other numbers.
 * 161002 too: n below 0 or above 2^32 - 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RANDPERM_H
#define BELAY_ACLNNOP_ACLNN_RANDPERM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRandperm, int64_t n, int64_t seed, int64_t offset, aclTensor *out)
#endif
