/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of MhcSinkhorn, from what that has left of its steps.
 * - gradOutput, gradInput: FLOAT (tokens, n, n) or (B, S, n, n); normOut and sumOut: as aclnn_mhc_sinkhorn.h has them.
 * 161002 too: other shapes, normOut and sumOut that are not of as many steps.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MHC_SINKHORN_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MHC_SINKHORN_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMhcSinkhornBackward, const aclTensor *gradOutput, const aclTensor *normOut,
               const aclTensor *sumOut, aclTensor *gradInput)
#endif
