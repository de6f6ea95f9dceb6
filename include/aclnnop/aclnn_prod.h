/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The product of all elements of self (Prod), or of those along dim (ProdDim), after each has been cast to
 * dtype: floats and complex numbers are multiplied in DOUBLE, in an order that their number fixes, and
 * rounded once; integers wrap; of BOOL the product is whether all are true. Of nothing it is 1; complex:
 * 161002.
 *
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8, BOOL, COMPLEX64 or COMPLEX128; dtype: any of
 * these; out: of dtype, with one element, or the shape of self without dim, or with 1 there if keepDim; ()
 * and {1} stand for each other; dim from -rank to rank - 1, of rank 0 also 0 and -1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_PROD_H
#define BELAY_ACLNNOP_ACLNN_PROD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnProd, const aclTensor *self, aclDataType dtype, aclTensor *out)
ACLNN_FUNCTION(aclnnProdDim, const aclTensor *self, int64_t dim, bool keepDim, aclDataType dtype,
               aclTensor *out)
#endif
