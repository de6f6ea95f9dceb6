/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Hyperbolic cosines. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_COSH_H
#define BELAY_ACLNNOP_ACLNN_COSH_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnCosh, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceCosh, selfRef)
#endif
