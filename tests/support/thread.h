/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Runs a part of a test on a thread of its own, and waits for it. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_SUPPORT_THREAD_H
#define BELAY_TESTS_SUPPORT_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Returns what the body does. */
static inline void *run_in_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    void *result;
    assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    return result;
}

#endif
