/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of MhcPre, by the rules of aclnn_mhc_pre.h.
 * - gradHIn, of the dtype of x, gradHPost and gradHRes, FLOAT: those of its results; invRms, hMix, hPre and hPost: what it
 *   wrote. gradXPostOptional, like x, is added to gradX.
 * - gradX like x; gradPhi, gradAlpha, gradBias and gradGamma (n, D), FLOAT, sums over tokens; without gamma gradGamma is 0.
 * In DOUBLE, rounded once. 161002 too: other shapes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MHC_PRE_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MHC_PRE_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMhcPreBackward, const aclTensor *x, const aclTensor *phi, const aclTensor *alpha,
               const aclTensor *gradHIn, const aclTensor *gradHPost, const aclTensor *gradHRes,
               const aclTensor *invRms, const aclTensor *hMix, const aclTensor *hPre, const aclTensor *hPost,
               const aclTensor *gammaOptional, const aclTensor *gradXPostOptional, float hcEps,
               aclTensor *gradX, aclTensor *gradPhi, aclTensor *gradAlpha, aclTensor *gradBias,
               aclTensor *gradGamma)
#endif
