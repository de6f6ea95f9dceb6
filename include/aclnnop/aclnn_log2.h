/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Logarithms to base 2, -inf for zeros, NaN below. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_LOG2_H
#define BELAY_ACLNNOP_ACLNN_LOG2_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnLog2, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceLog2, selfRef)
#endif
