/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The saboteur: waits for what faults were asked for at, counts it, and strikes.
 */
#include "runtime/faults/strike.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl_base.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/splitmix.h"
#include "runtime/faults/journal.h"
#include "runtime/tasks/access.h"

/* Constant once faults are awaited. */
static struct fault_plan plan;
static struct journal *journal;
static int64_t own_rank, own_restart;

static _Atomic uint64_t fitted[FAULTS_MAX]; /* events of this process that fitted all conditions */
static _Atomic uint64_t lost_devices;       /* a bit each: DEVICES_MAX is 64 */
_Static_assert(DEVICES_MAX == 64, "a bit for each device");

/* The number that a launcher has given this process; -1 where none has. */
static int64_t number_of(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = secure_getenv(names[i]);
        if (text == NULL || *text < '0' || *text > '9')
            continue;
        char *end;
        errno = 0;
        const long long number = strtoll(text, &end, 10);
        if (errno == 0 && *end == '\0')
            return number;
    }
    return -1;
}

static bool start(const char *text, char *sentence, size_t bytes)
{
    static const char *const ranks[] = {"RANK", "RANK_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    static const char *const restarts[] = {"TORCHELASTIC_RESTART_COUNT"};
    const char *path = secure_getenv("BELAY_FAULT_JOURNAL");
    char reason[FAULT_PLAN_SENTENCE_BYTES];
    if (!fault_plan_read(text, &plan, reason)) {
        snprintf(sentence, bytes, "%s", reason);
        return false;
    }
    journal = journal_open(path != NULL && *path != '\0' ? path : NULL);
    if (journal == NULL) {
        snprintf(sentence, bytes,
                 "there is no journal '%.200s', which `belay run` makes, or no memory for a copy of it",
                 path != NULL ? path : "");
        return false;
    }
    own_rank = number_of(ranks, sizeof ranks / sizeof ranks[0]);
    own_restart = number_of(restarts, sizeof restarts / sizeof restarts[0]);
    atomic_fetch_add_explicit(&journal->processes, 1, memory_order_relaxed);
    uint32_t awaited = FAULT_ANY;
    for (uint32_t i = 0; i < plan.count; i++) {
        awaited |= plan.fault[i].event == FAULT_AT_STREAM ? 1u << FAULT_AT_OPERATOR | 1u << FAULT_AT_COPY
                                                          : 1u << plan.fault[i].event;
        if (plan.fault[i].deed == DEED_RESET) /* what is lost is lost for everybody */
            awaited |= 1u << FAULT_AT_OPERATOR | 1u << FAULT_AT_COPY | 1u << FAULT_AT_ALLOC;
    }
    atomic_store_explicit(&faults_awaited, awaited, memory_order_relaxed);
    /* Work goes by tasks from now on, on whose way it can be struck. */
    if ((awaited & (1u << FAULT_AT_OPERATOR | 1u << FAULT_AT_COPY)) != 0)
        access_watch(WATCHER_FAULTS, true);
    return true;
}

static void after_fork(void)
{
    atomic_store_explicit(&faults_awaited, 0, memory_order_relaxed);
}

static int64_t rank_of(const struct fault_occasion *occasion)
{
    /* What a launcher says is the rank among all; a communicator may be of a few of them. */
    return own_rank >= 0 ? own_rank : occasion->rank;
}

static bool fits_event(const struct fault *fault, const struct fault_occasion *occasion)
{
    return fault->event == occasion->event || (fault->event == FAULT_AT_STREAM && occasion->is_in_stream);
}

/* The pattern is of the whole name, or of what stands behind the "aclnn" of operators, or of a file's name. */
static bool fits_name(const char *pattern, const struct fault_occasion *occasion)
{
    const char *name = occasion->name, *slash = strrchr(name, '/');
    if (occasion->event == FAULT_AT_FILE && slash != NULL && strchr(pattern, '/') == NULL)
        name = slash + 1;
    return fnmatch(pattern, name, 0) == 0 ||
           (strncmp(name, "aclnn", 5) == 0 && fnmatch(pattern, name + 5, 0) == 0);
}

static bool fits(const struct fault *fault, const struct fault_occasion *occasion)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    return fits_event(fault, occasion) && (fault->rank < 0 || fault->rank == rank_of(occasion)) &&
           (fault->device < 0 || fault->device == occasion->device) &&
           (fault->restart < 0 || fault->restart == (own_restart < 0 ? 0 : own_restart)) &&
           (fault->product < 0 || settings == NULL || fault->product == (int32_t)settings->product) &&
           occasion->bytes >= fault->least_bytes &&
           (fault->held_bytes == UINT64_MAX || occasion->held > fault->held_bytes) &&
           (fault->name[0] == '\0' || fits_name(fault->name, occasion));
}

/* Whether this is the event of those that fit, and nobody has had what comes once. */
static bool is_time(uint32_t index, uint64_t number)
{
    const struct fault *fault = &plan.fault[index];
    switch (fault->times) {
    case TIMES_ONE:
        return number == fault->number &&
               (fault->is_in_each_process ||
                atomic_exchange_explicit(&journal->is_taken[index], 1, memory_order_relaxed) == 0);
    case TIMES_FROM:
        return number >= fault->number;
    case TIMES_ODDS: {
        const uint64_t process = splitmix_at(plan.seed ^ (uint64_t)(own_rank + 2) << 32 ^ index);
        return splitmix_at(process + number * SPLITMIX_STEP) % fault->number == 0;
    }
    default:
        return true;
    }
}

static void keep_most(_Atomic uint64_t *most, uint64_t number)
{
    uint64_t before = atomic_load_explicit(most, memory_order_relaxed);
    while (before < number && !atomic_compare_exchange_weak_explicit(
                                  most, &before, number, memory_order_relaxed, memory_order_relaxed))
        continue;
}

/* Written down before it strikes: a process that is killed writes nothing. */
static void note(uint32_t index, uint64_t number, const struct fault_occasion *occasion)
{
    enum { NOTES_OF_FAULT = 8 }; /* there is room for others */
    char raw[JOURNAL_TEXT_BYTES], device[32] = "", bytes[40] = "";
    atomic_store_explicit(&journal->any_came, 1, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&journal->came[index], 1, memory_order_relaxed) >= NOTES_OF_FAULT)
        return;
    struct journal_note written = {.fault = (int32_t)index,
                                   .process = (int32_t)getpid(),
                                   .rank = rank_of(occasion),
                                   .restart = own_restart};
    if (occasion->device >= 0)
        snprintf(device, sizeof device, ", device %d", (int)occasion->device);
    if (occasion->bytes > 0)
        snprintf(bytes, sizeof bytes, " of %llu bytes", (unsigned long long)occasion->bytes);
    snprintf(raw, sizeof raw, "at %.200s%s%s (number %llu of what fits)", occasion->name, bytes, device,
             (unsigned long long)number);
    error_escape(written.text, sizeof written.text, raw);
    journal_write(journal, &written);
}

static void rest(uint64_t nanoseconds)
{
    struct timespec left = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/*
 * Stops the process, all its threads. What goes on after a time is woken by a child that shares nothing and that
 * nobody hears of: it ends without a signal, and a wait for all children does not find it.
 */
static void stop(uint64_t nanoseconds)
{
    const pid_t own = getpid();
    pid_t child = -1;
    if (nanoseconds > 0) {
        child = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
        if (child == 0) {
            struct timespec left = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
            while (syscall(SYS_nanosleep, &left, &left) != 0)
                continue;
            syscall(SYS_kill, own, SIGCONT);
            syscall(SYS_exit_group, 0);
        }
        if (child < 0) { /* nobody would wake it: it rests where it is */
            rest(nanoseconds);
            return;
        }
    }
    kill(own, SIGSTOP);
    while (child > 0 && waitpid(child, NULL, (int)__WCLONE) < 0 && errno == EINTR)
        continue;
}

static void lose(int32_t device)
{
    if (device < 0)
        return;
    atomic_fetch_or_explicit(&lost_devices, UINT64_C(1) << device, memory_order_relaxed);
    atomic_fetch_or_explicit(&faults_awaited, FAULT_DEVICE_LOST, memory_order_relaxed);
}

static bool is_lost(int32_t device)
{
    return device >= 0 && fault_is_awaited(FAULT_DEVICE_LOST) &&
           (atomic_load_explicit(&lost_devices, memory_order_relaxed) >> device & 1) != 0;
}

static void tell_lost(int32_t device, struct fault_blow *blow)
{
    blow->deed = DEED_RESET;
    blow->code = ACL_ERROR_RT_LOST_HEARTBEAT;
    snprintf(blow->sentence, sizeof blow->sentence,
             "device %d is lost, as a fault was asked for (BELAY_FAULT); its reset is expected, and all that "
             "was on it made anew",
             (int)device);
}

/* Does what is over when it returns; false where something is left to do. */
static bool is_over(const struct fault *fault)
{
    switch (fault->deed) {
    case DEED_KILL:
        kill(getpid(), SIGKILL);
        return true;
    case DEED_STOP:
        stop(fault->nanoseconds);
        return true;
    case DEED_SLOW:
        rest(fault->nanoseconds);
        return true;
    default:
        return false;
    }
}

bool fault_strikes(const struct fault_occasion *occasion, struct fault_blow *blow)
{
    bool has_blow = false;
    for (uint32_t i = 0; i < plan.count; i++) {
        const struct fault *fault = &plan.fault[i];
        if (!fits(fault, occasion))
            continue;
        const uint64_t number = atomic_fetch_add_explicit(&fitted[i], 1, memory_order_relaxed) + 1;
        keep_most(&journal->fitted[i], number);
        /* Of two faults that leave something to do the first one does. */
        if ((has_blow && fault->deed > DEED_SLOW) || !is_time(i, number))
            continue;
        note(i, number, occasion);
        if (is_over(fault))
            continue;
        has_blow = true;
        blow->deed = fault->deed;
        blow->code = fault->code;
        snprintf(blow->sentence, sizeof blow->sentence, "the fault '%s' was asked for (BELAY_FAULT)",
                 fault->text);
        if (fault->deed == DEED_RESET)
            lose(occasion->device);
    }
    if (!has_blow || blow->deed == DEED_RESET) {
        const bool was_lost = is_lost(occasion->device);
        if (was_lost)
            tell_lost(occasion->device, blow);
        has_blow = has_blow || was_lost;
    }
    return has_blow;
}

int fault_at_call(const struct fault_occasion *occasion)
{
    struct fault_blow blow;
    return fault_strikes(occasion, &blow) ? fail(blow.code, "%s: %s", occasion->name, blow.sentence) : 0;
}

int fault_at_wait(const char *api, int32_t device)
{
    struct fault_blow blow;
    if (!is_lost(device))
        return 0;
    tell_lost(device, &blow);
    return fail(blow.code, "%s: %s", api, blow.sentence);
}

void fault_device_was_reset(int32_t device)
{
    atomic_fetch_and_explicit(&lost_devices, ~(UINT64_C(1) << device), memory_order_relaxed);
}

static bool fills_disk(const char *path)
{
    struct fault_blow blow;
    const struct fault_occasion occasion = {.event = FAULT_AT_FILE, .name = path, .device = -1, .rank = -1};
    if (!fault_strikes(&occasion, &blow))
        return false;
    errno = ENOSPC;
    return true;
}

/* What fails before any fault has come is the program's own. */
static void saw(int code, const char *sentence)
{
    if (atomic_load_explicit(&journal->any_came, memory_order_relaxed) == 0)
        return;
    struct journal_note written = {.fault = JOURNAL_SEEN,
                                   .code = code,
                                   .process = (int32_t)getpid(),
                                   .rank = own_rank,
                                   .restart = own_restart};
    snprintf(written.text, sizeof written.text, "%s", sentence);
    journal_write(journal, &written);
}

static const struct saboteur own = {
    .start = start, .after_fork = after_fork, .fills_disk = fills_disk, .saw = saw};

/* Before the first call of any program, as that needs the library whole. */
__attribute__((constructor)) static void offer_faults(void)
{
    saboteur = &own;
}
