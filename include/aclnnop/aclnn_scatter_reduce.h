/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scatter that may leave out what was there: a tensor whose places, which an index names in one dim, become
 * what all elements for them are reduced to.
 *
 * Arguments and reductions are those of aclnnScatter (aclnn_scatter.h). Without includeSelf a place that
 * something comes to begins with the first element that does: self's element there counts neither in the
 * result nor in the mean. Places that nothing comes to keep self's element.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SCATTER_REDUCE_H
#define BELAY_ACLNNOP_ACLNN_SCATTER_REDUCE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnScatterReduce, const aclTensor *self, int64_t dim, const aclTensor *index,
               const aclTensor *src, int64_t reduce, bool includeSelf, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceScatterReduce, aclTensor *selfRef, int64_t dim, const aclTensor *index,
               const aclTensor *src, int64_t reduce, bool includeSelf)

#endif
