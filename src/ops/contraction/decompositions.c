/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What decompositions of matrices share: the checks of their inputs, and the loops that take a matrix apart,
 * with the scale by which its elements are brought to size 1 at most.
 */
#include "ops/contraction/decompositions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/canonical.h"

aclnnStatus matrices_check(const struct call *call, unsigned self, bool are_square)
{
    const struct tensor_view *view = &call->tensor[self];
    TRY(check_dtype(call, self));
    TRY(check_rank(call, self));
    if (view->rank >= 2 && (!are_square || view->shape[view->rank - 1] == view->shape[view->rank - 2]))
        return ACLNN_SUCCESS;
    return refuse(call, "%s is expected to have 2 dims or more%s", call_name(call, self),
                  are_square ? ", the last two of one size" : "");
}

struct matrices matrices_of(const struct tensor_view *self)
{
    struct matrices matrices = {.rows = (uint64_t)self->shape[self->rank - 2],
                                .columns = (uint64_t)self->shape[self->rank - 1],
                                .batches = 1,
                                .dtype = self->dtype};
    for (uint32_t i = 0; i + 2 < self->rank; i++)
        matrices.batches *= (uint64_t)self->shape[i];
    return matrices;
}

struct shape matrices_shape(const struct tensor_view *self, uint64_t rows, uint64_t columns)
{
    struct shape shape = shape_of(self);
    shape.rank -= 2;
    if (rows != UINT64_MAX)
        shape.dim[shape.rank++] = (int64_t)rows;
    if (columns != UINT64_MAX)
        shape.dim[shape.rank++] = (int64_t)columns;
    return shape;
}

double matrix_scaled(const struct plane_walk *walk, const void *from, aclDataType dtype, double *to,
                     uint64_t count)
{
    double greatest = 0;
    int exponent;
    plane_convert(walk, from, dtype, to, ACL_DOUBLE, count);
    for (uint64_t i = 0; i < count; i++) {
        if (!(fabs(to[i]) <= DBL_MAX))
            return (double)NAN;
        greatest = fabs(to[i]) > greatest ? fabs(to[i]) : greatest;
    }
    (void)frexp(greatest, &exponent);
    exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    for (uint64_t i = 0; i < count; i++)
        to[i] *= ldexp(1, -exponent);
    return ldexp(1, exponent);
}

void matrix_store(const struct plane_walk *walk, double *from, double times, void *to, aclDataType dtype,
                  uint64_t count)
{
    for (uint64_t i = 0; i < count && times != 1; i++)
        from[i] *= times;
    canonical_nans(from, (size_t)count);
    plane_convert(walk, from, ACL_DOUBLE, to, dtype, count);
}

double dot_of(const double *a, const double *b, uint64_t count)
{
    double sum[4] = {0, 0, 0, 0};
    uint64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (unsigned k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < count; i++)
        sum[i % 4] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

uint64_t pivot_of(const double *a, uint64_t size, uint64_t column)
{
    uint64_t pivot = column;
    for (uint64_t i = column + 1; i < size; i++)
        if (fabs(a[i * size + column]) > fabs(a[pivot * size + column]))
            pivot = i;
    return pivot;
}

void rows_exchange(double *a, uint64_t size, uint64_t row, uint64_t other)
{
    for (uint64_t k = 0; k < size && row != other; k++) {
        const double kept = a[row * size + k];
        a[row * size + k] = a[other * size + k];
        a[other * size + k] = kept;
    }
}

void rows_subtract(double *a, uint64_t size, uint64_t row, uint64_t other, double factor, uint64_t first)
{
    for (uint64_t k = first; k < size; k++)
        a[row * size + k] -= factor * a[other * size + k];
}

/* Rows `at` and below of x, of so many columns from `first` on, become (I - factor v v^T) of them. */
static void reflect(const double *a, uint64_t rows, uint64_t columns, uint64_t at, double factor, double *x,
                    uint64_t across, uint64_t first, double *room)
{
    memcpy(room + first, x + at * across + first, (size_t)(across - first) * sizeof *room);
    for (uint64_t i = at + 1; i < rows; i++)
        for (uint64_t k = first; k < across; k++)
            room[k] += a[i * columns + at] * x[i * across + k];
    for (uint64_t i = at; i < rows; i++) {
        const double times = factor * (i == at ? 1 : a[i * columns + at]);
        for (uint64_t k = first; k < across; k++)
            x[i * across + k] -= times * room[k];
    }
}

void reflections_find(double *a, uint64_t rows, uint64_t columns, double *factor, double *room)
{
    for (uint64_t at = 0; at < rows && at < columns; at++) {
        double *diagonal = a + at * columns + at, below = 0;
        for (uint64_t i = at + 1; i < rows; i++)
            below += a[i * columns + at] * a[i * columns + at];
        factor[at] = 0;
        if (below == 0)
            continue;
        const double length = copysign(sqrt(*diagonal * *diagonal + below), -*diagonal);
        factor[at] = (length - *diagonal) / length;
        for (uint64_t i = at + 1; i < rows; i++)
            a[i * columns + at] /= *diagonal - length;
        *diagonal = length;
        if (at + 1 < columns)
            reflect(a, rows, columns, at, factor[at], a, columns, at + 1, room);
    }
}

void reflections_apply(const double *a, uint64_t rows, uint64_t columns, const double *factor, double *x,
                       uint64_t across, double *room)
{
    for (uint64_t at = rows < columns ? rows : columns; at-- > 0;)
        reflect(a, rows, columns, at, factor[at], x, across, 0, room);
}

int64_t cholesky_find(double *a, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        double *row = a + i * size;
        for (uint64_t k = 0; k < i; k++)
            row[k] = (row[k] - dot_of(row, a + k * size, k)) / a[k * size + k];
        const double pivot = row[i] - dot_of(row, row, i);
        if (!(pivot > 0))
            return (int64_t)i;
        row[i] = sqrt(pivot);
    }
    return -1;
}

/* Both rows become orthogonal, and rows of another matrix turn with them. False where they were. */
static bool rotate(double *row, double *other, double *turned, double *turned_other, uint64_t count)
{
    const double product = dot_of(row, other, count), own = dot_of(row, row, count),
                 its = dot_of(other, other, count);
    if (!(fabs(product) > DBL_EPSILON * sqrt(own) * sqrt(its)))
        return false;
    const double ratio = (its - own) / (2 * product);
    const double tangent = copysign(1 / (fabs(ratio) + sqrt(1 + ratio * ratio)), ratio);
    const double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    for (uint64_t k = 0; k < count; k++) {
        const double a = row[k], b = other[k];
        row[k] = cosine * a - sine * b;
        other[k] = sine * a + cosine * b;
    }
    for (uint64_t k = 0; k < count && turned != NULL; k++) {
        const double a = turned[k], b = turned_other[k];
        turned[k] = cosine * a - sine * b;
        turned_other[k] = sine * a + cosine * b;
    }
    return true;
}

/* A bound for the sweeps of the one-sided Jacobi method (M. R. Hestenes, Inversion of Matrices by
 * Biorthogonalization, 1958), of which few are needed: those after the tenth find rounding errors alone. */
enum { SWEEPS_MAX = 60 };

static void rotate_all(double *rows, double *turned, uint64_t count)
{
    bool has_turned = true;
    for (int sweep = 0; sweep < SWEEPS_MAX && has_turned; sweep++) {
        has_turned = false;
        for (uint64_t i = 0; i + 1 < count; i++)
            for (uint64_t k = i + 1; k < count; k++)
                has_turned |=
                    rotate(rows + i * count, rows + k * count, turned == NULL ? NULL : turned + i * count,
                           turned == NULL ? NULL : turned + k * count, count);
    }
}

/* Sizes of rows in falling order, and the rows that have them: the first of equal ones first. */
static void order_rows(const double *rows, uint64_t count, double *size, uint64_t *order)
{
    for (uint64_t i = 0; i < count; i++) {
        const double own = sqrt(dot_of(rows + i * count, rows + i * count, count));
        uint64_t place = i;
        for (; place > 0 && size[place - 1] < own; place--) {
            size[place] = size[place - 1];
            order[place] = order[place - 1];
        }
        size[place] = own;
        order[place] = i;
    }
}

/* Columns of a square matrix from `first` on, which are orthogonal to those before and to each other. */
static void complete_columns(double *v, uint64_t count, uint64_t first, double *room)
{
    const uint64_t rest = count - first;
    double *known = room, *more = known + count * first, *factor = more + count * rest,
           *sums = factor + count;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(known + i * first, v + i * count, (size_t)first * sizeof *v);
        for (uint64_t k = 0; k < rest; k++)
            more[i * rest + k] = i == first + k;
    }
    reflections_find(known, count, first, factor, sums);
    reflections_apply(known, count, first, factor, more, rest, sums);
    for (uint64_t i = 0; i < count; i++)
        memcpy(v + i * count + first, more + i * rest, (size_t)rest * sizeof *v);
}

uint64_t singular_values_room(uint64_t rows, uint64_t columns)
{
    return 3 * columns * columns + 4 * columns + rows;
}

void singular_values_find(double *a, uint64_t rows, uint64_t columns, double *size, double *u,
                          uint64_t u_columns, double *v, double *room)
{
    double *factor = room, *r = factor + columns, *turned = r + columns * columns,
           *rest = turned + columns * columns;
    uint64_t *order = (uint64_t *)(void *)rest, known = 0;
    rest += columns;
    reflections_find(a, rows, columns, factor, rest);
    for (uint64_t i = 0; i < columns * columns; i++) {
        r[i] = i % columns >= i / columns ? a[i] : 0;
        turned[i] = i % columns == i / columns;
    }
    rotate_all(r, v == NULL ? NULL : turned, columns);
    order_rows(r, columns, size, order);
    if (v == NULL)
        return;
    /* The rows of R are now S V^T, and those of what turned with them the columns of U below Q. */
    while (known < columns && size[known] > size[0] * DBL_EPSILON * (double)columns)
        known++;
    for (uint64_t k = 0; k < known; k++)
        for (uint64_t i = 0; i < columns; i++)
            v[i * columns + k] = r[order[k] * columns + i] / size[k];
    if (known < columns)
        complete_columns(v, columns, known, rest);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t k = 0; k < u_columns; k++)
            u[i * u_columns + k] = i < columns && k < columns ? turned[order[k] * columns + i] : i == k;
    reflections_apply(a, rows, columns, factor, u, u_columns, rest);
}
