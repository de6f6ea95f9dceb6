/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = beta * self + alpha * (sum of the products batch1[b] @ batch2[b]). batch1 (b, m, k), batch2 (b, k,
 * n), either b may be 1; out (m, n); self broadcasts to it, and is not read where beta is 0. FLOAT,
 * FLOAT16 or BFLOAT16 in any mix, as in Addmm, whose arithmetic it is: one sum along all matrices of the
 * batch, rounded once. The second form has selfRef for self and out.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADDBMM_H
#define BELAY_ACLNNOP_ACLNN_ADDBMM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddbmm, const aclTensor *self, const aclTensor *batch1, const aclTensor *batch2,
               const aclScalar *beta, const aclScalar *alpha, aclTensor *out, int8_t cubeMathType)
ACLNN_FUNCTION(aclnnInplaceAddbmm, aclTensor *selfRef, const aclTensor *batch1, const aclTensor *batch2,
               const aclScalar *beta, const aclScalar *alpha, int8_t cubeMathType)
#endif
