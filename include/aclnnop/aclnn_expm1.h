/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* e^self - 1, exact around 0. FLOAT, FLOAT16, BFLOAT16, INT64 and BOOL to any float or complex dtype. */
#ifndef BELAY_ACLNNOP_ACLNN_EXPM1_H
#define BELAY_ACLNNOP_ACLNN_EXPM1_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnExpm1, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceExpm1, selfRef)
#endif
