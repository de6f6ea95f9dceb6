/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether an fp32 result that is not exact rounds to 16 bits as the exact one does.
 */
#ifndef BELAY_SIMD_TIES_H
#define BELAY_SIMD_TIES_H

#include "simd/doubts.h"
#include "simd/wide_memory.h"

/*
 * In doubt where numbers within a unit in the last place of value do not all round to the same in 16 bits.
 * Where not is_careful no value is below 2^-100 unless it is 0; otherwise it is exact where x is 0.
 */
static inline void doubt_tie(struct doubts *doubts, wide value, wide x)
{
    if (doubts->dtype == ARITHMETIC_FP16) {
        wide_halves low = wide_to_fp16(value * (1 - 0x1p-23F)), high = wide_to_fp16(value * (1 + 0x1p-23F));
        doubts->differing |= __builtin_convertvector(low ^ high, wide_bits);
        return;
    }
    /* Shifted up, what lies next to a tie comes out highest. */
    doubt_above(doubts, 1, ((wide_bits)value - 0x8002) << 16, 0U - (4U << 16));
    if (doubts->is_careful) {
        flags subnormal = wide_greater(wide_of(0x1p-126F), wide_absolute(value));
        doubts->differing |= (wide_bits)wide_choose(subnormal, wide_absolute(x), wide_of(0));
    }
}

/*
 * The same of a value that may be off by some units in the last place, and is no careful one: in doubt, too,
 * where it is too small for 16 bits to have its last place where that of larger numbers is. 0 is exact.
 */
static inline void doubt_near_tie(struct doubts *doubts, wide value, uint32_t units)
{
    const bool is_fp16 = doubts->dtype == ARITHMETIC_FP16;
    const uint32_t tie = is_fp16 ? 0x1000 : 0x8000, shift = is_fp16 ? 19 : 16;
    doubt_above(doubts, 1, ((wide_bits)value - (tie + units)) << shift, 0U - ((2 * units + 1) << shift));
    doubt_below(doubts, value, is_fp16 ? 0x38800000 : 0x00800000);
}

#endif
