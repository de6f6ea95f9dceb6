/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Distances of each row of a matrix from each of those behind it, one after the other: those of Cdist.
 */
#include "aclnnop/aclnn_pdist.h"

#include <inttypes.h>
#include <math.h>

#include "ops/check.h"
#include "ops/rows/distances.h"
#include "ops/loops/rows.h"
#include "ops/loops/plane_walk.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

LEVEL_TABLE(distances_function, distances_functions, distances);

#define PDIST(X, of)                                         \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "4x3") \
    X(of, FLOAT, p, .usual = "2")                            \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(PDIST)

static int64_t run_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    const struct distances *all = (const struct distances *)(const void *)walk->parameters;
    const size_t bytes = all->dtype == ARITHMETIC_FP32 ? 4 : 2;
    const unsigned char *row = input[0];
    unsigned char *to = output[0];
    struct distances plan = *all;
    plan.rows = 1;
    for (plan.across = all->rows - 1; plan.across > 0; plan.across--) {
        plan.function(&plan, row, row + plan.length * bytes, to, room);
        row += plan.length * bytes;
        to += plan.across * bytes;
    }
    return -1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[PDIST_self];
    const double p = (double)call->argument[PDIST_p].fp32;
    TRY(check_dtype(call, PDIST_self));
    if (self->rank != 2)
        return refuse(call, "self has %u dims; 2 are expected", self->rank);
    if (!(p >= 0))
        return refuse(call, "p is %g; 0 or more is expected", p);
    const int64_t rows = self->shape[0];
    int64_t pairs;
    if (__builtin_mul_overflow(rows % 2 == 0 ? rows / 2 : rows, rows % 2 == 0 ? rows - 1 : (rows - 1) / 2,
                               &pairs))
        return refuse(call, "self has %" PRId64 " rows; fewer than 2^63 pairs of them are expected", rows);
    result_reshaped(result, call, PDIST_self, (struct shape){.rank = 1, .dim = {pairs > 0 ? pairs : 0}});
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[PDIST_self];
    const uint64_t pairs = (uint64_t)call->tensor[PDIST_out].count;
    if (pairs == 0)
        return call_idle(call);
    const struct distances plan = {.function = distances_functions[call->settings->isa],
                                   .dtype = arithmetic_of(result->computed),
                                   .rows = (size_t)self->shape[0],
                                   .length = (size_t)self->shape[1],
                                   .p = (double)call->argument[PDIST_p].fp32};
    const struct plane_request request = {.function = run_plane,
                                          .planes = 1,
                                          .inputs = 1,
                                          .outputs = 1,
                                          .parameter = {PDIST_self, PDIST_out},
                                          .room_bytes = distances_room(1, plan.length),
                                          .plane_ns = pairs * (10 + plan.length / 2),
                                          .parameters = &plan,
                                          .parameter_bytes = sizeof plan};
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnPdist, PDIST, .stem = "pdist", .promise = &promise_sum, .family = FAMILY_ROWS, PLANE_WALK,
            .infer = infer, .plan = plan);
