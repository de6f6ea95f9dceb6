/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inverses of matrices by elimination in DOUBLE, each column with the greatest element below as its
 * pivot, the first of equal ones; rounded once. A matrix that has none gives infinities and NaN.
 */
#include "aclnnop/aclnn_inverse.h"

#include <math.h>
#include <string.h>

#include "ops/contraction/decompositions.h"
#include "ops/signature.h"

#define INVERSE(X, of)                                        \
    X(of, IN, self, &dtypes_common_floats, .sample = "2x3x3") \
    X(of, OUT, out, &dtypes_common_floats)
SIGNATURE(INVERSE)

/* a becomes 1, and b, which was 1, the inverse. */
static void invert(double *a, double *b, uint64_t size)
{
    for (uint64_t column = 0; column < size; column++) {
        const uint64_t pivot = pivot_of(a, size, column);
        rows_exchange(a, size, column, pivot);
        rows_exchange(b, size, column, pivot);
        for (uint64_t row = column + 1; row < size; row++) {
            const double factor = a[row * size + column] / a[column * size + column];
            rows_subtract(a, size, row, column, factor, column);
            rows_subtract(b, size, row, column, factor, 0);
        }
    }
    for (uint64_t row = size; row-- > 0;) {
        for (uint64_t other = row + 1; other < size; other++)
            rows_subtract(b, size, row, other, a[row * size + other], 0);
        for (uint64_t k = 0; k < size; k++)
            b[row * size + k] /= a[row * size + row];
    }
}

static int64_t invert_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                            void *room)
{
    const struct matrices *square = (const struct matrices *)(const void *)walk->parameters;
    const uint64_t size = square->rows, count = size * size;
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
    TRY(matrices_check(call, INVERSE_self, true));
    result_like(result, call, INVERSE_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[INVERSE_self];
    (void)result;
    if (self->count == 0)
        return call_idle(call);
    const struct matrices square = matrices_of(self);
    const uint64_t count = square.rows * square.rows;
    const struct plane_request request = {.function = invert_plane,
                                          .planes = square.batches,
                                          .inputs = 1,
                                          .outputs = 1,
                                          .parameter = {INVERSE_self, INVERSE_out},
                                          .room_bytes = (size_t)(2 * count) * sizeof(double),
                                          .plane_ns = count * square.rows + count,
                                          .parameters = &square,
                                          .parameter_bytes = sizeof square};
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnInverse, INVERSE, .stem = "inverse", .promise = &promise_sum, .family = FAMILY_CONTRACTION,
            PLANE_WALK, .infer = infer, .plan = plan);
