/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Programs of a kernel, run one after the other on a thread, and stopped where they leave their memory or where one of
 * their assertions does not hold.
 */
#ifndef BELAY_KERNEL_RUN_H
#define BELAY_KERNEL_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/kernels/program.h"

#pragma GCC visibility push(default)

host_kernel_run belay_program_run;

/*
 * Stops the program unless so many bytes from first on, elements of so many bytes each, are memory that it may use:
 * base is the argument, or the memory of the program's own, that first was computed from. place is the line of
 * Python, or empty. True where belay_program_follow is to be told.
 */
bool belay_program_check(const void *base, const unsigned char *first, int64_t bytes, int32_t is_store,
                         int32_t element_bytes, const char *place);

/* The program accesses all elements of a view. */
void belay_program_follow(uint32_t rank, uint32_t element_bytes, int32_t is_store, const void *view,
                          const char *place);

/* first, or zeros where that is not memory that the program may use. */
const void *belay_program_inside(const void *base, const unsigned char *first, int64_t bytes);

/*
 * The bytes from first on, checked: where they lie, if they are a tensor's, `own` has room for no more, and their
 * elements are aligned; else in `own`, which has a copy of them. The program may write to what is its own before it
 * reads.
 */
const void *belay_program_read(const void *base, const unsigned char *first, int64_t bytes,
                               int32_t element_bytes, void *own, int64_t room, const char *place);

/* Where the memory is read and written whose address the kernel has found in memory. */
void *belay_program_reach(int64_t address);

/* Copies the elements of a view that are memory which the program may use, and zeros for all others. */
void belay_program_copy_inside(uint32_t rank, uint32_t element_bytes, const void *from, const void *to,
                               const char *place);

/* Stores the elements of value whose mask is true; mask has bytes. */
void belay_program_store_where(uint32_t rank, uint32_t element_bytes, const void *mask, const void *value,
                               const void *view, const char *place);

#pragma GCC visibility pop

/* Stops the program of the calling thread with a sentence; place is the line of Python, or empty. Ends the process
 * with the sentence where no program runs. */
void program_stop(const char *place, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn, cold));

/* The bytes of the tensor that base belongs to; 0 for the program's own memory. */
uint64_t program_room(const void *base);

/* Checks and follows a load of elements side by side, as belay_program_check and belay_program_follow do; gives what
 * program_room gives. */
uint64_t program_reads(const void *base, const unsigned char *first, int64_t bytes, int32_t element_bytes,
                       const char *place);

/* The program of the calling thread, for what it says: "(1, 0, 0)". */
void program_describe(char *text, uint64_t bytes);

#endif
