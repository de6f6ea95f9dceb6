/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every element of every tensor of scaledGrads times invScale, rounded once; foundInf becomes 1 where
 * one was infinite or NaN before that, and keeps its value elsewhere. FLOAT, FLOAT16 or BFLOAT16, one
 * for all of scaledGrads; foundInf and invScale are FLOAT and have one element, which is read when the
 * work runs. Empty tensors are skipped.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_NON_FINITE_CHECK_AND_UNSCALE_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_NON_FINITE_CHECK_AND_UNSCALE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachNonFiniteCheckAndUnscale, aclTensorList *scaledGrads, aclTensor *foundInf,
               const aclTensor *invScale)
#endif
