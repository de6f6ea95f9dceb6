/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The softmax of x scale along the last dim, with -10000 in place of what the mask has.
 * x and y: FLOAT, FLOAT16 or BFLOAT16, one dtype, rank 4. mask: BOOL, broadcasts to x; true is masked: a row
 * of which all is masked has equal numbers. fixedTriuMask must be false. In DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_H
#define BELAY_ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnScaledMaskedSoftmax, const aclTensor *x, const aclTensor *mask, double scale,
               bool fixedTriuMask, aclTensor *y)
#endif
