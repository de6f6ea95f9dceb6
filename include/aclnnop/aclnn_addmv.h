/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of a matrix and a vector added to a vector.
 *
 *     out = beta * self + alpha * (mat @ vec)
 *
 * As aclnnAddmm (aclnnop/aclnn_addmm.h) with a vector for the second matrix; alpha comes before beta here.
 *
 * - mat (n, m), vec (m), out (n); self broadcasts to (n)
 * - FLOAT, FLOAT16 or BFLOAT16 in any mix; with DOUBLE, COMPLEX64, INT8 to INT64, UINT8, which wrap, or BOOL,
 *   whose product is and, and sum or, all promote together, and out is what the result may be cast to
 * - alpha, beta: any real dtype, read as FLOAT, and beside other dtypes what may become theirs; self is not
 *   read where beta is 0, nor mat and vec where alpha is 0
 * - cubeMathType: 0 to 4, which all give the same
 *
 * Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADDMV_H
#define BELAY_ACLNNOP_ACLNN_ADDMV_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnAddmv, const aclTensor *self, const aclTensor *mat, const aclTensor *vec,
               const aclScalar *alpha, const aclScalar *beta, aclTensor *out, int8_t cubeMathType)

#endif
