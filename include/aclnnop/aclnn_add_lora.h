/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows with a small product of matrices added that each of them chooses.
 * - y, out (rows, width), x (rows, H1), weightB (W, L, H2, R), weightAOptional (W, L, R, H1): FLOAT, FLOAT16 or BFLOAT16,
 *   of one dtype; without weightAOptional H1 is R. indices: INT32 (rows).
 * - out = y; with w = indices[row], and unless that is -1 or W, scale (x A[w]^T) B[w]^T of layer layerIdx is added to the
 *   H2 elements from yOffset on. ySliceSize: H2, or -1.
 * In DOUBLE, rounded once. An index that is neither fails the work (507035). 161002 too: other shapes, a layer that is
 * not there, a slice that does not fit.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_LORA_H
#define BELAY_ACLNNOP_ACLNN_ADD_LORA_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddLora, const aclTensor *y, const aclTensor *x, const aclTensor *weightB,
               const aclTensor *indices, const aclTensor *weightAOptional, int64_t layerIdx, double scale,
               int64_t yOffset, int64_t ySliceSize, aclTensor *out)
#endif
