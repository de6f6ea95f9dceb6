/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The handler of the signal that a touch of a fibre's guard raises: the fibre goes on at the top of its stack, where
 * it ends the kernel. What it was in is the kernel's own code or functions that hold no lock: the library's calls look
 * before (core_calls).
 */
#include "kernel/blocks/stack_end.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

#include "kernel/blocks/run.h"

enum { RESERVE_BYTES = 64 * 1024, HANDLER_STACK_BYTES = 32 * 1024 };

static struct sigaction before;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static __thread bool is_watched, is_handed_on;
static __thread uintptr_t ended_at; /* the instruction that touched the guard */

/* The last part of a path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The innermost call that did not come from this library; NULL where libc cannot tell. */
static const void *find_caller(void)
{
    enum { FRAMES = 16 };
    void *frame[FRAMES];
    Dl_info own, other;
    const int count = backtrace(frame, FRAMES);
    if (dladdr((const void *)(uintptr_t)find_caller, &own) == 0)
        return NULL;
    for (int i = 0; i < count; i++) {
        const void *at = (const char *)frame[i] - 1; /* within the call, which may end a line */
        if (dladdr(at, &other) == 0 || other.dli_fbase != own.dli_fbase)
            return at;
    }
    return NULL;
}

static __attribute__((noreturn)) void end_kernel(const struct fibre_stack *stack, const void *instruction)
{
    const unsigned kib = (unsigned)(stack->bytes / 1024);
    const char *advice = "a function that calls itself without end, or local arrays too large";
    Dl_info info = {.dli_fname = NULL};
    core_running()->ends_at = (uintptr_t)instruction;
    if (instruction == NULL || dladdr(instruction, &info) == 0 || info.dli_fname == NULL)
        belay_kernel_fault(NULL, 0, "the stack of %u KiB is used up: %s", kib, advice);
    const unsigned long long offset =
        (unsigned long long)((uintptr_t)instruction - (uintptr_t)info.dli_fbase);
    belay_kernel_fault(NULL, 0, "the stack of %u KiB is used up in %.100s (addr2line -e %.100s %#llx): %s",
                       kib, info.dli_sname != NULL ? info.dli_sname : "a function", name_of(info.dli_fname),
                       offset, advice);
}

static __attribute__((noreturn)) void go_on_at_the_top(void)
{
    struct core *core = core_running();
    core_leaves_stack(core);
    end_kernel(core_stack(core), (const void *)ended_at);
}

/* The fibre goes on in the function when the handler returns. False where it is not known how. */
static bool go_on_in(ucontext_t *context, void (*function)(void), uintptr_t top)
{
    top &= ~(uintptr_t)63;
#if defined(__x86_64__)
    ended_at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(top - 8); /* as behind a call */
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)function;
    return true;
#elif defined(__aarch64__)
    ended_at = (uintptr_t)context->uc_mcontext.pc;
    context->uc_mcontext.sp = top;
    context->uc_mcontext.pc = (uintptr_t)function;
    return true;
#else
    (void)context;
    (void)function;
    return false;
#endif
}

/* What would have been done without us. Handlers that others put before ours may call ours again: the default
 * action, then. */
static void hand_on(int signal, siginfo_t *info, void *context)
{
    const bool has_handler =
        (before.sa_flags & SA_SIGINFO) != 0 || (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN);
    if (!has_handler || is_handed_on) {
        const struct sigaction action = {.sa_handler = SIG_DFL};
        sigaction(signal, &action, NULL);
        if (info->si_code <= 0)
            raise(signal);
        return;
    }
    is_handed_on = true;
    if ((before.sa_flags & SA_SIGINFO) != 0)
        before.sa_sigaction(signal, info, context);
    else
        before.sa_handler(signal);
    is_handed_on = false;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    const struct core *core = core_running();
    const struct fibre_stack *stack = core != NULL ? core_stack(core) : NULL;
    if (info->si_code > 0 && stack != NULL &&
        (uintptr_t)info->si_addr - (uintptr_t)stack->guard < stack->guard_bytes &&
        go_on_in((ucontext_t *)context, go_on_at_the_top,
                 (uintptr_t)stack->guard + stack->guard_bytes + stack->bytes))
        return;
    hand_on(signal, info, context);
}

static void install(void)
{
    const struct sigaction action = {.sa_sigaction = handle,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaction(SIGSEGV, NULL, &before);
    sigaction(SIGSEGV, &action, NULL);
}

void stack_end_watch(void)
{
    static __thread unsigned char handler_stack[HANDLER_STACK_BYTES];
    stack_t has;
    if (is_watched)
        return;
    is_watched = true;
    pthread_once(&once, install);
    /* A program may have one of its own, which serves as well. */
    if (sigaltstack(NULL, &has) == 0 && (has.ss_flags & SS_DISABLE) != 0)
        sigaltstack(&(stack_t){.ss_sp = handler_stack, .ss_size = sizeof handler_stack}, NULL);
}

struct core *core_calls(void)
{
    struct core *core = core_running();
    if (core == NULL)
        return NULL;
    if (__builtin_expect((uintptr_t)__builtin_frame_address(0) - core->stack_low < RESERVE_BYTES, 0))
        end_kernel(core_stack(core), find_caller());
    return core;
}
