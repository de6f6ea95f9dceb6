/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gloo's thread and those that post messages share a lock for each pair. When the thread finds it taken, it
 * goes back to epoll_wait, which returns at once with the same event, again and again, until the scheduler
 * takes its processor away: where there are few of them, for milliseconds in which the owner of the lock,
 * that was put off it, cannot go on. So Gloo gets this epoll_wait, which gives the turn away when events come
 * one behind the other. The library is opened such that its symbols, and those alone, are found here first.
 */
#include <sched.h>
#include <stdbool.h>
#include <sys/epoll.h>

__attribute__((visibility("default"))) int epoll_wait(int descriptor, struct epoll_event *events, int most,
                                                      int timeout)
{
    static _Thread_local bool has_not_waited;
    int found = epoll_pwait(descriptor, events, most, 0, NULL);
    if (found == 0) {
        has_not_waited = false;
        return epoll_pwait(descriptor, events, most, timeout, NULL);
    }
    if (has_not_waited)
        sched_yield();
    has_not_waited = true;
    return found;
}
