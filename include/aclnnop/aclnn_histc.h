/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How many elements are in each of some bins of equal width from min to max: x is in bin floor((x - min)
 * bins / (max - min)), in doubles, and max in the last one. What lies outside, and NaN, does not count.
 * Where min and max are equal they are those of the elements, and one less and more if these are equal, too;
 * infinite ones fail the task.
 * self: FLOAT, FLOAT16, INT8 to INT64, UINT8; bins: 1 or more; min, max: real and finite, min not greater;
 * out: one of self's dtypes, which one of both casts to, rank 1, bins elements.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HISTC_H
#define BELAY_ACLNNOP_ACLNN_HISTC_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnHistc, const aclTensor *self, int64_t bins, const aclScalar *min, const aclScalar *max,
               aclTensor *out)

#endif
