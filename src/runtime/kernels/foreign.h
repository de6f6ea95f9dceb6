/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Code for a device: registered, as programs do with all that they have when they start, and never run.
 */
#ifndef BELAY_RUNTIME_KERNELS_FOREIGN_H
#define BELAY_RUNTIME_KERNELS_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/load.h"

/* A function of a foreign binary: a kernel without a program, of which the name alone is known. */
struct foreign_function {
    struct foreign_function *next;
    struct host_kernel kernel;
};

/* Whether the bytes are somebody else's: what begins as a container of Belay's does is none, or a damaged one. */
bool foreign_code(const void *bytes, uint64_t count);

/* The function of that name in the list, which is put into it where it is new; a longer name is cut. NULL where
 * there is no memory. Whoever calls holds the lock of the list, and nothing of it is freed. */
const struct host_kernel *foreign_function(struct foreign_function **list, const char *name);

static inline bool foreign_is(const struct host_kernel *kernel)
{
    return kernel->program == NULL;
}

/* 200001, with the sentence that names the function and what to use instead. */
int foreign_refuse(const char *api, const struct host_kernel *kernel);

#endif
