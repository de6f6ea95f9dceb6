/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Cosines of radians of any size. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_COS_H
#define BELAY_ACLNNOP_ACLNN_COS_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnCos, input, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceCos, inputRef)
#endif
