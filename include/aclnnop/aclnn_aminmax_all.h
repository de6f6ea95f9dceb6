/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The least and the greatest of elements along all dims. NaN where one of them is; of zeros -0 is the least
 * and +0 the greatest.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; 1 element or more; minOut, maxOut:
 * self's dtype, one element.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AMINMAX_ALL_H
#define BELAY_ACLNNOP_ACLNN_AMINMAX_ALL_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnAminmaxAll, const aclTensor *self, aclTensor *minOut, aclTensor *maxOut)

#endif
