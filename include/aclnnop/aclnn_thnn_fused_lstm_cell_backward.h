/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef BELAY_ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_BACKWARD_H

#include "aclnnop/function.h"

/*
 * The gradients of aclnnThnnFusedLstmCell: of the gates before sigma and tanh, of cx, and of the biases.
 * - gradHyOptional, gradCOptional: (B, H), NULL or without elements for zeros
 * - cx, cy (B, H), storage (B, 4H): what the step had and gave
 * - gradGatesOut (B, 4H), gradCxOut (B, H); gradBiasOut (4H): with hasBias, the sums of gradGatesOut's
 * columns; otherwise NULL or not looked at. 161001 where it is NULL with hasBias
 */
ACLNN_FUNCTION(aclnnThnnFusedLstmCellBackward, const aclTensor *gradHyOptional,
               const aclTensor *gradCOptional, const aclTensor *cx, const aclTensor *cy,
               const aclTensor *storage, bool hasBias, aclTensor *gradGatesOut, aclTensor *gradCxOut,
               aclTensor *gradBiasOut)

#endif
