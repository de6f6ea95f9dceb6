/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Negatives. Floats, complex numbers, INT8, INT32 and INT64; out any dtype that self may be cast
 * to. Integers wrap.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NEG_H
#define BELAY_ACLNNOP_ACLNN_NEG_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnNeg, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceNeg, selfRef)
#endif
