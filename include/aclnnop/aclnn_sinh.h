/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Hyperbolic sines. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_SINH_H
#define BELAY_ACLNNOP_ACLNN_SINH_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnSinh, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceSinh, selfRef)
#endif
