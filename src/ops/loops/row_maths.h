/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of rows of doubles, for loops that are not compiled for each level themselves; the first eight in place.
 */
#ifndef BELAY_OPS_LOOPS_ROW_MATHS_H
#define BELAY_OPS_LOOPS_ROW_MATHS_H

#include <stdint.h>

struct row_maths {
    void (*exponential)(double *x, uint64_t count);
    void (*logarithm)(double *x, uint64_t count);
    void (*logistic)(double *x, uint64_t count);         /* 1 / (1 + e^-x) */
    void (*error_complement)(double *x, uint64_t count); /* erfc x */
    void (*arctangent)(double *x, uint64_t count);
    void (*sine)(double *x, uint64_t count);
    void (*cosine)(double *x, uint64_t count);
    void (*tangent)(double *x, uint64_t count);
    /* The sum of products, in an order that the count alone fixes. */
    double (*dot)(const double *x, const double *y, uint64_t count);
    /* Pairs of the elements of two halves, turned by what belongs to each element. */
    void (*turn_halves)(const double *x, const double *cosine, const double *sine, uint64_t half, double *to);
    void (*add_scaled)(double *sums, const double *x, double factor, uint64_t count); /* sums += x factor */
};

#endif
