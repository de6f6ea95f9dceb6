/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sleep for torch_npu's thread that releases what calls have held.
 *
 * While nothing is to be released that thread calls select() with no descriptors and a microsecond to wait. An
 * NPU's host has processors to spare for it; where Belay's workers compute, it wakes 13,000 times a second,
 * takes a fifth of a processor, and each time puts a worker off its own, so that work on all processors takes
 * up to half as long again, PyTorch's on the CPU as well. How late Linux may wake a thread beyond the time it
 * asked for is the thread's timer slack, 50 us by default, and nothing in real-time classes. So this library
 * stands in for select(), and the first short sleep of a thread of torch_npu's makes its slack longer. What
 * is released then waits that long; tensors' memory is not among it. All other calls go to the real function
 * as they are.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/select.h>

#include "forwarding/torch_npu_caller.h"

enum {
    SHORT_US = 50,    /* the sleeps that the default slack already makes twice as long, or longer */
    SLACK_NS = 500000 /* 2,000 times a second cost 0.01 of a processor; at most some 50 calls' worth waits */
};

typedef int select_function(int, fd_set *, fd_set *, fd_set *, struct timeval *);

static select_function *real_function(void)
{
    static _Atomic(select_function *) found;
    select_function *function = atomic_load_explicit(&found, memory_order_relaxed);
    if (function == NULL) {
        void *address = dlsym(RTLD_NEXT, "select");
        memcpy(&function, &address, sizeof function);
        atomic_store_explicit(&found, function, memory_order_relaxed);
    }
    return function;
}

/*
 * At once when the library is loaded, as programs may call select() where dlsym() could wait forever: in a
 * signal's handler, after fork(), and in a thread for which a library that is being loaded waits.
 */
__attribute__((constructor)) static void find_real_function(void)
{
    (void)real_function();
}

static bool is_short_sleep(int count, const struct timeval *timeout)
{
    return count == 0 && timeout != NULL && timeout->tv_sec == 0 && timeout->tv_usec < SHORT_US;
}

/* A thread with a longer slack, which somebody chose, keeps it. */
static void sleep_longer(void)
{
    if (prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL) < SLACK_NS)
        prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0UL, 0UL, 0UL);
}

__attribute__((visibility("default"))) int select(int count, fd_set *readable, fd_set *writable,
                                                  fd_set *exceptional, struct timeval *timeout)
{
    static _Thread_local bool is_known; /* whose thread it is: its first short sleep tells */
    if (is_short_sleep(count, timeout) && !is_known) {
        is_known = true;
        if (is_in_torch_npu(__builtin_return_address(0)))
            sleep_longer();
    }
    return real_function()(count, readable, writable, exceptional, timeout);
}
