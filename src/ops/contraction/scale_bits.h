/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scales of 64 bits, as aclnnTransQuantParam makes them: bits 0 to 31 a FLOAT, of which products use the upper
 * 19, and bits 37 to 45 an offset with a sign.
 */
#ifndef BELAY_OPS_CONTRACTION_SCALE_BITS_H
#define BELAY_OPS_CONTRACTION_SCALE_BITS_H

#include <stdint.h>
#include <string.h>

static inline double float_in_bits(uint32_t bits)
{
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return (double)scale;
}

static inline double scale_in_bits(uint64_t bits)
{
    return float_in_bits((uint32_t)bits & UINT32_C(0xffffe000));
}

static inline double offset_in_bits(uint64_t bits)
{
    const int offset = (int)(bits >> 37 & 0x1ff);
    return offset >= 256 ? offset - 512 : offset;
}

#endif
