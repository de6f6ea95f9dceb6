/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of all ranks, one rank's behind the other's, times x2: output = gather(x1) @ x2 + bias. x1:
 * FLOAT16 or BFLOAT16, [m, k]; x2: its dtype, [k, n], any strides; bias: its dtype, [n], or NULL; output:
 * its dtype, [ranks * m, n], in FLOAT, rounded once; gatherOut: its dtype, [ranks * m, k], the rows, or
 * NULL or empty where they are not wanted. gatherIndex is 0, to gather x1; commTurn and streamMode change
 * nothing. group is the name of a communicator of the current device, as HcclGetCommName tells (161002
 * where there is none, 361001 without libhccl.so); all its ranks call the function in the same order as its
 * collectives, with which its work shares checks, timeouts and failures, and cannot be recorded. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALL_GATHER_MATMUL_H
#define BELAY_ACLNNOP_ACLNN_ALL_GATHER_MATMUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAllGatherMatmul, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const char *group, int64_t gatherIndex, int64_t commTurn, int64_t streamMode,
               const aclTensor *output, const aclTensor *gatherOut)
#endif
