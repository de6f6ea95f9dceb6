/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Softmax of the rows of scaleValue x + mask + bias.
 * - x, out: FLOAT, FLOAT16 or BFLOAT16 (B W, N, S1, S2) or (B, W, N, S1, S2). attenMask, or NULL: that dtype
 *   (W, S1, S2), (W, 1, S1, S2) or (1, W, 1, S1, S2), added to the rows of its window; of rank 4 batch b is
 *   of window b mod W. relativePosBias: that dtype (N, S1, S2), maybe with dims of 1 before.
 *   innerPrecisionMode changes nothing.
 * In DOUBLE, rounded once. 161002 too: other shapes. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MASKED_SOFTMAX_WITH_REL_POS_BIAS_H
#define BELAY_ACLNNOP_ACLNN_MASKED_SOFTMAX_WITH_REL_POS_BIAS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaskedSoftmaxWithRelPosBias, const aclTensor *x, const aclTensor *attenMaskOptional,
               const aclTensor *relativePosBias, double scaleValue, int64_t innerPrecisionMode,
               aclTensor *out)
#endif
