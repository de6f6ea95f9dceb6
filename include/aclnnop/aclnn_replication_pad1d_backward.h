/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnReplicationPad1d: each element of gradInput is the sum of those of gradOutput that
 * came from it when self was continued by the edges, added in the order of gradOutput in doubles and rounded
 * once.
 * gradOutput, self, gradInput: FLOAT, FLOAT16, BFLOAT16, DOUBLE, COMPLEX64 or COMPLEX128, all of one dtype;
 * self, of which only the shape counts: rank 2 or 3; padding: 2 numbers, a pair of low and high for each
 * dim, the last dim first, as the padding took them; gradOutput: the shape of what was padded; gradInput:
 * self's shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REPLICATION_PAD1D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_REPLICATION_PAD1D_BACKWARD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnReplicationPad1dBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclIntArray *padding, aclTensor *gradInput)

#endif
