/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self = U diag(sigma) V^T, in DOUBLE, rounded once; sigma falls. A matrix with more columns than rows is
 * taken as its transpose, whose U and V change places. One with an element that is not finite has NaN.
 */
#include "aclnnop/aclnn_svd.h"

#include <math.h>

#include "ops/contraction/decompositions.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define SVD(X, of)                                        \
    X(of, IN, self, &dtypes_fp32_fp64, .sample = "2x4x3") \
    X(of, BOOL, fullMatrices, .usual = "false")           \
    X(of, BOOL, computeUV, .usual = "true")               \
    X(of, OUT, sigma, &dtypes_fp32_fp64)                  \
    X(of, OUT, u, &dtypes_fp32_fp64)                      \
    X(of, OUT, v, &dtypes_fp32_fp64)
SIGNATURE(SVD)

/* Modes: what comes out beside sigma. */
enum { NOTHING, REDUCED, FULL };

struct sides {
    uint64_t high, wide; /* high is at least wide */
    uint64_t across;     /* columns of the matrix with `high` rows */
};

static struct sides sides_of(const struct matrices *of)
{
    const bool is_high = of->rows >= of->columns;
    const uint64_t high = is_high ? of->rows : of->columns, wide = is_high ? of->columns : of->rows;
    return (struct sides){high, wide, of->mode == FULL ? high : wide};
}

static int64_t run_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    const struct matrices *of = (const struct matrices *)(const void *)walk->parameters;
    const struct sides sides = sides_of(of);
    const uint64_t count = of->rows * of->columns, of_u = sides.high * sides.across;
    const bool is_turned = of->rows < of->columns;
    double *given = room, *a = given + count, *sigma = a + count, *u = sigma + sides.wide, *v = u + of_u;
    double scale = matrix_scaled(walk, input[0], of->dtype, given, count);
    const bool is_finite = scale == scale;
    for (uint64_t i = 0; i < count; i++)
        a[i] = !is_finite ? 0 : is_turned ? given[i % of->rows * of->columns + i / of->rows] : given[i];
    singular_values_find(a, sides.high, sides.wide, sigma, of->mode == NOTHING ? NULL : u, sides.across,
                         of->mode == NOTHING ? NULL : v, v + sides.wide * sides.wide);
    matrix_store(walk, sigma, scale, output[0], of->dtype, sides.wide);
    if (of->mode == NOTHING)
        return -1;
    scale = is_finite ? 1 : (double)NAN;
    matrix_store(walk, u, scale, output[is_turned ? 2 : 1], of->dtype, of_u);
    matrix_store(walk, v, scale, output[is_turned ? 1 : 2], of->dtype, sides.wide * sides.wide);
    return -1;
}

static uint64_t mode_of(const struct call *call)
{
    return !call->argument[SVD_computeUV].boolean     ? NOTHING
           : call->argument[SVD_fullMatrices].boolean ? FULL
                                                      : REDUCED;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(matrices_check(call, SVD_self, false));
    const struct tensor_view *self = &call->tensor[SVD_self];
    struct matrices of = matrices_of(self);
    of.mode = mode_of(call);
    const struct sides sides = sides_of(&of);
    const uint64_t length[] = {of.rows, of.columns};
    result_reshaped(result, call, SVD_self, matrices_shape(self, UINT64_MAX, sides.wide));
    for (unsigned i = 0; i < 2; i++) {
        const struct shape shape = matrices_shape(self, length[i], of.mode == FULL ? length[i] : sides.wide);
        result_reshaped(result, call, SVD_self, of.mode == NOTHING ? (struct shape){.rank = 1} : shape);
        result->output[1 + i].is_unwanted = of.mode == NOTHING;
        TRY(check_element_count(call, &result->output[1 + i].shape));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct matrices of = matrices_of(&call->tensor[SVD_self]);
    (void)result;
    of.mode = mode_of(call);
    const struct sides sides = sides_of(&of);
    const uint64_t of_u = sides.high * sides.across, of_v = sides.wide * sides.wide;
    if (of.batches * (of.mode == FULL ? sides.high : sides.wide) == 0)
        return call_idle(call);
    const struct plane_request request = {
        .function = run_plane,
        .planes = of.batches,
        .inputs = 1,
        .outputs = of.mode == NOTHING ? 1 : 3,
        .parameter = {SVD_self, SVD_sigma, SVD_u, SVD_v},
        .room_bytes = (2 * of.rows * of.columns + sides.wide + of_u + of_v +
                       singular_values_room(sides.high, sides.wide)) *
                      sizeof(double),
        .plane_ns = of_v * (30 * sides.wide + 2 * sides.high) + sides.high * sides.across + 100,
        .parameters = &of,
        .parameter_bytes = sizeof of,
    };
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnSvd, SVD, .stem = "svd", .promise = &promise_sum, .family = FAMILY_CONTRACTION, PLANE_WALK,
            .infer = infer, .plan = plan);
