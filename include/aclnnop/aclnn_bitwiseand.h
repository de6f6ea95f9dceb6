/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * And of the bits of self and other, as BitwiseAndTensor has it, under older names. Integers and BOOL,
 * which broadcast and promote together; out has a real dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BITWISEAND_H
#define BELAY_ACLNNOP_ACLNN_BITWISEAND_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBitwiseAndTensorOut, const aclTensor *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceBitwiseAndTensorOut, aclTensor *self, const aclTensor *other)
#endif
