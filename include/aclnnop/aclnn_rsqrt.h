/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 / sqrt(self), inf for 0, -inf for -0, NaN below. Any real or complex dtype to any float or
 * complex one.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RSQRT_H
#define BELAY_ACLNNOP_ACLNN_RSQRT_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnRsqrt, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceRsqrt, selfRef)
#endif
