/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1, 0 or -1 for what is above, at or below 0; 0 for NaN. Of complex numbers self / |self|, 0 for 0.
 * Floats, complex numbers, INT32, INT64 and BOOL, result the same.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SIGN_H
#define BELAY_ACLNNOP_ACLNN_SIGN_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnSign, self, result)
#endif
