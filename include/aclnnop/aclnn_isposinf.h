/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Whether a number is +inf. Any real dtype, out BOOL. */
#ifndef BELAY_ACLNNOP_ACLNN_ISPOSINF_H
#define BELAY_ACLNNOP_ACLNN_ISPOSINF_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnIsPosInf, self, out)
#endif
