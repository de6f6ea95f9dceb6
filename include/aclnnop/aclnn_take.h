/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Take: the elements whose row-major numbers indices are.
 *
 *     out[...] = self.flatten()[index[...]]
 *
 * - self: floats, integers, BOOL or complex. out: its dtype, and index's shape
 * - index: INT32 or INT64, any dtype where there are none; -n to n - 1 for n elements, negative ones from
 *   the end
 *
 * Elements are copied bit by bit.
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value. Rules that all
 * functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TAKE_H
#define BELAY_ACLNNOP_ACLNN_TAKE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnTake, const aclTensor *self, const aclTensor *index, aclTensor *out)

#endif
