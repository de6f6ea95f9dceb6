/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self < other, false with NaN: any real dtype,
 * a scalar rounded to the dtype of a tensor of floats, integers compared exactly.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LT_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_LT_SCALAR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(LtScalar, aclScalar)
ACLNN_COMPARISON_IN_PLACE(LtScalar, aclScalar)
#endif
