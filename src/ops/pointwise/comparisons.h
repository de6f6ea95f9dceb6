/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Comparisons and logic: one line each, from which descriptions, both phases and tests are made (compare.c,
 * tests/ops/compare.c). Each of these defines the two macros and includes this file, so that a function has
 * its line here for debuggers and in its description.
 *
 *     COMPARISON(api, stem, relation, form, dtypes)
 *     LOGIC(api, stem, relation, form)
 *
 * form: TENSORS and SCALAR_AND_OUT, of two tensors or a tensor and a scalar, and ONE, of a tensor alone, have
 * an output; TENSORS_IN_PLACE, SCALAR_IN_PLACE and ONE_IN_PLACE work in place. dtypes: of both operands;
 * ORDERED are all real ones, UNORDERED complex ones too.
 */
#pragma push_macro("SOURCE_FILE")
#undef SOURCE_FILE
#define SOURCE_FILE "src/ops/pointwise/comparisons.h"

COMPARISON(aclnnEqTensor, eq_tensor, EQUAL, TENSORS, UNORDERED)
COMPARISON(aclnnInplaceEqTensor, eq_tensor, EQUAL, TENSORS_IN_PLACE, UNORDERED)
COMPARISON(aclnnEqScalar, eq_scalar, EQUAL, SCALAR_AND_OUT, UNORDERED)
COMPARISON(aclnnInplaceEqScalar, eq_scalar, EQUAL, SCALAR_IN_PLACE, UNORDERED)
COMPARISON(aclnnNeTensor, ne_tensor, NOT_EQUAL, TENSORS, UNORDERED)
COMPARISON(aclnnInplaceNeTensor, ne_tensor, NOT_EQUAL, TENSORS_IN_PLACE, UNORDERED)
COMPARISON(aclnnNeScalar, ne_scalar, NOT_EQUAL, SCALAR_AND_OUT, UNORDERED)
COMPARISON(aclnnInplaceNeScalar, ne_scalar, NOT_EQUAL, SCALAR_IN_PLACE, UNORDERED)
COMPARISON(aclnnGtTensor, gt_tensor, GREATER, TENSORS, ORDERED)
COMPARISON(aclnnInplaceGtTensor, gt_tensor, GREATER, TENSORS_IN_PLACE, ORDERED)
COMPARISON(aclnnGtScalar, gt_scalar, GREATER, SCALAR_AND_OUT, ORDERED)
COMPARISON(aclnnInplaceGtScalar, gt_scalar, GREATER, SCALAR_IN_PLACE, ORDERED)
COMPARISON(aclnnGeTensor, ge_tensor, GREATER_OR_EQUAL, TENSORS, ORDERED)
COMPARISON(aclnnInplaceGeTensor, ge_tensor, GREATER_OR_EQUAL, TENSORS_IN_PLACE, ORDERED)
COMPARISON(aclnnGeScalar, ge_scalar, GREATER_OR_EQUAL, SCALAR_AND_OUT, ORDERED)
COMPARISON(aclnnInplaceGeScalar, ge_scalar, GREATER_OR_EQUAL, SCALAR_IN_PLACE, ORDERED)
COMPARISON(aclnnLtTensor, lt_tensor, LESS, TENSORS, ORDERED)
COMPARISON(aclnnInplaceLtTensor, lt_tensor, LESS, TENSORS_IN_PLACE, ORDERED)
COMPARISON(aclnnLtScalar, lt_scalar, LESS, SCALAR_AND_OUT, ORDERED)
COMPARISON(aclnnInplaceLtScalar, lt_scalar, LESS, SCALAR_IN_PLACE, ORDERED)
COMPARISON(aclnnLeTensor, le_tensor, LESS_OR_EQUAL, TENSORS, ORDERED)
COMPARISON(aclnnInplaceLeTensor, le_tensor, LESS_OR_EQUAL, TENSORS_IN_PLACE, ORDERED)
COMPARISON(aclnnLeScalar, le_scalar, LESS_OR_EQUAL, SCALAR_AND_OUT, ORDERED)
COMPARISON(aclnnInplaceLeScalar, le_scalar, LESS_OR_EQUAL, SCALAR_IN_PLACE, ORDERED)
/* torch_npu asks for it where PyTorch has number >= tensor: less, or equal. */
COMPARISON(aclnnLessScalar, less_scalar, LESS_OR_EQUAL, SCALAR_AND_OUT, ORDERED)

LOGIC(aclnnLogicalAnd, logical_and, BOTH_TRUE, TENSORS)
LOGIC(aclnnInplaceLogicalAnd, logical_and, BOTH_TRUE, TENSORS_IN_PLACE)
LOGIC(aclnnLogicalOr, logical_or, ANY_TRUE, TENSORS)
LOGIC(aclnnInplaceLogicalOr, logical_or, ANY_TRUE, TENSORS_IN_PLACE)
LOGIC(aclnnLogicalXor, logical_xor, ONE_TRUE, TENSORS)
LOGIC(aclnnLogicalNot, logical_not, NOT_TRUE, ONE)
LOGIC(aclnnInplaceLogicalNot, logical_not, NOT_TRUE, ONE_IN_PLACE)

#undef COMPARISON
#undef LOGIC
#pragma pop_macro("SOURCE_FILE")
