/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor several times along each of its dims, and along new ones in front.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL, COMPLEX64 and COMPLEX128. Bits are
 * copied. repeats has an element for each dim of out, at least as many as self has dims and 8 at most.
 * 161002 too: a number below 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REPEAT_H
#define BELAY_ACLNNOP_ACLNN_REPEAT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRepeat, const aclTensor *self, const aclIntArray *repeats, aclTensor *out)
#endif
