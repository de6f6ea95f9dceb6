/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * X of A X = B, or A^T X = B, for triangular A: row by row, X_i = (B_i - sum of A_ij X_j) / A_ii, the X_j
 * that are known taken in the order in which they became so. FLOAT in FLOAT, where asked for in DOUBLE, and
 * so are DOUBLE and complex numbers; rounded once at the end. The other triangle of A takes no part; m is A.
 */
#include "aclnnop/aclnn_triangular_solve.h"

#include <inttypes.h>
#include <string.h>

#include "ops/canonical.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/plane_walk.h"
#include "ops/signature.h"

#define SOLVE(X, of)                                              \
    X(of, IN, self, &dtypes_fp32_fp64_complex, .sample = "2x3x2") \
    X(of, IN, A, &dtypes_fp32_fp64_complex, .sample = "2x3x3")    \
    X(of, BOOL, upper, .usual = "true")                           \
    X(of, BOOL, transpose, .usual = "false")                      \
    X(of, BOOL, unitriangular, .usual = "false")                  \
    X(of, OUT, xOut, &dtypes_fp32_fp64_complex)                   \
    X(of, OUT, mOut, &dtypes_fp32_fp64_complex)
SIGNATURE(SOLVE)

struct triangle {
    uint64_t size, columns;
    aclDataType dtype, computed; /* the parts of complex numbers in the latter, too */
    bool is_upper, is_transposed, is_unit;
};

/* The step-th row that becomes known. */
static uint64_t row_of(const struct triangle *triangle, uint64_t step)
{
    return triangle->is_upper == triangle->is_transposed ? step : triangle->size - 1 - step;
}

static uint64_t place_of(const struct triangle *triangle, uint64_t i, uint64_t j)
{
    return triangle->is_transposed ? j * triangle->size + i : i * triangle->size + j;
}

/* row -= a * other, and row /= a, for so many numbers. */
static void subtract_floats(float *row, float a, const float *other, uint64_t columns)
{
    for (uint64_t k = 0; k < columns; k++)
        row[k] -= a * other[k];
}

static void subtract_doubles(double *row, double a, const double *other, uint64_t columns)
{
    for (uint64_t k = 0; k < columns; k++)
        row[k] -= a * other[k];
}

static void divide_floats(float *row, float a, uint64_t columns)
{
    for (uint64_t k = 0; k < columns; k++)
        row[k] /= a;
}

static void divide_doubles(double *row, double a, uint64_t columns)
{
    for (uint64_t k = 0; k < columns; k++)
        row[k] /= a;
}

/* x holds B and becomes X, of floats or doubles: each row less those that are known, over the diagonal. */
static void solve_real(const struct triangle *triangle, const void *a, void *x, bool is_float)
{
    const uint64_t columns = triangle->columns;
    for (uint64_t step = 0; step < triangle->size; step++) {
        const uint64_t i = row_of(triangle, step), diagonal = place_of(triangle, i, i);
        for (uint64_t known = 0; known < step; known++) {
            const uint64_t j = row_of(triangle, known), place = place_of(triangle, i, j);
            if (is_float)
                subtract_floats((float *)x + i * columns, ((const float *)a)[place],
                                (const float *)x + j * columns, columns);
            else
                subtract_doubles((double *)x + i * columns, ((const double *)a)[place],
                                 (const double *)x + j * columns, columns);
        }
        if (is_float && !triangle->is_unit)
            divide_floats((float *)x + i * columns, ((const float *)a)[diagonal], columns);
        else if (!triangle->is_unit)
            divide_doubles((double *)x + i * columns, ((const double *)a)[diagonal], columns);
    }
}

/* a / b by the quotient of the smaller part of b and the greater one, so that no square leaves the range. */
static void divide(double *a, const double *b)
{
    const bool is_real = __builtin_fabs(b[0]) >= __builtin_fabs(b[1]);
    const double small = is_real ? b[1] : b[0], great = is_real ? b[0] : b[1];
    const double ratio = small / great, size = great + small * ratio;
    const double real = is_real ? a[0] + a[1] * ratio : a[0] * ratio + a[1];
    const double imaginary = is_real ? a[1] - a[0] * ratio : a[1] * ratio - a[0];
    a[0] = real / size;
    a[1] = imaginary / size;
}

static void solve_complex(const struct triangle *triangle, const double *a, double *x)
{
    const uint64_t columns = triangle->columns;
    for (uint64_t step = 0; step < triangle->size; step++) {
        const uint64_t i = row_of(triangle, step);
        double *row = x + 2 * i * columns;
        for (uint64_t known = 0; known < step; known++) {
            const uint64_t j = row_of(triangle, known);
            const double *factor = a + 2 * place_of(triangle, i, j), *other = x + 2 * j * columns;
            for (uint64_t k = 0; k < 2 * columns; k += 2) {
                row[k] -= factor[0] * other[k] - factor[1] * other[k + 1];
                row[k + 1] -= factor[0] * other[k + 1] + factor[1] * other[k];
            }
        }
        for (uint64_t k = 0; k < columns && !triangle->is_unit; k++)
            divide(row + 2 * k, a + 2 * place_of(triangle, i, i));
    }
}

static int64_t run_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    const struct triangle *triangle = (const struct triangle *)(const void *)walk->parameters;
    const uint64_t numbers = triangle->size * triangle->columns, all = triangle->size * triangle->size;
    const bool is_complex = dtype_is_one_of(triangle->dtype, DTYPES_COMPLEX),
               is_float = triangle->computed == ACL_FLOAT;
    const aclDataType part = triangle->dtype == ACL_COMPLEX64    ? ACL_FLOAT
                             : triangle->dtype == ACL_COMPLEX128 ? ACL_DOUBLE
                                                                 : triangle->dtype;
    const uint64_t parts = is_complex ? 2 : 1;
    unsigned char *x = room, *a = x + whole_lines(numbers * parts * dtype_bytes(triangle->computed));
    const size_t bytes = (size_t)(all * dtype_bytes(triangle->dtype));
    if (triangle->columns == 0) { /* A and m alone */
        memcpy(output[0], input[0], bytes);
        return -1;
    }
    memcpy(output[1], input[1], bytes);
    plane_convert(walk, input[0], part, x, triangle->computed, numbers * parts);
    plane_convert(walk, input[1], part, a, triangle->computed, all * parts);
    if (is_complex)
        solve_complex(triangle, (const double *)(void *)a, (double *)(void *)x);
    else if (is_float)
        solve_real(triangle, a, x, true);
    else
        solve_real(triangle, a, x, false);
    if (!is_float)
        canonical_nans((double *)(void *)x, (size_t)(numbers * parts));
    for (uint64_t i = 0; is_float && i < numbers; i++) {
        float *value = (float *)(void *)x + i;
        *value = *value != *value ? __builtin_nanf("") : *value;
    }
    plane_convert(walk, x, triangle->computed, output[0], part, numbers * parts);
    return -1;
}

/* What stands before the matrices of both together, and then n and a number of columns. */
static aclnnStatus find_shapes(const struct call *call, struct shape *x, struct shape *m)
{
    const struct tensor_view *self = &call->tensor[SOLVE_self], *a = &call->tensor[SOLVE_A];
    struct shape left = shape_of(self), right = shape_of(a);
    if (self->rank < 2 || a->rank < 2)
        return refuse(call, "self has %u dims and A %u; 2 or more are expected", self->rank, a->rank);
    const int64_t size = a->shape[a->rank - 1];
    if (a->shape[a->rank - 2] != size || self->shape[self->rank - 2] != size)
        return refuse(call,
                      "self has shape %s and A %s; square matrices A and as many rows of self are expected",
                      shape_text(TEXT, self), shape_text(TEXT, a));
    left.rank -= 2;
    right.rank -= 2;
    if (!broadcast(&left, &right, x))
        return refuse(call,
                      "self has shape %s and A %s; dims that broadcast are expected before the last two",
                      shape_text(TEXT, self), shape_text(TEXT, a));
    x->dim[x->rank++] = size;
    *m = *x;
    m->dim[m->rank++] = size;
    x->dim[x->rank++] = self->shape[self->rank - 1];
    TRY(check_element_count(call, x));
    return check_element_count(call, m);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct shape x, m;
    TRY(check_dtype(call, SOLVE_self));
    TRY(check_dtype(call, SOLVE_A));
    TRY(check_same_dtype(call, SOLVE_A, SOLVE_self, NULL));
    TRY(check_rank(call, SOLVE_self));
    TRY(check_rank(call, SOLVE_A));
    TRY(find_shapes(call, &x, &m));
    result_reshaped(result, call, SOLVE_self, x);
    result_reshaped(result, call, SOLVE_self, m);
    return ACLNN_SUCCESS;
}

/* The matrices of an input for each of a shape that it broadcasts to. */
static struct tensor_view broadcast_view(const struct tensor_view *input, const struct shape *shape)
{
    struct tensor_view view = *input;
    const uint32_t added = shape->rank - input->rank;
    view.rank = shape->rank;
    view.count = 1;
    for (uint32_t i = 0; i < shape->rank; i++) {
        const bool repeats = i < added || (i + 2 < shape->rank && input->shape[i - added] == 1);
        view.stride[i] = repeats ? 0 : input->stride[i - added];
        view.shape[i] = shape->dim[i];
        view.count *= shape->dim[i];
    }
    return view;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct shape *x = &result->output[0].shape, *m = &result->output[1].shape;
    const struct tensor_view self = broadcast_view(&call->tensor[SOLVE_self], x),
                             a = broadcast_view(&call->tensor[SOLVE_A], m);
    const aclDataType dtype = call->tensor[SOLVE_self].dtype;
    if (call->tensor[SOLVE_mOut].count == 0)
        return call_idle(call);
    struct triangle triangle = {
        .size = (uint64_t)x->dim[x->rank - 2],
        .columns = (uint64_t)x->dim[x->rank - 1],
        .dtype = dtype,
        .computed = dtype == ACL_FLOAT && call->settings->accuracy != ACCURACY_EXACT ? ACL_FLOAT : ACL_DOUBLE,
        .is_upper = call->argument[SOLVE_upper].boolean,
        .is_transposed = call->argument[SOLVE_transpose].boolean,
        .is_unit = call->argument[SOLVE_unitriangular].boolean,
    };
    const uint64_t parts = dtype_is_one_of(dtype, DTYPES_COMPLEX) ? 2 : 1,
                   all = triangle.size * triangle.size;
    const uint64_t bytes = dtype_bytes(triangle.computed) * parts;
    struct plane_request request = {
        .function = run_plane,
        .planes = (uint64_t)call->tensor[SOLVE_mOut].count / all,
        .inputs = 2,
        .outputs = 2,
        .parameter = {SOLVE_self, SOLVE_A, SOLVE_xOut, SOLVE_mOut},
        .view = {&self, &a},
        .room_bytes = whole_lines(triangle.size * triangle.columns * bytes) + all * bytes,
        .plane_ns = all * (triangle.columns + 2) / 2,
        .parameters = &triangle,
        .parameter_bytes = sizeof triangle,
    };
    if (triangle.columns == 0) {
        request.inputs = request.outputs = 1;
        request.parameter[0] = SOLVE_A;
        request.parameter[1] = SOLVE_mOut;
        request.view[0] = &a;
        request.view[1] = NULL;
    }
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnTriangularSolve, SOLVE, .stem = "triangular_solve", .promise = &promise_sum,
            .family = FAMILY_CONTRACTION, PLANE_WALK, .infer = infer, .plan = plan);
