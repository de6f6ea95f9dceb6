/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Limits norms: for each index of dim everything else, with the norm n = (sum of |self|^p)^(1/p), becomes
 * self maxNorm / (n + 1e-7) where n > maxNorm, and stays as it is elsewhere.
 *
 * self and out, or selfRef: FLOAT, FLOAT16 or BFLOAT16, one dtype and one shape of rank 2 to 8; p and
 * maxNorm: any real dtype, 0 or more; dim from -rank to rank - 1. Computed in DOUBLE, sums in an order that
 * the number of elements fixes, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RENORM_H
#define BELAY_ACLNNOP_ACLNN_RENORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRenorm, const aclTensor *self, const aclScalar *p, int64_t dim, const aclScalar *maxNorm,
               aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceRenorm, aclTensor *selfRef, const aclScalar *p, int64_t dim,
               const aclScalar *maxNorm)
#endif
