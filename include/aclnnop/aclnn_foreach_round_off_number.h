/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole numbers of the tensors of a list, by roundMode. 1: to nearest, ties to even; 2: down; 3: up; 4: to
 * nearest, ties away from 0; 5: towards 0; 6: what is not whole to the odd one of its neighbours; 7: what 5
 * loses, +0 of whole numbers, NaN of infinities. Zeros keep their sign but for 7. Integers are whole.
 * Floats, INT8 to INT64 and UINT8. All tensors of the lists have one dtype; those with one index have one
 * shape; empty ones are skipped. An output may be its own input.
 * roundMode: a tensor of one element, INT8 from most programs, which is read when the work runs; a value
 * that is none of these counts as the next one below, as 7 beyond that and as 1 below 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ROUND_OFF_NUMBER_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ROUND_OFF_NUMBER_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnForeachRoundOffNumber, const aclTensorList *x, const aclTensor *roundMode,
               aclTensorList *out)

#endif
