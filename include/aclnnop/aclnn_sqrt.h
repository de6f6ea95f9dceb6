/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Square roots, -0 for -0, NaN below. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_SQRT_H
#define BELAY_ACLNNOP_ACLNN_SQRT_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnSqrt, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceSqrt, selfRef)
#endif
