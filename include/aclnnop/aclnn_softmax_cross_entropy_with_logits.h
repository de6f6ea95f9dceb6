/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The cross entropy of rows and labels that are probabilities, and its gradient: loss = -(sum of
 * labels log softmax(features)), backprop = softmax(features) - labels. A label 0 counts nothing, whatever
 * the logarithm. All FLOAT, FLOAT16 or BFLOAT16, the same; features, labels and backprop (N, C), loss N
 * elements. Sums run in DOUBLE in a fixed order; results are rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS_H
#define BELAY_ACLNNOP_ACLNN_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftmaxCrossEntropyWithLogits, const aclTensor *features, aclTensor *labels,
               aclTensor *loss, aclTensor *backprop)
#endif
