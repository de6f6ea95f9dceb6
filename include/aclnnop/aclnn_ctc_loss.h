/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * negLogLikelihoodOut[n] = -log of the sum of the probabilities of all paths that read as the labels of
 * sample n; logAlphaOut (N, T, L) has the logarithms of the sums over their beginnings, -inf where there
 * is none, for the gradient. logProbs (T, N, C) and what comes out: FLOAT, FLOAT16, BFLOAT16 or DOUBLE,
 * the same. targets, INT64 or INT32: (N, S), or those of all samples in one dim, one after the other. An
 * array has a length for each sample, up to T and up to S. zeroInfinity writes 0 where no path has the
 * length. L is at least 2 times the longest target + 1, on the older products by eights. In DOUBLE,
 * rounded once; a label that is no class fails the work.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CTC_LOSS_H
#define BELAY_ACLNNOP_ACLNN_CTC_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCtcLoss, const aclTensor *logProbs, const aclTensor *targets,
               const aclIntArray *inputLengths, const aclIntArray *targetLengths, int64_t blank,
               bool zeroInfinity, aclTensor *negLogLikelihoodOut, aclTensor *logAlphaOut)
#endif
