/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The elements of one dim from start up to, and without, end, by step.
 * FLOAT, FLOAT16, BFLOAT16, INT8, INT32, INT64, UINT8 and BOOL, of rank 1 to 8. Bits are copied. Numbers
 * below 0 count from the end of the dim; what is outside of it is left out, as in Python.
 * 161002 too: a step below 1; a dim that there is not.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SLICE_H
#define BELAY_ACLNNOP_ACLNN_SLICE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSlice, const aclTensor *self, int64_t dim, int64_t start, int64_t end, int64_t step,
               aclTensor *out)
#endif
