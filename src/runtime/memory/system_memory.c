/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Asks the kernel about memory: /proc/meminfo, control groups, and the residence of pages.
 */
#include "runtime/memory/system_memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cancellation.h"
#include "base/cgroup.h"

static uint64_t machine_available(void)
{
    char text[2048]; /* the field is one of the first three lines */
    int file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return UINT64_MAX;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0)
        return UINT64_MAX;
    text[length] = '\0';
    static const char name[] = "\nMemAvailable:";
    const char *field = strstr(text, name);
    return field == NULL ? UINT64_MAX : strtoull(field + sizeof name - 1, NULL, 10) * 1024;
}

/* Bytes that can be touched before the system or a control group runs out; UINT64_MAX when that is not known.
 */
static uint64_t available_memory(void)
{
    int cancellation = cancellation_hold();
    uint64_t machine = machine_available();
    uint64_t group = cgroup_memory_left("");
    cancellation_allow(cancellation);
    return machine < group ? machine : group;
}

/* How many of the bytes from start, a page boundary, hold memory now. */
static uint64_t resident_memory(const void *start, uint64_t bytes)
{
    enum { PAGES = 8192 };
    static unsigned char state[PAGES]; /* under the allocator's lock */
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t resident = 0;
    for (uint64_t done = 0; done < bytes;) {
        uint64_t part = bytes - done < PAGES * page_bytes ? bytes - done : PAGES * page_bytes;
        if (mincore((void *)((uintptr_t)start + done), part, state) != 0)
            return resident;
        for (uint64_t i = 0; i < (part + page_bytes - 1) / page_bytes; i++)
            resident += (state[i] & 1) * page_bytes;
        done += part;
    }
    return resident;
}

bool system_memory_can_back(uint64_t bytes, uint64_t promised, const void *start, uint64_t region_bytes)
{
    static const uint64_t BUDGET_MOST = UINT64_C(256) << 20;
    static uint64_t budget; /* the system had room for as many more when it was last asked; under the lock */
    if (bytes <= budget) {
        budget -= bytes;
        return true;
    }
    uint64_t available = available_memory();
    if (available == UINT64_MAX)
        return true;
    available -= available / 32; /* page tables, and what the rest of the program needs meanwhile */
    if (bytes > available)
        return false;
    uint64_t untouched = promised;
    if (untouched > available - bytes) { /* finding out is slow: milliseconds for each GiB */
        uint64_t touched = resident_memory(start, region_bytes);
        untouched -= touched < untouched ? touched : untouched;
    }
    if (untouched > available - bytes)
        return false;
    budget = (available - bytes - untouched) / 16;
    if (budget > BUDGET_MOST)
        budget = BUDGET_MOST;
    return true;
}
