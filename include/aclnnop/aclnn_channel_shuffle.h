/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Channels in another order: the first ones of all groups, then the second ones.
 *
 *     out[:, c * groups + k] = self[:, k * (C / groups) + c]     for C channels, dim 1
 *
 * - self: rank 3 to 8, floats, integers, BOOL or complex. out: its dtype and shape
 * - groups: above 0, and C is a multiple of it
 *
 * Bits stay as they are. Rules that all functions share are in aclnnop/function.h. Source: the operator's
 * published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CHANNEL_SHUFFLE_H
#define BELAY_ACLNNOP_ACLNN_CHANNEL_SHUFFLE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnChannelShuffle, const aclTensor *self, int64_t groups, aclTensor *out)

#endif
