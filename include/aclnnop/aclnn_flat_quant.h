/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Matrices between two small ones, p1 x p2, as INT4. x (K, M, N), kroneckerP1 (M, M), kroneckerP2
 * (N, N), or (0, 0): x alone is multiplied from the left: FLOAT16 or BFLOAT16, one dtype. Each of
 * both products is summed in doubles and rounded to it.
 * - out INT32 of eight INT4 each (K, M, N / 8), or INT4 (K, M, N); quantScale: FLOAT (K), the
 *   greatest size of each matrix times clipRatio over 7; numbers are no further than -8 and 7.
 *   clipRatio: more than 0, up to 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FLAT_QUANT_H
#define BELAY_ACLNNOP_ACLNN_FLAT_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFlatQuant, const aclTensor *x, const aclTensor *kroneckerP1, const aclTensor *kroneckerP2,
               double clipRatio, aclTensor *out, aclTensor *quantScale)
#endif
