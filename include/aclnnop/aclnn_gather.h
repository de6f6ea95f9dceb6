/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gather: for each position the element of the same one whose place in one dim an index says.
 *
 *     out[i, j, ...] = self[i, index[i, j, ...], ...]     for dim 1
 *
 * - self: floats, integers or BOOL. out: its dtype, and index's shape
 * - dim: negative ones count from behind
 * - index: INT32 or INT64, any dtype where there are none; as many dims as self, and in all but dim at most
 *   its sizes; -n to n - 1, negative ones from the end of the dim
 *
 * Elements are copied bit by bit.
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value. Rules that all
 * functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GATHER_H
#define BELAY_ACLNNOP_ACLNN_GATHER_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnGather, const aclTensor *self, int64_t dim, const aclTensor *index, aclTensor *out)

#endif
