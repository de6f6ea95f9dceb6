/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The angle of each number in the complex plane: of real numbers pi below 0, 0 from there on, NaN of NaN.
 * Any real dtype, integers count as FLOAT and out is of the same dtype then; COMPLEX64, whose out is FLOAT
 * and whose angle is within some 2^-23, with the sign of the imaginary part.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ANGLE_V2_H
#define BELAY_ACLNNOP_ACLNN_ANGLE_V2_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnAngleV2, x, out)
#endif
