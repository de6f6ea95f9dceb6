/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 where self is less than other or equal to it, 0 elsewhere, also where one is NaN: aclnnLeScalar by
 * another name, under which torch_npu asks for what PyTorch has as number >= tensor. self: any real dtype but
 * UINT16, UINT32 and UINT64, and of floats and BOOL the scalar likewise; out: any dtype, of self's shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LESS_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_LESS_SCALAR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLessScalar, const aclTensor *self, const aclScalar *other, aclTensor *out)
#endif
