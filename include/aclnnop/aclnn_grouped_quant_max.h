/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x scale as floats of 8 bits, and the greatest size, of each group of rows: as aclnn_quant_max.h says.
 * groupList: INT64, where groups end in dim 0 of x; scale and amax have an element for each. Of a group of no rows amax is 0;
 * rows behind all groups are not written. Ends that fall, or are more than there are rows, fail the work (507035).
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_QUANT_MAX_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_QUANT_MAX_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedQuantMax, const aclTensor *x, const aclTensor *scale, const aclTensor *groupList,
               char *roundMode, int64_t dstType, aclTensor *y, aclTensor *amax)
#endif
