/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts of a tensor along a dim, of sizes of their own.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8, BOOL, COMPLEX64, COMPLEX128 and, on Ascend950,
 * UINT16 to UINT64; self has rank 1 or more. out has a tensor for each part, with its shape and the dtype of
 * self, in memory of its own. Bits are copied.
 * 161002 too: sizes that do not make up the dim; another number, dtype or shape of tensors.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SPLIT_WITH_SIZE_H
#define BELAY_ACLNNOP_ACLNN_SPLIT_WITH_SIZE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSplitWithSize, const aclTensor *self, const aclIntArray *splitSize, int64_t dim,
               aclTensorList *out)
#endif
