/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor whose dims are put into another order, and which is then given another shape; or the other way round.
 * - x, out: any dtype, the same. transposeFirst: dim i of what is turned is dim perm[i] of x, and out has the elements of
 *   that, row-major, in the shape `shape`; otherwise x has that shape first, and dim i of out is dim perm[i] of it.
 * 161002 too: sizes with another number of elements, a perm that does not name every dim once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CONFUSION_TRANSPOSE_H
#define BELAY_ACLNNOP_ACLNN_CONFUSION_TRANSPOSE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnConfusionTranspose, const aclTensor *x, const aclIntArray *perm, const aclIntArray *shape,
               bool transposeFirst, aclTensor *out)
#endif
