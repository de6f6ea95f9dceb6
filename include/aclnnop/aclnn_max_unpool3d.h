/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Max unpooling: out = 0, but at the places of its volumes that indices name the elements of self, of several
 * for one place the last. self (C, d, h, w) or (N, C, d, h, w), indices (INT64 or INT32) alike, outputSize
 * the three sizes of out's volumes. stride, above 0, and padding have three numbers, too, and change nothing.
 * Floats and integers, bit by bit. An index outside of the volume fails the work when it runs. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_UNPOOL3D_H
#define BELAY_ACLNNOP_ACLNN_MAX_UNPOOL3D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaxUnpool3d, const aclTensor *self, const aclTensor *indices,
               const aclIntArray *outputSize, const aclIntArray *stride, const aclIntArray *padding,
               aclTensor *out)
#endif
