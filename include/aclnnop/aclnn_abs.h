/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Absolute values. Any real dtype, out the same, and COMPLEX64, out FLOAT. Integers wrap: abs(-128)
 * is -128.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ABS_H
#define BELAY_ACLNNOP_ACLNN_ABS_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnAbs, self, out)
#endif
