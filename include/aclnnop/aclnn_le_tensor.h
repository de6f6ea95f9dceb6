/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether self is other or less. False beside NaN. Any real dtype. Both are converted to what they promote
 * to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LE_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_LE_TENSOR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnLeTensor, aclTensor)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceLeTensor, aclTensor)
#endif
