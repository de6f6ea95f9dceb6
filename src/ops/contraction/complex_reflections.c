/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reflections of matrices of complex numbers, whose parts lie side by side, in DOUBLE.
 */
#include "ops/contraction/decompositions.h"

#include <math.h>
#include <string.h>

/* to += a b, or to -= a b; of a the conjugate where that is asked for. */
static void add_product(double *to, const double *a, double sign_of_imaginary, const double *b, double sign)
{
    const double imaginary = sign_of_imaginary * a[1];
    to[0] += sign * (a[0] * b[0] - imaginary * b[1]);
    to[1] += sign * (a[0] * b[1] + imaginary * b[0]);
}

/* Rows `at` and below of x, of so many columns from `first` on, become (I - factor v v^H) of them, or with
 * the conjugate of the factor. */
static void reflect(const double *a, uint64_t rows, uint64_t columns, uint64_t at, const double *factor,
                    double conjugates, double *x, uint64_t across, uint64_t first, double *room)
{
    memcpy(room + 2 * first, x + 2 * (at * across + first), (size_t)(2 * (across - first)) * sizeof *room);
    for (uint64_t i = at + 1; i < rows; i++)
        for (uint64_t k = first; k < across; k++)
            add_product(room + 2 * k, a + 2 * (i * columns + at), -1, x + 2 * (i * across + k), 1);
    for (uint64_t i = at; i < rows; i++) {
        double times[2] = {factor[0], conjugates * factor[1]};
        if (i > at) {
            double product[2] = {0, 0};
            add_product(product, times, 1, a + 2 * (i * columns + at), 1);
            memcpy(times, product, sizeof times);
        }
        for (uint64_t k = first; k < across; k++)
            add_product(x + 2 * (i * across + k), times, 1, room + 2 * k, -1);
    }
}

void complex_reflections_find(double *a, uint64_t rows, uint64_t columns, double *factor, double *room)
{
    for (uint64_t at = 0; at < rows && at < columns; at++) {
        double *diagonal = a + 2 * (at * columns + at), below = 0;
        for (uint64_t i = at + 1; i < rows; i++) {
            const double *element = a + 2 * (i * columns + at);
            below += element[0] * element[0] + element[1] * element[1];
        }
        factor[2 * at] = factor[2 * at + 1] = 0;
        if (below == 0 && diagonal[1] == 0)
            continue;
        const double size = sqrt(diagonal[0] * diagonal[0] + diagonal[1] * diagonal[1] + below),
                     length = copysign(size, -diagonal[0]);
        factor[2 * at] = (length - diagonal[0]) / length;
        factor[2 * at + 1] = -diagonal[1] / length;
        const double apart[2] = {diagonal[0] - length, diagonal[1]},
                     square = apart[0] * apart[0] + apart[1] * apart[1];
        for (uint64_t i = at + 1; i < rows; i++) {
            double *element = a + 2 * (i * columns + at), quotient[2] = {0, 0};
            add_product(quotient, apart, -1, element, 1);
            element[0] = quotient[0] / square;
            element[1] = quotient[1] / square;
        }
        diagonal[0] = length;
        diagonal[1] = 0;
        if (at + 1 < columns)
            reflect(a, rows, columns, at, factor + 2 * at, -1, a, columns, at + 1, room);
    }
}

void complex_reflections_apply(const double *a, uint64_t rows, uint64_t columns, const double *factor,
                               double *x, uint64_t across, double *room)
{
    for (uint64_t at = rows < columns ? rows : columns; at-- > 0;)
        reflect(a, rows, columns, at, factor + 2 * at, 1, x, across, 0, room);
}
