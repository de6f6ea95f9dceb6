/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The scale for the next step of mixed precision: currentScale * backoffFactor and a tracker of 0 where
 * foundInf is not 0 (NaN counts); otherwise a tracker of 1 more and, when that is growthInterval,
 * currentScale * growthFactor, if that is finite, and 0. currentScale, foundInf and updatedScale are
 * FLOAT, FLOAT16 or BFLOAT16, the trackers INT32; each has one element, which is read when the work
 * runs, and outputs may be the inputs. A growthInterval outside of 1 to 2^31 - 1: 161002.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H
#define BELAY_ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAmpUpdateScale, const aclTensor *currentScale, const aclTensor *growthTracker,
               const aclTensor *foundInf, double growthFactor, double backoffFactor, int64_t growthInterval,
               aclTensor *updatedScale, aclTensor *updatedGrowthTracker)
#endif
