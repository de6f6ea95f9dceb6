/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far boxes overlap, less how far their centres are apart and how much their shapes differ.
 * - bBoxes (4, m), gtBoxes (4, n): FLOAT, rows x0, y0, x1, y1 of corners, or with trans x, y of
 *   centres and widths and heights.
 * - overlap, atanSub: FLOAT (n, m) with isCross, else (1, m), each with its own, n = m.
 * - What both have in common by what both cover together, mode "iou", NULL or "", or by what
 *   gtBoxes cover, mode "iof"; less d^2 / c^2, d between the centres, c across the hull; less v^2 /
 *   (1 - the first + v), v = 4 / pi^2 atanSub^2, atanSub = atan(width / height) of gtBoxes less
 *   that of bBoxes. A quotient by 0 is 0.
 * In DOUBLE, rounded once. 161002 too: other shapes, another mode.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CIOU_H
#define BELAY_ACLNNOP_ACLNN_CIOU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCIoU, const aclTensor *bBoxes, const aclTensor *gtBoxes, bool trans, bool isCross,
               char *mode, aclTensor *overlap, aclTensor *atanSub)
#endif
