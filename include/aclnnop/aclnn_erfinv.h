/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The number whose error function is self, within 1 ulp: infinite for 1 and -1, NaN beyond. FLOAT, FLOAT16,
 * BFLOAT16, INT8 to INT64, UINT8 and BOOL; integers and BOOL are computed in FLOAT. out has a dtype that the
 * result may be cast to; in place FLOAT, FLOAT16 and BFLOAT16.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ERFINV_H
#define BELAY_ACLNNOP_ACLNN_ERFINV_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnErfinv, const aclTensor *self, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceErfinv, aclTensor *selfRef)
#endif
