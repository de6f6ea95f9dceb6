/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x1 + scalars_i * x2 / x3 for each index i, as aclnnAddcdiv has it. Floats. All tensors of the lists have
 * one dtype; those with one index have one shape; empty ones are skipped. An output may be its own input.
 * scalars: a tensor with one element for each index, of rank 0 or 1, which is read when the work runs, as
 * it was before: any real dtype, integers or BOOL beside integers.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ADDCDIV_LIST_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ADDCDIV_LIST_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnForeachAddcdivList, const aclTensorList *x1, const aclTensorList *x2,
               const aclTensorList *x3, const aclTensor *scalars, aclTensorList *out)

#endif
