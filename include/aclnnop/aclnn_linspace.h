/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * As many numbers as steps says from start to end, both among them, at equal distances.
 * start and end are real scalars; out is FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64 or UINT8, of any
 * shape with that many elements. Computed in DOUBLE, in the first half from start on and in the second from
 * end on, and rounded once more to out; integers lose the fraction.
 * 161002 too: steps below 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LINSPACE_H
#define BELAY_ACLNNOP_ACLNN_LINSPACE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLinspace, const aclScalar *start, const aclScalar *end, int64_t steps, aclTensor *out)
#endif
