/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef BELAY_ACLNNOP_ACLNN_LSTM_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_LSTM_BACKWARD_H

#include "aclnnop/function.h"

/*
 * The gradients of an LSTM: of its input, its first states and its parameters, from those of output, hy and
 * cy and from what the forward pass has left with train. Arguments as of aclnnLSTM in aclnn_lstm.h.
 * - dy like output, dh and dc (numLayers D, B, H): NULL for zeros
 * - i, g, f, o, h, c, tanhc: iOut, jOut, fOut, oOut, hOut, cOut, tanhCOut
 * - dropout, train and outputMask change nothing; outputMask may be NULL
 * - dxOut like input, dhPrevOut, dcPrevOut (numLayers D, B, H), dparamsOut like params
 */
ACLNN_FUNCTION(aclnnLstmBackward, const aclTensor *input, const aclTensorList *hx,
               const aclTensorList *params, const aclTensor *dy, const aclTensor *dh, const aclTensor *dc,
               const aclTensorList *i, const aclTensorList *g, const aclTensorList *f, const aclTensorList *o,
               const aclTensorList *h, const aclTensorList *c, const aclTensorList *tanhc,
               const aclTensor *batchSizesOptional, bool hasBias, int64_t numLayers, double dropout,
               bool train, bool bidirectional, bool batchFirst, const aclBoolArray *outputMask,
               aclTensor *dxOut, aclTensor *dhPrevOut, aclTensor *dcPrevOut, aclTensorList *dparamsOut)

#endif
