/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kernels call that bishengir-compile has lowered for the host. Programs do not call it, and no header of
 * theirs declares it.
 */
#ifndef BELAY_KERNEL_KERNEL_H
#define BELAY_KERNEL_KERNEL_H

#include <stdint.h>

#pragma GCC visibility push(default)

/* Memory for a program's tensors, aligned to 64 bytes, until belay_kernel_end() on the same thread. Ends the
 * process with a sentence when there is none left, as a kernel has no way to say so. */
void *belay_kernel_allocate(uint64_t bytes);

/* The program of the calling thread has ended: its memory is used again by the next one. */
void belay_kernel_end(void);

/* A memref of any rank as LLVM's lowering passes it. */
struct memref {
    int64_t rank;
    void *descriptor; /* struct { void *base, *aligned; int64_t offset, size[rank], stride[rank]; } */
};

/* Copies elements of so many bytes from one memref to another one of the same shape, by their strides. The name
 * is the one that LLVM's lowering calls. */
void memrefCopy(int64_t element_bytes, struct memref *from, struct memref *to);

#pragma GCC visibility pop

#endif
