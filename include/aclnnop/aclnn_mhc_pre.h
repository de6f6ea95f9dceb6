/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What joins the n streams of each token before a layer, of hyper-connections that keep to a manifold.
 * - x: FLOAT, FLOAT16 or BFLOAT16 (tokens, n, D) or (B, S, n, D), n of 1 to 16; phi (n n + 2 n, n D), alpha {3}, bias
 *   {n n + 2 n} and gammaOptional (n, D): FLOAT.
 * - hMix = phi (x gamma), invRms = 1 / sqrt(mean of x^2 + normEps), of x without gamma; h = hMix invRms. hPre = sigma
 *   (alpha[0] h[:n] + bias[:n]) + hcEps; hPost = 2 sigma(alpha[1] h[n:2n] + bias[n:2n]); hRes (n, n) = alpha[2] h[2n:] +
 *   bias[2n:]; hIn, of the dtype of x, is the sum of hPre_i x_i.
 * - All outputs but hIn are FLOAT, with the first dims of x; invRms, hMix and hPre are not written where they are NULL or
 *   without elements. An alpha {2} and 2 n rows of phi and bias: no hRes, which is not written.
 * In DOUBLE, rounded once. 161002 too: other shapes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MHC_PRE_H
#define BELAY_ACLNNOP_ACLNN_MHC_PRE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMhcPre, const aclTensor *x, const aclTensor *phi, const aclTensor *alpha,
               const aclTensor *bias, const aclTensor *gammaOptional, double normEps, double hcEps,
               aclTensor *hIn, aclTensor *hPost, aclTensor *hRes, aclTensor *invRmsOptional,
               aclTensor *hMixOptional, aclTensor *hPreOptional)
#endif
