/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Whether self or other is true. Any dtype each: what is not 0 is true, NaN too. */
#ifndef BELAY_ACLNNOP_ACLNN_LOGICAL_OR_H
#define BELAY_ACLNNOP_ACLNN_LOGICAL_OR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnLogicalOr, aclTensor)
ACLNN_COMPARISON_IN_PLACE(aclnnInplaceLogicalOr, aclTensor)
#endif
