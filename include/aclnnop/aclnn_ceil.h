/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The least whole numbers that are not below self, -0 for -0.5. Floats, out the same. */
#ifndef BELAY_ACLNNOP_ACLNN_CEIL_H
#define BELAY_ACLNNOP_ACLNN_CEIL_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnCeil, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceCeil, selfRef)
#endif
