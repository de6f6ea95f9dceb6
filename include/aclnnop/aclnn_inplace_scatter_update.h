/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Replaces parts of the batches of a tensor along an axis, in place; elements are copied as bits.
 * - data: any dtype, rank 2 or more; updates: its dtype and rank, its sizes but for the first dim and the
 *   axis, which is not the first dim. indices: INT32 or INT64. One dim, or none of a single part: part k of
 *   updates goes to batch k from indices[k] on along the axis. (parts, 2): to batch indices[k][0], from
 *   indices[k][1] on, and of parts that meet the last one stays.
 * A part that does not fit is a fault of the run. 161002 too: other shapes. Order as torch_npu 2.14 passes
 * it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INPLACE_SCATTER_UPDATE_H
#define BELAY_ACLNNOP_ACLNN_INPLACE_SCATTER_UPDATE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceScatterUpdate, aclTensor *data, const aclTensor *indices, const aclTensor *updates,
               int64_t axis)
#endif
