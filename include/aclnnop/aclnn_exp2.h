/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Powers of 2. Any real dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_EXP2_H
#define BELAY_ACLNNOP_ACLNN_EXP2_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnExp2, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceExp2, selfRef)
#endif
