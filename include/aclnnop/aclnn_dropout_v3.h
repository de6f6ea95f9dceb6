/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dropout as aclnnDropout does it in training.
 * FLOAT, FLOAT16 and BFLOAT16; out has the shape and dtype of input. maskOut becomes the mask of
 * aclnnDropoutGenMask for the shape of input, and out what aclnnDropoutDoMask makes of it; with p 0 or 1 it
 * stays as it is.
 * With tensors, of one INT64 each, seed is what seedTensor holds when the work runs, and offset is added to
 * what offsetTensor holds.
 * 161002 too: optionalNoiseShape is not NULL; p outside 0 to 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DROPOUT_V3_H
#define BELAY_ACLNNOP_ACLNN_DROPOUT_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDropoutV3, const aclTensor *input, const aclTensor *optionalNoiseShape, double p,
               int64_t seed, int64_t offset, aclTensor *out, aclTensor *maskOut)
ACLNN_FUNCTION(aclnnDropoutV3Tensor, const aclTensor *input, const aclTensor *optionalNoiseShape, double p,
               const aclTensor *seedTensor, const aclTensor *offsetTensor, int64_t offset, aclTensor *out,
               aclTensor *maskOut)
#endif
