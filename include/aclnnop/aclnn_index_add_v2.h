/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor with slices added at the places which an index names in one dim, by the rules of aclnn_index_add.h.
 * - mode changes nothing.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INDEX_ADD_V2_H
#define BELAY_ACLNNOP_ACLNN_INDEX_ADD_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnIndexAddV2, const aclTensor *self, int64_t dim, const aclTensor *index,
               const aclTensor *source, const aclScalar *alpha, int64_t mode, aclTensor *out)
#endif
