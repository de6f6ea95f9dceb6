/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The nearest whole numbers, of two the even one, -0 for -0.5. Floats, INT32 and INT64, out the same. */
#ifndef BELAY_ACLNNOP_ACLNN_ROUND_H
#define BELAY_ACLNNOP_ACLNN_ROUND_H
#include "aclnnop/function.h"
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnRound, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceRound, selfRef)
/* Rounded to so many decimals, or to a multiple of 10^-decimals, ties to even: self times or by the power of
 * ten is rounded to its dtype (to FLOAT for 16 bits), then to a whole number. */
ACLNN_FUNCTION(aclnnRoundDecimals, const aclTensor *self, int64_t decimals, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceRoundDecimals, aclTensor *selfRef, int64_t decimals)
#endif
