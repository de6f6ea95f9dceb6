/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bytes of an element as a constant, with which a move of one is an instruction instead of a call.
 */
#ifndef BELAY_OPS_ELEMENT_BYTES_H
#define BELAY_OPS_ELEMENT_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* What moves elements; inlined, once for each size. */
typedef void move_elements(const void *work, size_t bytes);

/* bytes: 1, 2, 4, 8 or 16. */
static inline __attribute__((always_inline)) void by_element_bytes(move_elements *move, const void *work,
                                                                   uint64_t bytes)
{
    /* Hides from the compiler how large the memory is that moves name: where it knows, it has each of them
     * checked by a call (_FORTIFY_SOURCE). */
    __asm__("" : "+r"(work) : : "memory");
    switch (bytes) {
    case 1:
        move(work, 1);
        break;
    case 2:
        move(work, 2);
        break;
    case 4:
        move(work, 4);
        break;
    case 8:
        move(work, 8);
        break;
    default:
        move(work, 16);
        break;
    }
}

#endif
