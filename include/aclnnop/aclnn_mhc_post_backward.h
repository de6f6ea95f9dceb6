/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of MhcPost, by the rules of aclnn_mhc_post.h.
 * - gradOutput: like x. gradX, gradHres, gradHout, gradHpost: like what they are the gradients of; gradHres is not written
 *   where there is no hRes.
 * The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MHC_POST_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MHC_POST_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMhcPostBackward, const aclTensor *gradOutput, const aclTensor *x,
               const aclTensor *hResOptional, const aclTensor *hOut, const aclTensor *hPost, aclTensor *gradX,
               aclTensor *gradHres, aclTensor *gradHout, aclTensor *gradHpost)
#endif
