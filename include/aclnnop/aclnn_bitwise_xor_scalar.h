/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Exclusive or of the bits of self and of a scalar, which has as many as out, above its own its sign; of BOOL
 * beside BOOL, of truth. Integers and BOOL. out has the shape of self and a dtype that the result may be cast
 * to: of BOOL beside an integer no BOOL.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BITWISE_XOR_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_BITWISE_XOR_SCALAR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBitwiseXorScalar, const aclTensor *self, const aclScalar *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceBitwiseXorScalar, aclTensor *selfRef, const aclScalar *other)
#endif
