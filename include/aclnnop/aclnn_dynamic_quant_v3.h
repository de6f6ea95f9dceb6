/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnDynamicQuantV2 of rows, of columns or of all of x as one.
 *
 * quantMode: "pertoken" (NULL too), as there; "perchannel": the scale is that of a column of the last two
 * dims, scaleOut has the shape of x without dim -2, and smoothScalesOptional one for each element of that
 * dim; "pertensor": scaleOut is [1]. isSymmetrical: offsetOut is not written, and may be of any shape or
 * NULL; false: it must be given (161001), and has the shape of scaleOut. The other parameters are those of
 * aclnnDynamicQuantV2.
 *
 * 161002 too: another quantMode; groups with one but "pertoken"; fewer than 2 dims of x for "perchannel".
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_V3_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDynamicQuantV3, const aclTensor *x, const aclTensor *smoothScalesOptional,
               const aclTensor *groupIndexOptional, int64_t dstType, bool isSymmetrical,
               const char *quantMode, aclTensor *yOut, aclTensor *scaleOut, aclTensor *offsetOut)
#endif
