/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The memory of the board, and its entries by key. Two processes that report the same at the same moment may
 * have an entry each.
 */
#include "check/board.h"

#include <stddef.h>
#include <string.h>

#include "base/joint_memory.h"

struct board *board_open(const char *path)
{
    return joint_memory_open(path, sizeof(struct board));
}

struct board_entry *board_find(struct board *board, uint64_t key, bool *is_new)
{
    uint32_t used = atomic_load_explicit(&board->used, memory_order_acquire);
    *is_new = false;
    for (uint32_t i = 0; i < used && i < BOARD_ENTRIES; i++)
        if (atomic_load_explicit(&board->key[i], memory_order_relaxed) == key)
            return &board->entry[i];
    if (used >= BOARD_ENTRIES)
        return NULL;
    uint32_t own = atomic_fetch_add_explicit(&board->used, 1, memory_order_acq_rel);
    if (own >= BOARD_ENTRIES)
        return NULL;
    atomic_store_explicit(&board->key[own], key, memory_order_relaxed);
    *is_new = true;
    return &board->entry[own];
}

void board_fill(struct board_entry *entry, const struct board_entry *from, bool is_new, uint64_t count)
{
    size_t head = offsetof(struct board_entry, rule);
    atomic_fetch_add_explicit(&entry->count, count, memory_order_relaxed);
    if (!is_new)
        return;
    memcpy((char *)entry + head, (const char *)from + head, sizeof *entry - head);
    atomic_store_explicit(&entry->is_whole, 1, memory_order_release);
}
