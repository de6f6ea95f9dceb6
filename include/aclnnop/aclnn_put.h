/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Puts elements of source where indices into the flattened selfRef say, or adds them there.
 *
 *     selfRef.flatten()[index[...]] = source[...]
 *
 * - selfRef: floats, integers, BOOL or complex; source: its dtype, and as many elements as index, whose shape
 *   is another thing: both are taken in row-major order
 * - index: INT32 or INT64, any dtype where there are none; -n to n - 1 for n elements, negative ones from
 *   the end
 * - accumulate: elements are added, sums rounded once (integers wrap, of BOOL it is whether any is true);
 *   otherwise the last one of several wins, bit by bit
 *
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value. Rules that all
 * functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_PUT_H
#define BELAY_ACLNNOP_ACLNN_PUT_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnInplacePut, aclTensor *selfRef, const aclTensor *index, const aclTensor *source,
               bool accumulate)

#endif
