/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is behind the point, with its sign; +0 for whole numbers, NaN for infinities. FLOAT, FLOAT16,
 * BFLOAT16 and integers, out the same.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FRAC_H
#define BELAY_ACLNNOP_ACLNN_FRAC_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnFrac, input, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceFrac, inputRef)
#endif
