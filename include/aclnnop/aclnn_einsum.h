/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of products that an equation of letters names. tensors: 1 or 2, of one dtype: FLOAT, FLOAT16,
 * BFLOAT16, DOUBLE, INT8 to INT64 or UINT8; equation: a letter for each dim of each tensor, "ij,jk->ik",
 * spaces aside; output: their dtype, with the dims that the letters behind -> have, any of them, each once;
 * without -> those that there are once, A to Z and a to z. All others are summed over. A letter that a tensor
 * has twice is its diagonal; a dim of 1 broadcasts. FLOAT and shorter floats as in aclnnMatmul, DOUBLE in
 * DOUBLE, integers with their low bits kept; what one tensor alone is summed over is so first. Of one tensor
 * that is not summed over bits stay as they are. Order as numpy passes it on Ascend. 161002 too: more
 * tensors, or none; an equation that is not of this form or does not fit the tensors, with ellipses, for
 * instance.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EINSUM_H
#define BELAY_ACLNNOP_ACLNN_EINSUM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnEinsum, const aclTensorList *tensors, const char *equation, aclTensor *output)
#endif
