/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef BELAY_ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_H
#define BELAY_ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_H

#include "aclnnop/function.h"

/*
 * A step of an LSTM from the sums of its products: i, f, o = sigma and g = tanh of their parts of inputGates
 * + inputBias + hiddenGates + hiddenBias, cy = f cx + i g, hy = o tanh cy. FLOAT, FLOAT16, BFLOAT16, one for
 * all.
 * - inputGates, hiddenGates: (B, 4H), i, f, g and o one behind the other; cx (B, H)
 * - inputBiasOptional, hiddenBiasOptional: (4H), each NULL or without elements for zeros
 * - hyOut, cyOut (B, H); storageOut (B, 4H): i, f, g, o
 */
ACLNN_FUNCTION(aclnnThnnFusedLstmCell, const aclTensor *inputGates, const aclTensor *hiddenGates,
               const aclTensor *cx, const aclTensor *inputBiasOptional, const aclTensor *hiddenBiasOptional,
               aclTensor *hyOut, aclTensor *cyOut, aclTensor *storageOut)

#endif
