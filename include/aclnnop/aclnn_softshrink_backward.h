/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnSoftshrink: 0 where the size of self is at most lambd, gradOutput elsewhere.
 * FLOAT, FLOAT16 and BFLOAT16, which promote and broadcast; lambd is a real scalar of 0 or more, read as
 * FLOAT. gradInput has the shape of the result and any of these dtypes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFTSHRINK_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_SOFTSHRINK_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftshrinkBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclScalar *lambd, aclTensor *gradInput)
#endif
