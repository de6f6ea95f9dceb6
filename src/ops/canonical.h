/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every NaN of a result is the canonical quiet one: which NaN an instruction gives is the processor's choice.
 * Conversions see to that; what is DOUBLE from the first to the last is not converted.
 */
#ifndef BELAY_OPS_CANONICAL_H
#define BELAY_OPS_CANONICAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void canonical_nans(double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        bits = (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000) ? UINT64_C(0x7ff8000000000000) : bits;
        memcpy(&value[i], &bits, sizeof bits);
    }
}

#endif
