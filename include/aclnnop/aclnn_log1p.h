/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* ln(1 + self), exact around 0, -inf for -1, NaN below. Any real dtype to any float. */
#ifndef BELAY_ACLNNOP_ACLNN_LOG1P_H
#define BELAY_ACLNNOP_ACLNN_LOG1P_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnLog1p, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceLog1p, selfRef)
#endif
