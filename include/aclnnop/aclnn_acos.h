/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Arc cosines in radians, NaN outside [-1, 1]. Any real dtype to any float. */
#ifndef BELAY_ACLNNOP_ACLNN_ACOS_H
#define BELAY_ACLNNOP_ACLNN_ACOS_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnAcos, input, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceAcos, inputRef)
#endif
