/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of AdaptiveMaxPool3d: for each element of self the sum of gradOutput over the windows whose
 * maximum it was, in FLOAT in the row-major order of the windows, and rounded once. gradOutput, self and
 * gradInput: FLOAT, FLOAT16 or BFLOAT16, the same. indices: INT32 or INT64, of gradOutput's shape; one that
 * names no place of its plane makes the task fail (507035 at the next synchronise).
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAdaptiveMaxPool3dBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *indices, aclTensor *gradInput)
#endif
