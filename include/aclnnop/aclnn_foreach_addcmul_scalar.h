/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x1 + scalar * x2 * x3 for each index, as aclnnAddcmul has it. Floats, INT32 and INT64, which wrap. All
 * tensors of the lists have one dtype; those with one index have one shape; empty ones are skipped. An
 * output may be its own input.
 * scalar: a tensor of one element, of rank 0 or 1, which is read when the work runs, before anything is
 * written: any real dtype, an integer or BOOL beside integers.
 * The older form of aclnnForeachAddcmulScalarV2.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ADDCMUL_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ADDCMUL_SCALAR_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnForeachAddcmulScalar, const aclTensorList *x1, const aclTensorList *x2,
               const aclTensorList *x3, const aclTensor *scalar, aclTensorList *out)

#endif
