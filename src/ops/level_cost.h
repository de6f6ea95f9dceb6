/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How much longer kernels take at a level than at the highest one, where sums or rows of doubles decide.
 */
#ifndef BELAY_OPS_LEVEL_COST_H
#define BELAY_OPS_LEVEL_COST_H

#include <stdint.h>

#include "base/processor.h"

static inline uint64_t level_cost_of(enum isa_level level)
{
    return level == ISA_BASELINE ? 4 : level == ISA_AVX2 ? 2 : 1;
}

#endif
