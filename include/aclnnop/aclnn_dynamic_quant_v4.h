/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnDynamicQuantV3 with what the greatest size becomes.
 *
 * dstTypeMax: 0, or a number above it, which counts for HIFLOAT8 alone: scale = the greatest |u| /
 * dstTypeMax there. The other parameters are those of aclnnDynamicQuantV3. 161002 too: a negative
 * dstTypeMax, or one that is infinite or no number. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_V4_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_V4_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDynamicQuantV4, const aclTensor *x, const aclTensor *smoothScalesOptional,
               const aclTensor *groupIndexOptional, int64_t dstType, bool isSymmetrical,
               const char *quantMode, float dstTypeMax, aclTensor *yOut, aclTensor *scaleOut,
               aclTensor *offsetOut)
#endif
