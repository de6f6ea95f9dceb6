/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Replaces a part of each tensor of a list along an axis, in place; elements are copied as bits.
 * - varRef: tensors of one shape and any dtype; updates: that dtype, a part for each tensor in its first
 *   dim, and their sizes but for the axis, which counts the dims of updates. indice: INT32 or INT64
 *   (tensors), where a part begins, or (tensors, 2), where and how many elements of it go there.
 *   maskOptional: UINT8 (tensors), 0 leaves a tensor as it is. reduce: "update", "" or NULL.
 * A part that does not fit is a fault of the run. 161002 too: other shapes. Order as torch_npu 2.14 passes
 * it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SCATTER_LIST_H
#define BELAY_ACLNNOP_ACLNN_SCATTER_LIST_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnScatterList, const aclTensorList *varRef, const aclTensor *indice,
               const aclTensor *updates, const aclTensor *maskOptional, char *reduce, int64_t axis)
#endif
