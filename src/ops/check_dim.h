/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rule for arguments that name a dim of a tensor.
 */
#ifndef BELAY_OPS_CHECK_DIM_H
#define BELAY_OPS_CHECK_DIM_H

#include "ops/call.h"

/*
 * value, of the parameter, names a dim of a tensor of that rank: -rank to rank - 1, negative ones counted
 * from behind; a rank of 0 counts as 1. *dim is the dim, from 0 on.
 */
aclnnStatus check_dim(const struct call *call, unsigned parameter, int64_t value, uint32_t rank,
                      uint32_t *dim);

#endif
