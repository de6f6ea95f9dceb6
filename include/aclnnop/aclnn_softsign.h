/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self / (1 + |self|); NaN where self is infinite.
 * FLOAT, FLOAT16 and BFLOAT16. out has the shape and the dtype of self. FLOAT within 1 ulp, 16 bits
 * rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFTSIGN_H
#define BELAY_ACLNNOP_ACLNN_SOFTSIGN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftsign, const aclTensor *self, aclTensor *out)
#endif
