/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product whose columns go to all ranks: y = x1 @ x2 + bias, of which rank q gets part q of the columns.
 * x1: FLOAT16 or BFLOAT16 [rows, k]; x2: like x1, [k, n], or [n, k] with transposeX2, n a multiple of the ranks W;
 * biasOptional: NULL, or [n] of x1's dtype or FLOAT. output: [W * rows, n / W] of x1's dtype: what comes from rank q
 * are rows q * rows to (q + 1) * rows. alltoAllAxesOptional: NULL, empty or [-1, -2].
 * group: the name of a communicator of the current device, as HcclGetCommName tells; all its ranks call alike, and
 * the call is one collective of it. transposeX1: false. commMode changes nothing. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MATMUL_ALLTO_ALL_V2_H
#define BELAY_ACLNNOP_ACLNN_MATMUL_ALLTO_ALL_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMatmulAlltoAllV2, const aclTensor *x1, const aclTensor *x2, const aclTensor *biasOptional,
               const aclIntArray *alltoAllAxesOptional, const char *group, const char *commMode,
               bool transposeX1, bool transposeX2, const aclTensor *output)
#endif
