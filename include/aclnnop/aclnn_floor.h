/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The greatest whole numbers that are not above self. Floats and integers, out the same. */
#ifndef BELAY_ACLNNOP_ACLNN_FLOOR_H
#define BELAY_ACLNNOP_ACLNN_FLOOR_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnFloor, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceFloor, selfRef)
#endif
