/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum of max(0, 1 - self[t] + self[c]) over a row's targets t and its other classes c, over the number
 * of classes; reduction 0 has one for each row, 1 their mean, 2 their sum. self (N, C) or (C): FLOAT,
 * FLOAT16 or BFLOAT16, also of the outputs; target (INT64 or INT32) alike: the classes before its first
 * -1. isTarget is 1 at them and 0 elsewhere. In DOUBLE, rounded once; a target that is no class fails the
 * work.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MULTILABEL_MARGIN_LOSS_H
#define BELAY_ACLNNOP_ACLNN_MULTILABEL_MARGIN_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMultilabelMarginLoss, const aclTensor *self, const aclTensor *target, int64_t reduction,
               aclTensor *out, aclTensor *isTarget)
#endif
