/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The slices of self along dim that index names: out[.., i, j, ..] = self[.., index[i, j], ..], with the dims
 * of index, one of 1 where it has none, in the place of dim. self and out: FLOAT, FLOAT16, BFLOAT16, DOUBLE,
 * INT8 to INT64, UINT8, BOOL, COMPLEX64 or COMPLEX128, the same; index: INT32 or INT64 of any rank, from -n
 * to n - 1 for a dim of size n. An index that is out of range fails the work before anything is written
 * (507035). Bits stay as they are. out of a self of rank 0 has rank 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GATHER_V2_H
#define BELAY_ACLNNOP_ACLNN_GATHER_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGatherV2, const aclTensor *self, int64_t dim, const aclTensor *index, aclTensor *out)
#endif
