/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels that move elements and do not look into them: copying, and filling with one element.
 */
#ifndef BELAY_SIMD_LOOPS_MOVE_H
#define BELAY_SIMD_LOOPS_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/vector/write.h"

/* What is written at a time, in registers of the level. */
enum { MOVE_BYTES = 64 };
#if defined(__AVX512F__)
enum { MOVE_REGISTER = 64 };
#elif defined(__AVX2__)
enum { MOVE_REGISTER = 32 };
#else
enum { MOVE_REGISTER = 16 };
#endif

typedef unsigned char move_register __attribute__((vector_size(MOVE_REGISTER)));

struct copy_parameters {
    uint32_t element_bytes;
};

struct fill_parameters {
    uint32_t element_bytes;
    unsigned char pattern[MOVE_BYTES]; /* the element over and over; its bytes divide these */
};

static inline __attribute__((always_inline)) void move_line(char *target, const char *source,
                                                            bool non_temporal)
{
    for (size_t i = 0; i < MOVE_BYTES; i += MOVE_REGISTER)
        put(target + i, source + i, MOVE_REGISTER, non_temporal);
}

/* A kernel_function over one input; non_temporal and what it promises of output are as
 * there. */
static inline void copy_elements(const void *const *input, void *output, size_t count, const void *parameters,
                                 bool non_temporal)
{
    const struct copy_parameters *copy = parameters;
    size_t bytes = count * copy->element_bytes;
    const char *source = input[0];
    char *target = output;
    if (source == target)
        return;
    if (!non_temporal) {
        memcpy(target, source, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i += MOVE_BYTES)
        move_line(target + i, source + i, true);
}

/* A kernel_function without inputs. */
static inline void fill_elements(const void *const *input, void *output, size_t count, const void *parameters,
                                 bool non_temporal)
{
    (void)input;
    const struct fill_parameters *fill = parameters;
    size_t bytes = count * fill->element_bytes, done = 0;
    char *target = output;
    /* Every register is the same, and stays one: what is stored could be the pattern, for all that compilers
     * know. */
    move_register part;
    memcpy(&part, fill->pattern, sizeof part);
    if (non_temporal)
        for (; done < bytes; done += MOVE_REGISTER)
            put(target + done, &part, MOVE_REGISTER, true);
    else
#pragma GCC unroll 4
        for (; bytes - done >= MOVE_REGISTER; done += MOVE_REGISTER)
            put(target + done, &part, MOVE_REGISTER, false);
    memcpy(target + done, &part, bytes - done);
}

#endif
