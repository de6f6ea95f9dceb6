/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether an fp32 result that is not exact rounds to 16 bits as the exact one does.
 */
#ifndef BELAY_SIMD_TIES_H
#define BELAY_SIMD_TIES_H

#include "simd/unsettled.h"
#include "simd/vector_memory.h"

/*
 * In doubt where value lies within some units in the last place of a tie. Small results have their ties at
 * other places: of fp16 the quick way has them in doubt, but for 0, which is exact, and of any number both
 * ends of what the exact result may be are rounded; of bf16 unsettled_subnormal() tells.
 */
static inline void unsettled_tie(struct unsettled *unsettled, vector value, uint32_t units)
{
    const bool is_fp16 = unsettled->dtype == ARITHMETIC_FP16;
    if (is_fp16 && unsettled->path == PATH_ANY) {
        const float error = (float)units * 0x1p-24F;
        vector_halves low = vector_to_fp16(value * (1 - error)), high = vector_to_fp16(value * (1 + error));
        unsettled_differing(unsettled, __builtin_convertvector(low ^ high, vector_bits));
        return;
    }
    /* Shifted up, what lies next to a tie comes out highest. */
    const uint32_t tie = is_fp16 ? 0x1000 : 0x8000, shift = is_fp16 ? 19 : 16;
    unsettled_above(unsettled, 2, ((vector_bits)value - (tie + units + 1)) << shift,
                    0U - ((2 * units + 2) << shift));
    if (is_fp16)
        unsettled_below(unsettled, value, 0x38800000); /* 2^-14 */
}

/* In doubt where a value for bf16 is subnormal, so that its error may be more units, and x is not 0. */
static inline void unsettled_subnormal(struct unsettled *unsettled, vector value, vector x)
{
    flags is_subnormal = vector_greater(vector_of(0x1p-126F), vector_absolute(value));
    unsettled_differing(unsettled,
                        (vector_bits)vector_choose(is_subnormal, vector_absolute(x), vector_of(0)));
}

#endif
