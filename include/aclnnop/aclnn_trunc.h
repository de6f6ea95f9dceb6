/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* self without what is behind the point, with its sign. Floats and integers, out the same. */
#ifndef BELAY_ACLNNOP_ACLNN_TRUNC_H
#define BELAY_ACLNNOP_ACLNN_TRUNC_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnTrunc, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceTrunc, selfRef)
#endif
