/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Loads that wait. A tile that goes from global memory to UB, is added to another one and never looked at again need not be
 * copied: the instruction reads it where it is. So a large load is only noted. What such an instruction leaves is noted,
 * too: the store that mostly comes next makes it part by part, so that reading and writing go side by side. Instructions
 * over whole tensors, loads and stores know of that, and settle what they would get wrong; whatever else touches UB
 * settles all (access_chip). Not under a check, and not where a kernel has taken addresses to use by itself.
 */
#ifndef ASCENDC_LATE_H
#define ASCENDC_LATE_H

#include "ascendc/chip.h"

namespace AscendC
{
enum { LATE_LEAST = 1024, LATE_ALIGNMENT = 16 };

/* Whether any of the bytes of UB wait. */
inline bool waits(const belay_chip *chip, const uint8_t *address, uint64_t bytes)
{
    for (uint32_t each = 0; each < chip->load_count; each++)
        if (address < chip->loads[each].to + chip->loads[each].bytes &&
            chip->loads[each].to < address + bytes)
            return true;
    return false;
}

inline void make_result(belay_chip *chip)
{
    if (__builtin_expect(chip->result.bytes != 0, 0))
        belay_chip_make(chip);
}

/* Whether the bytes are the result that waits, no more and no less. */
inline bool is_result(const belay_chip *chip, const uint8_t *address, uint64_t bytes)
{
    return chip->result.bytes == bytes && chip->result.to == address;
}

/* Before an instruction that looks at these bytes alone. */
inline void settle_for(belay_chip *chip, const uint8_t *address, uint64_t bytes)
{
    make_result(chip);
    if (chip->load_count && waits(chip, address, bytes))
        belay_chip_settle(chip);
}

/* Where bytes of UB are read: in global memory where all of them wait. NULL: some do. */
inline const uint8_t *where_read(const belay_chip *chip, const uint8_t *address, uint64_t bytes)
{
    for (uint32_t each = 0; each < chip->load_count; each++) {
        const belay_chip_load &load = chip->loads[each];
        if (address >= load.to && address + bytes <= load.to + load.bytes)
            return load.from + (address - load.to);
    }
    return waits(chip, address, bytes) ? nullptr : address;
}

/* The load, whose ends were judged, waits; or else UB is as it may be written. */
inline bool load_waits(belay_chip *chip, bool is_ub, uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    /* What it overwrites is of no use any more. */
    for (uint32_t each = chip->load_count; each-- > 0;)
        if (chip->loads[each].to >= to && chip->loads[each].to + chip->loads[each].bytes <= to + bytes)
            chip->loads[each] = chip->loads[--chip->load_count];
    settle_for(chip, to, bytes);
    if (chip->shadow || chip->has_raw || !is_ub || bytes < LATE_LEAST || (uintptr_t)from % LATE_ALIGNMENT)
        return false;
    if (chip->load_count == CHIP_LOADS)
        belay_chip_settle(chip);
    chip->loads[chip->load_count++] = {to, from, bytes};
    return true;
}

/* The kernel may read or write by itself from here on. */
inline void takes_raw_address()
{
    belay_chip *chip = belay_chip_now();
    chip->has_raw = true;
    belay_chip_settle(chip);
}
} // namespace AscendC

#endif
