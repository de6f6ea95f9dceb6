/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Inverse hyperbolic tangents, infinite at -1 and 1, NaN beyond. Any real or complex dtype to any float or
 * complex one.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ATANH_H
#define BELAY_ACLNNOP_ACLNN_ATANH_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnAtanh, input, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceAtanh, inputRef)
#endif
