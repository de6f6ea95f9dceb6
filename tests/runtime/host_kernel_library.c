/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A kernel as bishengir-compile writes it, by hand: each program adds its place in the grid to a number, or, where
 * the number is below 0, notes that it is the next one. It asks before it writes, as those kernels do.
 */
#include <stdint.h>

#include "kernel/run.h"

struct arguments {
    void *lock, *workspace;
    int32_t *out;
    int32_t number, grid[3];
};

__attribute__((visibility("default"))) void belay_kernel_program(const void *arguments, int32_t x, int32_t y,
                                                                 int32_t z);

void belay_kernel_program(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    const struct arguments *given = arguments;
    const int32_t place = (z * given->grid[1] + y) * given->grid[0] + x;
    const unsigned char *at = (const unsigned char *)(given->out + place);
    if (given->number >= 0)
        belay_program_check(given->out, at, sizeof *given->out, 1, sizeof *given->out, "fill.py:7");
    if (given->number >= 0)
        given->out[place] = given->number + place;
    else
        given->out[1 + given->out[0]++] = place;
}
