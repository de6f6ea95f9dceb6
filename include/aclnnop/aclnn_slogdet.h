/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sign of the determinant of each of the matrices that the last two dims of self are, and the natural
 * logarithm of its size: 0 and -infinity where the determinant is 0. FLOAT or DOUBLE, also of both
 * outputs, which have the dims before. Elimination in DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SLOGDET_H
#define BELAY_ACLNNOP_ACLNN_SLOGDET_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSlogdet, const aclTensor *self, aclTensor *signOut, aclTensor *logOut)
#endif
