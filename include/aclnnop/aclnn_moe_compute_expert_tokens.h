/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How many of the experts of sorted pairs lie up to each expert. sortedExperts: INT32 or INT64, one dim,
 * ascending; out: its dtype, [numExperts], out[e] = the number of elements that are e or less. numExperts
 * is 1 or more. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_COMPUTE_EXPERT_TOKENS_H
#define BELAY_ACLNNOP_ACLNN_MOE_COMPUTE_EXPERT_TOKENS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeComputeExpertTokens, const aclTensor *sortedExperts, int64_t numExperts,
               const aclTensor *out)
#endif
