/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Max unpooling: out = 0, but at the places of its planes that indices name the elements of self, of several
 * for one place the last. self (C, h, w) or (N, C, h, w), indices (INT64 or INT32) alike, outputSize the two
 * sizes of out's planes. Floats and integers, bit by bit. An index outside of the plane fails the work when
 * it runs. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_UNPOOL2D_H
#define BELAY_ACLNNOP_ACLNN_MAX_UNPOOL2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaxUnpool2d, const aclTensor *self, const aclTensor *indices,
               const aclIntArray *outputSize, aclTensor *out)
#endif
