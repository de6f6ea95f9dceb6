/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether self equals other. False beside NaN. Any dtype. A scalar is rounded to the dtype of a
 * tensor of floats, and integers are compared exactly.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EQ_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_EQ_SCALAR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnEqScalar, aclScalar)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceEqScalar, aclScalar)
#endif
