/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by groups whose weights lie in FRACTAL_NZ: all of aclnnGroupedMatmulV5, whose weights
 * may lie so, too (aclnn_npu_format_cast.h says when). quantGroupSize changes nothing: the shape of the
 * scales says how many parts of K there are. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_WEIGHT_NZ_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_WEIGHT_NZ_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnGroupedMatmulWeightNz, const aclTensorList *x, const aclTensorList *weight,
               const aclTensorList *biasOptional, const aclTensorList *scaleOptional,
               const aclTensorList *offsetOptional, const aclTensorList *antiquantScaleOptional,
               const aclTensorList *antiquantOffsetOptional, const aclTensorList *perTokenScaleOptional,
               const aclTensor *groupListOptional, const aclTensorList *activationInputOptional,
               const aclTensorList *activationQuantScaleOptional,
               const aclTensorList *activationQuantOffsetOptional, int64_t splitItem, int64_t groupType,
               int64_t groupListType, int64_t actType, const aclIntArray *tuningConfigOptional,
               int64_t quantGroupSize, aclTensorList *out, aclTensorList *activationFeatureOutOptional,
               aclTensorList *dynQuantScaleOutOptional)

#endif
