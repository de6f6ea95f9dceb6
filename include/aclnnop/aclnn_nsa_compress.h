/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Windows of a sequence's rows as one row each: the sum of compressBlockSize rows, each times the
 * weight of its place and head.
 * - input (T, N, D), weight (compressBlockSize, N), output (windows, N, D): FLOAT16 or BFLOAT16,
 *   one dtype.
 * - actSeqLenOptional: where sequences end, which must be given (actSeqLenType 0). A sequence of L
 *   rows has (L - compressBlockSize) / compressStride + 1 windows, compressStride apart, none where
 *   it is shorter. layoutOptional: "TND".
 * Sums are in doubles, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_H
#define BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNsaCompress, const aclTensor *input, const aclTensor *weight,
               const aclIntArray *actSeqLenOptional, char *layoutOptional, int64_t compressBlockSize,
               int64_t compressStride, int64_t actSeqLenType, aclTensor *output)
#endif
