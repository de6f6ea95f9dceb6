/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A quantised weight and what belongs to it, laid out for the product that takes them.
 *
 * weight: of 4 or 8 bits, and outWeight of its dtype and shape, in any format, such as FRACTAL_NZ: as the
 * storage of outWeight says. weightScale, weightOffsetOptional and biasOptional are copied as they are; of
 * those that are absent the copy is not written. xDtype: the dtype of what the weight will be multiplied by;
 * xScaleDtype: of its scales, -1 for none; kGroupSize: 0 or more, steps with a scale. None of these three
 * changes anything here.
 *
 * Order as torch_npu 2.14 passes it, which is the one source; that values stay as they are is inferred from
 * what its test compares.
 */
#ifndef BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_PREPROCESS_H
#define BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_PREPROCESS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnWeightQuantPreprocess, const aclTensor *weight, const aclTensor *weightScale,
               const aclTensor *weightOffsetOptional, const aclTensor *biasOptional, aclDataType xDtype,
               aclDataType xScaleDtype, int64_t kGroupSize, aclTensor *outWeight, aclTensor *outWeightScale,
               aclTensor *outWeightOffsetOptional, aclTensor *outBiasOptional)
#endif
