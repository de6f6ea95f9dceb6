/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self = u diag(sigma) v^T for each of the matrices (m, n) that the last two dims of self are, sigma
 * falling, u's and v's columns orthonormal: k of them, the smaller of m and n, or with fullMatrices m and
 * n. v is not transposed. Without computeUV u and v are left alone, and may have any shape. FLOAT or
 * DOUBLE, also of all that comes out. In DOUBLE, rounded once; a matrix with infinities or NaN gives NaN.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SVD_H
#define BELAY_ACLNNOP_ACLNN_SVD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSvd, const aclTensor *self, bool fullMatrices, bool computeUV, aclTensor *sigma,
               aclTensor *u, aclTensor *v)
#endif
