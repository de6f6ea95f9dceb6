/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What Im2col has taken apart, added up: out (N, C, H, W) or (C, H, W), of H and W in inputSize, has at each
 * place the sum of all elements of gradOutput (N, C kH kW, L) or (C kH kW, L) that Im2col would have taken
 * from there, by row and column of the kernel, in DOUBLE that is rounded once. gradOutput and out: FLOAT,
 * FLOAT16 or BFLOAT16, the same. The arrays are as for Im2col.
 */
#ifndef BELAY_ACLNNOP_ACLNN_IM2COL_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_IM2COL_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnIm2colBackward, const aclTensor *gradOutput, const aclIntArray *inputSize,
               const aclIntArray *kernelSize, const aclIntArray *dilation, const aclIntArray *padding,
               const aclIntArray *stride, aclTensor *out)
#endif
