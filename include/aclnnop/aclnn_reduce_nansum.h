/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums along dims of elements cast to dtype, in which NaN counts as 0: floats in DOUBLE, in an order that
 * their number fixes, rounded once; integers exactly; BOOL by or; of nothing 0.
 *
 * self, dtype and out: FLOAT, FLOAT16, BFLOAT16, INT8 to INT64, UINT8 or BOOL; self can be cast to dtype,
 * which out has; dim: from -rank to rank - 1, each once, an empty array stands for all; out: the shape of
 * self without the dims, or with 1 for each if keepDim; () and {1} stand for each other.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REDUCE_NANSUM_H
#define BELAY_ACLNNOP_ACLNN_REDUCE_NANSUM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnReduceNansum, const aclTensor *self, const aclIntArray *dim, bool keepDim,
               aclDataType dtype, aclTensor *out)
#endif
