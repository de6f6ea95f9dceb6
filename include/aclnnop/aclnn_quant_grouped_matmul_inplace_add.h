/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of parts of the common dim, by a list of groups, added to what is there: yRef[g] += x1_g^T @ x2_g, with
 * scales.
 * x1: [k, m], x2: [k, n], of FLOAT8_E4M3FN and FLOAT8_E5M2 by each other or HIFLOAT8 by itself, under Ascend950, or
 * INT8. groupList: INT64 (groups), by groupListType 0 where the steps of each group end, 1 how many they are, or, 2,
 * (groups, 2), pairs of a group and how many; read when the work runs. scale2: FLOAT (groups), (groups, 1) or
 * (groups, n); scale1Optional: NULL, or FLOAT (groups) or (groups, 1). Of MX, FLOAT8_E8M0, of FLOAT8: scale1
 * (k / 64 + groups, m, 2) and scale2 (k / 64 + groups, n, 2), k / 64 rounded down: a group's pairs of blocks of 32
 * steps, which begin anew in it, lie from (its first step / 64, rounded down) + its number on. yRef: FLOAT (groups,
 * m, n), read and written; a group without steps stays. Products are exact, the rest is in DOUBLE, rounded once.
 * groupSize changes nothing. The work fails for a groupList that falls or goes beyond k. Order as torch_npu 2.14
 * passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_GROUPED_MATMUL_INPLACE_ADD_H
#define BELAY_ACLNNOP_ACLNN_QUANT_GROUPED_MATMUL_INPLACE_ADD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantGroupedMatmulInplaceAdd, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *scale1Optional, const aclTensor *scale2, const aclTensor *groupList,
               aclTensor *yRef, int64_t groupListType, int64_t groupSize)
#endif
