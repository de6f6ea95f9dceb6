/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef BELAY_ACLNNOP_ACLNN_GRU_H
#define BELAY_ACLNNOP_ACLNN_GRU_H

#include "aclnnop/function.h"

/*
 * Gated recurrent units in numLayers layers over T steps of B sequences: r, z = sigma of W_ih x + b_ih +
 * W_hh h + b_hh, hn = W_hn h + b_hn, n = tanh(W_in x + b_in + r hn), h' = (1 - z) n + z h. FLOAT, FLOAT16,
 * BFLOAT16, one for all of them.
 * - input: (T, B, I), with batchFirst (B, T, I)
 * - params: for each layer and each of its D directions (2 if bidirection) W_ih (3H, inputs), W_hh (3H, H)
 *   and, with hasBias, b_ih (3H), b_hh (3H); rows in the order r, z, n. Inputs are I in the first layer, D H
 *   behind
 * - hx: NULL or without elements for zeros, or h before the first step, (numLayers D, B, H)
 * - batchSizes: NULL or without elements
 * - dropout does nothing
 * - output: (T, B, D H), with batchFirst (B, T, D H); hy (numLayers D, B, H): h behind the last step
 * - rOut, zOut, nOut, hnOut, hOut: with train, (T, B, H) for each layer and direction, in the order of time;
 *   otherwise not looked at, and NULL is allowed. 161001 where one is NULL with train
 * Gates are computed in FLOAT; h is rounded to the dtype after each step.
 */
ACLNN_FUNCTION(aclnnGRU, const aclTensor *input, const aclTensorList *params, const aclTensor *hx,
               const aclTensor *batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
               bool bidirection, bool batchFirst, aclTensor *output, aclTensor *hy, aclTensorList *rOut,
               aclTensorList *zOut, aclTensorList *nOut, aclTensorList *hnOut, aclTensorList *hOut)

#endif
