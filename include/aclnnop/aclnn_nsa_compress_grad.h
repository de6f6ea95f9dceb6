/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnNsaCompress, by the rules of aclnn_nsa_compress.h: outputGrad has the shape
 * of its output, inputGrad and weightGrad those of input and weight. Rows in no window are 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_GRAD_H
#define BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNsaCompressGrad, const aclTensor *outputGrad, const aclTensor *input,
               const aclTensor *weight, const aclIntArray *actSeqLenOptional, int64_t compressBlockSize,
               int64_t compressStride, int64_t actSeqLenType, char *layoutOptional, aclTensor *inputGrad,
               aclTensor *weightGrad)
#endif
