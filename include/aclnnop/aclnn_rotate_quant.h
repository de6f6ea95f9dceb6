/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows times a matrix as numbers of few bits.
 * - x: FLOAT, FLOAT16 or BFLOAT16; rotation: that dtype, (K, K), which each K elements of a row are multiplied by, or a matrix
 *   for each of them, (N / K, K, K). axis: -1; trans: false.
 * - alphaOptional: one number of FLOAT, FLOAT16 or BFLOAT16; between 0 and 1 the product is kept between plus and minus that part
 *   of the greatest size of each 32.
 * - yOut INT8, or INT32 of eight INT4 each: over scaleOut, FLOAT, for each row the greatest size over 127 or 7.
 * - yOut of FLOAT8 or FLOAT4 (Ascend950): in MX blocks of 32 along the row with scaleOut of FLOAT8_E8M0; roundModeOptional,
 *   scaleAlg and dstTypeMax as aclnn_dynamic_mx_quant_v2.h says.
 * In doubles, nothing rounded before the numbers.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROTATE_QUANT_H
#define BELAY_ACLNNOP_ACLNN_ROTATE_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRotateQuant, const aclTensor *x, const aclTensor *rotation,
               const aclTensor *alphaOptional, int64_t axis, char *roundModeOptional, int64_t scaleAlg,
               double dstTypeMax, bool trans, aclTensor *yOut, aclTensor *scaleOut)
#endif
