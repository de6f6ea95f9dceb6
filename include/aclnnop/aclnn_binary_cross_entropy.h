/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The binary cross entropy of probabilities: -weight (target max(ln self, -100) + (1 - target) max(ln(1 -
 * self), -100)) for reduction 0, the mean for 1, the sum for 2.
 * self, target, weight (1 where it is NULL) and out: FLOAT, FLOAT16 or BFLOAT16, one dtype; target has the
 * shape of self, weight one that broadcasts to it; out has that of self for reduction 0, else one element, ()
 * or {1}. Of nothing the mean is NaN and the sum 0.
 * Computed in fp64; sums in an order that the number of elements fixes; rounded once to the dtype of out.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_H
#define BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBinaryCrossEntropy, const aclTensor *self, const aclTensor *target,
               const aclTensor *weight, int64_t reduction, aclTensor *out)
#endif
