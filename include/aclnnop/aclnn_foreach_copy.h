/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tensors of x, converted to the dtypes of those of out as by aclnnCast. Any dtype, one for all of
 * x; tensors with one index have one shape; empty ones are skipped.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_COPY_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_COPY_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachCopy, const aclTensorList *x, aclTensorList *out)
#endif
