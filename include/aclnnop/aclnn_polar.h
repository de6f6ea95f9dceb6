/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Complex numbers of a size and an angle: input (cos angle + i sin angle). input and angle: FLOAT, and
 * broadcast; out: COMPLEX64. Parts are computed in DOUBLE and rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_POLAR_H
#define BELAY_ACLNNOP_ACLNN_POLAR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnPolar, const aclTensor *input, const aclTensor *angle, aclTensor *out)
#endif
