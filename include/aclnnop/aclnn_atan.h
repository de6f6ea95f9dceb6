/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Arc tangents in radians. Any real dtype to any float. */
#ifndef BELAY_ACLNNOP_ACLNN_ATAN_H
#define BELAY_ACLNNOP_ACLNN_ATAN_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnAtan, input, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceAtan, inputRef)
#endif
