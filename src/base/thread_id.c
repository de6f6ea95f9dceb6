/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The number of a thread, kept by itself.
 */
#include "base/thread_id.h"

#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local uint32_t id_of_thread; /* 0 until it has been asked for */

uint32_t thread_id(void)
{
    if (__builtin_expect(id_of_thread == 0, 0))
        id_of_thread = (uint32_t)syscall(SYS_gettid);
    return id_of_thread;
}
