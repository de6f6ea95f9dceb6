/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a mask of dropout keeps, divided by 1 - prob; 0 for the rest.
 * FLOAT, FLOAT16 and BFLOAT16; out has the shape of self. A mask has one bit for each element, 1 to keep it:
 * element i, in row-major order, is bit i mod 8 of byte i / 8, the lowest bit first; UINT8, of any shape
 * with ceil(n / 128) 16 elements. It may be longer. Kept elements are multiplied by 1 / (1 - prob) as a
 * FLOAT and rounded once to the dtype of self, then cast to that of out; with prob 0 all are copied, with
 * prob 1 all are 0. With a self or mask without elements nothing is done.
 * 161002 too: a mask that is too short; prob outside 0 to 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DROPOUT_DO_MASK_H
#define BELAY_ACLNNOP_ACLNN_DROPOUT_DO_MASK_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDropoutDoMask, const aclTensor *self, const aclTensor *mask, double prob, aclTensor *out)
#endif
