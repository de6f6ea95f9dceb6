/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Starting threads of the library's own.
 */
#include "base/detached_thread.h"

#include <pthread.h>

void signals_hold(sigset_t *old)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, old);
}

int detached_thread_start(void *(*function)(void *), void *argument, size_t stack_bytes)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t old;
    int status = pthread_attr_init(&attributes);
    if (status != 0)
        return status;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_bytes != 0)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    signals_hold(&old); /* inherited */
    status = pthread_create(&thread, &attributes, function, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return status;
}
