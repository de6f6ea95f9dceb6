/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scatter: a tensor with elements that come to the places which an index names in one dim.
 *
 *     out = self, then out[i, index[i, j, ...], ...] takes src[i, j, ...]     for dim 1
 *
 * - self: floats, INT8 to INT64, UINT8, BOOL, complex; src and out: its dtype; out: its shape. Forms in
 *   place: selfRef is both
 * - dim: negative ones count from behind
 * - index: INT32 or INT64, any dtype where there are none; as many dims as self and src, sizes of at most
 *   src's, and of self's but along dim; 0 to the dim's size less 1
 * - value: instead of src, converted to self's dtype; a complex one for a complex self alone
 * - reduce: 0 replaces; 1 adds, 2 multiplies, 3 and 4 keep the largest and smallest (of real numbers), 5
 * takes the mean, self's element included; that of integers is rounded down
 *
 * Of several for one place the last in row-major order of the index replaces; the others are taken in that
 * order, floats in doubles that are rounded once. NaN is the largest and the smallest.
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value. Rules that all
 * functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SCATTER_H
#define BELAY_ACLNNOP_ACLNN_SCATTER_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnScatter, const aclTensor *self, int64_t dim, const aclTensor *index, const aclTensor *src,
               int64_t reduce, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceScatter, aclTensor *selfRef, int64_t dim, const aclTensor *index,
               const aclTensor *src, int64_t reduce)
ACLNN_FUNCTION(aclnnScatterValue, const aclTensor *self, int64_t dim, const aclTensor *index,
               const aclScalar *value, int64_t reduce, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceScatterValue, aclTensor *selfRef, int64_t dim, const aclTensor *index,
               const aclScalar *value, int64_t reduce)

#endif
