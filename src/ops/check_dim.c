/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rule for arguments that name a dim of a tensor.
 */
#include "ops/check_dim.h"

#include <inttypes.h>

#include "runtime/error.h"

aclnnStatus check_dim(const struct call *call, unsigned parameter, int64_t value, uint32_t rank,
                      uint32_t *dim)
{
    const int64_t dims = rank > 0 ? rank : 1;
    if (value < -dims || value >= dims)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: %s is %" PRId64 "; %" PRId64 " to %" PRId64 " are expected for a tensor of rank %u",
                    call->function->operation.name, call->function->parameter[parameter].name, value, -dims,
                    dims - 1, rank);
    *dim = (uint32_t)(value < 0 ? value + dims : value);
    return ACLNN_SUCCESS;
}
