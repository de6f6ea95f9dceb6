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

enum { ROOFLINE_SOURCES = 4, ROOFLINE_CANDIDATES = 4 };

/*
 * out = the exclusive or of the sources, whatever their alignment. bytes is the size of one source; without
 * sources, source[0] is a vector that is repeated: the first 64 bytes of the output as they are when the
 * roofline is prepared, which is after the operator has run.
 */
typedef void roofline_copy(const unsigned char *const *source, unsigned char *out, size_t bytes);

struct roofline_kernels {
    const char *name[2];
    roofline_copy *copy[ROOFLINE_SOURCES + 1][2]; /* [sources][is_streaming] */
    roofline_copy
        *spread[2][2]; /* [0] one source, written twice, one copy behind the other; [1] four times */
    roofline_copy *read[ROOFLINE_SOURCES + 1]; /* nothing written but 8 bytes, the exclusive or of all */
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

/* Of a workload without an output: the exclusive or of all words that were read, in all runs. */
uint64_t roofline_read(const struct roofline *roofline);
void roofline_release(struct roofline *roofline);

#endif
