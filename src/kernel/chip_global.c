/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Global memory as kernels reach it: inside of an allocation, always; and under `belay check` two cores that write the
 * same bytes with nothing between that orders them. Cores know how far others were when they met them: at SyncAll,
 * by flags and by words in memory.
 */
#include "kernel/chip.h"

#include <string.h>

#include "kernel/streaming.h"

/* A block of a mixed kernel has a cube core in front of its vector cores. */
static uint32_t cores_of(const struct belay_kernel_block *block)
{
    const bool mixed = block->kind == BELAY_KERNEL_MIXED_1_1 || block->kind == BELAY_KERNEL_MIXED_1_2;
    return mixed ? 1 + block->sub_count : 1;
}

uint32_t chip_cores(void)
{
    const struct belay_kernel_block *block = belay_kernel_block();
    return block->count * cores_of(block);
}

uint32_t chip_core(void)
{
    const struct belay_kernel_block *block = belay_kernel_block();
    const uint32_t each = cores_of(block);
    return block->index * each + (each == 1 || block->core == BELAY_CORE_CUBE ? 0 : 1 + block->sub_index);
}

struct chip_launch *chip_launch(void)
{
    if (chip_cores() > CORES_MAX)
        return NULL;
    const size_t writes = belay_kernel_checks() > 1 ? WRITES_MAX : 0;
    return belay_kernel_shared(sizeof(struct chip_launch) + writes * sizeof(struct global_write));
}

/* An address below is NULL and an offset: nothing is mapped there. */
enum { LOWEST_PAGES = 65536 };
enum { PAGE_SHIFT = 16 };

static void page_wrote(struct belay_chip *chip, struct chip_launch *launch,
                       const struct belay_chip_place *place, uintptr_t low, uintptr_t high)
{
    const struct belay_chip_shadow *shadow = chip->shadow;
    uint32_t *page = &launch->pages[(low >> PAGE_SHIFT) % PAGES_HASHED];
    for (uint32_t at = *page; at; at = launch->writes[at - 1].next) {
        struct global_write *other = &launch->writes[at - 1];
        if (other->core == shadow->core) {
            const bool joins =
                other->time == shadow->known[shadow->core] && low >= other->low && low <= other->high;
            if (!joins || other->place.line != place->line)
                continue;
            if (high > other->high)
                other->high = high;
            return;
        }
        if (low >= other->high || high <= other->low || shadow->known[other->core] >= other->time)
            continue;
        belay_chip_report(
            place, "SyncAll between the two, or SetAtomicAdd for sums is expected",
            "writes %llu bytes of global memory that core %u wrote by %s (%s:%d), and nothing orders the "
            "two cores: a device leaves either's values",
            (unsigned long long)((high < other->high ? high : other->high) -
                                 (low > other->low ? low : other->low)),
            other->core, other->place.instruction, chip_file_name(other->place.file), other->place.line);
        other->high = other->low; /* once is enough */
    }
    if (launch->write_count == WRITES_MAX)
        return;
    launch->writes[launch->write_count] =
        (struct global_write){low, high, *place, shadow->core, shadow->known[shadow->core], *page};
    *page = ++launch->write_count;
}

void chip_global_wrote(struct belay_chip *chip, const struct belay_chip_place *place, uintptr_t address,
                       uint64_t bytes)
{
    struct chip_launch *launch = chip->shadow && chip->shadow->races ? chip_launch() : NULL;
    if (!launch)
        return;
    const uintptr_t end = address + bytes;
    while (address < end) {
        uintptr_t next = ((address >> PAGE_SHIFT) + 1) << PAGE_SHIFT;
        next = next < end ? next : end;
        page_wrote(chip, launch, place, address, next);
        address = next;
    }
}

/* Whether the bytes are in one allocation. */
static bool inside(struct belay_chip *chip, uintptr_t address, uint64_t bytes,
                   struct belay_chip_extent *extent)
{
    for (int each = 0; each < 4; each++) {
        *extent = chip->extents[each];
        if (address >= extent->low && address < extent->high)
            return bytes <= extent->high - address;
    }
    uint64_t before, after;
    /* What begins where an allocation ends is past its end. */
    if (!belay_kernel_extent((const void *)address, &before, &after)) {
        const bool is_behind = address && belay_kernel_extent((const void *)(address - 1), &before, &after);
        *extent = (struct belay_chip_extent){is_behind ? address - 1 - before : 0, is_behind ? address : 0};
        return false;
    }
    *extent = (struct belay_chip_extent){address - before, address + after};
    chip->extents[chip->extent++ % 4] = *extent;
    return bytes <= after;
}

void belay_chip_make(struct belay_chip *chip)
{
    const struct belay_chip_result *result = &chip->result;
    if (result->bytes > 0)
        result->make(result, 0, result->bytes / result->element);
    chip->result.bytes = 0;
}

void belay_chip_settle(struct belay_chip *chip)
{
    belay_chip_make(chip);
    for (uint32_t each = 0; each < chip->load_count; each++)
        memcpy(chip->loads[each].to, chip->loads[each].from, chip->loads[each].bytes);
    chip->load_count = 0;
}

/* A write of so few bytes may be the word that tells another core to go on. */
enum { WORD_BYTES = 64 };

/* What a load that waits reads is about to be written, here or by whom a word tells; who sees that sees all
 * before it. */
static void settle_for_write(struct belay_chip *chip, uintptr_t at, uint64_t bytes)
{
    if (bytes <= WORD_BYTES) {
        if (chip->has_streamed)
            put_fence();
        chip->has_streamed = false;
        belay_chip_settle(chip);
        return;
    }
    for (uint32_t each = 0; each < chip->load_count; each++) {
        const uintptr_t from = (uintptr_t)chip->loads[each].from;
        if (at < from + chip->loads[each].bytes && from < at + bytes) {
            belay_chip_settle(chip);
            return;
        }
    }
}

void belay_chip_global(const struct belay_chip_place *place, const void *address, uint64_t bytes,
                       const void *base, uint64_t size, bool writes)
{
    struct belay_chip *chip = belay_chip_now();
    struct belay_chip_extent extent;
    const uintptr_t at = (uintptr_t)address;
    if (!bytes)
        return;
    if (!inside(chip, at, bytes, &extent)) {
        if (at < LOWEST_PAGES)
            belay_chip_fault(place, "the GlobalTensor has no address; SetGlobalBuffer with one is expected");
        if (!extent.high)
            belay_chip_fault(
                place,
                "%s %llu bytes at %p, which is in no live allocation of device memory; an argument "
                "from aclrtMalloc, and offsets within it are expected",
                writes ? "writes" : "reads", (unsigned long long)bytes, address);
        belay_chip_fault(
            place,
            "%s %llu bytes past the end of an allocation of %llu bytes (from byte %llu of it); a "
            "smaller count for the last block, or DataCopyPad is expected",
            writes ? "writes" : "reads", (unsigned long long)(at + bytes - extent.high),
            (unsigned long long)(extent.high - extent.low), (unsigned long long)(at - extent.low));
    }
    if (writes)
        settle_for_write(chip, at, bytes);
    if (!chip->shadow)
        return;
    const uintptr_t first = (uintptr_t)base;
    if (size && (at < first || at + bytes > first + size))
        belay_chip_report(place, "the size of SetGlobalBuffer and what is copied are expected to agree",
                          "%s bytes %lld to %lld of a GlobalTensor of %llu bytes",
                          writes ? "writes" : "reads", (long long)(at - first),
                          (long long)(at - first + bytes), (unsigned long long)size);
    if (writes && chip->atomic == CHIP_STORE)
        chip_global_wrote(chip, place, at, bytes);
}

/* Bytes that are asked for while others are written. */
struct ahead {
    const uint8_t *from[CHIP_LOADS + CHIP_SOURCES];
    uint32_t count;
};

/* What the next tile will read, of a kernel that goes through its tensors: behind the loads that wait. */
static void find_next(const struct belay_chip *chip, struct ahead *ahead)
{
    for (uint32_t each = 0; each < chip->load_count; each++) {
        const uint8_t *behind = chip->loads[each].from + chip->loads[each].bytes;
        bool is_loaded = false;
        for (uint32_t other = 0; other < chip->load_count; other++)
            is_loaded |= chip->loads[other].from == behind;
        if (!is_loaded)
            ahead->from[ahead->count++] = behind;
    }
}

static void find_sources(const struct belay_chip_result *result, struct ahead *ahead)
{
    for (uint32_t each = 0; each < result->sources; each++)
        ahead->from[ahead->count++] = result->from[each] + STREAM_AHEAD;
}

/*
 * What goes past the caches goes in parts, while what is read next is asked for: memory always has something to do.
 * A result that waits is made part by part.
 */
void belay_chip_store(struct belay_chip *chip, void *to, const void *from, uint64_t bytes)
{
    enum { PART_BYTES = 512 };
    struct belay_chip_result *result = &chip->result;
    const bool is_made = result->bytes != bytes || result->to != from;
    const uintptr_t at = (uintptr_t)to;
    struct ahead ahead = {.count = 0};
    uint64_t room = 0;
    for (int each = 0; each < 4; each++)
        if (bytes >= STREAM_LEAST && at >= chip->extents[each].low && at < chip->extents[each].high)
            room = chip->extents[each].high - chip->extents[each].low;
    if (room >= STREAM_BYTES && is_made)
        find_next(chip, &ahead);
    else if (room >= STREAM_BYTES)
        find_sources(result, &ahead);
    for (uint64_t done = 0; done < bytes; done += PART_BYTES) {
        const uint64_t some = bytes - done < PART_BYTES ? bytes - done : PART_BYTES;
        for (uint32_t each = 0; each < ahead.count; each++)
            ask_for(ahead.from[each], done, PART_BYTES, SIZE_MAX);
        if (!is_made)
            result->make(result, done / result->element, some / result->element);
        /* core_leave has the fence, too */
        chip->has_streamed |=
            copy_streaming((unsigned char *)to + done, (const unsigned char *)from + done, some, room);
    }
    if (!is_made)
        result->bytes = 0;
}
