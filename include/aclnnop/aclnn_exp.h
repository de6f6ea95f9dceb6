/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Powers of e. Floats, complex numbers, INT64 and BOOL to any float or complex dtype. */
#ifndef BELAY_ACLNNOP_ACLNN_EXP_H
#define BELAY_ACLNNOP_ACLNN_EXP_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnExp, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceExp, selfRef)
#endif
