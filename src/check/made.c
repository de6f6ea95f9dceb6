/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A table by key, open addressing: a lookup ends at the first empty slot, and what is dropped moves those
 * behind it up, so that none is cut off.
 */
#include "check/made.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

/* lock guards the table. Where memory runs out what does not fit is forgotten. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *slots; /* key 0: empty */
static uint64_t slot_count, used;

static uint64_t home_of(uint64_t key, uint64_t count)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (count - 1);
}

/* The slot of the key, or the empty one where it would go. lock is held; there is an empty one. */
static struct made *find(uint64_t key)
{
    uint64_t at = home_of(key, slot_count);
    while (slots[at].key != 0 && slots[at].key != key)
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

/* lock is held. */
static bool make_room(void)
{
    if (used * 2 < slot_count)
        return true;
    uint64_t old_count = slot_count;
    struct made *old = slots;
    uint64_t wanted = old_count != 0 ? 2 * old_count : FIRST_SLOTS;
    struct made *grown = (struct made *)calloc(wanted, sizeof *grown);
    if (grown == NULL)
        return used + 1 < slot_count;
    slots = grown;
    slot_count = wanted;
    for (uint64_t i = 0; i < old_count; i++)
        if (old[i].key != 0)
            *find(old[i].key) = old[i];
    free(old);
    return true;
}

void made_keep(int32_t kind, uint64_t key, uint64_t bytes, int32_t device, const char *function)
{
    struct made entry = {.key = key,
                         .bytes = bytes,
                         .kind = kind,
                         .device = device,
                         .place =
                             kind < MADE_DEVICE_MEMORY ? place_for_leaks(function) : place_here(function),
                         .state = EXECUTOR_NEW};
    pthread_mutex_lock(&lock);
    if (key != 0 && make_room()) {
        struct made *slot = find(key);
        used += slot->key == 0;
        *slot = entry;
    }
    pthread_mutex_unlock(&lock);
}

/* No address and no handle has the highest bit. */
uint64_t made_keep_group(const char *function)
{
    static _Atomic uint64_t groups;
    const uint64_t key =
        UINT64_C(1) << 63 | (atomic_fetch_add_explicit(&groups, 1, memory_order_relaxed) + 1);
    made_keep(MADE_MESSAGE_GROUP, key, 0, -1, function);
    return key;
}

/* lock is held. */
static void empty_slot(uint64_t hole)
{
    used--;
    for (uint64_t at = (hole + 1) & (slot_count - 1); slots[at].key != 0; at = (at + 1) & (slot_count - 1)) {
        uint64_t home = home_of(slots[at].key, slot_count);
        /* Whether the way from its home to where it is leads over the hole. */
        if (((at - home) & (slot_count - 1)) >= ((at - hole) & (slot_count - 1))) {
            slots[hole] = slots[at];
            hole = at;
        }
    }
    slots[hole].key = 0;
}

void made_drop(uint64_t key)
{
    pthread_mutex_lock(&lock);
    if (slot_count != 0 && key != 0) {
        struct made *slot = find(key);
        if (slot->key != 0)
            empty_slot((uint64_t)(slot - slots));
    }
    pthread_mutex_unlock(&lock);
}

void made_change(uint64_t key, enum executor_state state)
{
    pthread_mutex_lock(&lock);
    if (slot_count != 0 && key != 0) {
        struct made *slot = find(key);
        if (slot->key != 0 && state == EXECUTOR_RAN && slot->state == EXECUTOR_NEW)
            empty_slot((uint64_t)(slot - slots));
        else
            slot->state = state;
    }
    pthread_mutex_unlock(&lock);
}

bool made_find(uint64_t key, struct made *found)
{
    bool is_known = false;
    pthread_mutex_lock(&lock);
    if (slot_count != 0 && key != 0) {
        *found = *find(key);
        is_known = found->key != 0;
    }
    pthread_mutex_unlock(&lock);
    return is_known;
}

struct made *made_take(int32_t device, uint64_t *count)
{
    *count = 0;
    pthread_mutex_lock(&lock);
    struct made *copies = used > 0 ? (struct made *)malloc(used * sizeof *copies) : NULL;
    if (copies != NULL)
        for (uint64_t i = 0; i < slot_count; i++)
            if (slots[i].key != 0 && (device < 0 || slots[i].device == device))
                copies[(*count)++] = slots[i];
    for (uint64_t i = 0; i < *count; i++)
        empty_slot((uint64_t)(find(copies[i].key) - slots));
    pthread_mutex_unlock(&lock);
    return copies;
}

void made_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}
