/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How often each number from 0 on is in a tensor, or the sum of the weights of the elements that hold it, in
 * their order: in doubles that are rounded once for a float out, wrapping for an integer one. Numbers that
 * out is too short for are dropped; a negative one fails the task before anything is written.
 * self: INT8 to INT64, UINT8, rank 1; weights: NULL, or FLOAT, FLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL
 * of self's shape; minlength: 0 or more; out: INT32, INT64, FLOAT or DOUBLE, rank 1, of any size.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BINCOUNT_H
#define BELAY_ACLNNOP_ACLNN_BINCOUNT_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnBincount, const aclTensor *self, const aclTensor *weights, int64_t minlength,
               aclTensor *out)

#endif
