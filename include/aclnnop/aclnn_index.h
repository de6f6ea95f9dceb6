/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements and slices of a tensor at the places that lists of indices name.
 *
 *     out = self[indices]
 *
 * - Entry k of indices is for the next dim of self; dims behind the last entry are whole, and so is one whose
 *   entry has no elements, whatever its dtype. Indices broadcast together; from -n to n - 1 is legal for a
 *   dim of size n, a negative one counts from its end. Another one fails the task before anything is written.
 * - A BOOL entry of rank k is a mask over the next k dims: it stands for the positions where it is true, in
 *   row-major order, as k indices would. How many these are is known when the work runs: with another number
 *   of them along out the task fails.
 *
 * - self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8, BOOL; on Ascend950 COMPLEX64
 * - indices: INT32, INT64 or BOOL, at most as many as self has dims
 * - out: self's dtype and bits; the indexed dims become those of the indices, in place where they are
 *   adjacent and in front otherwise; of any shape where it or self has no elements
 */
#ifndef BELAY_ACLNNOP_ACLNN_INDEX_H
#define BELAY_ACLNNOP_ACLNN_INDEX_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnIndex, const aclTensor *self, const aclTensorList *indices, aclTensor *out)

#endif
