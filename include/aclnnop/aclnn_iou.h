/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far boxes overlap.
 * - bBoxes (m, 4), gtBoxes (n, 4), with corners x0, y0, x1, y1, and overlap (m, n): FLOAT, FLOAT16 or BFLOAT16, of one
 *   dtype; aligned: each with its own, (m, 1).
 * - With areas (width + eps) (height + eps) and what both have in common, without eps: that by both areas less it, mode
 *   "iou", NULL or ""; by that of gtBoxes, mode "iof".
 * In DOUBLE, rounded once. 161002 too: other shapes, another mode.
 */
#ifndef BELAY_ACLNNOP_ACLNN_IOU_H
#define BELAY_ACLNNOP_ACLNN_IOU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnIou, const aclTensor *bBoxes, const aclTensor *gtBoxes, char *mode, float eps,
               bool aligned, aclTensor *overlap)
#endif
