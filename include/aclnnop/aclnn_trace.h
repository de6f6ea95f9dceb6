/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum of the main diagonal of a matrix.
 *
 * - self: rank 2, floats, integers, BOOL or complex
 * - out: one element, of self's dtype; of integers and BOOL, INT64
 *
 * Sums are those of aclnnReduceSum: in DOUBLE and rounded once; integers wrap. Nothing sums to 0. Rules that
 * all functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TRACE_H
#define BELAY_ACLNNOP_ACLNN_TRACE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnTrace, const aclTensor *self, aclTensor *out)

#endif
