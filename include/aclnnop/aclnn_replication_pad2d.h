/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor with its last 2 dims continued at both edges: the edge again and again. FLOAT, FLOAT16, DOUBLE,
 * INT8 to INT64 and UINT8; BFLOAT16, COMPLEX64 and COMPLEX128 not on Ascend910A; BOOL and UINT16 to UINT64 on
 * Ascend950; bits are copied. self has rank 3 or 4; padding holds 4 numbers, what is added before and behind,
 * for the last dim first; numbers below 0 crop. Of a self without elements only the batch has size 0. 161002
 * too: another number of elements in padding; more cropped than there is.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REPLICATION_PAD2D_H
#define BELAY_ACLNNOP_ACLNN_REPLICATION_PAD2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnReplicationPad2d, const aclTensor *self, const aclIntArray *padding, aclTensor *out)
#endif
