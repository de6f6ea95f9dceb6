/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The two sides of a copy in a fuzzed program, and what a copy between them must answer.
 */
#ifndef BELAY_TESTS_FUZZ_SIDES_H
#define BELAY_TESTS_FUZZ_SIDES_H

#include "fuzz/world.h"

/* What a copy is given on one side. */
struct side {
    struct block *block; /* NULL for NULL and for memory that was freed */
    uint64_t offset;
    unsigned char *at;
    bool fits; /* all of it lies in the block */
};

static inline bool is_on_device(const struct side *side)
{
    return side->block->place == PLACE_DEVICE;
}

/* Longer than any memory of a process: the library must refuse it without looking. */
static inline bool is_absurd(uint64_t bytes)
{
    return bytes >= UINT64_C(1) << 57;
}

/*
 * Whether no other memory than the library's can lie at an address, live or not: it takes address space in
 * pieces of 2 MiB. Where an address was the library's once, the table of blocks does not tell for sure.
 */
static inline bool is_reserved(const struct world *world, const unsigned char *address)
{
    for (int i = 0; i < BLOCKS; i++) {
        const struct block *block = &world->block[i];
        if (block->is_live && block->place != PLACE_HOST &&
            ((uintptr_t)block->address ^ (uintptr_t)address) >> 21 == 0)
            return true;
    }
    return false;
}

/*
 * Some bytes of a block, next to its end or of one that was freed. False when the call must not be made:
 * where host memory ends nobody but the program knows.
 */
static inline bool draw_side(struct world *world, uint64_t bytes, struct side *side)
{
    uint32_t index = draw(world, BLOCKS), choice = draw(world, 16);
    uint64_t offset = draw(world, 64);
    struct block *block = &world->block[world->block[index].address != NULL ? index : index % 5];
    if (choice == 8)
        offset *= 8;
    else if (choice == 9)
        offset *= 600;
    else if (choice == 10)
        offset = block->bytes + 2 > offset % 8 ? block->bytes + 2 - offset % 8 : 0;
    if (choice == 11 && offset % 4 == 0) {
        *side = (struct side){.at = NULL};
        return true;
    }
    *side = (struct side){.at = behind(block->address, offset)};
    if (block->place == PLACE_HOST) {
        side->fits = block->is_live && offset <= block->bytes && bytes <= block->bytes - offset;
        side->block = block;
        side->offset = offset;
        return block->is_live && offset <= block->bytes && (side->fits || is_absurd(bytes));
    }
    side->block = find_block(world, side->at);
    if (side->block != NULL) {
        side->offset = (uint64_t)(side->at - side->block->address);
        side->fits = bytes <= side->block->bytes - side->offset;
    }
    return side->block != NULL || is_reserved(world, side->at);
}

static inline int expect_stream(struct world *world, aclrtStream stream)
{
    int32_t device;
    return world->current < 0 ? 107002 : takes_work(world, stream, &device) ? 0 : 107017;
}

/* In stream order; both sides fit and kind is 0 to 5. */
static inline int expect_kind(uint32_t kind, bool to_device, bool from_device)
{
    if (kind == ACL_MEMCPY_DEFAULT)
        return to_device || from_device ? 0 : 207000;
    if (kind == ACL_MEMCPY_HOST_TO_HOST)
        return 207000;
    bool wants_to = kind != ACL_MEMCPY_DEVICE_TO_HOST;
    bool wants_from = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    return wants_to == to_device && wants_from == from_device ? 0 : 107000;
}

static inline uint64_t draw_count(struct world *world)
{
    static const uint64_t counts[] = {1, 4, 32, 100, 511, 512, 8, 64, 16, 7, 33, 513, 4096, 0, UINT64_MAX};
    return counts[draw(world, sizeof counts / sizeof counts[0])];
}

#endif
