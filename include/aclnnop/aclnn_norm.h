/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Norms along dims: (sum of |self|^p)^(1/p),
 * where p = pScalar is 0 the number of elements that are not 0, where it is infinite the greatest
 * or the least |self|, as 2147483647 and -2147483648 are, too; NaN where an element or p is; of nothing 0.
 *
 * self: FLOAT, FLOAT16 or BFLOAT16; pScalar: any real dtype; dim: from -rank to rank - 1,
 * each once; an empty array stands for all; out: any of these dtypes, the shape of self without the dims, or
 * with 1 for each if keepdim; () and {1} stand for each other. Computed in DOUBLE, sums in an order that the
 * number of elements fixes, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NORM_H
#define BELAY_ACLNNOP_ACLNN_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNorm, const aclTensor *self, const aclScalar *pScalar, const aclIntArray *dim,
               bool keepdim, aclTensor *out)
#endif
