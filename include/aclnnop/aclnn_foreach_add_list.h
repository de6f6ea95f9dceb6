/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x1 + alpha * x2 for each index, rounded once; integers wrap. Floats, INT8 to INT64 and UINT8. All tensors
 * of the lists have one dtype; those with one index have one shape; empty ones are skipped. An output may be
 * its own input.
 * alpha: a tensor of one element, of rank 0 or 1, which is read when the work runs, before anything is
 * written: any real dtype, an integer or BOOL beside integers.
 * The older form of aclnnForeachAddListV2.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ADD_LIST_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ADD_LIST_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnForeachAddList, const aclTensorList *x1, const aclTensorList *x2, const aclTensor *alpha,
               aclTensorList *out)

#endif
