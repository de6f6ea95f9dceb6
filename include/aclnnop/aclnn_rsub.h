/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * other - alpha * self, rounded once, where other is a tensor, which broadcasts and promotes with self,
 * or a scalar, beside which self keeps its dtype unless a float stands beside integers. Beside FLOAT16 and
 * BFLOAT16 that scalar is rounded to these on Ascend910A and Ascend910B. FLOAT, FLOAT16, BFLOAT16, DOUBLE,
 * INT8 to INT64 and UINT8, which wrap, COMPLEX64 and COMPLEX128. alpha is of a dtype that may become the
 * computed one. out has a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RSUB_H
#define BELAY_ACLNNOP_ACLNN_RSUB_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRsub, const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
               aclTensor *out)
ACLNN_FUNCTION(aclnnRsubs, const aclTensor *self, const aclScalar *other, const aclScalar *alpha,
               aclTensor *out)
#endif
