/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The real part of complex numbers: self where it is real.
 * self: COMPLEX64, COMPLEX128, FLOAT, FLOAT16, BFLOAT16 or DOUBLE; out: FLOAT, DOUBLE, or the dtype of self,
 * and its shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REAL_H
#define BELAY_ACLNNOP_ACLNN_REAL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnReal, const aclTensor *self, aclTensor *out)
#endif
