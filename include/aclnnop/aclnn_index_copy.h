/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A copy of a tensor, or the tensor itself, whose slices along a dim that index names are those of source,
 * the last of several winning. selfRef: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8, BOOL,
 * COMPLEX64 or COMPLEX128, on Ascend950 UINT32 or UINT64 too; IndexCopy only reads it; dim: from -rank to
 * rank - 1; index: INT32 or INT64, rank 0 or 1; from 0 to n - 1 for a dim of size n, another one fails the
 * task before anything is written; source: selfRef's dtype, and shape but for dim, which is as long as index;
 * outRef: selfRef's dtype and shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INDEX_COPY_H
#define BELAY_ACLNNOP_ACLNN_INDEX_COPY_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnIndexCopy, aclTensor *selfRef, int64_t dim, const aclTensor *index,
               const aclTensor *source, aclTensor *outRef)
ACLNN_FUNCTION(aclnnInplaceIndexCopy, aclTensor *selfRef, int64_t dim, const aclTensor *index,
               const aclTensor *source)

#endif
