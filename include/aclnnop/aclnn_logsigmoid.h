/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logarithm of the logistic function, -ln (1 + e^-self).
 * FLOAT, FLOAT16 and BFLOAT16. out has the shape and the dtype of self. FLOAT within 1 ulp, 16 bits
 * rounded once. buffer is what other devices keep for the gradient: it may be NULL and of any dtype and
 * shape, and is not touched.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOGSIGMOID_H
#define BELAY_ACLNNOP_ACLNN_LOGSIGMOID_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLogSigmoid, const aclTensor *self, aclTensor *out)
ACLNN_FUNCTION(aclnnLogSigmoidForward, const aclTensor *self, aclTensor *out, aclTensor *buffer)
#endif
