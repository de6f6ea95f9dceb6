/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The step at 0: 0 where input is below 0, values where it is 0 of either sign, 1 above; of NaN 0. BOOL is
 * or. input and values broadcast and promote together: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8
 * and BOOL; out has a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HEAVISIDE_H
#define BELAY_ACLNNOP_ACLNN_HEAVISIDE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHeaviside, const aclTensor *input, const aclTensor *values, aclTensor *out)
#endif
