/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of selfRef that indices name, once however often, and whose norm is above maxNorm are multiplied by
 * maxNorm / (norm + 1e-7). normType is the p of the norm, 0 or more: 0 counts what is not 0, infinity
 * takes the greatest size. selfRef (rows, width): FLOAT, FLOAT16 or BFLOAT16, rounded once from DOUBLE;
 * indices INT64 or INT32, of any shape. An index that is no row fails the work, and nothing is written.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EMBEDDING_RENORM_H
#define BELAY_ACLNNOP_ACLNN_EMBEDDING_RENORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnEmbeddingRenorm, aclTensor *selfRef, const aclTensor *indices, double maxNorm,
               double normType)
#endif
