/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Matrices whose rows and columns have sums of about 1, by Sinkhorn's steps.
 * - x, out: FLOAT (tokens, n, n) or (B, S, n, n), n of 1 to 8. c is the softmax of each row, plus eps; it is divided by the
 *   sums of its columns, plus eps; and then numIters - 1 times by those of its rows and of its columns.
 * - normOutOptional, 2 numIters tokens n 8 elements, and sumOutOptional, 2 numIters tokens 8: what MhcSinkhornBackward
 *   needs of the steps; not written where they are NULL or without elements.
 * In DOUBLE, rounded once. 161002 too: other shapes, no iterations.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MHC_SINKHORN_H
#define BELAY_ACLNNOP_ACLNN_MHC_SINKHORN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMhcSinkhorn, const aclTensor *x, float eps, int64_t numIters, aclTensor *out,
               aclTensor *normOutOptional, aclTensor *sumOutOptional)
#endif
