/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop over contiguous complex numbers: their real and imaginary parts, as doubles, in registers of their
 * own.
 */
#ifndef BELAY_SIMD_COMPLEX_H
#define BELAY_SIMD_COMPLEX_H

#include <stddef.h>
#include <string.h>

#include "simd/vector.h"

enum { REAL, IMAGINARY, PARTS };

/*
 * What an operator makes of LANES numbers of each input: of COMPLEX128 the results, of COMPLEX64 doubles that
 * round to fp32 as the exact results do. is_wide, a constant, tells which.
 */
typedef void complex_function(bool is_wide, doubles (*input)[PARTS], doubles *result, const void *prepared);

static inline __attribute__((always_inline)) void load_complex(bool is_wide, const char *source, size_t count,
                                                               doubles *part)
{
    doubles real = broadcast(0), imaginary = broadcast(0);
    for (size_t i = 0; i < count; i++) {
        if (is_wide) {
            double number[PARTS];
            memcpy(number, source + i * sizeof number, sizeof number);
            real[i] = number[REAL];
            imaginary[i] = number[IMAGINARY];
        } else {
            float number[PARTS];
            memcpy(number, source + i * sizeof number, sizeof number);
            real[i] = (double)number[REAL];
            imaginary[i] = (double)number[IMAGINARY];
        }
    }
    part[REAL] = real;
    part[IMAGINARY] = imaginary;
}

static inline __attribute__((always_inline)) void store_complex(bool is_wide, char *target, size_t count,
                                                                const doubles *part)
{
    const doubles nan = (doubles)((ulongs){0} + 0x7ff8000000000000);
    doubles real = choose(part[REAL] != part[REAL], nan, part[REAL]);
    doubles imaginary = choose(part[IMAGINARY] != part[IMAGINARY], nan, part[IMAGINARY]);
    floats single[PARTS] = {floats_of(real), floats_of(imaginary)};
    for (size_t i = 0; i < count; i++) {
        if (is_wide) {
            const double number[PARTS] = {real[i], imaginary[i]};
            memcpy(target + i * sizeof number, number, sizeof number);
        } else {
            const float number[PARTS] = {single[REAL][i], single[IMAGINARY][i]};
            memcpy(target + i * sizeof number, number, sizeof number);
        }
    }
}

/* A kernel_function. */
static inline __attribute__((always_inline)) void map_complex(bool is_wide, int inputs,
                                                              complex_function *evaluate,
                                                              const void *const *input, void *output,
                                                              size_t count, const void *prepared)
{
    const size_t bytes = is_wide ? 16 : 8;
    char *target = output;
    for (size_t done = 0; done < count; done += LANES) {
        size_t length = count - done < LANES ? count - done : LANES;
        doubles number[2][PARTS], result[PARTS];
        for (int i = 0; i < inputs; i++) {
            const char *source = (const char *)input[i] + done * bytes;
            if (length == LANES) /* a loop of constant length */
                load_complex(is_wide, source, LANES, number[i]);
            else
                load_complex(is_wide, source, length, number[i]);
        }
        evaluate(is_wide, number, result, prepared);
        if (length == LANES)
            store_complex(is_wide, target + done * bytes, LANES, result);
        else
            store_complex(is_wide, target + done * bytes, length, result);
    }
}

#endif
