/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A norm as numbers of few bits: y = (x rstd gamma + beta) / scale + offset, rstd = 1 / sqrt(mean of x^2 +
 * epsilon) over the last dims, as many as gamma has.
 *
 * x, gamma, beta, scale: FLOAT, FLOAT16 or BFLOAT16; gamma and beta FLOAT or of the dtype of x, of the
 * last dims of x, or [1, last dim]; scale and offset: 1 element, or one for each of a row; offset: one of
 * these, INT8 or INT32. y: the shape of x, INT8, or INT4: of that dtype, contiguous, or eight to an
 * element of INT32, the first in the lowest bits, and the last dim over 8; with Ascend950 FLOAT8_E4M3FN or
 * FLOAT8_E5M2 too. Whole numbers are the nearest, ties to even, no further than the ends of INT8 or INT4,
 * 0 for NaN; floats no further than the greatest number. In DOUBLE, sums in an order that the length of a
 * row fixes.
 *
 * 161002 too: rows of x that are no whole elements of y. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RMS_NORM_QUANT_H
#define BELAY_ACLNNOP_ACLNN_RMS_NORM_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRmsNormQuant, const aclTensor *x, const aclTensor *gamma, const aclTensor *beta,
               const aclTensor *scale, const aclTensor *offset, double epsilon, aclTensor *y)
#endif
