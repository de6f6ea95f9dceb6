/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether self differs from other, true beside NaN. Any dtype. A scalar is rounded to the dtype of a
 * tensor of floats, and integers are compared exactly.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NE_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_NE_SCALAR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnNeScalar, aclScalar)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceNeScalar, aclScalar)
#endif
