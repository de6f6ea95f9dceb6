/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * MhcPreBackward with a choice of precision, which changes nothing: aclnn_mhc_pre_backward.h has the rules.
 * The order of its parameters is a guess by that of MhcPreV2.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MHC_PRE_BACKWARD_V2_H
#define BELAY_ACLNNOP_ACLNN_MHC_PRE_BACKWARD_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMhcPreBackwardV2, const aclTensor *x, const aclTensor *phi, const aclTensor *alpha,
               const aclTensor *gradHIn, const aclTensor *gradHPost, const aclTensor *gradHRes,
               const aclTensor *invRms, const aclTensor *hMix, const aclTensor *hPre, const aclTensor *hPost,
               const aclTensor *gammaOptional, const aclTensor *gradXPostOptional, float hcEps,
               int64_t innerPrecise, aclTensor *gradX, aclTensor *gradPhi, aclTensor *gradAlpha,
               aclTensor *gradBias, aclTensor *gradGamma)
#endif
