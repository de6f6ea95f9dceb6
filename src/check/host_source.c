/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A list of ranges with sums of their bytes. It is as long as there are different ranges that nobody has
 * waited for, which are few; what does not fit into it is not looked at.
 */
#include "check/host_source.h"

#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/addresses/reach.h"
#include "check/reporter.h"

enum { SOURCES_MOST = 256, PART_BYTES = 1 << 16 };

struct source {
    uintptr_t first;
    uint64_t bytes, sum;
    const char *parameter;
    struct call_place place;
};

static struct source source[SOURCES_MOST];
static uint32_t count;

/* By the kernel, as memory of the program may be gone, which is no fault then. False: it is, or the kernel
 * refuses to read at all. */
static bool sum_bytes(uintptr_t first, uint64_t bytes, uint64_t *sum)
{
    static uint64_t part[PART_BYTES / sizeof(uint64_t)];
    *sum = bytes;
    first = (uintptr_t)memory_reach((const void *)first);
    while (bytes > 0) {
        uint64_t length = bytes < PART_BYTES ? bytes : PART_BYTES;
        struct iovec to = {part, length}, from = {(void *)first, length};
        part[(length - 1) / sizeof *part] = 0;
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)length)
            return false;
        for (uint64_t i = 0; i < (length + sizeof *part - 1) / sizeof *part; i++) {
            *sum = (*sum ^ part[i]) * UINT64_C(0x9E3779B97F4A7C15);
            *sum ^= *sum >> 32;
        }
        first += length;
        bytes -= length;
    }
    return true;
}

static void report(const struct source *changed, bool is_gone)
{
    struct call_place here = place_here(NULL);
    report_finding(&(struct finding){.rule = RULE_HOST_SOURCE,
                                     .advice = "Wait for the stream, or for an event behind that work, "
                                               "before the memory is used for something else.",
                                     .place = {{"queued by", &changed->place}, {"found", &here}}},
                   "%s: %s reads %llu bytes of host memory at %p, which the program %s before it has "
                   "waited for that",
                   changed->place.function, changed->parameter, (unsigned long long)changed->bytes,
                   (const void *)changed->first, is_gone ? "has unmapped" : "changed");
}

/* Reports the range if its bytes are others than they were. */
static void compare(const struct source *kept)
{
    uint64_t sum;
    bool is_readable = sum_bytes(kept->first, kept->bytes, &sum);
    if (!is_readable || sum != kept->sum)
        report(kept, !is_readable);
}

void host_source_read(uintptr_t first, uintptr_t end, const char *parameter, const struct call_place *place)
{
    uint64_t sum, bytes = end - first;
    if (first >= end || count == SOURCES_MOST || !sum_bytes(first, bytes, &sum))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (source[i].first == first && source[i].bytes == bytes) {
            if (source[i].sum != sum)
                report(&source[i], false);
            source[i].sum = sum;
            source[i].place = *place;
            return;
        }
    source[count++] = (struct source){first, bytes, sum, parameter, *place};
}

void host_source_forget(uintptr_t first, uintptr_t end)
{
    for (uint32_t i = count; i-- > 0;)
        if (source[i].first < end && first < source[i].first + source[i].bytes)
            source[i] = source[--count];
}

void host_source_settle(host_source_is_over *is_over)
{
    for (uint32_t i = count; i-- > 0;)
        if (is_over(source[i].first, source[i].bytes)) {
            compare(&source[i]);
            source[i] = source[--count];
        }
}

void host_source_forget_all(void)
{
    count = 0;
}
