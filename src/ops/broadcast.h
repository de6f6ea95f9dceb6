/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Shapes and how they broadcast.
 */
#ifndef BELAY_OPS_BROADCAST_H
#define BELAY_OPS_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/export.h"
#include "tensor/tensor.h"

struct shape {
    uint32_t rank; /* at most OPERAND_RANK_MAX */
    int64_t dim[OPERAND_RANK_MAX];
};

/*
 * The shape that a and b have together: aligned at their last dims, sizes equal or 1 (so 0 with 1 gives 0,
 * and 0 with more is no shape). False, and *result unspecified, when there is none. result may be a or b.
 */
bool broadcast(const struct shape *a, const struct shape *b, struct shape *result) SHARED(broadcast);

#endif
