/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The lower or the upper triangle of matrices: elements with column - row at most, or at least, the diagonal
 * stay bit by bit, all others are 0.
 */
#include <string.h>

#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_triu.h"
#include "ops/check.h"
#include "ops/loops/numbered.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define TRIL(X, of)                                                               \
    X(of, IN, self, &dtypes_reals_small_on_950_complex64, .is_partly_read = true) \
    X(of, INT64, diagonal, .usual = "0")                                          \
    X(of, OUT, out, &dtypes_reals_small_on_950_complex64)
SIGNATURE(TRIL)

struct parameters {
    int64_t rows, columns, diagonal; /* from -rows to columns */
    bool is_upper;
    uint32_t bytes;
};

/* All are read before any is written, and then row by row: columns below `edge` are on one side. */
static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    const int64_t rows = parameters->rows, columns = parameters->columns;
    const uint32_t bytes = parameters->bytes;
    unsigned char *element = (unsigned char *)elements;
    int64_t column = (int64_t)(at % (uint64_t)columns),
            row = (int64_t)(at / (uint64_t)columns % (uint64_t)rows);
    numbered_read(walk, 0, at, count, elements);
    for (int64_t left = (int64_t)count; left > 0; column = 0, row = row + 1 < rows ? row + 1 : 0) {
        const int64_t end = columns - column < left ? columns : column + left;
        int64_t edge = row + parameters->diagonal + (parameters->is_upper ? 0 : 1);
        edge = edge < column ? column : edge > end ? end : edge;
        const int64_t from = parameters->is_upper ? column : edge, to = parameters->is_upper ? edge : end;
        memset(element + (from - column) * (int64_t)bytes, 0, (size_t)(to - from) * bytes);
        element += (end - column) * (int64_t)bytes;
        left -= end - column;
    }
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[TRIL_self];
    const bool takes_rank_0 = call->function->of_family != NULL && self->rank == 0;
    TRY(check_dtype(call, TRIL_self));
    TRY(check_rank(call, TRIL_self));
    if (self->rank < 2 && !takes_rank_0)
        return refuse(call, "%s has %u dims; 2 or more are expected", call_name(call, TRIL_self), self->rank);
    result_like(result, call, TRIL_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[TRIL_self];
    const int64_t given = call->argument[TRIL_diagonal].int64;
    struct parameters parameters = {.rows = 1,
                                    .columns = 1,
                                    .is_upper = call->function->of_family != NULL,
                                    .bytes = dtype_bytes(result->computed)};
    if (self->rank >= 2) {
        parameters.rows = self->shape[self->rank - 2];
        parameters.columns = self->shape[self->rank - 1];
        parameters.diagonal = given < -parameters.rows     ? -parameters.rows
                              : given > parameters.columns ? parameters.columns
                                                           : given;
    }
    struct numbered_request request = numbered_request(call, call_output(call), make, result->computed);
    numbered_add_input(&request, call, TRIL_self, true);
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

/* What marks the upper triangle in a description. */
static const bool upper = true;

#define TRIANGLE .family = FAMILY_MOVE, .promise = &promise_exact, NUMBERED, .infer = infer, .plan = plan

FUNCTION_OF(aclnnTril, TRIL, .stem = "tril", TRIANGLE);
FUNCTION_OF(aclnnTriu, TRIL, .stem = "triu", TRIANGLE, .of_family = &upper);

/* These two are declared in two ways. */
#define IN_PLACE(X, of, kind)                                                          \
    X(of, kind, selfRef, &dtypes_reals_small_on_950_complex64, .is_partly_read = true) \
    X(of, INT64, diagonal, .usual = "0")
FUNCTION_LIKE(aclnnInplaceTril, (IN_PLACE, CONST_BOTH), .stem = "tril", TRIANGLE);
FUNCTION_LIKE(aclnnInplaceTriu, (IN_PLACE, BOTH), .stem = "triu", TRIANGLE, .of_family = &upper);
