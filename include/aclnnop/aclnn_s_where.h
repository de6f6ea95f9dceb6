/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self where condition is not 0, other elsewhere, with their bits where nothing is converted. All three
 * broadcast; self and other promote together. condition is BOOL or UINT8, or another real dtype whose
 * numbers do not become 0 in that of the elements. out has any dtype, to which the result is converted.
 */
#ifndef BELAY_ACLNNOP_ACLNN_S_WHERE_H
#define BELAY_ACLNNOP_ACLNN_S_WHERE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSWhere, const aclTensor *condition, const aclTensor *self, const aclTensor *other,
               aclTensor *out)
#endif
