/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary position embedding of queries and keys in place, by the rules of aclnn_apply_rotary_pos_emb.h.
 * rotaryMode: "half"; "interleave": r of each two neighbours (a, b) is (-b, a); "quarter": r of the quarters
 * is (-x2, x1, -x4, x3), and the number of elements a multiple of 4.
 */
#ifndef BELAY_ACLNNOP_ACLNN_APPLY_ROTARY_POS_EMB_V2_H
#define BELAY_ACLNNOP_ACLNN_APPLY_ROTARY_POS_EMB_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnApplyRotaryPosEmbV2, aclTensor *queryRef, aclTensor *keyRef, const aclTensor *cos,
               const aclTensor *sin, int64_t layout, char *rotaryMode)
#endif
