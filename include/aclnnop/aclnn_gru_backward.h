/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef BELAY_ACLNNOP_ACLNN_GRU_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_GRU_BACKWARD_H

#include "aclnnop/function.h"

/*
 * The gradients of a GRU: of its input, its first state and its parameters, from those of output and hy and
 * from what the forward pass has left with train. Arguments as of aclnnGRU in aclnn_gru.h.
 * - dy like output, dh (numLayers D, B, H): NULL for zeros
 * - r, z, n, hn, h: rOut, zOut, nOut, hnOut, hOut
 * - dxOut like input, dhPrevOut (numLayers D, B, H), dparamsOut like params
 */
ACLNN_FUNCTION(aclnnGRUBackward, const aclTensor *input, const aclTensorList *params, const aclTensor *hx,
               const aclTensor *dy, const aclTensor *dh, const aclTensorList *r, const aclTensorList *z,
               const aclTensorList *n, const aclTensorList *hn, const aclTensorList *h,
               const aclTensor *batchSizes, bool hasBias, int64_t numLayers, bool bidirection,
               bool batchFirst, aclTensor *dxOut, aclTensor *dhPrevOut, aclTensorList *dparamsOut)

#endif
