/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Keeps, for each stream that was given work since the last wait, the first of it. A wait begins a new epoch,
 * which empties the table without looking at it.
 */
#include "check/order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "check/made.h"
#include "check/place.h"
#include "check/reporter.h"

struct unwaited {
    uint64_t stream; /* 0: empty */
    uint64_t epoch;  /* of the work; an older one than the current means that it was waited for */
    uint64_t count;
    int32_t device;
    struct call_place first;
};

/* More streams than that at a time are not looked at. */
enum { STREAMS_KEPT = 256 };

struct workspace {
    uintptr_t address; /* 0: empty */
    uint64_t stream, epoch;
    struct call_place place; /* that queued the work */
};

/* How many queued operators' workspaces are known at a time; older ones are forgotten. */
enum { WORKSPACES_KEPT = 256 };

/* Calls that failed since the program has last read an error. */
struct unread {
    uint64_t count;
    char function[96];       /* that of the first */
    struct call_place first; /* where it was */
    struct call_place next;  /* that queued work behind it; its function is NULL until then */
};

/* lock guards the tables, and what is unread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct unwaited table[STREAMS_KEPT];
static struct workspace workspaces[WORKSPACES_KEPT];
static uint32_t next_workspace;
static struct unread unread;
static _Atomic uint64_t current_epoch;

/* The entry of the stream, or one that may be taken for it, or NULL. lock is held. */
static struct unwaited *find(uint64_t stream, uint64_t epoch)
{
    struct unwaited *vacant = NULL;
    for (int i = 0; i < STREAMS_KEPT; i++) {
        if (table[i].stream == stream)
            return &table[i];
        if (vacant == NULL && (table[i].stream == 0 || table[i].epoch != epoch))
            vacant = &table[i];
        if (table[i].stream == 0)
            break; /* entries are taken from the front */
    }
    return vacant;
}

uint64_t order_epoch(void)
{
    return atomic_load_explicit(&current_epoch, memory_order_relaxed);
}

void order_keep(const char *function, uint64_t stream, int32_t device, uint64_t epoch)
{
    pthread_mutex_lock(&lock);
    struct unwaited *entry = epoch == order_epoch() ? find(stream, epoch) : NULL;
    bool is_first = entry != NULL && (entry->stream != stream || entry->epoch != epoch);
    if (is_first)
        *entry = (struct unwaited){.stream = stream, .epoch = epoch, .device = device};
    if (entry != NULL && entry->count++ == 0)
        entry->first = place_for_leaks(function);
    if (unread.count > 0 && unread.next.function == NULL)
        unread.next = place_here(function);
    pthread_mutex_unlock(&lock);
}

void order_forget(void)
{
    atomic_fetch_add_explicit(&current_epoch, 1, memory_order_relaxed);
}

void order_forget_stream(uint64_t stream)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < STREAMS_KEPT; i++)
        if (table[i].stream == stream)
            table[i].epoch = UINT64_MAX;
    for (int i = 0; i < WORKSPACES_KEPT; i++)
        if (workspaces[i].stream == stream)
            workspaces[i].address = 0;
    pthread_mutex_unlock(&lock);
}

/* A stream without an entry is being recorded: nothing of it is queued. */
void order_keep_workspace(const char *function, uint64_t stream, const void *workspace)
{
    uint64_t epoch = order_epoch();
    pthread_mutex_lock(&lock);
    const struct unwaited *entry = find(stream, epoch);
    uint32_t at = 0;
    while (at < WORKSPACES_KEPT &&
           (workspaces[at].address != (uintptr_t)workspace || workspaces[at].epoch != epoch))
        at++;
    if (at == WORKSPACES_KEPT)
        at = next_workspace++ % WORKSPACES_KEPT;
    if (entry != NULL && entry->stream == stream && entry->epoch == epoch)
        workspaces[at] = (struct workspace){(uintptr_t)workspace, stream, epoch, place_here(function)};
    pthread_mutex_unlock(&lock);
}

/* The check race finds the same, and knows better what was waited for. */
void order_look_for_workspace(const char *function, const void *block)
{
    struct made made;
    uint64_t epoch = order_epoch();
    if (check_is_on(CHECK_RACE) || !made_find((uintptr_t)block, &made))
        return;
    struct call_place here = place_here(function);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < WORKSPACES_KEPT; i++) {
        struct workspace *used = &workspaces[i];
        if (used->address == 0 || used->epoch != epoch || used->address - made.key >= made.bytes)
            continue;
        report_finding(&(struct finding){.rule = RULE_ORDER,
                                         .advice = "Call aclrtSynchronizeStream before the workspace is "
                                                   "freed, which waits for nothing.",
                                         .place = {{NULL, &here}, {"queued by", &used->place}}},
                       "%s: frees the workspace of %s, which is queued and was not waited for", function,
                       used->place.function);
        used->address = 0;
    }
    pthread_mutex_unlock(&lock);
}

void order_report_unwaited(const char *api, int32_t device)
{
    struct call_place here = place_here(api);
    uint64_t epoch = order_epoch();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < STREAMS_KEPT; i++) {
        struct unwaited *entry = &table[i];
        if (entry->stream == 0 || entry->epoch != epoch || (device >= 0 && entry->device != device))
            continue;
        report_finding(&(struct finding){.rule = RULE_ORDER,
                                         .advice = "Call aclrtSynchronizeStream, or aclrtSynchronizeDevice, "
                                                   "before the end: until then no result is there.",
                                         .place = {{entry->count == 1 ? "queued by" : "the first queued by",
                                                    &entry->first},
                                                   {"ended by", &here}}},
                       "%s: %llu piece%s of work on a stream %s never waited for before %s",
                       entry->first.function, (unsigned long long)entry->count, entry->count == 1 ? "" : "s",
                       entry->count == 1 ? "was" : "were", api);
        entry->epoch = UINT64_MAX;
    }
    pthread_mutex_unlock(&lock);
}

void order_call_failed(const char *function, const struct call_place *place)
{
    pthread_mutex_lock(&lock);
    if (unread.count++ == 0) {
        unread.first = *place;
        unread.next.function = NULL;
        snprintf(unread.function, sizeof unread.function, "%s", function);
    }
    pthread_mutex_unlock(&lock);
}

void order_forget_errors(void)
{
    pthread_mutex_lock(&lock);
    unread.count = 0;
    pthread_mutex_unlock(&lock);
}

void order_end_errors(void)
{
    pthread_mutex_lock(&lock);
    const struct unread kept = unread;
    unread.count = 0;
    pthread_mutex_unlock(&lock);
    if (kept.count == 0 || kept.next.function == NULL)
        return;
    char others[64] = "";
    if (kept.count > 1)
        snprintf(others, sizeof others, ", as did %llu more call%s", (unsigned long long)kept.count - 1,
                 kept.count > 2 ? "s" : "");
    report_finding(&(struct finding){.rule = RULE_ORDER,
                                     .advice = "Look at the status of each call, and where it is not 0 at "
                                               "aclGetRecentErrMsg or aclrtGetLastError.",
                                     .place = {{NULL, &kept.first}, {"went on with", &kept.next}}},
                   "%s: this call failed%s, the program queued more work, and nobody has asked why",
                   kept.function, others);
}

void order_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}
