/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self = L L^T for a lower triangle L, or U^T U for an upper one, row by row in DOUBLE, rounded once. The
 * other triangle of self is not read. There is no result to say in that a matrix has none, so the work fails.
 */
#include "aclnnop/aclnn_linalg_cholesky.h"

#include <inttypes.h>

#include "ops/contraction/decompositions.h"
#include "ops/dtypes.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

#define CHOLESKY(X, of)                                                                \
    X(of, IN, self, &dtypes_fp32_bf16_fp64, .sample = "2x3x3", .is_partly_read = true) \
    X(of, BOOL, upper, .usual = "false")                                               \
    X(of, OUT, out, &dtypes_fp32_bf16_fp64)
SIGNATURE(CHOLESKY)

static void turn(double *a, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        for (uint64_t k = 0; k < i; k++) {
            const double kept = a[i * size + k];
            a[i * size + k] = a[k * size + i];
            a[k * size + i] = kept;
        }
}

static int64_t run_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    const struct matrices *of = (const struct matrices *)(const void *)walk->parameters;
    const uint64_t size = of->rows, count = size * size;
    double *a = room;
    plane_convert(walk, input[0], of->dtype, a, ACL_DOUBLE, count);
    if (of->mode != 0)
        turn(a, size);
    const int64_t fault = cholesky_find(a, size);
    if (fault >= 0)
        return fault;
    for (uint64_t i = 0; i < count; i++)
        a[i] = i % size > i / size ? 0 : a[i];
    if (of->mode != 0)
        turn(a, size);
    matrix_store(walk, a, 1, output[0], of->dtype, count);
    return -1;
}

static int tell_pivot(const struct plane_walk *walk, const void *self, int64_t plane, int64_t row)
{
    (void)self;
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "matrix %" PRId64 " of self, of %" PRIu64
                          ", is not positive-definite: its leading minor of order %" PRId64 " is not",
                          plane, walk->planes, row + 1);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(matrices_check(call, CHOLESKY_self, true));
    result_like(result, call, CHOLESKY_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct matrices of = matrices_of(&call->tensor[CHOLESKY_self]);
    (void)result;
    of.mode = call->argument[CHOLESKY_upper].boolean;
    if (of.batches * of.rows == 0)
        return call_idle(call);
    const struct plane_request request = {.function = run_plane,
                                          .explain = tell_pivot,
                                          .planes = of.batches,
                                          .inputs = 1,
                                          .outputs = 1,
                                          .parameter = {CHOLESKY_self, CHOLESKY_out},
                                          .room_bytes = of.rows * of.rows * sizeof(double),
                                          .plane_ns = of.rows * of.rows * (of.rows / 6 + 4),
                                          .parameters = &of,
                                          .parameter_bytes = sizeof of};
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnLinalgCholesky, CHOLESKY, .stem = "linalg_cholesky", .promise = &promise_sum,
            .family = FAMILY_CONTRACTION, PLANE_WALK, .infer = infer, .plan = plan);
