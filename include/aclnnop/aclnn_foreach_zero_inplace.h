/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * +0 in every element of every tensor. Any dtype, one for all tensors; empty ones are skipped.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ZERO_INPLACE_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ZERO_INPLACE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachZeroInplace, aclTensorList *x)
#endif
