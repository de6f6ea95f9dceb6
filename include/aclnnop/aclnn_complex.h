/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = real + i imag, bit by bit. real and imag: FLOAT or DOUBLE, the same; out: COMPLEX64 or COMPLEX128, of
 * the shape that both broadcast to. The order of the arguments is that in which torch_npu 2.14 passes them.
 */
#ifndef BELAY_ACLNNOP_ACLNN_COMPLEX_H
#define BELAY_ACLNNOP_ACLNN_COMPLEX_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnComplex, const aclTensor *real, const aclTensor *imag, aclTensor *out)
#endif
