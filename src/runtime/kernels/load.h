/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels that were compiled for the host, loaded.
 */
#ifndef BELAY_RUNTIME_KERNELS_LOAD_H
#define BELAY_RUNTIME_KERNELS_LOAD_H

#include <stdint.h>

#include "runtime/kernels/host_kernel.h"

/* A loaded kernel stays until the process ends: work that is queued may run it. */
struct host_kernel {
    struct host_kernel_header header;
    struct host_kernel_pointer *pointer; /* header.pointer_count */
    host_kernel_program *program;
    host_kernel_run *run;
};

/* 0; 107000 with a sentence, which api opens, for bytes that are no such kernel or one for another machine; 200000.
 */
int host_kernel_load(const char *api, const void *bytes, uint64_t count, const struct host_kernel **kernel);

#endif
