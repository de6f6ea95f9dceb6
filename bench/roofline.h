/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The roofline: what this machine can do at this moment with the same memory, the same pattern of reads and
 * writes and next to no arithmetic. Several kernels compete (normal and streaming stores, vectors of each
 * width that the processor has); the best one is the roofline.
 */
#ifndef BELAY_BENCH_ROOFLINE_H
#define BELAY_BENCH_ROOFLINE_H

#include <stddef.h>
#include <stdint.h>

#include "workload.h"

enum { ROOFLINE_SOURCES = 3, ROOFLINE_CANDIDATES = 4 };

/* out = the exclusive or of the sources, whatever their alignment; [sources - 1][is_streaming]. */
typedef void roofline_copy(const unsigned char *const *source, unsigned char *out, size_t bytes);

struct roofline_kernels {
    const char *name[2];
    roofline_copy *copy[ROOFLINE_SOURCES][2];
    /* For elements of 2, 4 and 8 bytes; strides in elements, sizes multiples of 32 elements. */
    void (*transpose[3])(const unsigned char *from, int64_t from_stride, unsigned char *to, int64_t to_stride,
                         int64_t rows, int64_t columns);
    void (*thin[3])(const unsigned char *from, unsigned char *to, int64_t count); /* every other element */
};

struct roofline;

/* How many kernels compete on this processor, at most ROOFLINE_CANDIDATES. */
int roofline_candidates(void);
const char *roofline_candidate_name(int candidate);

/* Starts the threads beside the caller; they sleep while nothing is measured. */
void roofline_set_threads(int threads);

struct roofline *roofline_prepare(const struct workload *workload, int candidate);
void roofline_run(void *roofline, uint64_t repetitions);
void roofline_release(struct roofline *roofline);

#endif
