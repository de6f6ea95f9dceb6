/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers of aclnnSimThreadExponential with seed and offset in device memory, which is read when the
 * work runs: seed = *seedTensor, offset = *offsetTensor + offset.
 * selfRef: FLOAT, FLOAT16, BFLOAT16; it is written though the prototype has const. seedTensor, offsetTensor:
 * INT64, one element each. Order as torch_npu 2.14 passes it.
 * 161002 too: lambd that is not above 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_STATELESS_EXPONENTIAL_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_STATELESS_EXPONENTIAL_TENSOR_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnStatelessExponentialTensor, const aclTensor *selfRef, double lambd,
               const aclTensor *seedTensor, const aclTensor *offsetTensor, int64_t offset)

#endif
