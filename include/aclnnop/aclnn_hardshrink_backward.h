/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnHardshrink: 0 where the size of self is at most lambd, of which a negative one
 * counts as 0; gradOutput elsewhere.
 * FLOAT, FLOAT16 and BFLOAT16, which promote and broadcast; lambd is a real scalar, read as FLOAT.
 * gradInput has the shape of the result and any of these dtypes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HARDSHRINK_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_HARDSHRINK_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHardshrinkBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclScalar *lambd, aclTensor *gradInput)
#endif
