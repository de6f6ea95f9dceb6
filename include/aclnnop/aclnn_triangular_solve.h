/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * X of A X = self for triangular matrices A, or of A^T X = self with transpose; upper says which triangle of
 * A counts, and with unitriangular its diagonal is taken for ones. mOut is A, both triangles of it. self
 * (.., n, k) and A (.., n, n): FLOAT, DOUBLE, COMPLEX64 or COMPLEX128, the same; the dims before the matrices
 * broadcast, also in xOut and mOut. Substitution goes row by row, of FLOAT in FLOAT (with
 * BELAY_ACCURACY=exact in DOUBLE); a diagonal of 0 gives inf or NaN.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TRIANGULAR_SOLVE_H
#define BELAY_ACLNNOP_ACLNN_TRIANGULAR_SOLVE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnTriangularSolve, const aclTensor *self, const aclTensor *A, bool upper, bool transpose,
               bool unitriangular, aclTensor *xOut, aclTensor *mOut)
#endif
