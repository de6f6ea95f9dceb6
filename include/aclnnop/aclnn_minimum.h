/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The lesser of self and other, which broadcast and promote together; NaN in either gives NaN, and of
 * equal numbers, as +0 and -0, it is self. BOOL is and. FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64
 * and UINT8 and BOOL; out has a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MINIMUM_H
#define BELAY_ACLNNOP_ACLNN_MINIMUM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMinimum, const aclTensor *self, const aclTensor *other, aclTensor *out)
#endif
