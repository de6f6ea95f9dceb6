/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fills the main diagonal of a tensor with a number.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL and COMPLEX64, of rank 2, or of a higher
 * one with all dims of one size. With wrap, in a matrix of more rows than columns, the diagonal begins again
 * after a row that is left out.
 * 161002 too: another rank or shape; a fillValue that the dtype of selfRef has no number for. It is a real
 * scalar.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FILL_DIAGONAL_H
#define BELAY_ACLNNOP_ACLNN_FILL_DIAGONAL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceFillDiagonal, aclTensor *selfRef, const aclScalar *fillValue, bool wrap)
#endif
