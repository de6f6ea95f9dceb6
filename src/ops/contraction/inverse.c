/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inverses of matrices by elimination in DOUBLE, each column with the greatest element below as its
 * pivot, the first of equal ones; rounded once. A matrix that has none gives infinities and NaN.
 */
#include "aclnnop/aclnn_inverse.h"

#include <math.h>
#include <string.h>

#include "ops/check.h"
#include "ops/window/plane_walk.h"

enum { SELF, OUT };

struct square {
    uint64_t size;
    aclDataType dtype;
};

/* The greatest |a| of a column from a row on. */
static uint64_t pivot_of(const double *a, uint64_t size, uint64_t column)
{
    uint64_t pivot = column;
    for (uint64_t i = column + 1; i < size; i++)
        if (fabs(a[i * size + column]) > fabs(a[pivot * size + column]))
            pivot = i;
    return pivot;
}

static void exchange(double *a, uint64_t size, uint64_t row, uint64_t other)
{
    for (uint64_t k = 0; k < size && row != other; k++) {
        const double kept = a[row * size + k];
        a[row * size + k] = a[other * size + k];
        a[other * size + k] = kept;
    }
}

static void subtract(double *a, uint64_t size, uint64_t row, uint64_t other, double factor, uint64_t first)
{
    for (uint64_t k = first; k < size; k++)
        a[row * size + k] -= factor * a[other * size + k];
}

/* a becomes 1, and b, which was 1, the inverse. */
static void invert(double *a, double *b, uint64_t size)
{
    for (uint64_t column = 0; column < size; column++) {
        const uint64_t pivot = pivot_of(a, size, column);
        exchange(a, size, column, pivot);
        exchange(b, size, column, pivot);
        for (uint64_t row = column + 1; row < size; row++) {
            const double factor = a[row * size + column] / a[column * size + column];
            subtract(a, size, row, column, factor, column);
            subtract(b, size, row, column, factor, 0);
        }
    }
    for (uint64_t row = size; row-- > 0;) {
        for (uint64_t other = row + 1; other < size; other++)
            subtract(b, size, row, other, a[row * size + other], 0);
        for (uint64_t k = 0; k < size; k++)
            b[row * size + k] /= a[row * size + row];
    }
}

static int64_t invert_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                            void *room)
{
    const struct square *square = (const struct square *)(const void *)walk->parameters;
    const uint64_t size = square->size, count = size * size;
    double *a = room, *b = a + count;
    plane_convert(walk, input[0], square->dtype, a, ACL_DOUBLE, count);
    memset(b, 0, (size_t)count * sizeof *b);
    for (uint64_t i = 0; i < size; i++)
        b[i * size + i] = 1;
    invert(a, b, size);
    for (uint64_t i = 0; i < count; i++)
        b[i] = b[i] == b[i] ? b[i] : (double)NAN;
    plane_convert(walk, b, ACL_DOUBLE, output[0], square->dtype, count);
    return -1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    if (self->rank < 2 || self->shape[self->rank - 1] != self->shape[self->rank - 2])
        return refuse(call, "self is expected to have 2 dims or more, the last two of one size");
    result->computed = self->dtype;
    result_add(result, self->dtype, DTYPE_EQUAL)->like = SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    if (self->count == 0)
        return call_idle(call);
    const struct square square = {(uint64_t)self->shape[self->rank - 1], result->computed};
    const uint64_t count = square.size * square.size;
    const struct plane_request request = {.function = invert_plane,
                                          .planes = (uint64_t)self->count / count,
                                          .inputs = 1,
                                          .outputs = 1,
                                          .parameter = {SELF, OUT},
                                          .room_bytes = (size_t)(2 * count) * sizeof(double),
                                          .plane_ns = count * square.size + count,
                                          .parameters = &square,
                                          .parameter_bytes = sizeof square};
    return plane_walk_plan(call, &request);
}

static const struct dtype_set old_floats = {.on = {DTYPES_OLD_FLOATS, DTYPES_OLD_FLOATS, DTYPES_OLD_FLOATS}};
static const struct parameter parameters[] = {
    [SELF] = READ("self", &old_floats, .sample = "2x3x3"), [OUT] = WRITTEN("out", &old_floats)};

FUNCTION(aclnnInverse, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), .stem = "inverse",
         PARAMETERS(parameters), .promise = &promise_sum, .family = FAMILY_CONTRACTION, PLANE_WALK,
         .infer = infer, .plan = plan);
