/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor with dims of size 1 repeated, and new ones in front.
 * FLOAT, FLOAT16, BFLOAT16, INT8, INT32, INT64, UINT8 and BOOL. Bits are copied; out has memory of its own.
 * size has an element for each dim of out; -1 keeps that of self.
 * 161002 too: fewer elements than self has dims, or more than 8; one that is not -1 or the size of a dim
 * over 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EXPAND_H
#define BELAY_ACLNNOP_ACLNN_EXPAND_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnExpand, const aclTensor *self, const aclIntArray *size, aclTensor *out)
#endif
