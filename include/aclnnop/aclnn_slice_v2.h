/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The elements of some dims from starts up to, and without, ends, by steps.
 * FLOAT, FLOAT16, BFLOAT16, INT8, INT32, INT64, UINT8 and BOOL, of rank 1 to 8. Bits are copied. Numbers
 * below 0 count from the end of a dim; what is outside of it is left out, as in Python.
 * 161002 too: arrays of different lengths; a step below 1; an axis that there is not, or one twice.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SLICE_V2_H
#define BELAY_ACLNNOP_ACLNN_SLICE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSliceV2, const aclTensor *self, const aclIntArray *starts, const aclIntArray *ends,
               const aclIntArray *axes, const aclIntArray *steps, aclTensor *out)
#endif
