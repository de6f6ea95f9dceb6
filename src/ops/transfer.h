/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How elements come from the operands to a kernel's tiles and back, for each instruction-set level. All
 * levels give the same bits.
 */
#ifndef BELAY_OPS_TRANSFER_H
#define BELAY_OPS_TRANSFER_H

#include "ops/convert.h"
#include "simd/vector/level_table.h"
#include "ops/strided.h"

struct transfer {
    convert_function *convert;
    gather_function *gather;
    scatter_function *scatter;
};

/* For a level that this build has. */
const struct transfer *transfer_of(enum isa_level level);

/* Any number of elements in another dtype; of the same, a copy. */
void transfer_convert(const struct transfer *transfer, const void *from, aclDataType from_dtype, void *to,
                      aclDataType to_dtype, uint64_t count);

convert_function convert_baseline, convert_avx2, convert_avx512;
gather_function gather_baseline, gather_avx2, gather_avx512;
scatter_function scatter_baseline, scatter_avx2, scatter_avx512;

#endif
