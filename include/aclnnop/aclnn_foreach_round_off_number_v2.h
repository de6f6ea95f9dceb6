/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole numbers of the tensors of a list, by roundMode. 1: to nearest, ties to even; 2: down; 3: up; 4: to
 * nearest, ties away from 0; 5: towards 0; 6: what is not whole to the odd one of its neighbours; 7: what 5
 * loses, +0 of whole numbers, NaN of infinities. Zeros keep their sign but for 7. Integers are whole.
 * Floats, INT8 to INT64 and UINT8. All tensors of the lists have one dtype; those with one index have one
 * shape; empty ones are skipped. An output may be its own input.
 * roundMode: a scalar, an integer or BOOL beside integers. 161002 too: another value than 1 to 7.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ROUND_OFF_NUMBER_V2_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ROUND_OFF_NUMBER_V2_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnForeachRoundOffNumberV2, const aclTensorList *x, const aclScalar *roundMode,
               aclTensorList *out)

#endif
