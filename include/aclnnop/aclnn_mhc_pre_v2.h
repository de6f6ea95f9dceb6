/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * MhcPre with a choice of precision, which changes nothing: aclnn_mhc_pre.h has the rules.
 * The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MHC_PRE_V2_H
#define BELAY_ACLNNOP_ACLNN_MHC_PRE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMhcPreV2, const aclTensor *x, const aclTensor *phi, const aclTensor *alpha,
               const aclTensor *bias, const aclTensor *gammaOptional, double normEps, double hcEps,
               int64_t innerPrecise, aclTensor *hIn, aclTensor *hPost, aclTensor *hRes,
               aclTensor *invRmsOptional, aclTensor *hMixOptional, aclTensor *hPreOptional)
#endif
