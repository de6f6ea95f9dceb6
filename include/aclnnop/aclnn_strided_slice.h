/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Slices of dims by TensorFlow's rule: steps of either sign, and masks of entries.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL, COMPLEX64 and COMPLEX128. Bits are
 * copied. Bit k of a mask is for entry k: beginMask and endMask slice from and to the end, ellipsisMask
 * leaves as many dims whole as no entry is for, newAxisMask adds a dim of size 1, shrinkAxisMask takes one
 * index and drops the dim. Dims behind the last entry are whole.
 * 161002 too: arrays of different lengths; a stride of 0; more than one bit in ellipsisMask; more entries
 * than dims; an index that there is not, or a stride below 0, for a dim that vanishes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_STRIDED_SLICE_H
#define BELAY_ACLNNOP_ACLNN_STRIDED_SLICE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnStridedSlice, const aclTensor *self, const aclIntArray *begin, const aclIntArray *end,
               const aclIntArray *strides, int64_t beginMask, int64_t endMask, int64_t ellipsisMask,
               int64_t newAxisMask, int64_t shrinkAxisMask, aclTensor *out)
#endif
