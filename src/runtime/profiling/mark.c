/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The ranges that are open, and how they and marks come into the timeline.
 */
#include "runtime/profiling/mark.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/tasks/access.h"
#include "base/error.h"
#include "base/futex.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"

struct open_range {
    struct open_range *next;
    uint64_t number;
    uint64_t begin_ns;
    aclrtStream stream;
    uint32_t thread; /* 0: its number alone names it */
    uint32_t task;   /* in the stream */
    size_t domain_bytes;
    char text[]; /* its domain, 0, its message, 0 */
};

/* Guards the list, the newest first, and the numbers. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct open_range *open_ranges;
static uint64_t numbers;

static int run_nothing(struct task *task)
{
    (void)task;
    return 0;
}

/* Puts a mark into the stream, if there is one; *number is the task's. */
static int mark_stream(const char *api, aclrtStream stream, uint32_t *number)
{
    *number = 0;
    if (stream == NULL || !trace_is_on())
        return 0;
    struct task task = {.run = run_nothing, .number = access_number()};
    TRY(stream_submit(api, stream, &task));
    *number = task.number;
    return 0;
}

int mark_now(const char *api, const char *domain, const char *message, aclrtStream stream)
{
    uint32_t number;
    TRY(mark_stream(api, stream, &number));
    uint64_t now_ns = trace_begin();
    if (now_ns != 0)
        trace_mark(domain, message, now_ns, now_ns, number, 0);
    return 0;
}

uint64_t mark_begin(const char *api, const char *domain, const char *message, uint32_t thread,
                    aclrtStream stream, int *status)
{
    size_t domain_bytes = strnlen(domain, TRACE_TEXT_MAX - 1) + 1;
    size_t message_bytes = strnlen(message, TRACE_MESSAGE_MAX - 1) + 1;
    struct open_range *range = (struct open_range *)malloc(sizeof *range + domain_bytes + message_bytes);
    if (range == NULL) {
        *status = fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another range", api);
        return 0;
    }
    *range = (struct open_range){.stream = stream, .thread = thread, .domain_bytes = domain_bytes};
    memcpy(range->text, domain, domain_bytes - 1);
    range->text[domain_bytes - 1] = '\0';
    memcpy(range->text + domain_bytes, message, message_bytes - 1);
    range->text[domain_bytes + message_bytes - 1] = '\0';
    *status = mark_stream(api, stream, &range->task);
    if (*status != 0) {
        free(range);
        return 0;
    }
    range->begin_ns = trace_begin();
    pthread_mutex_lock(&lock);
    uint64_t number = ++numbers;
    range->number = number;
    range->next = open_ranges;
    open_ranges = range;
    pthread_mutex_unlock(&lock);
    return number;
}

bool mark_end(const char *api, uint64_t number, uint32_t thread)
{
    uint64_t end_ns = trace_begin();
    pthread_mutex_lock(&lock);
    struct open_range **link = &open_ranges;
    while (*link != NULL && (number != 0 ? (*link)->number != number : (*link)->thread != thread))
        link = &(*link)->next;
    struct open_range *range = *link;
    if (range != NULL)
        *link = range->next;
    pthread_mutex_unlock(&lock);
    if (range == NULL)
        return false;
    /* One that began where nothing was recorded is not told: its begin is not known. */
    uint32_t end_task = 0;
    if (end_ns != 0 && range->begin_ns != 0) {
        if (range->task != 0 && mark_stream(api, range->stream, &end_task) != 0)
            end_task = 0; /* the stream is gone; the sentence says so */
        trace_mark(range->text, range->text + range->domain_bytes, range->begin_ns,
                   end_ns > range->begin_ns ? end_ns : range->begin_ns + 1, range->task, end_task);
    }
    free(range);
    return true;
}
