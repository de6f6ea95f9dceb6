/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = L with L L^T = self for each of the matrices that the last two dims of self are, or with upper U with
 * U^T U = self; 0 in the other triangle, which is not read of self. FLOAT, DOUBLE or BFLOAT16, also of out,
 * which has self's shape. In DOUBLE, rounded once. A matrix that is not positive-definite fails the work when
 * it runs: the next synchronise says so. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LINALG_CHOLESKY_H
#define BELAY_ACLNNOP_ACLNN_LINALG_CHOLESKY_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLinalgCholesky, const aclTensor *self, bool upper, aclTensor *out)
#endif
