/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What parts the result of a layer among the n streams of each token, of hyper-connections that keep to a manifold.
 * - x, out (tokens, n, D) or (B, S, n, D), n of 1 to 16, and hOut (.., D): FLOAT, FLOAT16 or BFLOAT16, of one dtype;
 *   hResOptional (.., n, n) and hPost (.., n): FLOAT.
 * - out_i is the sum over j of hRes[j][i] x_j, or x_i without hRes, and hPost_i hOut.
 * In DOUBLE, rounded once. 161002 too: other shapes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MHC_POST_H
#define BELAY_ACLNNOP_ACLNN_MHC_POST_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMhcPost, const aclTensor *x, const aclTensor *hResOptional, const aclTensor *hOut,
               const aclTensor *hPost, aclTensor *out)
#endif
