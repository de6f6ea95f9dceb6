/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The memory of the journal, and its notes. Two threads that write the same at the same moment may have a note
 * each.
 */
#include "runtime/faults/journal.h"

#include <string.h>

#include "base/joint_memory.h"

struct journal *journal_open(const char *path)
{
    return joint_memory_open(path, sizeof(struct journal));
}

static bool is_same(const struct journal_note *one, const struct journal_note *other)
{
    return one->fault == other->fault && one->code == other->code && one->process == other->process &&
           strcmp(one->text, other->text) == 0;
}

void journal_write(struct journal *journal, const struct journal_note *note)
{
    uint32_t used = atomic_load_explicit(&journal->used, memory_order_acquire);
    for (uint32_t i = 0; i < used && i < JOURNAL_NOTES; i++) {
        struct journal_note *before = &journal->note[i];
        if (atomic_load_explicit(&before->is_whole, memory_order_acquire) != 0 && is_same(before, note)) {
            atomic_fetch_add_explicit(&before->count, 1, memory_order_relaxed);
            return;
        }
    }
    if (used > JOURNAL_NOTES)
        return;
    const uint32_t own = atomic_fetch_add_explicit(&journal->used, 1, memory_order_acq_rel);
    if (own >= JOURNAL_NOTES)
        return;
    struct journal_note *to = &journal->note[own];
    to->fault = note->fault;
    to->code = note->code;
    to->process = note->process;
    to->rank = note->rank;
    to->restart = note->restart;
    memcpy(to->text, note->text, sizeof to->text);
    atomic_store_explicit(&to->count, 1, memory_order_relaxed);
    atomic_store_explicit(&to->is_whole, 1, memory_order_release);
}
