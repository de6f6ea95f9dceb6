/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Puts the elements of source, in row-major order, to those of selfRef where mask is true: the k-th such
 * element becomes source's k-th one.
 * selfRef: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; mask: BOOL or UINT8, broadcasts
 * to selfRef; source: selfRef's dtype, of any shape; with fewer elements than mask has that are true the
 * task fails before anything is written.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MASKED_SCATTER_H
#define BELAY_ACLNNOP_ACLNN_MASKED_SCATTER_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnInplaceMaskedScatter, aclTensor *selfRef, const aclTensor *mask, const aclTensor *source)

#endif
