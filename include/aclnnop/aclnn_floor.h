/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* out = the greatest whole number that is not above self: floats and integers, out the same. */
#ifndef BELAY_ACLNNOP_ACLNN_FLOOR_H
#define BELAY_ACLNNOP_ACLNN_FLOOR_H
#include "aclnnop/unary.h"
ACLNN_UNARY(Floor, self, out)
ACLNN_UNARY_IN_PLACE(Floor, selfRef)
#endif
