/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * base to the power of as many numbers as steps says from start to end, both among them, at equal distances.
 * start and end are real scalars; result is FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64 or UINT8, of any
 * shape with that many elements. The exponents are those of aclnnLinspace in DOUBLE; the power is within 1
 * unit in the last place, and integers lose the fraction.
 * 161002 too: steps below 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOG_SPACE_H
#define BELAY_ACLNNOP_ACLNN_LOG_SPACE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnLogSpace, const aclScalar *start, const aclScalar *end, int64_t steps, double base,
               aclTensor *result)

#endif
