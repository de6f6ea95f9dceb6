/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Indices drawn at random, each with a probability in proportion to its weight in the row.
 * self holds the weights: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, (C) or (N, C) with C from 1 to 2^24; out is
 * INT64, (numsamples) or (N, numsamples). Weights need not add up to 1. With replacement, sample s of row r
 * is the first index at which the sum of the weights, in DOUBLE, is above u times their whole sum, u of draw
 * r numsamples + s; without, samples are the indices of the least -ln u / weight, u of draw r C + k, in
 * their order: those of weight 0 come last.
 * With tensors, of one INT64 each, seed is what seedTensor holds when the work runs, and offset is added to
 * what offsetTensor holds.
 * Random bits are those of aclnn_uniform.h: they depend on seed, offset and the element's row-major number
 * alone, the same on every processor, with any number of threads and in any layout; other libraries and
 * devices give other numbers.
 * 161002 too: numsamples below 1, or without replacement above C. A weight that is negative or not finite,
 * and a row whose weights add up to 0, fail the work before anything is written; the next synchronise says
 * which.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MULTINOMIAL_H
#define BELAY_ACLNNOP_ACLNN_MULTINOMIAL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMultinomial, const aclTensor *self, int64_t numsamples, bool replacement, int64_t seed,
               int64_t offset, aclTensor *out)
ACLNN_FUNCTION(aclnnMultinomialTensor, const aclTensor *self, int64_t numsamples, bool replacement,
               const aclTensor *seedTensor, const aclTensor *offsetTensor, int64_t offset, aclTensor *out)
#endif
