/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is above 0 or NaN stays, and the rest is multiplied: in training by a random number between lower and
 * upper, lower + U (upper - lower) rounded to the dtype with the U that aclnn_uniform.h says for FLOAT,
 * otherwise by (lower + upper) / 2. Rounded once.
 * noise: in training what was multiplied by, 1 for what stays, of the shape and dtype of self; otherwise it
 * is left alone. Both are written though the prototype has const.
 * self, out: FLOAT, FLOAT16, BFLOAT16, of one dtype and shape; lower, upper: real scalars, read as FLOAT.
 * Order as torch_npu 2.14 passes it.
 * 161002 too: lower greater than upper.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RRELU_WITH_NOISE_H
#define BELAY_ACLNNOP_ACLNN_RRELU_WITH_NOISE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnRReluWithNoise, const aclTensor *self, const aclTensor *noise, const aclScalar *lower,
               const aclScalar *upper, bool training, int64_t seed, int64_t offset, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceRReluWithNoise, const aclTensor *selfRef, const aclTensor *noise,
               const aclScalar *lower, const aclScalar *upper, bool training, int64_t seed, int64_t offset)

#endif
