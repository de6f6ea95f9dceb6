/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Whether self is 0. Any dtype to any dtype; what is not 0 is true, NaN too. */
#ifndef BELAY_ACLNNOP_ACLNN_LOGICAL_NOT_H
#define BELAY_ACLNNOP_ACLNN_LOGICAL_NOT_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnLogicalNot, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceLogicalNot, selfRef)
#endif
