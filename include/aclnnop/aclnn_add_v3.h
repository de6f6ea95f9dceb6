/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A number plus a tensor times a number: out = self + alpha other.
 * - self, alpha: scalars of floats, INT8 to INT64 or UINT8, alpha BOOL, too; other: such a tensor. They are computed in
 *   the dtype of other, or where self is of a wider kind in what both promote to.
 * - out: the shape of other, a dtype that the result may be stored in.
 * Rounded once; integers wrap. 161002 too: a scalar that cannot become that dtype.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_V3_H
#define BELAY_ACLNNOP_ACLNN_ADD_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddV3, const aclScalar *self, const aclTensor *other, const aclScalar *alpha,
               aclTensor *out)
#endif
