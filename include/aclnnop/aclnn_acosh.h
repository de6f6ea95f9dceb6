/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Inverse hyperbolic cosines, NaN below 1. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_ACOSH_H
#define BELAY_ACLNNOP_ACLNN_ACOSH_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnAcosh, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceAcosh, selfRef)
#endif
