/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Relu, ThresholdBackward, Sigmoid, Tanh, Gelu and their gradients: what they take, and where they are hard.
 */
#include "numerics/family.h"

static const int input_counts[] = {1, 2, 1, 2, 1, 2, 1, 2};
static const bool threshold_is_taken[] = {false, true, false, false, false, false, false, false};

/* The root of gelu's derivative, gelu's minimum being there, and where results stop being 1 or normal or end;
 * outputs of sigmoid and tanh next to 0 and 1. */
static const double landmark[] = {0.7524614220710162,
                                  1.4142135623730951,
                                  5.2,
                                  5.8,
                                  9.01,
                                  9.1,
                                  10.05,
                                  10.2,
                                  13.99,
                                  8.31,
                                  8.7,
                                  9.2,
                                  16.6,
                                  17.3,
                                  87.33,
                                  88.72,
                                  103.97,
                                  104.0,
                                  1.0,
                                  0.5,
                                  2.0,
                                  36.7,
                                  708.4,
                                  745.2};
enum { LANDMARKS = sizeof landmark / sizeof *landmark };

/* x next to a landmark, or next to the threshold. */
static void draw(struct generator *generator, const struct task *task, uint64_t *input)
{
    const struct format *format = &formats[task->dtype];
    const uint64_t choice = draw_bits(generator), all = 2 * magnitude_mask(format) + 1;
    const int which = family_inputs(task->stem) - 1;
    double value = landmark[(choice >> 8) % LANDMARKS];
    if (family_has_slope(task->stem) && choice % 2 == 0)
        value = task->slope;
    else if (choice >> 40 & 1)
        value = -value;
    input[which] = (bits_of(format, value) + (choice >> 20) % 17 - 8) & all;
}

const struct family activations = {
    .first = RELU,
    .count = GELU_BACKWARD - RELU + 1,
    .inputs = input_counts,
    .has_slope = threshold_is_taken,
    .draw = draw,
};
