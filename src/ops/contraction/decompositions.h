/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Matrices taken apart, in DOUBLE and in an order of operations that follows from their sizes alone. Matrices
 * lie row by row, and their elements are of size 1 at most: what is 2^-500 of that does not matter.
 */
#ifndef BELAY_OPS_CONTRACTION_DECOMPOSITIONS_H
#define BELAY_OPS_CONTRACTION_DECOMPOSITIONS_H

#include "ops/check.h"
#include "ops/loops/plane_walk.h"

/* What the plane functions of such operators have for parameters. */
struct matrices {
    uint64_t rows, columns, batches;
    uint64_t mode; /* the operator's */
    aclDataType dtype;
};

/* self has 2 dims or more, the last two of one size where matrices are to be square. */
aclnnStatus matrices_check(const struct call *call, unsigned self, bool are_square);
struct matrices matrices_of(const struct tensor_view *self);

/* The shape of self with other matrices; two dims less where rows are UINT64_MAX, one where columns are. */
struct shape matrices_shape(const struct tensor_view *self, uint64_t rows, uint64_t columns);

/* Elements as doubles, times the power of two that brings the greatest to 1 or just below, and what makes up
 * for it; NaN where one is not finite. */
double matrix_scaled(const struct plane_walk *walk, const void *from, aclDataType dtype, double *to,
                     uint64_t count);

/* Rounded to the dtype, all NaN the same; times a number first. */
void matrix_store(const struct plane_walk *walk, double *from, double times, void *to, aclDataType dtype,
                  uint64_t count);

double dot_of(const double *a, const double *b, uint64_t count);

/* One step of elimination: rows of square matrices exchange, and one is subtracted from another. */
uint64_t pivot_of(const double *a, uint64_t size, uint64_t column);
void rows_exchange(double *a, uint64_t size, uint64_t row, uint64_t other);
void rows_subtract(double *a, uint64_t size, uint64_t row, uint64_t other, double factor, uint64_t first);

/*
 * a = Q R by reflections I - factor v v^T, one for each column that has one: R is left on and above the
 * diagonal, v below it without its leading 1. As LAPACK has it: an element of R's diagonal has the other sign
 * than the one that it replaces, and a column that is 0 below stays as it is. room: as many as columns.
 */
void reflections_find(double *a, uint64_t rows, uint64_t columns, double *factor, double *room);

/* x, of as many rows, becomes Q x; room: as many as x has columns. */
void reflections_apply(const double *a, uint64_t rows, uint64_t columns, const double *factor, double *x,
                       uint64_t across, double *room);

/* Reflections of complex numbers, two doubles each: I - factor v v^H, and a diagonal of real numbers. Factors
 * and room are of complex numbers, too. */
void complex_reflections_find(double *a, uint64_t rows, uint64_t columns, double *factor, double *room);
void complex_reflections_apply(const double *a, uint64_t rows, uint64_t columns, const double *factor,
                               double *x, uint64_t across, double *room);

/* a = L L^T; a's upper triangle is not read. -1, or the first row whose pivot is not above 0. */
int64_t cholesky_find(double *a, uint64_t size);

/*
 * a = U S V^T of at least as many rows as columns, by rotations of pairs of rows of R, a = Q R, until all are
 * orthogonal: sizes in falling order, u with so many columns, columns or rows of them, and v square; u and v
 * may both be NULL. a is overwritten.
 */
void singular_values_find(double *a, uint64_t rows, uint64_t columns, double *size, double *u,
                          uint64_t u_columns, double *v, double *room);
uint64_t singular_values_room(uint64_t rows, uint64_t columns);

#endif
