/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self = Q R as aclnnLinalgQr has it: some true is its mode 0, reduced, and false its mode 1, complete.
 * FLOAT, FLOAT16 or DOUBLE, also of Q and R.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QR_H
#define BELAY_ACLNNOP_ACLNN_QR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQr, const aclTensor *self, bool some, aclTensor *Q, aclTensor *R)
#endif
