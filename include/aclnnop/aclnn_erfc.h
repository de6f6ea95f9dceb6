/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* 1 - erf(self), exact where it is small. Any real dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_ERFC_H
#define BELAY_ACLNNOP_ACLNN_ERFC_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnErfc, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceErfc, selfRef)
#endif
