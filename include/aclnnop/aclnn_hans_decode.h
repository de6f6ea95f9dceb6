/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What aclnnHansEncode took apart, together again, bit for bit: out has as many elements as its input. mantissa, fixed, var: what it
 * wrote, of the same sizes; pdf and reshuff are not looked at. The rest is as aclnn_hans_encode.h says.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HANS_DECODE_H
#define BELAY_ACLNNOP_ACLNN_HANS_DECODE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHansDecode, const aclTensor *mantissa, const aclTensor *fixed, const aclTensor *var,
               const aclTensor *pdf, bool reshuff, aclTensor *out)
#endif
