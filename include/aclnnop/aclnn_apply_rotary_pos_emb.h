/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary position embedding of queries and keys in place: x cos + r(x) sin along the last dim, r of the
 * halves (x1, x2) being (-x2, x1).
 * layout: 1 (batch, row, head, element), 2 (row, batch, head, element), 3 (batch, head, row, element), 4
 * (row, head, element). queryRef and keyRef: FLOAT, FLOAT16 or BFLOAT16, one dtype, equal but for their
 * heads; an even number of elements. cos and sin: any of these dtypes, with one head, and as many batches or
 * one. In DOUBLE, rounded to FLOAT and from there to the dtype.
 */
#ifndef BELAY_ACLNNOP_ACLNN_APPLY_ROTARY_POS_EMB_H
#define BELAY_ACLNNOP_ACLNN_APPLY_ROTARY_POS_EMB_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnApplyRotaryPosEmb, aclTensor *queryRef, aclTensor *keyRef, const aclTensor *cos,
               const aclTensor *sin, int64_t layout)
#endif
