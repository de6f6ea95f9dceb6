/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Whether self and other are true. Any dtype each: what is not 0 is true, NaN too. */
#ifndef BELAY_ACLNNOP_ACLNN_LOGICAL_AND_H
#define BELAY_ACLNNOP_ACLNN_LOGICAL_AND_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnLogicalAnd, aclTensor)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceLogicalAnd, aclTensor)
#endif
