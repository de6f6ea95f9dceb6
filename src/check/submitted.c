/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Keeps the places of the last tasks, each where its number leads to.
 */
#include "check/submitted.h"

#include <pthread.h>
#include <stdlib.h>

enum { PLACES_KEPT = 8192 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
    uint32_t number;
    struct call_place place;
} * kept; /* guarded by the lock */

void submitted_keep(uint32_t number, const struct call_place *place)
{
    pthread_mutex_lock(&lock);
    if (kept == NULL)
        kept = (struct kept *)calloc(PLACES_KEPT, sizeof *kept);
    if (kept != NULL)
        kept[number % PLACES_KEPT] = (struct kept){number, *place};
    pthread_mutex_unlock(&lock);
}

struct call_place submitted_at(const struct task *task)
{
    struct call_place place = {.function = task->api};
    pthread_mutex_lock(&lock);
    if (kept != NULL && kept[task->number % PLACES_KEPT].number == task->number)
        place = kept[task->number % PLACES_KEPT].place;
    pthread_mutex_unlock(&lock);
    return place;
}
