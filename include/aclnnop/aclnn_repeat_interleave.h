/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements, slices along a dim, or the numbers from 0 on, each repeated before the next one.
 * FLOAT, FLOAT16, BFLOAT16, INT8 to INT64, UINT8, BOOL and, on Ascend950, UINT16 to UINT64; bits are copied.
 * Without dim self is taken in row-major order, and out has one dim. repeats is a number for all, or an
 * INT32 or INT64 tensor of rank 0 or 1 with an element for each, or one for all; RepeatInterleaveTensor
 * repeats numbers by it, in its dtype. outputSize is the size of out along what is repeated.
 * A tensor of repeats is read when the work runs: one below 0, or a sum other than outputSize, fails the
 * work before anything is written.
 * 161002 too: repeats of another size; a number below 0, or another outputSize than it makes; a self of rank
 * 0 with dim.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REPEAT_INTERLEAVE_H
#define BELAY_ACLNNOP_ACLNN_REPEAT_INTERLEAVE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRepeatInterleave, const aclTensor *self, const aclTensor *repeats, int64_t outputSize,
               aclTensor *out)
ACLNN_FUNCTION(aclnnRepeatInterleaveWithDim, const aclTensor *self, const aclTensor *repeats, int64_t dim,
               int64_t outputSize, aclTensor *out)
ACLNN_FUNCTION(aclnnRepeatInterleaveInt, const aclTensor *self, int64_t repeats, int64_t outputSize,
               aclTensor *out)
ACLNN_FUNCTION(aclnnRepeatInterleaveIntWithDim, const aclTensor *self, int64_t repeats, int64_t dim,
               int64_t outputSize, aclTensor *out)
ACLNN_FUNCTION(aclnnRepeatInterleaveTensor, const aclTensor *repeats, int64_t outputSize, aclTensor *out)
#endif
