/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary position embedding of neighbours, whose results go to the two halves of a row.
 * - x, out: FLOAT16 or BFLOAT16 (B, N, S, D), D even. cos, sin: that dtype, (B, N, S, D) or 1 in dims before
 *   the last. Element p < D / 2 of out is x[2p] cos[p] - x[2p + 1] sin[p], and element p + D / 2 is x[2p +
 *   1] cos[p + D / 2] + x[2p] sin[p + D / 2]: mode 3 of aclnn_rotary_position_embedding.h. In DOUBLE,
 *   rounded once.
 * 161002 too: other shapes. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INTERLEAVE_ROPE_H
#define BELAY_ACLNNOP_ACLNN_INTERLEAVE_ROPE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInterleaveRope, const aclTensor *x, const aclTensor *cos, const aclTensor *sin,
               aclTensor *out)
#endif
