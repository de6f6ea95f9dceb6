/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether self and other have one shape and equal elements, which NaN never has; empty tensors of one
 * shape are equal. Real dtypes, which promote together. out is BOOL and has one element.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EQUAL_H
#define BELAY_ACLNNOP_ACLNN_EQUAL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnEqual, const aclTensor *self, const aclTensor *other, aclTensor *out)
#endif
