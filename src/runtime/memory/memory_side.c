/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The range check that every copy and set passes, on each of its sides.
 */
#include "runtime/memory/memory_side.h"

#include "base/error.h"
#include "base/report.h"

/* Programs have no addresses above these on any Linux that the library runs on. */
enum { ADDRESS_BITS = 56 };

int memory_side_find(const char *api, const char *parameter, const void *address, uint64_t bytes,
                     struct memory_side *side)
{
    uintptr_t start = (uintptr_t)address;
    uintptr_t last;
    struct memory_block block;
    bool is_found = memory_find(address, &block);
    *side = (struct memory_side){.place = block.place, .device = is_found ? block.device : 0};
    if (is_found && bytes <= block.bytes - (start - block.base)) {
        side->is_mapped = block.is_registered;
        side->is_block = !block.is_registered;
        return 0;
    }
    bool is_reserved = memory_is_reserved(address);
    if (is_found && is_reserved)
        return report_misuse_of(
            address, RULE_COPY, ACL_ERROR_RT_PARAM_INVALID,
            "%s: %s + %llu bytes reaches %llu bytes past the end of a block of %llu bytes at %p; "
            "memory of one block is expected",
            api, parameter, (unsigned long long)bytes,
            (unsigned long long)(bytes - (block.bytes - (start - block.base))),
            (unsigned long long)block.bytes, (void *)block.base);
    side->place = MEMORY_UNKNOWN; /* also host memory of which only the first part is registered */
    if (is_reserved) {
        char text[MEMORY_TEXT_BYTES];
        memory_describe(address, text, sizeof text);
        return report_misuse_of(address, RULE_FREE, ACL_ERROR_RT_PARAM_INVALID,
                                "%s: %s %p %s; memory of a live block or of the host is expected", api,
                                parameter, address, text);
    }
    if (__builtin_add_overflow(start, bytes - 1, &last) || last >> ADDRESS_BITS != 0 ||
        memory_reaches_reserved(start, last))
        return report_misuse(RULE_COPY, ACL_ERROR_RT_PARAM_INVALID,
                             "%s: %s %p + %llu bytes leaves the memory of the host; fewer bytes are expected",
                             api, parameter, address, (unsigned long long)bytes);
    return 0;
}

bool memory_side_is_current(const void *address, uint64_t bytes, const struct memory_side *side)
{
    struct memory_block block;
    return !side->is_block ||
           (memory_find(address, &block) && bytes <= block.bytes - ((uintptr_t)address - block.base));
}
