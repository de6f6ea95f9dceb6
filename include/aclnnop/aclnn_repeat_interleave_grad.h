/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnRepeatInterleaveWithDim: row k of out along axis is the sum of those rows of yGrad
 * that it was repeated to, repeats[k] of them, one after the other; or repeats[0] where it has one element.
 * yGrad and out: FLOAT, FLOAT16 or BFLOAT16, the same, of the same sizes but along axis, where out has as
 * many rows as repeats, which is INT32 or INT64 and has one dim at most. Sums are in DOUBLE, in the order of
 * the rows, rounded once. A repeat below 0, or a sum of them other than yGrad's size along axis, is found
 * when the work runs, and fails it before anything is written. 161002 too: a yGrad of rank 0; an axis that
 * yGrad does not have.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REPEAT_INTERLEAVE_GRAD_H
#define BELAY_ACLNNOP_ACLNN_REPEAT_INTERLEAVE_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRepeatInterleaveGrad, const aclTensor *yGrad, const aclTensor *repeats, int64_t axis,
               aclTensor *out)
#endif
