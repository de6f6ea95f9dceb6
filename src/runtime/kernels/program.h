/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the runtime tells libbelay_kernel.so of a launch, and what it is told of a program that was stopped.
 */
#ifndef BELAY_RUNTIME_KERNELS_PROGRAM_H
#define BELAY_RUNTIME_KERNELS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* Runs the program at (x, y, z) of the grid. */
typedef void host_kernel_program(const void *arguments, int32_t x, int32_t y, int32_t z);

/* Memory that a kernel may use: from the first byte to before the last, around what an argument points to. */
struct host_kernel_memory {
    const unsigned char *base; /* the argument, where it is read and written */
    const unsigned char *first, *behind;
    uint32_t pointer; /* which of the kernel's pointers it is, from 0 */
};

/* One launch, for HOST_KERNEL_RUN. */
struct host_kernel_launch {
    host_kernel_program *program;
    const void *arguments;
    int32_t grid[3];
    uint32_t memory_count;
    const struct host_kernel_memory *memory;
    /* The memory around an address that a kernel has found elsewhere than in its arguments, as the host knows it;
     * base is the address, where it is read and written. False when there is none. */
    bool (*find)(const void *address, struct host_kernel_memory *memory);
    /* Where it is not NULL, all programs are run by one call, one after the other, and it is told the first race
     * between two of them. */
    void (*race)(const struct host_kernel_launch *launch, const char *sentence);
};

enum { HOST_KERNEL_FAULT_BYTES = 384 };

/* Why a program was stopped. */
struct host_kernel_fault {
    uint64_t program; /* its number in the grid */
    char sentence[HOST_KERNEL_FAULT_BYTES];
};

/* Of HOST_KERNEL_LIBRARY: runs the programs from begin to before end, up to the first one that is stopped: false
 * then, with a fault. */
#define HOST_KERNEL_RUN "belay_program_run"
typedef bool host_kernel_run(const struct host_kernel_launch *launch, uint64_t begin, uint64_t end,
                             struct host_kernel_fault *fault);

#endif
