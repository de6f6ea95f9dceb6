/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Adds to what is at the places in the first dims that the rows of indices name: varRef[indices[j, 0],
 * indices[j, 1], ..., ...] += updates[j, ...], one after the other, each place summed once.
 * varRef: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL, rank 1 to 8; indices: INT32 or
 * INT64, its last dim as long as 1 to that rank; from 0 to n - 1 for a dim of size n, another one fails the
 * task before anything is written, but a row that has a -1, which is padding and left out; updates: the same
 * dtype, indices' shape without the last dim, then the dims that are not named.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TF_SCATTER_ADD_H
#define BELAY_ACLNNOP_ACLNN_TF_SCATTER_ADD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnTfScatterAdd, aclTensor *varRef, const aclTensor *indices, const aclTensor *updates)

#endif
