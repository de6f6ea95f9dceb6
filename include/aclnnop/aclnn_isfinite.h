/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* out = whether self is neither infinite nor NaN: any real dtype, out BOOL. */
#ifndef BELAY_ACLNNOP_ACLNN_ISFINITE_H
#define BELAY_ACLNNOP_ACLNN_ISFINITE_H
#include "aclnnop/unary.h"
ACLNN_UNARY(IsFinite, self, out)
#endif
