/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary position embedding whose rotation may be a matrix: x cos + (x rotate) sin. Without one it is what a mode
 * of pairs says (rotary_pairs.h). In doubles, rounded once.
 */
#include "aclnnop/aclnn_rotary_position_embedding_v2.h"

#include <string.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/rows/rotary_pairs.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 3000 };

#define ROTARY(X, of)                                                                       \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "1x2x3x4")                               \
    X(of, IN, cos, &dtypes_fp32_fp16_bf16, .sample = "1x2x1x4")                             \
    X(of, IN, sin, &dtypes_fp32_fp16_bf16, .sample = "1x2x1x4")                             \
    X(of, INT64, mode, .choices = modes, .usual = "half")                                   \
    X(of, IN, rotateOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4x4") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
static const char *const modes[] = {"half", "interleave", "quarter", "interleave_half", NULL};
SIGNATURE(ROTARY)

struct rotary {
    uint64_t depth, rows;
    int64_t mode;
    uint32_t rank;
    int64_t size[4], step[4]; /* of x, and how far cosines are apart in rows: 0 where there is one */
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[ROTARY_x], *rotate = &call->tensor[ROTARY_rotateOptional];
    const struct shape shape = shape_of(x);
    for (unsigned i = ROTARY_x; i <= ROTARY_sin; i++) {
        TRY(check_dtype(call, i));
        TRY(check_same_dtype(call, i, ROTARY_x, NULL));
    }
    if (x->rank != 3 && x->rank != 4)
        return refuse(call, "x has shape %s; rank 3 or 4 is expected", shape_text(TEXT, x));
    for (unsigned i = ROTARY_cos; i <= ROTARY_sin; i++) {
        const struct shape own = shape_of(&call->tensor[i]);
        if (own.rank != shape.rank || !broadcasts_to(&own, &shape) ||
            own.dim[shape.rank - 1] != shape.dim[shape.rank - 1])
            return refuse(call, "%s has shape %s; that of x is expected, or 1 in dims before the last",
                          call_name(call, i), shape_text(TEXT, &call->tensor[i]));
    }
    TRY(check_same_shape(call, ROTARY_sin, ROTARY_cos, NULL));
    TRY(check_choice(call, ROTARY_mode));
    const int64_t depth = x->shape[x->rank - 1], mode = call->argument[ROTARY_mode].int64;
    if (call_has(call, ROTARY_rotateOptional)) {
        TRY(check_dtype(call, ROTARY_rotateOptional));
        TRY(check_same_dtype(call, ROTARY_rotateOptional, ROTARY_x, NULL));
        if (rotate->rank != 2 || rotate->shape[0] != depth || rotate->shape[1] != depth)
            return refuse(call, "rotateOptional has shape %s; [%lld, %lld] is expected",
                          shape_text(TEXT, rotate), (long long)depth, (long long)depth);
    } else if (depth % (mode == QUARTERS ? 4 : 2) != 0) {
        return refuse(call, "x has shape %s; a multiple of %d as its last dim is expected with this mode",
                      shape_text(TEXT, x), mode == QUARTERS ? 4 : 2);
    }
    result_like(result, call, ROTARY_x);
    return ACLNN_SUCCESS;
}

static void turn_row(const struct task *task, uint64_t number)
{
    const struct rotary *rotary = task->parameters;
    const uint64_t depth = rotary->depth;
    double *x = task->room, *cosine = x + depth, *sine = cosine + depth, *other = sine + depth,
           *line = other + depth;
    uint64_t angles = 0, rest = number;
    for (uint32_t i = rotary->rank - 1; i-- > 0; rest /= (uint64_t)rotary->size[i])
        angles += rest % (uint64_t)rotary->size[i] * (uint64_t)rotary->step[i];
    task_read(task, ROTARY_x, number * depth, depth, x);
    task_read(task, ROTARY_cos, angles * depth, depth, cosine);
    task_read(task, ROTARY_sin, angles * depth, depth, sine);
    if (task_has(task, ROTARY_rotateOptional)) {
        memset(other, 0, depth * sizeof *other);
        for (uint64_t k = 0; k < depth; k++) {
            task_read(task, ROTARY_rotateOptional, k * depth, depth, line);
            task->maths->add_scaled(other, line, x[k], depth);
        }
        for (uint64_t k = 0; k < depth; k++)
            other[k] = x[k] * cosine[k] + other[k] * sine[k];
    }
    const bool are_pairs = !task_has(task, ROTARY_rotateOptional);
    if (are_pairs && rotary->mode == HALVES)
        task->maths->turn_halves(x, cosine, sine, depth / 2, other);
    for (uint64_t p = 0; are_pairs && rotary->mode != HALVES && p < depth / 2; p++) {
        const struct rotary_places place = rotary_places(rotary->mode, p, depth);
        const double a = x[place.from[0]], b = x[place.from[1]];
        other[place.to[0]] = a * cosine[place.to[0]] - b * sine[place.to[0]];
        other[place.to[1]] = b * cosine[place.to[1]] + a * sine[place.to[1]];
    }
    task_write(task, ROTARY_out, number * depth, depth, other);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[ROTARY_x], *cosine = &call->tensor[ROTARY_cos];
    struct rotary rotary = {
        .depth = (uint64_t)x->shape[x->rank - 1], .mode = call->argument[ROTARY_mode].int64, .rank = x->rank};
    (void)result;
    if (x->count == 0)
        return call_idle(call);
    rotary.rows = (uint64_t)x->count / rotary.depth;
    int64_t step = 1;
    for (uint32_t i = x->rank - 1; i-- > 0; step *= cosine->shape[i]) {
        rotary.size[i] = x->shape[i];
        rotary.step[i] = cosine->shape[i] == 1 ? 0 : step;
    }
    const uint64_t products = call_has(call, ROTARY_rotateOptional) ? rotary.depth : 1;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = turn_row,
                                          .count = rotary.rows,
                                          .task_ns = rotary.depth * products * ELEMENT_PS / 1000 + 50,
                                          .room = 5 * rotary.depth,
                                          .parameters = &rotary,
                                          .parameter_bytes = sizeof rotary});
}

FUNCTION_OF(aclnnRotaryPositionEmbeddingV2, ROTARY, .stem = "rotary_position_embedding_v2",
            .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
