/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The matrix that has a vector on one of its diagonals and 0 elsewhere, or a vector of what a matrix has on
 * one. self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8, BOOL, COMPLEX64 or COMPLEX128, of 1 dim,
 * n elements, or of 2; diagonal: 0 for the main one, above 0 to the right of it, below 0 to the left; out:
 * the dtype of self; of a vector (n + |diagonal|, n + |diagonal|), of a matrix as many elements as the
 * diagonal has, 0 beyond its corners. Bits stay as they are. Order as MindSpore passes it. 161002 too: a self
 * of other dims; a matrix of more than 2^63 - 1 elements.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DIAG_H
#define BELAY_ACLNNOP_ACLNN_DIAG_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDiag, const aclTensor *self, int64_t diagonal, aclTensor *out)
#endif
