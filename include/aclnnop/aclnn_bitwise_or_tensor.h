/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Or of the bits of self and other, which broadcast and promote together; of BOOL, of truth. Integers and
 * BOOL. out has a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BITWISE_OR_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_BITWISE_OR_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBitwiseOrTensor, const aclTensor *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceBitwiseOrTensor, aclTensor *selfRef, const aclTensor *other)
#endif
