/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where values would go in sorted rows for these to stay in order: in front of equal elements, or behind
 * them if right. Elements and values are compared as what they promote to together. The rows are halved
 * until one place is left: lo = 0, hi = n; mid = (lo + hi) / 2; lo = mid + 1 unless the element there is not
 * less than the value, or with right greater, then hi = mid. So NaN goes to the end, and what is not sorted
 * gives what this finds.
 * sortedSequence, self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8; sortedSequence: rank 1, or
 * self's shape but for the last dim; SearchSorteds: rank 1, and self a scalar; outInt32: whether out is
 * INT32, not INT64; sorter: NULL, or INT64 of sortedSequence's shape, the places of each row in order:
 * another number than these fails the task before anything is written; out: self's shape, of a scalar one
 * element.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SEARCHSORTED_H
#define BELAY_ACLNNOP_ACLNN_SEARCHSORTED_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnSearchSorted, const aclTensor *sortedSequence, const aclTensor *self, const bool outInt32,
               const bool right, const aclTensor *sorter, aclTensor *out)
ACLNN_FUNCTION(aclnnSearchSorteds, const aclTensor *sortedSequence, const aclScalar *self,
               const bool outInt32, const bool right, const aclTensor *sorter, aclTensor *out)

#endif
