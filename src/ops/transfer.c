/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of each instruction-set level that bring elements to tiles and back.
 */
#include "ops/transfer.h"

static const struct transfer transfers[ISA_LEVELS] = {
    [ISA_BASELINE] = {convert_baseline, gather_baseline, scatter_baseline},
#ifdef BELAY_LEVELS_ABOVE_BASELINE
    [ISA_AVX2] = {convert_avx2, gather_avx2, scatter_avx2},
    [ISA_AVX512] = {convert_avx512, gather_avx512, scatter_avx512},
#endif
};

const struct transfer *transfer_of(enum isa_level level)
{
    return &transfers[level];
}
