/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Random inputs that meet what is hard: every bit pattern, the neighbourhoods of roots and branches,
 * subnormals, the largest numbers, infinities and NaN, and short significands, which make ties.
 */
#ifndef BELAY_TESTS_NUMERICS_DRAW_H
#define BELAY_TESTS_NUMERICS_DRAW_H

#include "numerics/reference.h"

struct generator {
    uint64_t state;
    uint64_t inputs; /* that draw_inputs() has drawn */
};

uint64_t draw_bits(struct generator *generator);

/* One element of the dtype. */
uint64_t draw_element(struct generator *generator, const struct format *format);

/* In DOUBLE, gradients from a result are promised for results that there can be: others become their inverse.
 */
void fold_result(const struct task *task, uint64_t *input);

/*
 * The inputs of one element of a task; those of smooth L1 are often close to each other. Kernels have fast
 * ways that a single hard element of a vector bars: so that these are met too, all that is hard comes in one
 * of four runs of 64 elements, short significands in another, and the other two have neither.
 */
void draw_inputs(struct generator *generator, const struct task *task, uint64_t *input);

/* The bits of the number of the dtype nearest to value from below in magnitude. */
uint64_t bits_of(const struct format *format, double value);

/* Tasks that differ in their attributes; any index is good. Those with the same attributes repeat. */
struct task nth_task(enum reference_operator stem, enum arithmetic dtype, uint64_t index);

#endif
