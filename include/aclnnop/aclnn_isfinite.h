/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Whether a number is neither infinite nor NaN. Any real dtype, out BOOL. */
#ifndef BELAY_ACLNNOP_ACLNN_ISFINITE_H
#define BELAY_ACLNNOP_ACLNN_ISFINITE_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnIsFinite, self, out)
#endif
