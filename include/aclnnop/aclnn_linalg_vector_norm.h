/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Norms along dims, of elements cast to dtype: (sum of |self|^p)^(1/p),
 * where p = ord is 0 the number of elements that are not 0, where it is infinite the greatest
 * or the least |self|, as 2147483647 and -2147483648 are, too; NaN where an element or p is; of nothing 0.
 *
 * self: FLOAT, FLOAT16, BFLOAT16 or DOUBLE; ord: any real dtype; dims: from -rank to rank - 1, each
 * once; an empty array stands for all; out: of dtype, any of these, the shape of self without the dims, or
 * with 1 for each if keepDims; () and {1} stand for each other. Computed in DOUBLE, sums in an order that the
 * number of elements fixes, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LINALG_VECTOR_NORM_H
#define BELAY_ACLNNOP_ACLNN_LINALG_VECTOR_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLinalgVectorNorm, const aclTensor *self, const aclScalar *ord, const aclIntArray *dims,
               bool keepDims, aclDataType dtype, aclTensor *out)
#endif
