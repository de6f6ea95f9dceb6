/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What division by other leaves, with the sign of self, as fmod of C. By 0 floats give NaN, integers
 * -1. Floats, INT8, INT32, INT64 and UINT8, which broadcast and promote together. out is any of these,
 * to which the result is converted.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FMOD_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_FMOD_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFmodTensor, const aclTensor *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceFmodTensor, aclTensor *selfRef, const aclTensor *other)
#endif
