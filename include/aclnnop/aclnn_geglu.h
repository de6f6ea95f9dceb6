/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gelu of one half of self along dim times the other: of the second half, with activateLeft of the
 * first; outGelu is that gelu. dim counts from the end where it is negative; its size is even, and half
 * of that in the halves. approximate is 0 for x Phi(x) and 1 for its approximation by tanh; others are
 * 161002. FLOAT, FLOAT16 or BFLOAT16, one for all; out and outGelu have the shape of a half. FLOAT
 * within 2 ulp.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GEGLU_H
#define BELAY_ACLNNOP_ACLNN_GEGLU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGeGlu, const aclTensor *self, int64_t dim, int64_t approximate, aclTensor *out,
               aclTensor *outGelu)
ACLNN_FUNCTION(aclnnGeGluV3, const aclTensor *self, int64_t dim, int64_t approximate, bool activateLeft,
               aclTensor *out, aclTensor *outGelu)
#endif
