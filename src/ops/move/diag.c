/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A vector on a diagonal of a matrix of zeros, or what a matrix has there. Bits stay as they are.
 */
#include "aclnnop/aclnn_diag.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"

#define DIAG(X, of)                                             \
    X(of, IN, self, &dtypes_floats_integers_bool_complex_small) \
    X(of, INT64, diagonal, .usual = "0")                        \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex_small)
SIGNATURE(DIAG)

/* A diagonal. For a matrix that is made: how far below and right of its corner the diagonal begins, and its
 * columns. For one that is read: the number of the diagonal's first element, and how far it is to the next
 * one. */
struct diagonal {
    uint64_t down, right, columns, count, first, step;
    uint32_t bytes;
};

/* Element k of the vector has number (down + k) columns + right + k. */
static void make_matrix(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct diagonal *diagonal = (const struct diagonal *)walk->parameters;
    const uint64_t first = diagonal->down * diagonal->columns + diagonal->right, step = diagonal->columns + 1;
    uint64_t k = at > first ? (at - first + step - 1) / step : 0;
    memset(elements, 0, (size_t)(count * diagonal->bytes));
    for (; k < diagonal->count && first + k * step < at + count; k++)
        numbered_read(walk, 0, k, 1, (unsigned char *)elements + (first + k * step - at) * diagonal->bytes);
}

static void make_vector(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct diagonal *diagonal = (const struct diagonal *)walk->parameters;
    for (uint64_t i = 0; i < count; i++)
        numbered_read(walk, 0, diagonal->first + (at + i) * diagonal->step, 1,
                      (unsigned char *)elements + i * diagonal->bytes);
}

/* The rows above and the columns in front of the diagonal's first element. */
static void read_diagonal(const struct call *call, struct diagonal *diagonal)
{
    const struct tensor_view *self = &call->tensor[DIAG_self];
    const int64_t number = call->argument[DIAG_diagonal].int64;
    const uint64_t down = number < 0 ? 0 - (uint64_t)number : 0, right = number > 0 ? (uint64_t)number : 0;
    *diagonal = (struct diagonal){.down = down, .right = right, .bytes = dtype_bytes(self->dtype)};
    if (self->rank == 1) {
        diagonal->count = (uint64_t)self->shape[0];
        diagonal->columns = diagonal->count + down + right;
        return;
    }
    const uint64_t rows = (uint64_t)self->shape[0], columns = (uint64_t)self->shape[1];
    if (down < rows && right < columns)
        diagonal->count = rows - down < columns - right ? rows - down : columns - right;
    diagonal->first = down * columns + right;
    diagonal->step = columns + 1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[DIAG_self];
    struct diagonal diagonal;
    int64_t elements;
    TRY(check_dtype(call, DIAG_self));
    if (self->rank != 1 && self->rank != 2)
        return refuse(call, "self has %u dims; 1 or 2 are expected", self->rank);
    read_diagonal(call, &diagonal);
    if (self->rank == 2) {
        result_reshaped(result, call, DIAG_self, (struct shape){.rank = 1, .dim = {(int64_t)diagonal.count}});
        return ACLNN_SUCCESS;
    }
    const int64_t side = (int64_t)diagonal.columns;
    if (side < 0 || __builtin_mul_overflow(side, side, &elements))
        return refuse(call,
                      "diagonal is %" PRId64 " and self has %" PRId64
                      " elements; a matrix of 2^63 - 1 elements at most is expected",
                      call->argument[DIAG_diagonal].int64, self->shape[0]);
    result_reshaped(result, call, DIAG_self, (struct shape){.rank = 2, .dim = {side, side}});
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const bool is_vector = call->tensor[DIAG_self].rank == 1;
    struct numbered_request request =
        numbered_request(call, DIAG_out, is_vector ? make_matrix : make_vector, result->computed);
    struct diagonal diagonal;
    read_diagonal(call, &diagonal);
    if (diagonal.count > 0)
        numbered_add_input(&request, call, DIAG_self, false);
    request.parameters = &diagonal;
    request.parameter_bytes = sizeof diagonal;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnDiag, DIAG, .stem = "diag", .family = FAMILY_MOVE, .promise = &promise_exact, NUMBERED,
            .infer = infer, .plan = plan);
