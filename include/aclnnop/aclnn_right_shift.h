/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bits of input moved by shiftBits to the right: INT8 to INT64 and UINT8 to UINT64, which broadcast and
 * promote together. A distance below 0, or of all bits of the dtype or more, leaves 0, or -1 of numbers below
 * 0; UINT64 has none. out has a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RIGHT_SHIFT_H
#define BELAY_ACLNNOP_ACLNN_RIGHT_SHIFT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRightShift, const aclTensor *input, const aclTensor *shiftBits, aclTensor *out)
#endif
