/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest of elements along some dims, as aclnnAmax has it; dims may be NULL, which stands for all as an
 * empty array does. With noopWithEmptyDims either of them stands for none instead: out is self.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; out: the dtype of self.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_V2_H
#define BELAY_ACLNNOP_ACLNN_MAX_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaxV2, const aclTensor *self, const aclIntArray *dims, bool keepDims,
               bool noopWithEmptyDims, aclTensor *out)
#endif
