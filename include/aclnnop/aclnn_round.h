/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The nearest whole numbers, of two the even one, -0 for -0.5. Floats, INT32 and INT64, out the same. */
#ifndef BELAY_ACLNNOP_ACLNN_ROUND_H
#define BELAY_ACLNNOP_ACLNN_ROUND_H
#include "aclnnop/unary.h"
ACLNN_UNARY(Round, self, out)
ACLNN_UNARY_IN_PLACE(Round, selfRef)
#endif
