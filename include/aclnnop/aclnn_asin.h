/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Arc sines in radians, NaN outside [-1, 1]. Any real dtype to any float. */
#ifndef BELAY_ACLNNOP_ACLNN_ASIN_H
#define BELAY_ACLNNOP_ACLNN_ASIN_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnAsin, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceAsin, selfRef)
#endif
