/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums, products and quotients as doubles, which have room for every product of two floats: one rounding.
 */
#include "numerics/family_judge.h"
#include "numerics/reference_calculations.h"

static void approximate(const struct task *task, const double *self, const double *other, size_t count,
                        double *value)
{
    const bool is_scalar = has_scalar(task->stem);
    const double scalar = task->slope;
    const bool subtracts = task->stem == SUB || task->stem == SUBS;
    double alpha = is_scalar ? (double)task->beta : task->slope;
    if (subtracts)
        alpha = -alpha;
    switch (is_scalar ? task->stem - ADDS + ADD : task->stem) {
    case MUL:
        for (size_t i = 0; i < count; i++)
            value[i] = self[i] * (is_scalar ? scalar : other[i]);
        break;
    case DIV:
        for (size_t i = 0; i < count; i++)
            value[i] = self[i] / (is_scalar ? scalar : other[i]);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            value[i] = self[i] + alpha * (is_scalar ? scalar : other[i]);
    }
}

const struct family_judge calculations_judge = {
    .integer = reference_integer_calculations,
    .mpfr = reference_mpfr_calculations,
    .approximate = approximate,
};
