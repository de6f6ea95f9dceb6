/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 with the probability prob, otherwise 0.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL; out has the dtype and shape of self,
 * whose elements are not read. prob is a real scalar from 0 to 1, or a FLOAT, FLOAT16, BFLOAT16 or DOUBLE
 * tensor that broadcasts to self: there NaN and what is below 0 are 0, and what is above 1 is 1. An element
 * is 1 where w + 1/2 < prob 2^32 for its word w, evaluated exactly: 0 never, 1 always.
 * Random bits are those of aclnn_uniform.h: they depend on seed, offset and the element's row-major number
 * alone, the same on every processor, with any number of threads and in any layout; other libraries and
 * devices give other numbers.
 * 161002 too: a scalar prob outside 0 to 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BERNOULLI_H
#define BELAY_ACLNNOP_ACLNN_BERNOULLI_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBernoulli, const aclTensor *self, const aclScalar *prob, int64_t seed, int64_t offset,
               aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceBernoulli, const aclTensor *selfRef, const aclScalar *prob, int64_t seed,
               int64_t offset)
ACLNN_FUNCTION(aclnnBernoulliTensor, const aclTensor *self, const aclTensor *prob, int64_t seed,
               int64_t offset, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceBernoulliTensor, const aclTensor *selfRef, const aclTensor *prob, int64_t seed,
               int64_t offset)
#endif
