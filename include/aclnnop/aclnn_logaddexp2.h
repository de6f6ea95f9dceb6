/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * log2(2^self + 2^other) without overflow, within 2 ulp; infinities count as limits. Real dtypes, which
 * broadcast and are converted to the dtype of out first: FLOAT, FLOAT16 or BFLOAT16.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOGADDEXP2_H
#define BELAY_ACLNNOP_ACLNN_LOGADDEXP2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLogAddExp2, const aclTensor *self, const aclTensor *other, aclTensor *out)
#endif
