/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The handler of SIGSEGV and SIGBUS under the check of memory, and how it hands on what is not its own.
 *
 * A signal that an instruction raises comes on the thread that runs it, between two instructions of the
 * program or of a library function that it called, not of this library: what a handler must not do in general
 * (take a lock that the interrupted code may hold) is left out but for what the report needs.
 */
#include "check/host_access.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "check/guarded_block.h"
#include "check/pinned_guard.h"
#include "check/python_line.h"
#include "check/stack.h"
#include "check/watch.h"
#include "runtime/addresses/address_ranges.h"
#include "runtime/addresses/address_space.h"
#include "base/error.h"
#include "check/reporter.h"

enum { SIGNALS = 2, CHAINED_MOST = 16 };

static const int signals[SIGNALS] = {SIGSEGV, SIGBUS};

/* What was installed before ours, the last one valid; entries never change once they are counted. */
static struct sigaction chained[SIGNALS][CHAINED_MOST];
static _Atomic uint32_t chained_count[SIGNALS];
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

/* Two states of this thread: its signal was handed on to a handler of the program, which may raise it once
 * more when it is done, and means the default action then; and a report is being made, in which a fault is
 * nobody's. */
static _Thread_local bool is_handed_on, is_reporting;

enum touch { TOUCH_UNKNOWN, TOUCH_READ, TOUCH_WRITE };

#if defined(__x86_64__)
static enum touch touch_of(const ucontext_t *context)
{
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? TOUCH_WRITE : TOUCH_READ;
}

static uintptr_t instruction_of(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}
#elif defined(__aarch64__)
/* The kernel appends records, each with its magic number and size; one of them has the syndrome, whose bit 6
 * tells a write. */
static enum touch touch_of(const ucontext_t *context)
{
    const unsigned char *record = (const unsigned char *)context->uc_mcontext.__reserved;
    const unsigned char *end = record + sizeof context->uc_mcontext.__reserved;
    static const uint32_t SYNDROME = 0x45535201;
    struct {
        uint32_t magic, bytes;
        uint64_t syndrome;
    } head;
    while (record + sizeof head <= end) {
        memcpy(&head, record, sizeof head);
        if (head.magic == SYNDROME)
            return (head.syndrome >> 6 & 1) != 0 ? TOUCH_WRITE : TOUCH_READ;
        if (head.magic == 0 || head.bytes < 8)
            break;
        record += head.bytes;
    }
    return TOUCH_UNKNOWN;
}

static uintptr_t instruction_of(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.pc;
}
#else
static enum touch touch_of(const ucontext_t *context)
{
    (void)context;
    return TOUCH_UNKNOWN;
}

static uintptr_t instruction_of(const ucontext_t *context)
{
    (void)context;
    return 0;
}
#endif

/* What a fault was about. */
struct fault {
    uintptr_t address, instruction;
    enum touch touch;
};

static uintptr_t page_bytes(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static const char *verb(enum touch touch)
{
    return touch == TOUCH_READ ? "reads" : touch == TOUCH_WRITE ? "writes" : "touches";
}

/* Functions that copy for others: whoever called them is meant. */
static bool is_of_libc(uintptr_t instruction)
{
    static const char *const names[] = {"libc.so", "libc-", "ld-linux", "ld-musl", "libc.musl"};
    Dl_info info;
    if (dladdr((const void *)instruction, &info) == 0 || info.dli_fname == NULL)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *file = slash != NULL ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(file, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Where the program is. Places lie behind a call; an instruction that raises a signal is itself meant. */
static struct call_place place_of(const struct fault *fault)
{
    struct call_stack behind, stack = {.count = 0};
    struct python_place python = python_place_here();
    stack_behind(fault->instruction, &behind);
    uint32_t at = 0;
    if (is_of_libc(fault->instruction))
        while (at < behind.count && is_of_libc(behind.frame[at] - 1))
            at++;
    if (at == 0 || at == behind.count)
        stack.frame[stack.count++] = fault->instruction + 1;
    while (at < behind.count && stack.count < STACK_FRAMES)
        stack.frame[stack.count++] = behind.frame[at++];
    return (struct call_place){.address = stack.frame[0],
                               .line = python.line,
                               .callers = python.line != 0 ? python.callers : stack_keep(&stack)};
}

static const char *advice_for(const struct guarded_block *block, enum touch touch)
{
    if (!block->is_live)
        return "Free the block when nothing uses it any more.";
    if (block->place == MEMORY_PINNED_HOST)
        return "Stay within the block, or allocate a longer one.";
    return touch == TOUCH_WRITE
               ? "Write to memory of the host, and copy it with aclrtMemcpy(..., ACL_MEMCPY_HOST_TO_DEVICE)."
               : "Copy it with aclrtMemcpy(..., ACL_MEMCPY_DEVICE_TO_HOST), and read the copy.";
}

/* Memory of the program's own that queued work uses: the program goes on, whatever it finds or leaves there.
 */
static void judge_early(const struct fault *fault, const struct guarded_block *block)
{
    struct call_place queued, place = place_of(fault);
    bool writes = fault->touch == TOUCH_WRITE;
    if (!watch_may_touch((const void *)fault->address, 1, writes, &queued)) {
        struct finding finding = {
            .rule = RULE_NO_WAIT,
            .advice = "Wait before for the stream, or for an event behind that work (aclrtSynchronizeStream, "
                      "aclrtSynchronizeEvent).",
            .place = {{NULL, &place}, {"queued by", &queued}, {"allocated by", &block->allocated}}};
        report_finding(
            &finding,
            "the program %s %p, %llu bytes inside a block of %llu bytes of pinned host memory, which "
            "%s uses, queued and not waited for",
            verb(fault->touch), (const void *)fault->address,
            (unsigned long long)(fault->address - block->start), (unsigned long long)block->bytes,
            queued.function != NULL ? queued.function : "a task");
    }
    pinned_guard_open(fault->address);
}

/* Reports a fault at any address that the check has closed. True when the program is to try again. */
static bool judge(const struct fault *fault)
{
    char what[MEMORY_TEXT_BYTES];
    struct guarded_block block;
    if (fault->address - memory_window.base >= memory_window.bytes)
        return false;
    bool has_block = guarded_block_find(fault->address, &block);
    if (has_block && block.is_live && block.place == MEMORY_PINNED_HOST &&
        fault->address / page_bytes() <= (block.start + block.bytes - 1) / page_bytes()) {
        judge_early(fault, &block);
        return true;
    }
    if (!has_block)
        block = (struct guarded_block){.place = MEMORY_DEVICE, .is_live = true};
    struct call_place place = place_of(fault);
    struct finding finding = {.rule = !block.is_live                      ? RULE_FREE
                                      : block.place == MEMORY_PINNED_HOST ? RULE_COPY
                                                                          : RULE_HOST_TOUCH,
                              .advice = advice_for(&block, fault->touch),
                              .place = {{NULL, &place}}};
    if (has_block)
        guarded_block_places(&block, &finding.place[1]);
    memory_describe((const void *)fault->address, what, sizeof what);
    report_finding(&finding, "the program %s %p, which %s", verb(fault->touch), (const void *)fault->address,
                   what);
    return false;
}

static uint32_t index_of(int signal)
{
    return signal == signals[0] ? 0 : 1;
}

/* The default action: of an instruction when it is tried again, and of a signal that was sent at once. */
static void take_default(int signal, bool is_sent)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    if (is_sent)
        raise(signal);
}

/* Does with the signal what would have been done without us. */
static void hand_on(int signal, siginfo_t *info, void *context)
{
    uint32_t place = index_of(signal);
    uint32_t count = atomic_load_explicit(&chained_count[place], memory_order_acquire);
    const struct sigaction *before = &chained[place][count - 1];
    bool is_sent = info->si_code <= 0;
    bool has_handler = (before->sa_flags & SA_SIGINFO) != 0 ||
                       (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN);
    if (is_sent && !has_handler && before->sa_handler == SIG_IGN)
        return;
    if (!has_handler || (is_sent && is_handed_on)) {
        take_default(signal, is_sent);
        return;
    }
    is_handed_on = true;
    sigset_t blocked = before->sa_mask, old;
    if ((before->sa_flags & SA_NODEFER) == 0)
        sigaddset(&blocked, signal);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    if ((before->sa_flags & SA_SIGINFO) != 0)
        before->sa_sigaction(signal, info, context);
    else
        before->sa_handler(signal);
    is_handed_on = false;
    /* The mask goes back as the kernel does it: by what the context says. */
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void handle(int signal, siginfo_t *info, void *context)
{
    int kept_errno = errno;
    if (info->si_code > 0 && !is_reporting) {
        const ucontext_t *state = (const ucontext_t *)context;
        struct fault fault = {.address = (uintptr_t)info->si_addr,
                              .instruction = instruction_of(state),
                              .touch = touch_of(state)};
        is_reporting = true;
        bool is_open = judge(&fault);
        is_reporting = false;
        errno = kept_errno;
        if (is_open)
            return;
    }
    hand_on(signal, info, context);
    errno = kept_errno;
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == handle;
}

void host_access_take_signals(void)
{
    if (!blocks_are_guarded())
        return;
    for (uint32_t i = 0; i < SIGNALS; i++) {
        struct sigaction found;
        if (sigaction(signals[i], NULL, &found) != 0 || is_ours(&found))
            continue;
        pthread_mutex_lock(&installing);
        uint32_t count = atomic_load_explicit(&chained_count[i], memory_order_relaxed);
        sigaction(signals[i], NULL, &found); /* another thread may have been here */
        if (!is_ours(&found) && count < CHAINED_MOST) {
            /* No fault of the thread itself may come before the entry counts, and none does. */
            struct sigaction ours = {.sa_sigaction = handle,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
            chained[i][count] = found;
            atomic_store_explicit(&chained_count[i], count + 1, memory_order_release);
            sigaction(signals[i], &ours, NULL);
        }
        pthread_mutex_unlock(&installing);
    }
}
