/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Sines of radians of any size. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_SIN_H
#define BELAY_ACLNNOP_ACLNN_SIN_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnSin, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceSin, selfRef)
#endif
