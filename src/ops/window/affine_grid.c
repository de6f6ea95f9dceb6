/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The grid of places that a matrix moves: for each place of a picture or a volume, theta times its
 * coordinates and 1, the last axis first. Coordinate k of n is the middle of part k of -1 to 1 in n parts,
 * or with alignCorners 2 k / (n - 1) - 1, 0 of one. Sums in DOUBLE, rounded once.
 */
#include <string.h>

#include "aclnnop/aclnn_affine_grid.h"
#include "ops/check.h"
#include "ops/loops/plane_walk.h"
#include "ops/signature.h"
#include "ops/window/pool.h"

#define AFFINE_GRID(X, of)                                      \
    X(of, IN, theta, &dtypes_fp32_fp16_bf16, .sample = "2x2x3") \
    X(of, INTS, size, .sample = "2,3,4,5")                      \
    X(of, BOOL, alignCorners, .usual = "false")                 \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(AFFINE_GRID)
enum { AXES = 3 };

struct affine {
    int64_t size[AXES]; /* those that there are not come first, with sizes of 1 */
    uint32_t count;
    bool aligns_corners;
    aclDataType dtype;
};

_Static_assert(sizeof(struct affine) <= PLANE_PARAMETERS, "it is what plane functions are given");

static double coordinate(const struct affine *plan, int64_t k, int64_t size)
{
    const double n = (double)size, place = (double)k;
    if (!plan->aligns_corners)
        return (2 * place + 1 - n) / n;
    return size > 1 ? (2 * place - (n - 1)) / (n - 1) : 0;
}

static int64_t place_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                           void *room)
{
    const struct affine *plan = (const struct affine *)(const void *)walk->parameters;
    const uint32_t columns = plan->count + 1;
    const uint64_t places = (uint64_t)(plan->size[0] * plan->size[1] * plan->size[2]);
    double theta[AXES * (AXES + 1)], *result = room;
    plane_convert(walk, input[0], plan->dtype, theta, ACL_DOUBLE, (uint64_t)plan->count * columns);
    for (uint64_t k = 0; k < places; k++) {
        double at[AXES];
        uint64_t rest = k;
        for (uint32_t i = 0; i < AXES; i++) {
            const int64_t size = plan->size[AXES - 1 - i];
            at[i] = coordinate(plan, (int64_t)(rest % (uint64_t)size), size);
            rest /= (uint64_t)size;
        }
        for (uint32_t i = 0; i < plan->count; i++) {
            double sum = theta[i * columns + plan->count];
            for (uint32_t j = 0; j < plan->count; j++)
                sum += theta[i * columns + j] * at[j];
            result[k * plan->count + i] = sum == sum ? sum : __builtin_nan("");
        }
    }
    plane_convert(walk, result, ACL_DOUBLE, output[0], plan->dtype, places * plan->count);
    return -1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *theta = &call->tensor[AFFINE_GRID_theta];
    const struct call_values *size = &call->values[AFFINE_GRID_size];
    TRY(check_dtype(call, AFFINE_GRID_theta));
    if (size->count != 4 && size->count != 5)
        return refuse(call, "size has %llu numbers; 4 or 5 are expected", (unsigned long long)size->count);
    const int64_t axes = (int64_t)size->count - 2;
    struct shape expected = {.rank = 3, .dim = {size->value.int64[0], axes, axes + 1}};
    TRY(pool_check_shape(call, AFFINE_GRID_theta, &expected));
    result->computed = theta->dtype;
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = (uint32_t)size->count;
    for (int64_t i = 0; i < axes; i++) {
        output->shape.dim[1 + i] = size->value.int64[2 + i];
        if (size->value.int64[2 + i] < 1)
            return refuse(call, "number %lld of size is %lld; 1 or more is expected", (long long)i + 2,
                          (long long)size->value.int64[2 + i]);
    }
    output->shape.dim[0] = expected.dim[0];
    output->shape.dim[1 + axes] = axes;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct call_values *size = &call->values[AFFINE_GRID_size];
    struct affine plan = {.size = {1, 1, 1},
                          .count = (uint32_t)size->count - 2,
                          .aligns_corners = call->argument[AFFINE_GRID_alignCorners].boolean,
                          .dtype = result->computed};
    if (call->tensor[AFFINE_GRID_out].count == 0)
        return call_idle(call);
    memcpy(plan.size + AXES - plan.count, size->value.int64 + 2, plan.count * sizeof plan.size[0]);
    const uint64_t numbers = (uint64_t)(plan.size[0] * plan.size[1] * plan.size[2]) * plan.count;
    const struct plane_request request = {.function = place_plane,
                                          .planes = (uint64_t)call->tensor[AFFINE_GRID_theta].shape[0],
                                          .inputs = 1,
                                          .outputs = 1,
                                          .parameter = {AFFINE_GRID_theta, AFFINE_GRID_out},
                                          .room_bytes = (size_t)numbers * sizeof(double),
                                          .plane_ns = 10 * numbers,
                                          .parameters = &plan,
                                          .parameter_bytes = sizeof plan};
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnAffineGrid, AFFINE_GRID, .stem = "affine_grid", .promise = &promise_sum,
            .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, .plan = plan);
