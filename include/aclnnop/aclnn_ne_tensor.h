/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether self differs from other, true beside NaN. Any dtype. Both are converted to what they promote to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NE_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_NE_TENSOR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnNeTensor, aclTensor)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceNeTensor, aclTensor)
#endif
