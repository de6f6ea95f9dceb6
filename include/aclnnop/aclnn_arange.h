/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers from start up to, and without, end, at a distance of step.
 * start, end and step are real scalars; out is FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT32 or INT64, of any
 * shape with ceil((end - start) / step) elements, or one more or less, in row-major order. Floats: start + k
 * step in DOUBLE, rounded once there and once to out. INT32 and INT64: of the scalars as INT64, by their low
 * bits.
 * 161002 too, in that arithmetic: a step that is 0, NaN or leads away from end.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ARANGE_H
#define BELAY_ACLNNOP_ACLNN_ARANGE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnArange, const aclScalar *start, const aclScalar *end, const aclScalar *step,
               aclTensor *out)
#endif
