/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The slices of self along dim that index names, by the rules of aclnn_gather_v2.h, whose dtypes and faults it has.
 * - mode 0, 1 or 2: how fast a device does it; it changes nothing. batchDims: 0.
 * 161002 too: another mode, other batchDims.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GATHER_V3_H
#define BELAY_ACLNNOP_ACLNN_GATHER_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGatherV3, const aclTensor *self, int64_t dim, const aclTensor *index, int64_t batchDims,
               int64_t mode, aclTensor *out)
#endif
