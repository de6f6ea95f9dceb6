/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Samples each row of logits: aclnn_top_k_top_p_sample_v2.h with ksMax 1024, logits, no minPs and no result
 * in order. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TOP_K_TOP_P_SAMPLE_H
#define BELAY_ACLNNOP_ACLNN_TOP_K_TOP_P_SAMPLE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnTopKTopPSample, const aclTensor *logits, const aclTensor *topK, const aclTensor *topP,
               const aclTensor *qOptional, double eps, bool isNeedLogits, int64_t topKGuess,
               aclTensor *logitsSelectIdx, aclTensor *logitsTopKPSelect)
#endif
