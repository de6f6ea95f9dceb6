/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self = Q R for each of the matrices that the last two dims of self are: Q's columns are orthonormal, and R
 * is 0 below its diagonal. mode 0, reduced: Q (.., m, k) and R (.., k, n), k the smaller of m and n; 1,
 * complete: Q (.., m, m) and R (.., m, n); 2, r: R as reduced, and Q is left alone. FLOAT, FLOAT16, DOUBLE,
 * COMPLEX64 or COMPLEX128, also of Q and R. Householder's reflections in DOUBLE with LAPACK's signs, so that
 * R's diagonal, which is real, may be negative, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LINALG_QR_H
#define BELAY_ACLNNOP_ACLNN_LINALG_QR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLinalgQr, const aclTensor *self, int64_t mode, aclTensor *Q, aclTensor *R)
#endif
