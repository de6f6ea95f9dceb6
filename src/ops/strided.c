/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Moves elements between a strided row and a contiguous one. This file is compiled with -O3: the loops over a
 * constant element size are meant to become vector code.
 */
#include "ops/strided.h"

#include <string.h>

/* bytes is a constant wherever these are inlined, so that each memcpy is one load and one store. */
static inline __attribute__((always_inline)) void gather(unsigned char *to, const unsigned char *from,
                                                         int64_t stride, size_t count, size_t bytes)
{
    ptrdiff_t step = (ptrdiff_t)stride * (ptrdiff_t)bytes;
    for (size_t i = 0; i < count; i++, from += step)
        memcpy(to + i * bytes, from, bytes);
}

static inline __attribute__((always_inline)) void fill(unsigned char *to, const unsigned char *from,
                                                       size_t count, size_t bytes)
{
    unsigned char element[16];
    memcpy(element, from, bytes);
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * bytes, element, bytes);
}

static inline __attribute__((always_inline)) void
scatter(unsigned char *to, int64_t stride, const unsigned char *from, size_t count, size_t bytes)
{
    ptrdiff_t step = (ptrdiff_t)stride * (ptrdiff_t)bytes;
    for (size_t i = 0; i < count; i++, to += step)
        memcpy(to, from + i * bytes, bytes);
}

static inline __attribute__((always_inline)) void gather_or_fill(void *to, const void *from, int64_t stride,
                                                                 size_t count, size_t bytes)
{
    if (stride == 0)
        fill((unsigned char *)to, (const unsigned char *)from, count, bytes);
    else
        gather((unsigned char *)to, (const unsigned char *)from, stride, count, bytes);
}

void gather_row(void *to, const void *from, int64_t stride, size_t count, uint32_t bytes)
{
    if (stride == 1) {
        memcpy(to, from, count * bytes);
        return;
    }
    switch (bytes) {
    case 1:
        gather_or_fill(to, from, stride, count, 1);
        break;
    case 2:
        gather_or_fill(to, from, stride, count, 2);
        break;
    case 4:
        gather_or_fill(to, from, stride, count, 4);
        break;
    case 8:
        gather_or_fill(to, from, stride, count, 8);
        break;
    default:
        gather_or_fill(to, from, stride, count, 16);
        break;
    }
}

void scatter_row(void *to, int64_t stride, const void *from, size_t count, uint32_t bytes)
{
    unsigned char *target = (unsigned char *)to;
    const unsigned char *source = (const unsigned char *)from;
    if (stride == 1) {
        memcpy(to, from, count * bytes);
        return;
    }
    switch (bytes) {
    case 1:
        scatter(target, stride, source, count, 1);
        break;
    case 2:
        scatter(target, stride, source, count, 2);
        break;
    case 4:
        scatter(target, stride, source, count, 4);
        break;
    case 8:
        scatter(target, stride, source, count, 8);
        break;
    default:
        scatter(target, stride, source, count, 16);
        break;
    }
}
