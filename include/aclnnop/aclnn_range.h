/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers from start up to end, which is among them, at a distance of step.
 * start, end and step are real scalars; out is FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT32 or INT64, of rank 1
 * or more with floor((end - start) / step) + 1 elements, or one more or less, in row-major order. Floats:
 * start + k step in DOUBLE, rounded once there and once to out. INT32 and INT64: of the scalars as INT64, by
 * their low bits.
 * 161002 too, in that arithmetic: a step that is 0, NaN or leads away from end.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RANGE_H
#define BELAY_ACLNNOP_ACLNN_RANGE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRange, const aclScalar *start, const aclScalar *end, const aclScalar *step,
               aclTensor *out)
#endif
