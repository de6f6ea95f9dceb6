/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The least of the elements of all tensors, which broadcast together; NaN in one of them gives NaN, and of
 * equal numbers, as +0 and -0, it is the first.
 * tensors: 1 or more, of one dtype: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL, whose
 * true is above false; out: one that the result may be cast to. 161002 too: an empty list; tensors of several
 * dtypes or of shapes that do not broadcast.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MIN_N_H
#define BELAY_ACLNNOP_ACLNN_MIN_N_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMinN, const aclTensorList *tensors, aclTensor *out)
#endif
