/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is at the places in the first dims of a tensor that the rows of indices name: out[j, ...] =
 * self[indices[j, 0], indices[j, 1], ..., ...].
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64 or BOOL, rank 1 to 8; indices:
 * INT32 or INT64, its last dim as long as 1 to self's rank; from -n to n - 1 for a dim of size n, another
 * one fails the task before anything is written; negativeIndexSupport: not looked at; out: self's dtype and
 * bits, indices' shape without the last dim, then self's dims that are not named.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GATHER_ND_H
#define BELAY_ACLNNOP_ACLNN_GATHER_ND_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnGatherNd, const aclTensor *self, const aclTensor *indices, bool negativeIndexSupport,
               aclTensor *out)

#endif
