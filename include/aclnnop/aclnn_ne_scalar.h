/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self != other, true with NaN: any dtype,
 * a scalar rounded to the dtype of a tensor of floats, integers compared exactly.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NE_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_NE_SCALAR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(NeScalar, aclScalar)
ACLNN_COMPARISON_IN_PLACE(NeScalar, aclScalar)
#endif
