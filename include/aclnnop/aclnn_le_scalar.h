/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether self is other or less. False beside NaN. Any real dtype. A scalar is rounded to the dtype of a
 * tensor of floats, and integers are compared exactly.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LE_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_LE_SCALAR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnLeScalar, aclScalar)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceLeScalar, aclScalar)
#endif
