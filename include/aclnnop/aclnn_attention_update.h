/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention over all keys, of attention over parts of them.
 * - lse: a list of FLOAT (n), the logarithm of each part's sum of exponentials; localOut: as many FLOAT,
 *   FLOAT16 or BFLOAT16 (n, D). out, (n, D) of that dtype, is the sum of localOut e^(lse - z), z = ln of the
 *   sum of e^lse. lse of +inf, which attention writes for rows without keys, counts as -inf; a row that has
 *   nothing else is 0.
 * - updateType 1: lseOut, FLOAT (n), gets z, +inf of rows without keys; 0: it may be NULL and is not
 *   written.
 * In DOUBLE, rounded once. 161002 too: other shapes, lists of other lengths, other types. Order as torch_npu
 * 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ATTENTION_UPDATE_H
#define BELAY_ACLNNOP_ACLNN_ATTENTION_UPDATE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAttentionUpdate, const aclTensorList *lse, const aclTensorList *localOut,
               int64_t updateType, aclTensor *out, aclTensor *lseOut)
#endif
