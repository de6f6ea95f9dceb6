/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether self equals other. False beside NaN. Any dtype. Both are converted to what they promote to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EQ_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_EQ_TENSOR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnEqTensor, aclTensor)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceEqTensor, aclTensor)
#endif
