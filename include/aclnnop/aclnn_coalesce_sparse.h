/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The entries of a sparse tensor, each index once: newIndices[uniqueIndices[i]] = indices[i], and
 * newValues[uniqueIndices[i]] is the sum of the values[i], in their order.
 * uniqueLen: INT32 or INT64 of one dim, an element for each index that is left, which are not looked at;
 * uniqueIndices: INT32 or INT64 (n), where each entry goes; indices: INT32 or INT64 (n, dims); values: FLOAT,
 * FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64 or UINT8 (n, ..); newIndices: the dtype of indices (length of
 * uniqueLen, dims); newValues: the dtype of values (length of uniqueLen, ..). Sums of floats in DOUBLE,
 * rounded once, of integers with their low bits kept; 0, and indices of 0, where no entry goes. Order as
 * torch_npu 2.14 passes it. 161002 too: shapes that do not fit. A uniqueIndices outside of 0 to the length of
 * uniqueLen - 1 fails the task before anything is written.
 */
#ifndef BELAY_ACLNNOP_ACLNN_COALESCE_SPARSE_H
#define BELAY_ACLNNOP_ACLNN_COALESCE_SPARSE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCoalesceSparse, const aclTensor *uniqueLen, const aclTensor *uniqueIndices,
               const aclTensor *indices, const aclTensor *values, aclTensor *newIndices, aclTensor *newValues)
#endif
