/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What numbers would be that had been quantised, each channel by its own scale and zeroPoint, of which there are as many as self
 * has along axis. The rest is as aclnn_fake_quant_per_tensor_affine_cachemask.h says.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FAKE_QUANT_PER_CHANNEL_AFFINE_CACHEMASK_H
#define BELAY_ACLNNOP_ACLNN_FAKE_QUANT_PER_CHANNEL_AFFINE_CACHEMASK_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFakeQuantPerChannelAffineCachemask, const aclTensor *self, const aclTensor *scale,
               const aclTensor *zeroPoint, int64_t axis, int64_t quantMin, int64_t quantMax, aclTensor *out,
               aclTensor *mask)
#endif
