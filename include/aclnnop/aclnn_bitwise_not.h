/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bits of self the other way around; of BOOL not. Integers and BOOL. out has the dtype and shape of
 * self.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BITWISE_NOT_H
#define BELAY_ACLNNOP_ACLNN_BITWISE_NOT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBitwiseNot, const aclTensor *self, aclTensor *out)
#endif
