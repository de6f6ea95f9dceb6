/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the parts of a mesh report what went wrong, and the clock of their deadlines.
 */
#ifndef BELAY_HCCL_MESH_FAULT_H
#define BELAY_HCCL_MESH_FAULT_H

#include <limits.h>
#include <time.h>

#include "hccl/mesh.h"

/* Writes the sentence and returns code. */
HcclResult mesh_refuse(struct mesh_fault *fault, HcclResult code, int64_t peer, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));

/* Whether no file descriptor is left, for what fails without saying so. */
bool mesh_lacks_files(void);

static inline int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Whole milliseconds until then, rounded up, so that who sleeps them has not woken early; 0 when it is past.
 */
static inline int64_t milliseconds_until(int64_t deadline)
{
    int64_t now = monotonic_ns();
    return deadline <= now ? 0 : (deadline - now - 1) / 1000000 + 1;
}

static inline int poll_timeout(int64_t deadline)
{
    int64_t left = milliseconds_until(deadline);
    return left > INT_MAX ? INT_MAX : (int)left;
}

#endif
