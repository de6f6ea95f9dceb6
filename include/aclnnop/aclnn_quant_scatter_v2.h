/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts of the batches of selfRef along an axis replaced, in place, by updates as numbers of 8 bits, by the rules of
 * aclnn_quant_scatter.h.
 * selfRef may be HIFLOAT8, FLOAT8_E5M2 or FLOAT8_E4M3FN too, on Ascend950. roundMode: "rint" or NULL, of INT8 also "round", "floor",
 * "ceil" and "trunc", of HIFLOAT8 any and "hybrid", which are to the nearest, ties away from 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_SCATTER_V2_H
#define BELAY_ACLNNOP_ACLNN_QUANT_SCATTER_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceQuantScatterV2, aclTensor *selfRef, const aclTensor *indices,
               const aclTensor *updates, const aclTensor *quantScales,
               const aclTensor *quantZeroPointsOptional, int64_t axis, int64_t quantAxis, int64_t reduction,
               char *roundMode)
#endif
