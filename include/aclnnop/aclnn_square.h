/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* self * self. Floats and integers, out the same. Integers wrap. */
#ifndef BELAY_ACLNNOP_ACLNN_SQUARE_H
#define BELAY_ACLNNOP_ACLNN_SQUARE_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnSquare, self, out)
#endif
