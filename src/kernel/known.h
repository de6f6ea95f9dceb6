/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions over tensors that kernels call: each for every rank and type, which come first. The result's descriptor
 * is written: its memory is the program's.
 */
#ifndef BELAY_KERNEL_KNOWN_H
#define BELAY_KERNEL_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_RANK_MAX = 16 };

enum kernel_type {
    KERNEL_FP32,
    KERNEL_FP64,
    KERNEL_FP16,
    KERNEL_BF16,
    KERNEL_INT8,
    KERNEL_INT16,
    KERNEL_INT32,
    KERNEL_INT64,
    KERNEL_BOOL
};

/* { void *base, *aligned; int64_t offset, size[rank], stride[rank]; }, as LLVM lowers a memref. */
struct descriptor;

#pragma GCC visibility push(default)

/* The sums, or products, of the elements up to each along a dim, from its end where reversed. Floats of 16 bits
 * are summed in FLOAT and rounded once an element; integers wrap. */
void belay_kernel_cumsum(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                         int32_t dim, bool reversed);
void belay_kernel_cumprod(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                          int32_t dim, bool reversed);

/* The elements along a dim in ascending order, or in descending one; NaN counts as greater than all. */
void belay_kernel_sort(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                       int64_t dim, bool descending);

/* The elements along a dim in their opposite order. */
void belay_kernel_flip(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                       int32_t dim);

/* The elements of x along a dim at the places of index, which has another size in that dim; a place that x has not
 * gives 0. Integers of any type. */
void belay_kernel_gather(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                         int32_t index_type, const struct descriptor *index, int32_t dim);

/* How many elements of x have each value from 0 to before bins: INT32, of rank 1. */
void belay_kernel_histogram(uint32_t rank, int32_t type, struct descriptor *result,
                            const struct descriptor *x, int64_t bins);

/*
 * Writes a line to the standard output: the program, the text, the tensor's elements, or the number's at x where
 * rank is 0. TRITON_DEVICE_PRINT=false keeps it quiet.
 */
void belay_program_print(uint32_t rank, int32_t type, const struct descriptor *x, const char *text,
                         bool is_hex, const char *place);

/* Stops the program, with the text, unless all elements are true. */
void belay_program_assert(uint32_t rank, int32_t type, const struct descriptor *x, const char *text,
                          bool is_hex, const char *place);

#pragma GCC visibility pop

/* The element at an address, whichever its type is: real for floats, whole for integers. */
union kernel_number {
    double real;
    int64_t whole;
};
union kernel_number kernel_number_read(const unsigned char *at, int32_t type);
bool kernel_type_is_real(int32_t type);
uint32_t kernel_type_bytes(int32_t type);

#endif
