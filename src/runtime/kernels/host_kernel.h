/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A kernel that was compiled for the host: what bishengir-compile writes and rtDevBinaryRegister loads. It is
 * the header below, the pointers among the kernel's arguments, and, from `library_at` on, a shared library
 * whose function HOST_KERNEL_ENTRY runs one program of the grid.
 */
#ifndef BELAY_RUNTIME_KERNELS_HOST_KERNEL_H
#define BELAY_RUNTIME_KERNELS_HOST_KERNEL_H

#include <stdint.h>

#include "runtime/kernels/program.h"

#define HOST_KERNEL_MAGIC   "BelayHostKernel" /* 16 bytes with its end */
#define HOST_KERNEL_ENTRY   "belay_kernel_program"
#define HOST_KERNEL_LIBRARY "libbelay_kernel.so"

enum { HOST_KERNEL_VERSION = 1, HOST_KERNEL_NAME_BYTES = 128 };

/* What the kernel does with the tensor that an argument points to, as Triton's compiler has found out. */
enum { HOST_KERNEL_READS = 0, HOST_KERNEL_WRITES = 1, HOST_KERNEL_READS_AND_WRITES = 2 };

struct host_kernel_pointer {
    uint32_t at; /* in the arguments, in bytes */
    uint32_t use;
};

struct host_kernel_header {
    char magic[sizeof HOST_KERNEL_MAGIC];
    uint32_t version;
    uint32_t is_serial; /* programs run one after the other, in their order: they add to the same memory */
    uint32_t is_wide;   /* the library needs AVX2 and what comes with it: FMA, F16C, BMI2 */
    uint32_t argument_bytes; /* without what a launcher may put before them, the address of a C2C control */
    uint32_t grid_at;        /* three INT32 */
    uint32_t pointer_count;
    uint32_t library_at;
    char name[HOST_KERNEL_NAME_BYTES];
};

#endif
