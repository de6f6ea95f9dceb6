/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Whether one of self and other is true. Any dtype each: what is not 0 is true, NaN too. */
#ifndef BELAY_ACLNNOP_ACLNN_LOGICAL_XOR_H
#define BELAY_ACLNNOP_ACLNN_LOGICAL_XOR_H
#include "aclnnop/compare.h"
ACLNN_COMPARISON(aclnnLogicalXor, aclTensor)
#endif
