/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bits of self moved by shiftBits to the left: INT8 to INT64 and UINT8 to UINT64, which broadcast and
 * promote together; a scalar beside a tensor takes its dtype. A distance below 0, or of all bits of the dtype
 * or more, leaves 0. out has a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LEFT_SHIFT_H
#define BELAY_ACLNNOP_ACLNN_LEFT_SHIFT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLeftShift, const aclTensor *self, const aclTensor *shiftBits, aclTensor *out)
ACLNN_FUNCTION(aclnnLeftShifts, const aclTensor *self, const aclScalar *shiftBits, aclTensor *out)
#endif
