/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Exclusive or of the bits of self and other, which broadcast and promote together; of BOOL, of truth.
 * Integers and BOOL. out has a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BITWISE_XOR_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_BITWISE_XOR_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBitwiseXorTensor, const aclTensor *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceBitwiseXorTensor, aclTensor *selfRef, const aclTensor *other)
#endif
