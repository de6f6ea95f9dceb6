/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnHardtanh: gradOutput where self is between min and max or NaN, 0 elsewhere.
 * FLOAT, FLOAT16 and BFLOAT16, one dtype for gradOutput and self, any of them for out; one shape for all;
 * the scalars are real ones, read as FLOAT.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HARDTANH_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_HARDTANH_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHardtanhBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclScalar *min, const aclScalar *max, aclTensor *out)
#endif
