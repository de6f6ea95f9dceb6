/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Inverse hyperbolic sines. Any real or complex dtype to any float or complex one. */
#ifndef BELAY_ACLNNOP_ACLNN_ASINH_H
#define BELAY_ACLNNOP_ACLNN_ASINH_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnAsinh, input, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceAsinh, inputRef)
#endif
