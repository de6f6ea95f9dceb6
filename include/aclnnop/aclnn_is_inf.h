/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Whether a number is infinite. Any real dtype, out BOOL. */
#ifndef BELAY_ACLNNOP_ACLNN_IS_INF_H
#define BELAY_ACLNNOP_ACLNN_IS_INF_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnIsInf, self, out)
#endif
