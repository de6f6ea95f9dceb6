/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pooling of regions (RoIAlign): regions of planes, each cut into bins of which the mean of samples comes
 * out. - features (N, C, H, W), rois (R, 5), the image and the corners x0, y0, x1, y1 of each region, and out
 * (R, C,
 *   pooledHeight, pooledWidth): FLOAT, FLOAT16 or BFLOAT16, of one dtype.
 * - Corners are multiplied by spatialScale; roiEndMode 1: x1 + 1 and y1 + 1 are; 2: 0.5 is taken off behind that. Width
 *   and height are at least 1, but in mode 2. A bin has sampleNum by sampleNum samples, or as many as its size rounded up
 *   where that is 0, at (i + 0.5) / number of its size; each lies between four elements, and is 0 below -1 and above H or W.
 * An image that is not there, corners that are not finite, and bins of more than 4096 samples a side fail the work
 * (507035). 161002 too: other shapes, other modes. Known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROI_ALIGN_H
#define BELAY_ACLNNOP_ACLNN_ROI_ALIGN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnROIAlign, const aclTensor *features, const aclTensor *rois, float spatialScale,
               int64_t pooledHeight, int64_t pooledWidth, int64_t sampleNum, int64_t roiEndMode,
               aclTensor *out)
#endif
