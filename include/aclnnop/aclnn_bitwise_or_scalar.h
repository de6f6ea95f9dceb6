/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Or of the bits of self and of a scalar, which has as many as out, above its own its sign; of BOOL beside
 * BOOL, of truth. Integers and BOOL. out has the shape of self and a dtype that the result may be cast to: of
 * BOOL beside an integer no BOOL.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BITWISE_OR_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_BITWISE_OR_SCALAR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBitwiseOrScalar, const aclTensor *self, const aclScalar *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceBitwiseOrScalar, aclTensor *selfRef, const aclScalar *other)
#endif
