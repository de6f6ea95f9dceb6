/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pages of shared events, their handles, and the work that reads and writes them.
 */
#include "runtime/streams/event_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/devices/context.h"
#include "base/error.h"
#include "runtime/streams/fault.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/shared_key.h"
#include "runtime/timeline/trace.h"
#include "runtime/streams/workers.h"

/*
 * Records of one event are ordered by their numbers, and a later one stands for those before it, as a later
 * aclrtRecordEvent does in one process. process is the recorder of the number beside it.
 */
struct words {
    _Atomic uint64_t recorded;
    _Atomic uint64_t ended;
    _Atomic uint32_t process; /* that has made the last record */
    _Atomic uint32_t signal;  /* changes when ended does; processes sleep on it */
};

struct event_page {
    struct words *words;
    _Atomic uint32_t references; /* of the event, of queued work and of threads that wait */
};

enum { PAGE_BYTES = 4096, LOOK_NS = 50000000 };

static struct event_page *keep(struct event_page *page)
{
    atomic_fetch_add(&page->references, 1);
    return page;
}

static void give_up(struct event_page *page)
{
    if (atomic_fetch_sub(&page->references, 1) != 1)
        return;
    munmap(page->words, PAGE_BYTES);
    free(page);
}

static void raise_to(_Atomic uint64_t *value, uint64_t number)
{
    uint64_t old = atomic_load_explicit(value, memory_order_relaxed);
    while (old < number && !atomic_compare_exchange_weak(value, &old, number))
        continue;
}

/* With one reference; NULL where the system refuses. */
static struct event_page *map_page(int file)
{
    struct event_page *page = (struct event_page *)malloc(sizeof *page);
    void *words =
        page != NULL ? mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (words == MAP_FAILED) {
        free(page);
        return NULL;
    }
    page->words = (struct words *)words;
    atomic_init(&page->references, 1);
    return page;
}

void event_share_end(struct event_share *share)
{
    if (share->page != NULL)
        give_up(share->page);
    if (share->page != NULL && share->file >= 0)
        close(share->file);
    *share = (struct event_share){.file = -1};
}

static int make_page(const char *api, struct event_share *share)
{
    unsigned char drawn[SECRET_BYTES];
    char name[SHARED_NAME_BYTES];
    struct event_share made = {.file = -1};
    if (getrandom(drawn, sizeof drawn, 0) == (ssize_t)sizeof drawn) {
        for (size_t i = 0; i < sizeof drawn; i++)
            snprintf(made.secret + 2 * i, 3, "%02x", drawn[i]);
        shared_key_name(name, made.secret);
        made.file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    if (made.file >= 0 && ftruncate(made.file, PAGE_BYTES) == 0 &&
        fcntl(made.file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        made.page = map_page(made.file);
    if (made.page != NULL) {
        *share = made;
        return 0;
    }
    const int why = errno;
    if (made.file >= 0)
        close(made.file);
    return fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                "%s: the system gives no memory that processes can share: %s", api, strerror(why));
}

/* What a task has to do with: the page and a number of it. */
struct page_task {
    struct event_page *page;
    uint64_t number;
    uint64_t timeout_ns;
    const char *api;
};
_Static_assert(sizeof(struct page_task) <= TASK_PAYLOAD_BYTES, "fits a task");

static void end_record(struct task *task)
{
    struct page_task own;
    memcpy(&own, task->payload, sizeof own);
    raise_to(&own.page->words->ended, own.number);
    atomic_fetch_add(&own.page->words->signal, 1);
    futex_wake_shared(&own.page->words->signal);
}

static int run_record(struct task *task)
{
    end_record(task);
    return 0;
}

/* The end of a record, also of one in work that was dropped: nobody needs to wait for that. */
static void release_record(struct task *task)
{
    struct page_task own;
    memcpy(&own, task->payload, sizeof own);
    end_record(task);
    give_up(own.page);
}

/* Takes the caller's reference to the page. *number is the record's. */
static int submit_record(const char *api, struct event_page *page, aclrtStream stream, uint64_t *number)
{
    struct task task = {.run = run_record, .release = release_record, .cost_ns = 1000, .runs_once = true};
    struct page_task own = {.page = page, .api = api};
    own.number = *number = atomic_fetch_add(&page->words->recorded, 1) + 1;
    atomic_store(&page->words->process, (uint32_t)getpid());
    memcpy(task.payload, &own, sizeof own);
    const int status = stream_submit(api, stream, &task);
    if (status != 0)
        release_record(&task);
    return status;
}

/* Locks the event if it is still the one with the page. */
static bool lock_same(aclrtEvent handle, struct event *event, const struct event_page *page)
{
    pthread_mutex_lock(&event->lock);
    if (handle_is_live(event, (uint64_t)(uintptr_t)handle) && event->share.page != NULL &&
        (page == NULL || event->share.page == page))
        return true;
    pthread_mutex_unlock(&event->lock);
    return false;
}

int event_share_recorded(const char *api, aclrtEvent handle, struct event *event, aclrtStream stream)
{
    if (!lock_same(handle, event, NULL))
        return 0; /* destroyed meanwhile: nobody is told of its end */
    struct event_page *page = keep(event->share.page);
    pthread_mutex_unlock(&event->lock);
    uint64_t number;
    TRY(submit_record(api, page, stream, &number));
    if (!lock_same(handle, event, page))
        return 0;
    if (event->share.own_record < number)
        event->share.own_record = number;
    pthread_mutex_unlock(&event->lock);
    return 0;
}

struct event_page *event_share_pending(const struct event_share *share, uint64_t *number)
{
    if (share->page == NULL)
        return NULL;
    const struct words *words = share->page->words;
    *number = atomic_load_explicit(&words->recorded, memory_order_acquire);
    return *number > share->own_record && atomic_load_explicit(&words->ended, memory_order_acquire) < *number
               ? share->page
               : NULL;
}

struct event_page *event_share_keep_pending(const struct event_share *share, uint64_t *number)
{
    struct event_page *page = event_share_pending(share, number);
    return page != NULL ? keep(page) : NULL;
}

static bool has_ended(const struct words *words, uint64_t number)
{
    return atomic_load_explicit(&words->ended, memory_order_acquire) >= number;
}

/* 0, code at the deadline, or 507022 where the process that has recorded it is gone. */
static int await(struct words *words, uint64_t number, uint64_t deadline_ns, int code)
{
    while (!has_ended(words, number)) {
        const uint32_t seen = atomic_load_explicit(&words->signal, memory_order_acquire);
        if (has_ended(words, number))
            break;
        const uint32_t process = atomic_load_explicit(&words->process, memory_order_acquire);
        if (kill((pid_t)process, 0) != 0 && errno == ESRCH)
            return has_ended(words, number) ? 0 : ACL_ERROR_RT_IPC_ERROR;
        if (clock_now_ns() >= deadline_ns)
            return code;
        const uint64_t look_ns = clock_after_ns(LOOK_NS);
        trace_sleep();
        futex_wait_shared(&words->signal, seen, look_ns < deadline_ns ? look_ns : deadline_ns);
    }
    return 0;
}

static const char is_gone[] =
    "%s: the process that recorded the event has ended before its work had; one that "
    "lives until then is expected";

int event_share_synchronize(const char *api, struct event_page *page, uint64_t number, int32_t timeout_ms)
{
    const uint64_t deadline_ns =
        timeout_ms < 0 ? FUTEX_FOREVER : clock_after_ns((uint64_t)timeout_ms * 1000000);
    streams_start_queued();
    const int status = await(page->words, number, deadline_ns, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    give_up(page);
    if (status == ACL_ERROR_RT_IPC_ERROR)
        return fail(status, is_gone, api);
    return status == 0 ? 0
                       : fail_unreported(status | ANSWER_IS_POLLED,
                                         "%s: the event was not complete when the time was over; a longer "
                                         "timeout, or -1 for none, is expected",
                                         api);
}

/* Blocks its thread, as collectives do, and gives its place in the pool away meanwhile. */
static int run_wait(struct task *task)
{
    struct page_task own;
    memcpy(&own, task->payload, sizeof own);
    streams_start_queued();
    workers_enter_program();
    const uint64_t deadline_ns = own.timeout_ns == 0 ? FUTEX_FOREVER : clock_after_ns(own.timeout_ns);
    const int status = await(own.page->words, own.number, deadline_ns, ACL_ERROR_RT_WAIT_TIMEOUT);
    workers_leave_program();
    return status == ACL_ERROR_RT_IPC_ERROR ? operation_fail(status, is_gone, own.api) : status;
}

static void release_wait(struct task *task)
{
    struct page_task own;
    memcpy(&own, task->payload, sizeof own);
    give_up(own.page);
}

int event_share_queue_wait(const char *api, aclrtStream stream, struct event_page *page, uint64_t number,
                           uint64_t timeout_ns)
{
    struct task task = {
        .run = run_wait, .release = release_wait, .cost_ns = TASK_NEVER_INLINE, .runs_once = true};
    const struct page_task own = {.page = page, .number = number, .timeout_ns = timeout_ns, .api = api};
    memcpy(task.payload, &own, sizeof own);
    const int status = stream_submit(api, stream, &task);
    if (status != 0)
        give_up(page);
    return status;
}

/* A key as of memory, without a place: the handle's 64 bytes are its digits. */
aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    struct event *object;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "handle", handle));
    TRY(event_lock(__func__, "event", event, &object));
    const bool is_shareable = (object->flags & ACL_EVENT_IPC) != 0;
    const bool is_own = object->share.page == NULL || object->share.file >= 0;
    const bool is_pending = object->state == EVENT_PENDING && object->share.page == NULL;
    struct event_page *kept = NULL;
    const struct stream_point point = object->point;
    int status = 0;
    if (is_shareable && is_own && object->share.page == NULL)
        status = make_page(__func__, &object->share);
    const struct event_share share = object->share;
    if (status == 0 && is_pending && point.stream != NULL && share.page != NULL)
        kept = keep(share.page);
    pthread_mutex_unlock(&object->lock);
    if (!is_shareable)
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: argument event was made without ACL_EVENT_IPC (0x40); an event with that flag is expected",
            __func__);
    if (!is_own)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument event is another process's, opened here; one that this process has made is "
                    "expected",
                    __func__);
    TRY(status);
    /* What it was recorded behind before it had a page is told by a record in the same place or later. */
    uint64_t number;
    if (kept != NULL && submit_record(__func__, kept, (aclrtStream)(uintptr_t)point.identity, &number) == 0 &&
        lock_same(event, object, kept)) {
        if (object->share.own_record < number)
            object->share.own_record = number;
        pthread_mutex_unlock(&object->lock);
    }
    struct shared_key key = {
        .process = (uint32_t)getpid(), .file = (uint32_t)share.file, .bytes = PAGE_BYTES};
    char text[SHARED_KEY_BYTES];
    memcpy(key.secret, share.secret, sizeof key.secret);
    shared_key_write(&key, text);
    memcpy(handle->reserved, text, sizeof handle->reserved);
    return 0;
}

static int tell_open(const char *api, const struct shared_key *key, int why)
{
    if (why == EACCES || why == EPERM)
        return fail(ACL_ERROR_RT_NO_PERMISSION,
                    "%s: the system does not let this process reach process %" PRIu32
                    "; one of the same user is expected",
                    api, key->process);
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: process %" PRIu32
                " has no event with this handle any more, or has ended; a handle of an "
                "event that lives until it was opened is expected",
                api, key->process);
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    struct shared_key key;
    char text[SHARED_KEY_BYTES] = "";
    struct stat status;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "event", event));
    memcpy(text, handle.reserved, sizeof handle.reserved);
    TRY(shared_key_read(__func__, text, &key));
    const int file = shared_key_open(&key);
    if (file < 0)
        return tell_open(__func__, &key, errno);
    struct event_page *page =
        fstat(file, &status) == 0 && status.st_size == PAGE_BYTES ? map_page(file) : NULL;
    close(file);
    if (page == NULL)
        return tell_open(__func__, &key, ESTALE);
    aclrtEvent opened;
    struct event *object;
    int code = aclrtCreateEventExWithFlag(&opened, ACL_EVENT_IPC);
    if (code == 0)
        code = event_lock(__func__, "event", opened, &object);
    if (code != 0) {
        give_up(page);
        return code;
    }
    object->share = (struct event_share){.page = page, .file = -1};
    pthread_mutex_unlock(&object->lock);
    *event = opened;
    return 0;
}
