/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bits lie in pieces, one for 2 MiB of memory, which a table over the whole address space leads to. The
 * system gives pages of both only where they are touched.
 */
#include "check/valid_bytes.h"

#include <string.h>
#include <sys/mman.h>

enum { PIECE_BITS = 21, WORD_BITS = 6, WORDS = 1 << (PIECE_BITS - WORD_BITS) };

/* Programs of the processors there are have addresses of 48 bits at most, unless they ask for more. */
#define PIECES ((uintptr_t)1 << (48 - PIECE_BITS))

static uint64_t **pieces; /* NULL at first, MAP_FAILED where the system has no room for it */

static uint64_t *find_piece(uintptr_t address)
{
    uintptr_t at = address >> PIECE_BITS;
    return pieces != NULL && pieces != MAP_FAILED && at < PIECES ? pieces[at] : NULL;
}

static void *map(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static uint64_t *make_piece(uintptr_t address)
{
    if (pieces == NULL)
        pieces = (uint64_t **)map(PIECES * sizeof *pieces);
    uintptr_t at = address >> PIECE_BITS;
    if (pieces == MAP_FAILED || at >= PIECES)
        return NULL;
    if (pieces[at] == NULL) {
        void *piece = map(WORDS * sizeof(uint64_t));
        pieces[at] = piece == MAP_FAILED ? NULL : (uint64_t *)piece;
    }
    return pieces[at];
}

/* The end of the piece of memory that the address is in, or end if that comes first. */
static uintptr_t end_of_piece(uintptr_t address, uintptr_t end)
{
    uintptr_t next = ((address >> PIECE_BITS) + 1) << PIECE_BITS;
    return next < end ? next : end;
}

static uint64_t word_of(uintptr_t address)
{
    return address >> WORD_BITS & (WORDS - 1);
}

/* The bits of a word from that of the address on; up to the one before it. */
static uint64_t from_bit(uintptr_t address)
{
    return UINT64_MAX << (address & 63);
}

static uint64_t up_to_bit(uintptr_t address)
{
    return (address & 63) == 0 ? UINT64_MAX : ~(UINT64_MAX << (address & 63));
}

/* Sets or clears the bits of a range within one piece, which is not empty. */
static void fill(uint64_t *piece, uintptr_t first, uintptr_t end, bool value)
{
    uint64_t at = word_of(first), last = word_of(end - 1);
    uint64_t head = from_bit(first), tail = up_to_bit(end);
    if (at == last)
        head &= tail;
    piece[at] = value ? piece[at] | head : piece[at] & ~head;
    if (at == last)
        return;
    memset(&piece[at + 1], value ? 0xff : 0, (last - at - 1) * sizeof *piece);
    piece[last] = value ? piece[last] | tail : piece[last] & ~tail;
}

void valid_forget(uintptr_t first, uintptr_t end)
{
    while (first < end) {
        uintptr_t next = end_of_piece(first, end);
        uint64_t *piece = find_piece(first);
        if (piece != NULL && next - first == (uintptr_t)1 << PIECE_BITS)
            madvise(piece, WORDS * sizeof *piece, MADV_DONTNEED); /* reads as 0 then */
        else if (piece != NULL)
            fill(piece, first, next, false);
        first = next;
    }
}

void valid_set(uintptr_t first, uintptr_t end)
{
    while (first < end) {
        uintptr_t next = end_of_piece(first, end);
        uint64_t *piece = make_piece(first);
        if (piece != NULL)
            fill(piece, first, next, true);
        first = next;
    }
}

/* What valid_find_unset finds within one piece. */
static uintptr_t find_in_piece(const uint64_t *piece, uintptr_t first, uintptr_t end)
{
    uint64_t at = word_of(first), last = word_of(end - 1);
    uint64_t unset = ~piece[at] & from_bit(first);
    while (at < last && unset == 0)
        unset = ~piece[++at];
    if (at == last)
        unset &= up_to_bit(end);
    if (unset == 0)
        return end;
    uintptr_t start = first >> PIECE_BITS << PIECE_BITS;
    return start + (at << WORD_BITS) + (uintptr_t)__builtin_ctzll(unset);
}

uintptr_t valid_find_unset(uintptr_t first, uintptr_t end)
{
    if (pieces == MAP_FAILED)
        return end; /* nothing is known */
    while (first < end) {
        uintptr_t next = end_of_piece(first, end);
        const uint64_t *piece = find_piece(first);
        if (piece == NULL)
            return first;
        uintptr_t found = find_in_piece(piece, first, next);
        if (found < next)
            return found;
        first = next;
    }
    return end;
}

bool valid_covers(const struct extent *extent)
{
    /* Mostly the gaps have been written, too. */
    if (valid_find_unset(extent->first, extent->end) == extent->end)
        return true;
    struct extent_walk walk = extent_walk(extent);
    bool covers;
    do
        covers = valid_find_unset(walk.run, walk.run + extent->run) == walk.run + extent->run;
    while (covers && extent_walk_next(&walk));
    return covers;
}

void valid_set_extent(const struct extent *extent)
{
    if (extent->axes > 0 && valid_find_unset(extent->first, extent->end) == extent->end)
        return;
    struct extent_walk walk = extent_walk(extent);
    do
        valid_set(walk.run, walk.run + extent->run);
    while (extent_walk_next(&walk));
}

void valid_copy(uintptr_t to, uintptr_t from, uint64_t bytes)
{
    if (valid_find_unset(from, from + bytes) == from + bytes) {
        valid_set(to, to + bytes);
        return;
    }
    /* Bit by bit, in the direction in which an overlap does no harm. */
    for (uint64_t i = 0; i < bytes; i++) {
        uint64_t at = to < from ? i : bytes - 1 - i;
        if (valid_find_unset(from + at, from + at + 1) == from + at)
            valid_forget(to + at, to + at + 1);
        else
            valid_set(to + at, to + at + 1);
    }
}
