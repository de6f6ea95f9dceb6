/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 where the sign is set, 0 elsewhere: 1 of -0 and of a NaN with a sign, 0 of unsigned numbers and
 * BOOL. Any real dtype, also of out.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SIGNBIT_H
#define BELAY_ACLNNOP_ACLNN_SIGNBIT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSignbit, const aclTensor *self, aclTensor *out)
#endif
