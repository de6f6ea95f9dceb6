/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * NonzeroV2: the coordinates of all elements that are not 0, a column for each, in row-major order.
 *
 * - self: floats, integers or BOOL; NaN is not 0
 * - out: INT64, (dims of self, elements of self); where it is contiguous, any shape with room for these. The
 *   rows lie one behind the other, each as long as there are elements that are not 0
 *
 * How many there are is known when the work has run: out gets that shape then, which aclGetViewShape tells
 * once the stream has been synchronised; what lies behind stays as it was. Where out has been destroyed by
 * then, the elements are written all the same. Rules that all functions share are in aclnnop/function.h.
 * Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NONZERO_V2_H
#define BELAY_ACLNNOP_ACLNN_NONZERO_V2_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnNonzeroV2, const aclTensor *self, aclTensor *out)

#endif
