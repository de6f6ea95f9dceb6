/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The number of the other sign of every element of every tensor of x, as aclnnNeg has it. Floats, INT32
 * and INT64, which wrap. All tensors have one dtype; tensors with one index have one shape; empty ones
 * are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_NEG_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_NEG_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachNeg, const aclTensorList *x, aclTensorList *out)
#endif
