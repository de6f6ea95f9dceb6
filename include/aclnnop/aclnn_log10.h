/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Logarithms to base 10, -inf for zeros, NaN below. Floats and complex numbers, out the same;
 * integers and BOOL, out FLOAT.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOG10_H
#define BELAY_ACLNNOP_ACLNN_LOG10_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnLog10, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceLog10, selfRef)
#endif
