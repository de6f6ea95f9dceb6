/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Random numbers of a normal distribution: out = mean + std z.
 * FLOAT, FLOAT16, BFLOAT16 and DOUBLE. z is the number of aclnn_normal.h for the dtype of out; the formula
 * is computed in DOUBLE and rounded once. A mean or std that is a tensor broadcasts to out, whose shape the
 * program chooses; where both are, out has the shape that they broadcast to and a dtype that theirs promote
 * to or cast to.
 * 161002 too: a std that is a number below 0; elements of a tensor are taken as they are.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NORMAL_OUT_H
#define BELAY_ACLNNOP_ACLNN_NORMAL_OUT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNormalFloatFloat, float mean, float std, int64_t seed, int64_t offset, aclTensor *out)
ACLNN_FUNCTION(aclnnNormalFloatTensor, float mean, const aclTensor *std, int64_t seed, int64_t offset,
               aclTensor *out)
ACLNN_FUNCTION(aclnnNormalTensorFloat, const aclTensor *mean, float std, int64_t seed, int64_t offset,
               aclTensor *out)
ACLNN_FUNCTION(aclnnNormalTensorTensor, const aclTensor *mean, const aclTensor *std, int64_t seed,
               int64_t offset, aclTensor *out)
#endif
