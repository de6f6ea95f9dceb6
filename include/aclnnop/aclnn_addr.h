/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The outer product of two vectors added to a matrix: betaOptional self + alphaOptional vec1 vec2^T, where a
 * number that is NULL is 1, and self is not read where betaOptional is 0. self broadcasts to the sizes of
 * vec1 and vec2, which have one dim; all promote together. FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64,
 * UINT8, which wrap, and BOOL, whose product is and, and sum or. out has a dtype that the result may be cast
 * to. Beside BOOL alone an integer is true where it is not 0. 161002 too: a number that is a float beside
 * integers, or BOOL beside others.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADDR_H
#define BELAY_ACLNNOP_ACLNN_ADDR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddr, const aclTensor *self, const aclTensor *vec1, const aclTensor *vec2,
               const aclScalar *betaOptional, const aclScalar *alphaOptional, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceAddr, aclTensor *selfRef, const aclTensor *vec1, const aclTensor *vec2,
               const aclScalar *betaOptional, const aclScalar *alphaOptional)
#endif
