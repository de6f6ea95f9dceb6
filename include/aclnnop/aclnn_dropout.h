/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dropout: elements become 0 with the probability p, the others are divided by 1 - p.
 * FLOAT, FLOAT16 and BFLOAT16; out has the shape and dtype of input. maskOut becomes the mask of
 * aclnnDropoutGenMask for the shape of input, and out what aclnnDropoutDoMask makes of it. Where train is
 * false or p is 0 out is a copy, where p is 1 it is 0, and maskOut stays as it is.
 * 161002 too: p outside 0 to 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DROPOUT_H
#define BELAY_ACLNNOP_ACLNN_DROPOUT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDropout, const aclTensor *input, double p, bool train, int64_t seed, int64_t offset,
               aclTensor *out, aclTensor *maskOut)
#endif
