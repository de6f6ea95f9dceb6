/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fills a tensor with random whole numbers from `from` up to, and without, `to`.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL; with from and to also COMPLEX64 and
 * COMPLEX128, which Ascend950 refuses. The number is from + floor(x (to - from) / 2^64) for the 64 bits x of
 * the element, whatever its dtype, and is then cast as aclnnCast casts INT64; what a float dtype would round
 * up to `to`, or below from, is its last number inside. Without from and to: 0 up to the largest number of an
 * integer, 1 of BOOL, 2^11 of FLOAT16, 2^8 of BFLOAT16, 2^24 of FLOAT and 2^53 of DOUBLE, each included.
 * With tensors, of one INT64 each, seed is what seedTensor holds when the work runs, and offset is added to
 * what offsetTensor holds.
 * Random bits are those of aclnn_uniform.h: they depend on seed, offset and the element's row-major number
 * alone, the same on every processor, with any number of threads and in any layout; other libraries and
 * devices give other numbers.
 * 161002 too: from is not less than to; a float dtype has no number between them, as BFLOAT16 has none from
 * 299 up to 300; a tensor of another number of elements than 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RANDOM_H
#define BELAY_ACLNNOP_ACLNN_RANDOM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceRandom, const aclTensor *selfRef, int64_t from, int64_t to, int64_t seed,
               int64_t offset)
ACLNN_FUNCTION(aclnnInplaceRandomTensor, const aclTensor *selfRef, int64_t from, int64_t to,
               const aclTensor *seedTensor, const aclTensor *offsetTensor, int64_t offset)
ACLNN_FUNCTION(aclnnInplaceRandomWithoutFromTo, const aclTensor *selfRef, int64_t seed, int64_t offset)
ACLNN_FUNCTION(aclnnInplaceRandomWithoutFromToTensor, const aclTensor *selfRef, const aclTensor *seedTensor,
               const aclTensor *offsetTensor, int64_t offset)
#endif
