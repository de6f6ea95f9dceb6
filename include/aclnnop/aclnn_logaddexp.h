/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ln(e^self + e^other) without overflow, within 2 ulp; infinities count as limits. Real dtypes, which
 * broadcast and are converted to the dtype of out first: FLOAT, FLOAT16 or BFLOAT16.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOGADDEXP_H
#define BELAY_ACLNNOP_ACLNN_LOGADDEXP_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLogAddExp, const aclTensor *self, const aclTensor *other, aclTensor *out)
#endif
