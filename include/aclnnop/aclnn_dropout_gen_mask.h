/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A mask of random bits for dropout, 0 with the probability prob.
 * shape is that of the elements, n of them; an empty array stands for one. A mask has one bit for each
 * element, 1 to keep it: element i, in row-major order, is bit i mod 8 of byte i / 8, the lowest bit first;
 * UINT8, of any shape with ceil(n / 128) 16 elements. The bit is 1 where w + 1/2 < (1 - prob) 2^32 for the
 * word w of its number, evaluated exactly; those behind the last element are drawn, too. probDataType is
 * FLOAT, FLOAT16 or BFLOAT16 and changes nothing.
 * With tensors, of one INT64 each, seed is what seedTensor holds when the work runs, and offset is added to
 * what offsetTensor holds.
 * Random bits are those of aclnn_uniform.h: they depend on seed, offset and the element's row-major number
 * alone, the same on every processor, with any number of threads and in any layout; other libraries and
 * devices give other numbers.
 * 161002 too: a negative size; prob outside 0 to 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DROPOUT_GEN_MASK_H
#define BELAY_ACLNNOP_ACLNN_DROPOUT_GEN_MASK_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDropoutGenMask, const aclIntArray *shape, double prob, int64_t seed, int64_t offset,
               aclTensor *out)
ACLNN_FUNCTION(aclnnDropoutGenMaskV2, const aclIntArray *shape, double prob, int64_t seed, int64_t offset,
               aclDataType probDataType, aclTensor *out)
ACLNN_FUNCTION(aclnnDropoutGenMaskV2Tensor, const aclIntArray *shape, double prob,
               const aclTensor *seedTensor, const aclTensor *offsetTensor, int64_t offset,
               aclDataType probDataType, aclTensor *out)
#endif
