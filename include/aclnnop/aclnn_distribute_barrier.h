/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * All ranks of a group wait for one another on their streams. xRef: any dtype, up to 8 dims; it is neither
 * read nor written; worldSize is the number of ranks. group is the name of a communicator of the current
 * device, as HcclGetCommName tells (161002 where there is none, 361001 without libhccl.so); all its ranks
 * call the function in the same order as its collectives, with which its work shares checks, timeouts and
 * failures, and cannot be recorded. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DISTRIBUTE_BARRIER_H
#define BELAY_ACLNNOP_ACLNN_DISTRIBUTE_BARRIER_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDistributeBarrier, aclTensor *xRef, const char *group, int64_t worldSize)
#endif
