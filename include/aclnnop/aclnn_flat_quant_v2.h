/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Matrices between two small ones, p1 x p2, as INT4 or FLOAT4_E2M1. x (K, M, N), kroneckerP1 (M,
 * M), kroneckerP2 (N, N), or (0, 0): x alone is multiplied from the left: FLOAT16 or BFLOAT16, one
 * dtype. Each of both products is summed in doubles and rounded to it.
 * - out INT32 of eight INT4 each (K, M, N / 8), or INT4 (K, M, N); quantScale: FLOAT (K), the
 *   greatest size of each matrix times clipRatio over 7; numbers are no further than -8 and 7.
 *   clipRatio: more than 0, up to 1.
 * - out FLOAT4_E2M1 (K, M N) on Ascend950: in MX blocks of 32 along the last dim, with quantScale
 *   FLOAT8_E8M0 (K, M N / 64 rounded up, 2); dstTypeMax 0: scaleAlg 0, 6 to 12: scaleAlg 2 of
 *   aclnn_dynamic_mx_quant_v2.h. clipRatio changes nothing then.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FLAT_QUANT_V2_H
#define BELAY_ACLNNOP_ACLNN_FLAT_QUANT_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFlatQuantV2, const aclTensor *x, const aclTensor *kroneckerP1,
               const aclTensor *kroneckerP2, double clipRatio, double dstTypeMax, aclTensor *out,
               aclTensor *quantScale)
#endif
