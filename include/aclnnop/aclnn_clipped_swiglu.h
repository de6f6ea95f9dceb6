/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A sigma(alpha A) (B + bias) of rows that have A and B side by side, or, interleaved, in turn; A at most
 * limit, B between -limit and limit.
 * - x: FLOAT, FLOAT16 or BFLOAT16; its dims from dim on are a row, and out has half of dim.
 *   groupIndexOptional, INT64, one dim: no more rows are computed than its numbers add up to, and the others
 *   are 0.
 * In DOUBLE, rounded once. 161002 too: an odd size of dim, a dim that x does not have. Order as torch_npu
 * 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CLIPPED_SWIGLU_H
#define BELAY_ACLNNOP_ACLNN_CLIPPED_SWIGLU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnClippedSwiglu, const aclTensor *x, const aclTensor *groupIndexOptional, int64_t dim,
               double alpha, double limit, double bias, bool interleaved, aclTensor *out)
#endif
