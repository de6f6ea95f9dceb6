/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* 1 / self, an infinity with the sign of a zero. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_RECIPROCAL_H
#define BELAY_ACLNNOP_ACLNN_RECIPROCAL_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnReciprocal, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceReciprocal, selfRef)
#endif
