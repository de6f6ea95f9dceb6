/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest common divisor of the elements of self and other, which broadcast and promote together: INT8
 * to INT64 and UINT8. It is not negative, but where the dtype has no such number, and 0 of two zeros; out has
 * a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GCD_H
#define BELAY_ACLNNOP_ACLNN_GCD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGcd, const aclTensor *self, const aclTensor *other, aclTensor *out)
#endif
