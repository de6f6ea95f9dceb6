/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ScatterAdd: a tensor with elements added at the places which an index names in one dim.
 *
 *     out = self, then out[i, index[i, j, ...], ...] += src[i, j, ...]     for dim 1
 *
 * As Scatter with reduce 1 (aclnnop/aclnn_scatter.h): sums in the index's row-major order, floats in doubles
 * that are rounded once; BOOL is or.
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value. Rules that all
 * functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SCATTER_ADD_H
#define BELAY_ACLNNOP_ACLNN_SCATTER_ADD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnScatterAdd, const aclTensor *self, int64_t dim, const aclTensor *index,
               const aclTensor *src, aclTensor *out)

#endif
