/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of groups as whole numbers of few bits: x scale + offset, with a row of scale for each group.
 * x (S, H), scale (E, H): FLOAT, FLOAT16 or BFLOAT16; groupIndex (E): INT32 or INT64, where groups end; offsetOptional: 1 element
 * of the dtype of scale. dstType: 2, INT8, 3, INT32 of eight INT4 each, or 29, INT4, the dtype of y. In doubles, to the nearest
 * number, ties to even. Rows behind all groups are not written. Ends that fall, or are more than S, fail the work (507035).
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUP_QUANT_H
#define BELAY_ACLNNOP_ACLNN_GROUP_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupQuant, const aclTensor *x, const aclTensor *scale, const aclTensor *groupIndex,
               const aclTensor *offsetOptional, int32_t dstType, aclTensor *y)
#endif
