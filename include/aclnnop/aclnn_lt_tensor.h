/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether self is less than other. False beside NaN. Any real dtype. Both are converted to what they promote
 * to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LT_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_LT_TENSOR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnLtTensor, aclTensor)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceLtTensor, aclTensor)
#endif
