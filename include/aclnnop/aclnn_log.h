/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Natural logarithms, -inf for zeros, NaN below. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_LOG_H
#define BELAY_ACLNNOP_ACLNN_LOG_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnLog, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceLog, selfRef)
#endif
