/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnMoeGatingTopK whose experts may come from a table.
 * x: FLOAT, FLOAT16 or BFLOAT16, [rows, experts]; s, by normType: 0, the softmax of a row, 1, 1 / (1 + e^-x),
 * 2, sqrt(log(1 + e^x)). v = s + biasOptional, of [experts], any of these dtypes, or NULL. With groupCount
 * groups of neighbours the kGroup best alone are left, by the greatest v of each (groupSelectMode 0) or the
 * sum of its two greatest (1). expertIdxOut: INT32, [rows, k], the k greatest v of what is left, greatest
 * first; equal ones keep their order, and NaN is greater than all. yOut: the dtype of x, s there, without the
 * bias; with normType 1 or 2, or renorm 1, over their sum + eps; times routedScalingFactor.
 * outOut: FLOAT, [rows, experts], s, or NULL; outFlag is not looked at. Computed in DOUBLE, rounded once.
 * With inputIdsOptional, INT32 or INT64 of [rows], and tid2eidOptional, INT32 or INT64 of [keys, k], which
 * are both given or both NULL (else 161001), expertIdxOut is the line of tid2eidOptional that
 * inputIdsOptional names, and bias and groups play no part. Numbers outside the keys or the experts make the
 * task fail.
 * 161002 too: groupCount that does not divide the experts, kGroup outside 1 to groupCount, k outside 1 to the
 * experts of kGroup groups, groupSelectMode 1 with groups of one, numbers outside these. Order as torch_npu
 * 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_GATING_TOP_K_V2_H
#define BELAY_ACLNNOP_ACLNN_MOE_GATING_TOP_K_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeGatingTopKV2, const aclTensor *x, const aclTensor *biasOptional,
               const aclTensor *inputIdsOptional, const aclTensor *tid2eidOptional, int64_t k, int64_t kGroup,
               int64_t groupCount, int64_t groupSelectMode, int64_t renorm, int64_t normType, bool outFlag,
               double routedScalingFactor, double eps, aclTensor *yOut, aclTensor *expertIdxOut,
               aclTensor *outOut)
#endif
