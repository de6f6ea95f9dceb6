/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * sin(pi self) / (pi self), 1 at 0, +0 for other whole numbers, NaN for infinities. Any real dtype to
 * any float.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SINC_H
#define BELAY_ACLNNOP_ACLNN_SINC_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnSinc, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceSinc, selfRef)
#endif
