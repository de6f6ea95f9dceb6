/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * MaskedSelect: the elements of a tensor where a mask is true, in row-major order.
 *
 * - self: floats, INT8 to INT64, UINT8 or BOOL, on Ascend950 also UINT16 to UINT64
 * - mask: BOOL or UINT8, of which 0 is false; broadcasts with self
 * - out: one dim, as many elements as both broadcast to; one of self's dtypes, to which elements are cast
 *
 * How many there are is known when the work has run: out gets that shape then, which aclGetViewShape tells
 * once the stream has been synchronised; what lies behind stays as it was. Where out has been destroyed by
 * then, the elements are written all the same. Rules that all functions share are in aclnnop/function.h.
 * Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MASKED_SELECT_H
#define BELAY_ACLNNOP_ACLNN_MASKED_SELECT_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMaskedSelect, const aclTensor *self, const aclTensor *mask, aclTensor *out)

#endif
