/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The input stages of rows that become numbers: as they are, norms, halves of which one opens the other, gelu. In
 * doubles, nothing rounded on the way but for a sum that is said to be.
 */
#include <inttypes.h>
#include <math.h>

#include "ops/quantise/mx_number.h"
#include "ops/quantise/row.h"
#include "ops/rows/normalise.h"

/* Doubles for each element of a row: its values, those scaled, factors, and what the stage needs. */
enum { ROOM = 3, ROOM_OF_NORM = 1, ROOM_OF_GATES = 5, ROOM_OF_GELU = 1 };

static void set_rows(const struct call *call, struct row_plan *plan, uint64_t width, row_input *input,
                     uint32_t room)
{
    const struct tensor_view *x = part_view(call, X);
    plan->width = width;
    plan->rows = width > 0 ? (uint64_t)x->count / width : 1;
    plan->input = input;
    plan->room = ROOM + room;
    plan->shape = plan->outer = shape_of(x);
    plan->outer.rank--;
    for (uint32_t i = 0; width == 0 && i < plan->outer.rank; i++)
        plan->rows *= (uint64_t)plan->outer.dim[i];
}

static void input_x(const struct task *task, const struct row_plan *plan, uint64_t row, uint64_t group,
                    double *to, double *room)
{
    (void)group, (void)room;
    task_read(task, plan->part[X] - 1U, row * plan->width, plan->width, to);
}

aclnnStatus row_of_x(const struct call *call, struct row_plan *plan)
{
    const struct tensor_view *x = part_view(call, X);
    set_rows(call, plan, (uint64_t)x->shape[x->rank - 1], input_x, 0);
    return ACLNN_SUCCESS;
}

/* Norms. */

static void input_norm(const struct task *task, const struct row_plan *plan, uint64_t row, uint64_t group,
                       double *to, double *room)
{
    const uint64_t width = plan->width, at = row * width;
    (void)group;
    task_read(task, plan->part[X] - 1U, at, width, to);
    if (plan->part[X2] > 0) {
        task_read(task, plan->part[X2] - 1U, at, width, room);
        for (uint64_t i = 0; i < width; i++)
            to[i] += room[i];
    }
    if (plan->part[SUM] > 0)
        task_write(task, plan->part[SUM] - 1U, at, width, to);
    if (plan->part[SUM] > 0 && plan->has_rounded_sum)
        task_read(task, plan->part[SUM] - 1U, at, width, to);
    const double rstd = 1 / sqrt(task->maths->dot(to, to, width) / (double)width + plan->epsilon);
    if (plan->part[RSTD] > 0)
        task_set(task, plan->part[RSTD] - 1U, row, rstd);
    task_read(task, plan->part[GAMMA] - 1U, 0, width, room);
    for (uint64_t i = 0; i < width; i++)
        to[i] = to[i] * rstd * room[i];
    if (plan->part[NORM] > 0)
        task_write(task, plan->part[NORM] - 1U, at, width, to);
    if (plan->part[BETA] > 0) {
        task_read(task, plan->part[BETA] - 1U, 0, width, room);
        for (uint64_t i = 0; i < width; i++)
            to[i] += room[i];
    }
}

aclnnStatus row_of_norm(const struct call *call, struct row_plan *plan)
{
    const unsigned x = part_at(call, X), gamma = part_at(call, GAMMA);
    axes along;
    if (row_form(call)->part[X2] > 0) {
        TRY(check_same_dtype(call, part_at(call, X2), x, NULL));
        TRY(check_same_shape(call, part_at(call, X2), x, NULL));
    }
    TRY(check_factor_dtype(call, gamma, x));
    TRY(check_gamma(call, gamma, x, &along));
    if (has_part(call, BETA)) {
        TRY(check_factor_dtype(call, part_at(call, BETA), x));
        TRY(check_count(call, part_at(call, BETA), call->tensor[gamma].count, "as gamma has"));
    }
    set_rows(call, plan, (uint64_t)call->tensor[gamma].count, input_norm, ROOM_OF_NORM);
    plan->outer.rank++;
    for (uint32_t i = 0; i < plan->outer.rank; i++)
        plan->outer.dim[i] = (along >> i & 1) != 0 ? 1 : plan->outer.dim[i];
    plan->epsilon = row_choice(call, EPSILON)->fp64;
    plan->has_rounded_sum = row_form(call)->has_rounded_sum;
    return ACLNN_SUCCESS;
}

/* Gates. */

enum gates { HALVES, CLIPPED_IN_TURN, CLIPPED_HALVES, CLIPPED_AFTER };

/* INT32 of a product become numbers. */
static void scale_columns(const struct task *task, const struct row_plan *plan, uint64_t row, uint64_t group,
                          double *x, double *factor)
{
    const uint64_t width = 2 * plan->width;
    const double own = plan->part[ROW_SCALE] > 0 ? task_number(task, plan->part[ROW_SCALE] - 1U, row) : 1;
    if (plan->part[BIAS] > 0 && plan->has_whole_bias) {
        task_read(task, plan->part[BIAS] - 1U, plan->has_columns_by_group ? group * width : 0, width, factor);
        for (uint64_t i = 0; i < width; i++)
            x[i] += factor[i];
    }
    task_read(task, plan->part[WEIGHT_SCALE] - 1U, plan->has_columns_by_group ? group * width : 0, width,
              factor);
    for (uint64_t i = 0; i < width; i++)
        x[i] = x[i] * factor[i] * own;
    if (plan->part[BIAS] > 0 && !plan->has_whole_bias) {
        task_read(task, plan->part[BIAS] - 1U, plan->has_columns_by_group ? group * width : 0, width, factor);
        for (uint64_t i = 0; i < width; i++)
            x[i] += factor[i];
    }
}

static double clipped(double value, double least, double most)
{
    return value > most ? most : value < least ? least : value;
}

static void input_gates(const struct task *task, const struct row_plan *plan, uint64_t row, uint64_t group,
                        double *to, double *room)
{
    const uint64_t width = plan->width;
    const bool is_in_turn = plan->gates == CLIPPED_IN_TURN,
               clips = is_in_turn || plan->gates == CLIPPED_HALVES;
    double *x = room, *part = x + 2 * width, *factor = part + width;
    uint64_t first = 0, step = 1, other = width;
    if (plan->steps > 0) { /* both are rows of x */
        const uint64_t inner = row % plan->steps, i = row / plan->steps % plan->half,
                       outer = row / plan->steps / plan->half * 2 * plan->half;
        const uint64_t a = outer + (is_in_turn ? 2 * i : i),
                       b = outer + (is_in_turn ? 2 * i + 1 : plan->half + i);
        task_read(task, plan->part[X] - 1U, (a * plan->steps + inner) * width, width, x);
        task_read(task, plan->part[X] - 1U, (b * plan->steps + inner) * width, width, x + width);
    } else {
        task_read(task, plan->part[X] - 1U, row * 2 * width, 2 * width, x);
        step = is_in_turn ? 2 : 1;
        other = is_in_turn ? 1 : width;
    }
    if (plan->part[WEIGHT_SCALE] > 0)
        scale_columns(task, plan, row, group, x, factor);
    if (!plan->is_left) {
        first = other;
        other = 0;
    }
    for (uint64_t i = 0; i < width; i++) {
        const double a = x[first + i * step];
        to[i] = clips && a > plan->clamp ? plan->clamp : a;
        part[i] = clips ? plan->alpha * to[i] : to[i];
    }
    task->maths->logistic(part, width);
    for (uint64_t i = 0; i < width; i++) {
        const double b = x[other + i * step],
                     opened = part[i] == 0 ? 0 : to[i] * part[i]; /* of -inf it is 0 */
        if (clips)
            to[i] = opened * (clipped(b, -plan->clamp, plan->clamp) + plan->shift);
        else if (plan->gates == CLIPPED_AFTER)
            to[i] = (opened > plan->clamp ? plan->clamp : opened) * clipped(b, -plan->clamp, plan->clamp);
        else
            to[i] = opened * b;
    }
}

/* What belongs to columns of INT32: a row, or one for each group. */
static aclnnStatus check_columns(const struct call *call, struct row_plan *plan, enum part part)
{
    const struct tensor_view *view = part_view(call, part);
    const bool is_row = view->count == (int64_t)(2 * plan->width) && (view->rank == 1 || view->shape[0] == 1),
               is_by_group = view->rank == 2 && has_part(call, GROUPS) &&
                             view->shape[0] == part_view(call, GROUPS)->count &&
                             view->shape[1] == (int64_t)(2 * plan->width);
    if (!is_row && !is_by_group)
        return refuse(call,
                      "%s has shape %s; %" PRIu64
                      " elements, one for each of a row of x, or a row of them for "
                      "each group, are expected",
                      call_name(call, part_at(call, part)), shape_text(TEXT, view), 2 * plan->width);
    if (part == WEIGHT_SCALE)
        plan->has_columns_by_group = is_by_group && !is_row;
    else if (is_by_group && !is_row && !plan->has_columns_by_group)
        return refuse(call, "%s has shape %s; that of %s is expected", call_name(call, part_at(call, part)),
                      shape_text(TEXT, view), call_name(call, part_at(call, WEIGHT_SCALE)));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_int32(const struct call *call, struct row_plan *plan)
{
    const bool is_int32 = part_view(call, X)->dtype == ACL_INT32;
    for (unsigned part = WEIGHT_SCALE; part <= BIAS; part++)
        if (!is_int32 && has_part(call, part))
            return refuse(call, "%s is given where x is %s; it belongs to INT32",
                          call_name(call, part_at(call, part)), dtype_name(part_view(call, X)->dtype));
    if (!is_int32)
        return ACLNN_SUCCESS;
    if (plan->steps > 0)
        return refuse(call, "x is INT32; its last dim is expected to have the halves");
    TRY(check_given(call, part_at(call, WEIGHT_SCALE), "INT32"));
    TRY(check_columns(call, plan, WEIGHT_SCALE));
    if (has_part(call, ROW_SCALE))
        TRY(check_count(call, part_at(call, ROW_SCALE), (int64_t)plan->rows, "one for each row"));
    if (has_part(call, BIAS)) {
        TRY(check_columns(call, plan, BIAS));
        plan->has_whole_bias = part_view(call, BIAS)->dtype == ACL_INT32;
    }
    return ACLNN_SUCCESS;
}

static double number_or(const struct call *call, enum choice choice, double otherwise)
{
    return row_choice(call, choice) != NULL ? row_choice(call, choice)->fp64 : otherwise;
}

aclnnStatus row_of_gates(const struct call *call, struct row_plan *plan)
{
    const struct tensor_view *x = part_view(call, X);
    const union argument *along = row_choice(call, ACTIVATE_DIM), *mode = row_choice(call, SWIGLU_MODE);
    uint32_t dim = x->rank - 1;
    if (along != NULL)
        TRY(check_dim(call, row_form(call)->choice[ACTIVATE_DIM] - 1U, along->int64, x->rank, &dim));
    if (x->shape[dim] % 2 != 0)
        return refuse(call, "x has shape %s; an even size of dim %u is expected", shape_text(TEXT, x), dim);
    if (mode != NULL && (mode->int64 < HALVES || mode->int64 > CLIPPED_AFTER))
        return refuse(call, "swigluMode is %" PRId64 "; 0, 1, 2 or 3 is expected", mode->int64);
    plan->gates = mode != NULL ? (uint8_t)mode->int64 : HALVES;
    plan->is_left = row_choice(call, LEFT)->boolean || plan->gates == CLIPPED_AFTER;
    if (plan->gates == CLIPPED_IN_TURN && !plan->is_left)
        return refuse(call, "activateLeft is false; true is expected with swigluMode 1");
    const bool is_last = dim == x->rank - 1;
    const uint64_t width = (uint64_t)x->shape[x->rank - 1] / (is_last ? 2 : 1);
    set_rows(call, plan, width, input_gates, ROOM_OF_GATES);
    plan->shape.dim[dim] /= 2;
    plan->outer.dim[dim] = plan->shape.dim[dim];
    plan->rows /= width > 0 || !is_last ? 2 : 1;
    if (!is_last) {
        plan->half = (uint64_t)plan->shape.dim[dim];
        plan->steps = 1;
        for (uint32_t i = dim + 1; i + 1 < x->rank; i++)
            plan->steps *= (uint64_t)x->shape[i];
        if (has_part(call, GROUPS))
            return refuse(call, "activateDim is %" PRId64 "; the last dim is expected with groups",
                          along->int64);
    }
    plan->clamp = number_or(call, CLAMP, 0);
    plan->alpha = number_or(call, ALPHA, 1);
    plan->shift = number_or(call, SHIFT, 0);
    return row_form(call)->part[WEIGHT_SCALE] > 0 ? check_int32(call, plan) : ACLNN_SUCCESS;
}

/* The gradients of silu(a) b, each where its half stands in x. */
static void input_gate_gradients(const struct task *task, const struct row_plan *plan, uint64_t row,
                                 uint64_t group, double *to, double *room)
{
    const uint64_t half = plan->width / 2, a = plan->is_left ? 0 : half, b = half - a;
    double *x = room, *gradient = x + plan->width, *part = gradient + half;
    (void)group;
    task_read(task, plan->part[X] - 1U, row * plan->width, plan->width, x);
    task_read(task, plan->part[GRADIENT] - 1U, row * half, half, gradient);
    memcpy(part, x + a, half * sizeof *part);
    task->maths->logistic(part, half);
    for (uint64_t i = 0; i < half; i++) {
        const double opened = part[i] == 0 ? 0 : x[a + i] * part[i]; /* of -inf it is 0 */
        to[a + i] = gradient[i] * x[b + i] * (part[i] + opened * (1 - part[i]));
        to[b + i] = gradient[i] * opened;
    }
}

aclnnStatus row_of_gate_gradients(const struct call *call, struct row_plan *plan)
{
    const struct tensor_view *x = part_view(call, X), *gradient = part_view(call, GRADIENT);
    int64_t half[OPERAND_RANK_MAX];
    memcpy(half, x->shape, x->rank * sizeof *half);
    half[x->rank - 1] /= 2;
    if (x->shape[x->rank - 1] % 2 != 0)
        return refuse(call, "x has shape %s; an even last dim is expected", shape_text(TEXT, x));
    TRY(check_same_dtype(call, part_at(call, GRADIENT), part_at(call, X), NULL));
    if (gradient->rank != x->rank || memcmp(gradient->shape, half, x->rank * sizeof *half) != 0)
        return refuse(call, "yGrad has shape %s; %s is expected", shape_text(TEXT, gradient),
                      dims_text(TEXT, x->rank, half));
    set_rows(call, plan, (uint64_t)x->shape[x->rank - 1], input_gate_gradients, 2);
    plan->is_left = row_choice(call, LEFT)->boolean;
    return ACLNN_SUCCESS;
}

/* x times a factor, over the greatest size of each 512 in a scale of their own. */
static void input_levels(const struct task *task, const struct row_plan *plan, uint64_t row, uint64_t group,
                         double *to, double *room)
{
    enum { LENGTH = 512 };
    static const double most = 6;
    const uint64_t width = plan->width, levels = (width + LENGTH - 1) / LENGTH;
    (void)group;
    task_read(task, plan->part[X] - 1U, row * width, width, to);
    if (plan->part[FACTOR] > 0) {
        task_read(task, plan->part[FACTOR] - 1U, 0, width, room);
        for (uint64_t i = 0; i < width; i++)
            to[i] *= room[i];
    }
    for (uint64_t k = 0; k < levels; k++) {
        double *own = to + k * LENGTH;
        const uint64_t left = width - k * LENGTH, count = left < LENGTH ? left : LENGTH;
        const float scale = (float)(greatest_size(own, count, 0) / most);
        task_set(task, plan->part[LEVEL] - 1U, row * levels + k, (double)scale);
        for (uint64_t i = 0; i < count; i++)
            own[i] = scale == 0 ? own[i] * 0 : own[i] / (double)scale;
    }
    task_round(task, task_dtype(task, plan->part[X] - 1U), width, to);
}

aclnnStatus row_of_levels(const struct call *call, struct row_plan *plan)
{
    static const struct {
        enum choice choice;
        int64_t size;
    } sizes[] = {{LEVEL_SIZE, 512}, {BLOCK_SIZE, MX_BLOCK}};
    const struct tensor_view *x = part_view(call, X);
    if (has_part(call, FACTOR)) {
        TRY(check_same_dtype(call, part_at(call, FACTOR), part_at(call, X), NULL));
        TRY(check_count(call, part_at(call, FACTOR), x->shape[x->rank - 1], "one for each of a row of x"));
    }
    for (unsigned i = 0; i < 2; i++)
        if (row_choice(call, sizes[i].choice)->int64 != sizes[i].size)
            return refuse(call, "%s is %" PRId64 "; %" PRId64 " is expected",
                          call_name(call, row_form(call)->choice[sizes[i].choice] - 1U),
                          row_choice(call, sizes[i].choice)->int64, sizes[i].size);
    set_rows(call, plan, (uint64_t)x->shape[x->rank - 1], input_levels, 1);
    return ACLNN_SUCCESS;
}

/* Each K elements of a row times a matrix of K by K, which start has brought; the row, no further than a part of the
 * greatest size of each 32. */
static void input_rotated(const struct task *task, const struct row_plan *plan, uint64_t row, uint64_t group,
                          double *to, double *room)
{
    const uint64_t width = plan->width, size = plan->steps;
    const double *matrix = (const double *)task->shared + 1, kept = *(const double *)task->shared;
    (void)group;
    task_read(task, plan->part[X] - 1U, row * width, width, room);
    memset(to, 0, width * sizeof *to);
    for (uint64_t i = 0; i < width; i++) {
        const uint64_t part = i / size;
        task->maths->add_scaled(
            to + part * size, matrix + ((plan->half > 1 ? part : 0) * size + i % size) * size, room[i], size);
    }
    for (uint64_t first = 0; kept > 0 && kept < 1 && first < width; first += MX_BLOCK) {
        const uint64_t count = width - first < MX_BLOCK ? width - first : MX_BLOCK;
        const double limit = kept * greatest_size(to + first, count, 0);
        for (uint64_t i = first; i < first + count; i++)
            to[i] = clipped(to[i], -limit, limit);
    }
}

static int start_rotation(struct task *task)
{
    const struct row_plan *plan = task->parameters;
    double *shared = task->shared;
    *shared = plan->part[CLIP] > 0 ? task_number(task, plan->part[CLIP] - 1U, 0) : 1;
    task_read(task, plan->part[ROTATION] - 1U, 0, plan->half * plan->steps * plan->steps, shared + 1);
    return 0;
}

aclnnStatus row_of_rotated(const struct call *call, struct row_plan *plan)
{
    const struct tensor_view *x = part_view(call, X), *matrix = part_view(call, ROTATION);
    const int64_t width = x->shape[x->rank - 1],
                  size = matrix->rank > 0 ? matrix->shape[matrix->rank - 1] : 0;
    TRY(check_same_dtype(call, part_at(call, ROTATION), part_at(call, X), NULL));
    const bool is_square = (matrix->rank == 2 || matrix->rank == 3) && size > 0 &&
                           matrix->shape[matrix->rank - 2] == size && width % size == 0;
    if (!is_square || (matrix->rank == 3 && matrix->shape[0] != width / size))
        return refuse(call,
                      "rotation has shape %s; (K, K), or one for each K elements of a row of x, of %" PRId64
                      ", is expected",
                      shape_text(TEXT, matrix), width);
    if (has_part(call, CLIP))
        TRY(check_count(call, part_at(call, CLIP), 1, "one"));
    set_rows(call, plan, (uint64_t)width, input_rotated, 1);
    plan->steps = (uint64_t)size;
    plan->half = matrix->rank == 3 ? (uint64_t)(width / size) : 1;
    plan->start = start_rotation;
    plan->shared_bytes = (size_t)(matrix->count + 1) * sizeof(double);
    return ACLNN_SUCCESS;
}

/* Gelu: x Phi(x), or by the hyperbolic tangent, which is a sigmoid of twice as much. */

static void input_gelu(const struct task *task, const struct row_plan *plan, uint64_t row, uint64_t group,
                       double *to, double *room)
{
    static const double slope = 2 * 0.79788456080286535588, cubic = 0.044715,
                        root_half = 0.70710678118654752440;
    const uint64_t width = plan->width;
    (void)group;
    task_read(task, plan->part[X] - 1U, row * width, width, to);
    for (uint64_t i = 0; i < width; i++)
        room[i] = plan->gates != 0 ? slope * (to[i] + cubic * to[i] * to[i] * to[i]) : -to[i] * root_half;
    if (plan->gates != 0)
        task->maths->logistic(room, width);
    else
        task->maths->error_complement(room, width);
    for (uint64_t i = 0; i < width; i++)
        to[i] = room[i] == 0 ? 0 : to[i] * room[i] * (plan->gates != 0 ? 1 : .5); /* of -inf it is 0 */
}

aclnnStatus row_of_gelu(const struct call *call, struct row_plan *plan)
{
    const struct tensor_view *x = part_view(call, X);
    const char *text = row_choice(call, APPROXIMATE)->string;
    if (text != NULL && strcmp(text, "none") != 0 && strcmp(text, "tanh") != 0)
        return refuse(call, "approximate is \"%s\"; \"none\" or \"tanh\" is expected", text);
    set_rows(call, plan, (uint64_t)x->shape[x->rank - 1], input_gelu, ROOM_OF_GELU);
    plan->gates = text != NULL && strcmp(text, "tanh") == 0;
    return ACLNN_SUCCESS;
}
