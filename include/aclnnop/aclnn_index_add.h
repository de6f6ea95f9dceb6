/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * IndexAdd: a tensor with slices added at the places which an index names in one dim.
 *
 *     out = self, then out[..., index[k], ...] += alpha * source[..., k, ...]
 *
 * - self: floats, INT8 to INT64, UINT8 or BOOL; source and out: its dtype; out: its shape
 * - dim: negative ones count from behind
 * - index: INT32 or INT64, any dtype where there are none; rank 0 or 1; 0 to the dim's size less 1
 * - source: self's shape, with the number of indices along dim
 * - alpha: a real scalar; FLOAT beside FLOAT, FLOAT16 and BFLOAT16, DOUBLE beside DOUBLE, an integer beside
 *   integers
 *
 * Sums are in the index's order, floats in doubles that are rounded once; BOOL is or.
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value. Rules that all
 * functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INDEX_ADD_H
#define BELAY_ACLNNOP_ACLNN_INDEX_ADD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnIndexAdd, const aclTensor *self, int64_t dim, const aclTensor *index,
               const aclTensor *source, const aclScalar *alpha, aclTensor *out)

#endif
