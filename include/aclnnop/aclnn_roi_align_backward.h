/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of ROIAlign, by the rules of aclnn_roi_align.h.
 * - gradOutput (R, C, pooledHeight, pooledWidth), rois (R, 5) and gradInput of the shape xShape, (N, C, H, W): FLOAT,
 *   FLOAT16 or BFLOAT16, of one dtype. What each sample took of an element goes back to it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROI_ALIGN_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_ROI_ALIGN_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnROIAlignBackward, const aclTensor *gradOutput, const aclTensor *rois,
               const aclIntArray *xShape, int64_t pooledWidth, int64_t pooledHeight, float spatialScale,
               int64_t sampleNum, int64_t roiEndMode, aclTensor *gradInput)
#endif
