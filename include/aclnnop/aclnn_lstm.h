/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef BELAY_ACLNNOP_ACLNN_LSTM_H
#define BELAY_ACLNNOP_ACLNN_LSTM_H

#include "aclnnop/function.h"

/*
 * A long short-term memory of numLayers layers over T steps of B sequences: i, f, o = sigma and g = tanh of
 * W_ih x + b_ih + W_hh h + b_hh, c' = f c + i g, h' = o tanh c'. FLOAT, FLOAT16, BFLOAT16, one for all of
 * them.
 * - input: (T, B, I), with batchFirst (B, T, I)
 * - params: for each layer and each of its D directions (2 if bidirectional) W_ih (4H, inputs), W_hh (4H, H)
 *   and, with hasBias, b_ih (4H), b_hh (4H); rows in the order i, f, g, o. Inputs are I in the first layer,
 *   D H behind
 * - hx: NULL or empty for zeros, or h and c before the first step, (numLayers D, B, H) each
 * - batchSizes: NULL, without elements, or INT64 (T), falling: how many sequences, the first ones, take part
 *   in each step. input is (T B, I) then, with rows for those that do not. The task fails where it grows or
 *   is more than B
 * - dropout does nothing
 * - output: (T, B, D H), with batchFirst and without batchSizes (B, T, D H): h of the last layer behind each
 *   step, 0 where a sequence has ended. hy, cy (numLayers D, B, H): behind each sequence's last step
 * - iOut, jOut (g), fOut, oOut, hOut, cOut, tanhCOut: with train, (T, B, H) for each layer and direction, in
 *   the order of time; otherwise not looked at, and NULL is allowed. 161001 where one is NULL with train
 * Gates are computed in FLOAT; h and c are rounded to the dtype after each step.
 */
ACLNN_FUNCTION(aclnnLSTM, const aclTensor *input, const aclTensorList *params, const aclTensorList *hx,
               const aclTensor *batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
               bool bidirectional, bool batchFirst, aclTensor *output, aclTensor *hy, aclTensor *cy,
               aclTensorList *iOut, aclTensorList *jOut, aclTensorList *fOut, aclTensorList *oOut,
               aclTensorList *hOut, aclTensorList *cOut, aclTensorList *tanhCOut)

#endif
