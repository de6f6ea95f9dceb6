/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two products with an activation between them: aclnnFFNV2 whose expertTokens are how many rows each expert has.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FFN_H
#define BELAY_ACLNNOP_ACLNN_FFN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFFN, const aclTensor *x, const aclTensor *weight1, const aclTensor *weight2,
               const aclIntArray *expertTokensOptional, const aclTensor *bias1Optional,
               const aclTensor *bias2Optional, const aclTensor *scaleOptional,
               const aclTensor *offsetOptional, const aclTensor *deqScale1Optional,
               const aclTensor *deqScale2Optional, const aclTensor *antiquantScale1Optional,
               const aclTensor *antiquantScale2Optional, const aclTensor *antiquantOffset1Optional,
               const aclTensor *antiquantOffset2Optional, const char *activation, int64_t innerPrecise,
               const aclTensor *y)
#endif
