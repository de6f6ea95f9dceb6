/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Samples each row of logits, of the most probable elements.
 * - logits: FLOAT, FLOAT16 or BFLOAT16 (rows, elements). A row is put in descending order, of equal elements
 *   the first first, NaN as the greatest. topK, INT32 (rows): from 1 to ksMax (rounded up to a multiple of
 *   8) the first k are kept; any other cuts nothing. Their probabilities are their softmax, or, unless
 *   inputIsLogits, the elements themselves. topP, the dtype of logits (rows): 0 or less keeps the first
 *   alone, 1 or more all, else those are kept that the ones before sum up to p at most. minPs, likewise: 1
 *   or more keeps the first alone; above 0, what is less than so great a part of the first is cut.
 * - logitsSelectIdx, INT64 (rows), unless isNeedSampleResult: which element of the row is sampled: the first
 *   in order, or with q, FLOAT like logits, the one whose probability / (q + eps) is greatest, q by the
 *   place in order. logitsTopKPSelect, FLOAT like logits, with isNeedLogits: what is kept, elsewhere -inf,
 *   or 0 unless inputIsLogits. logitsIdx, INT64, and logitsSortMasked, FLOAT, with isNeedSampleResult: the
 *   numbers of what is kept, in order, and the probabilities, then zeros. What is not asked for may be NULL
 *   and is not written. topKGuess changes nothing.
 * Probabilities are sums of DOUBLE. 161002 too: other shapes, no elements, a ksMax below 1. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TOP_K_TOP_P_SAMPLE_V2_H
#define BELAY_ACLNNOP_ACLNN_TOP_K_TOP_P_SAMPLE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnTopKTopPSampleV2, const aclTensor *logits, const aclTensor *topK, const aclTensor *topP,
               const aclTensor *qOptional, const aclTensor *minPsOptional, double eps, bool isNeedLogits,
               int64_t topKGuess, int64_t ksMax, bool inputIsLogits, bool isNeedSampleResult,
               aclTensor *logitsSelectIdx, aclTensor *logitsTopKPSelect, aclTensor *logitsIdx,
               aclTensor *logitsSortMasked)
#endif
