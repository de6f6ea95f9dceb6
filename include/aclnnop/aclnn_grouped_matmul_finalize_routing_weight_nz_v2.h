/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnGroupedMatmulFinalizeRoutingV3 with an x2 whose memory is FRACTAL_NZ, or plain.
 * All of aclnnGroupedMatmulFinalizeRoutingV2 (aclnn_grouped_matmul_finalize_routing_v2.h), and
 * tuningConfigOptional, which changes nothing. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_WEIGHT_NZ_V2_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_WEIGHT_NZ_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedMatmulFinalizeRoutingWeightNzV2, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *scaleOptional, const aclTensor *biasOptional, const aclTensor *offsetOptional,
               const aclTensor *antiquantScaleOptional, const aclTensor *antiquantOffsetOptional,
               const aclTensor *pertokenScaleOptional, const aclTensor *groupList,
               const aclTensor *sharedInputOptional, const aclTensor *logitOptional,
               const aclTensor *rowIndexOptional, int64_t dtype, float sharedInputWeight,
               int64_t sharedInputOffset, bool transposeX1, bool transposeX2, int64_t groupListType,
               const aclIntArray *tuningConfigOptional, aclTensor *out)
#endif
