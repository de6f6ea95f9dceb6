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
 * - FLOAT, FLOAT16 or BFLOAT16 in any mix. What a device takes besides, DOUBLE and integers, is refused
 * - alpha, beta: any real dtype, read as FLOAT; self is not read where beta is 0, nor mat and vec where alpha
 *   is 0
 * - cubeMathType: 0 to 4, which all give the same
 *
 * Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADDMV_H
#define BELAY_ACLNNOP_ACLNN_ADDMV_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(Addmv, const aclTensor *self, const aclTensor *mat, const aclTensor *vec,
               const aclScalar *alpha, const aclScalar *beta, aclTensor *out, int8_t cubeMathType)

#endif
