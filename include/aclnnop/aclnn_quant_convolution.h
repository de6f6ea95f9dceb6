/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A convolution of small numbers with a scale for each channel of the output: output = (conv(input, weight) + bias) *
 * scale for a bias of INT32, conv(input, weight) * scale + bias for one of floats. input: INT8, on Ascend950 also
 * FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8, (N, C, L), (N, C, H, W) or (N, C, D, H, W); weight: (Cout, C / groups, ...)
 * of input's dtype, or both of FLOAT8; biasOptional: INT32 beside INT8, FLOAT, FLOAT16 or BFLOAT16 (Cout), or NULL;
 * scale: FLOAT, FLOAT16, BFLOAT16, or INT64 and UINT64 as aclnnTransQuantParam makes them, 1 element or Cout; stride,
 * padding, dilation: one number, or one for each axis (padding also two for each); groups divides both channels;
 * output: FLOAT, FLOAT16 or BFLOAT16. offsetOptional: NULL; offsetx: 0; transposed: false; roundMode: NULL, "" or
 * "rint". Sums of INT8 are exact, those of floats in DOUBLE; rounded once.
 * - 161001: input, weight, scale, stride, padding, dilation or output is NULL; 161002: dtypes, shapes, attributes
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_CONVOLUTION_H
#define BELAY_ACLNNOP_ACLNN_QUANT_CONVOLUTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantConvolution, const aclTensor *input, const aclTensor *weight,
               const aclTensor *biasOptional, const aclTensor *scale, const aclTensor *offsetOptional,
               const aclIntArray *stride, const aclIntArray *padding, const aclIntArray *dilation,
               bool transposed, const aclIntArray *outputPaddingOptional, int64_t groups, int32_t offsetx,
               const char *roundMode, aclTensor *output)
#endif
