/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Add, Sub, Mul and Div of tensors, and of a tensor and a scalar: what they take, and where they are hard.
 */
#include <math.h>
#include <string.h>

#include "numerics/family.h"
#include "ops/pointwise/arithmetic.h"

static const int input_counts[] = {2, 2, 2, 2, 1, 1, 1, 1};
/* Mul and Div of tensors have no attribute. */
static const bool number_is_taken[] = {true, true, false, false, true, true, true, true};

/* self next to what cancels the other one, or to what makes a result next to the ends of normal and of all
 * numbers. */
static void draw(struct generator *generator, const struct task *task, uint64_t *input)
{
    const struct format *format = &formats[task->dtype];
    const uint64_t choice = draw_bits(generator), all = 2 * magnitude_mask(format) + 1;
    const double other = has_scalar(task->stem) ? task->slope : value_of(format, input[1]);
    const double alpha = has_scalar(task->stem) ? (double)task->beta : task->slope;
    const double ends[] = {value_of(format, infinity_bits(format) - 1),
                           value_of(format, (uint64_t)1 << format->fraction_bits), value_of(format, 1),
                           value_of(format, 1) / 2};
    const double end = ends[(choice >> 8) % 4];
    double value;
    switch (task->stem) {
    case ADD:
    case ADDS:
        value = -alpha * other;
        break;
    case SUB:
    case SUBS:
        value = alpha * other;
        break;
    case MUL:
    case MULS:
        value = end / other;
        break;
    default:
        value = end * other;
    }
    input[0] = (bits_of(format, value) + (choice >> 20) % 17 - 8) & all;
}

void calculation_parameters(const struct task *task, void *parameters)
{
    const double alpha = has_scalar(task->stem) ? (double)task->beta : task->slope;
    const bool subtracts = task->stem == SUB || task->stem == SUBS;
    const struct arithmetic_parameters calculation = {
        .other = {has_scalar(task->stem) ? task->slope : 0},
        .alpha = {subtracts ? -alpha : alpha},
        .has_scalar = has_scalar(task->stem),
        .subtracts = subtracts,
        .alpha_is_one = alpha == 1,
    };
    memcpy(parameters, &calculation, sizeof calculation);
}

const struct family calculations = {
    .first = ADD,
    .count = PROVED_OPERATORS - ADD,
    .inputs = input_counts,
    .has_slope = number_is_taken,
    .draw = draw,
};
