/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows that become numbers in MX blocks, along themselves, or 32 rows at a time along the dim before: the input
 * stages and the forms are those of row.h.
 */
#include <inttypes.h>
#include <math.h>

#include "ops/quantise/mx_number.h"
#include "ops/quantise/row.h"
#include "runtime/streams/fault.h"

enum { ELEMENT_PS = 8000 };

struct mx_rows {
    struct row_plan rows; /* the first member: what input stages see */
    struct mx_number number;
    uint8_t along[2], across[2]; /* y and its scales, + 1: along a row, and along the dim before */
    bool are_counts, is_norm;
    uint64_t height, pairs; /* of a matrix: rows, and rows of scales across */
};
_Static_assert(sizeof(struct mx_rows) <= ROW_TASKS_PARAMETERS, "a plan is copied with its work");

static aclnnStatus check_mx_groups(const struct call *call, struct mx_rows *plan)
{
    const union argument *type = row_choice(call, GROUP_TYPE);
    if (type != NULL && (type->int64 < 0 || type->int64 > 1))
        return refuse(call, "groupMode is %" PRId64 "; 0, counts of rows, or 1, ends of groups, is expected",
                      type->int64);
    plan->are_counts = type != NULL && type->int64 == 0;
    TRY(row_groups(call, &plan->rows));
    if (plan->rows.groups > 0 && plan->rows.shape.rank != 2)
        return refuse(call, "x has %u dims; 2 are expected with groups", plan->rows.shape.rank);
    return ACLNN_SUCCESS;
}

/* Along which dim blocks are. */
static aclnnStatus check_axes(const struct call *call, struct mx_rows *plan)
{
    const struct row_form *form = row_form(call);
    const union argument *axis = row_choice(call, BLOCK_AXIS);
    const uint32_t rank = plan->rows.shape.rank;
    uint32_t dim = rank - 1;
    if (axis != NULL)
        TRY(check_dim(call, form->choice[BLOCK_AXIS] - 1U, axis->int64, rank, &dim));
    if (dim + 2 < rank)
        return refuse(call, "axis is %" PRId64 "; one of the last two dims is expected", axis->int64);
    const bool is_across = dim + 1 < rank;
    uint8_t *const first = is_across ? plan->across : plan->along;
    first[0] = form->part[Y];
    first[1] = form->part[SCALE];
    if (form->part[Y2] > 0) {
        plan->across[0] = form->part[Y2];
        plan->across[1] = form->part[SCALE2];
    }
    if (plan->across[0] == 0)
        return ACLNN_SUCCESS;
    if (rank < 2)
        return refuse(call, "x has %u dims; 2 or more are expected", rank);
    plan->height = (uint64_t)plan->rows.shape.dim[rank - 2];
    plan->pairs = plan->rows.groups > 0 ? plan->height / MX_PAIR + plan->rows.groups : mx_pairs(plan->height);
    return ACLNN_SUCCESS;
}

/* As struct mx_choices has it. */
static uint8_t place_of(const struct row_form *form, enum choice choice)
{
    return (uint8_t)(form->choice[choice] > 0 ? form->choice[choice] - 1 : 0);
}

static aclnnStatus mx_contract(const struct call *call, struct mx_rows *plan)
{
    const struct row_form *form = row_form(call);
    const struct mx_choices choices = {.dtype = place_of(form, DST_TYPE),
                                       .round = place_of(form, ROUND_MODE),
                                       .rule = place_of(form, SCALE_RULE),
                                       .most = place_of(form, MOST),
                                       .y = (uint8_t)(form->dtype_is_of_y ? form->part[Y] - 1 : 0),
                                       .has_no_float4_rule = form->choice[MOST] == 0};
    memset(plan, 0, sizeof *plan);
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (parameter_is_read(&call->function->parameter[i]) && call_has(call, i)) {
            TRY(check_dtype(call, i));
            TRY(check_rank(call, i));
        }
    const struct tensor_view *x = part_view(call, X);
    if (x->rank < 1 || x->rank > OPERAND_RANK_MAX - 1)
        return refuse(call, "%s has %u dims; 1 to %d are expected", call_name(call, part_at(call, X)),
                      x->rank, OPERAND_RANK_MAX - 1);
    TRY(check_mx_dtype(call, &choices, &plan->number));
    TRY(check_mx_rule(call, &choices, &plan->number));
    if (form->check != NULL)
        TRY(form->check(call));
    for (unsigned i = 0; i < PARTS; i++)
        plan->rows.part[i] = has_part(call, i) ? form->part[i] : 0;
    TRY(form->stage(call, &plan->rows));
    plan->is_norm = form->part[GAMMA] > 0;
    TRY(check_mx_width(call, part_at(call, X), plan->rows.shape.dim[plan->rows.shape.rank - 1],
                       &plan->number));
    TRY(check_mx_groups(call, plan));
    return check_axes(call, plan);
}

static void add_scales(const struct mx_rows *plan, struct result *result, bool is_across)
{
    struct output *output = result_add(result, ACL_FLOAT8_E8M0, DTYPE_EQUAL);
    const uint32_t rank = plan->rows.shape.rank;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = plan->rows.shape;
    output->shape.dim[rank - (is_across ? 2 : 1)] =
        (int64_t)(is_across ? plan->pairs : mx_pairs((uint64_t)plan->rows.shape.dim[rank - 1]));
    output->shape.dim[output->shape.rank++] = 2;
}

static bool is_part(const struct call *call, unsigned parameter, enum part part)
{
    return row_form(call)->part[part] == AT(parameter);
}

aclnnStatus mx_rows_infer(const struct call *call, struct result *result)
{
    struct mx_rows plan;
    TRY(mx_contract(call, &plan));
    const struct tensor_view *x = part_view(call, X);
    result->computed = x->dtype;
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        if (!parameter_is_written(&call->function->parameter[i]))
            continue;
        if (is_part(call, i, SCALE) || is_part(call, i, SCALE2)) {
            add_scales(&plan, result, plan.across[1] == AT(i));
            continue;
        }
        const bool is_number = is_part(call, i, Y) || is_part(call, i, Y2), is_rstd = is_part(call, i, RSTD),
                   is_level = is_part(call, i, LEVEL);
        struct output *output = result_add(result,
                                           is_number             ? plan.number.format->dtype
                                           : is_rstd || is_level ? ACL_FLOAT
                                                                 : x->dtype,
                                           DTYPE_EQUAL);
        output->shape_rule = is_rstd ? SHAPE_BY_COUNT : SHAPE_EQUAL;
        output->shape = is_rstd ? plan.rows.outer : plan.rows.shape;
        if (is_level)
            output->shape.dim[output->shape.rank - 1] =
                (output->shape.dim[output->shape.rank - 1] + 511) / 512;
        output->is_unwanted = is_rstd && !row_choice(call, WITH_RSTD)->boolean;
        if (output->is_unwanted && call->has_outputs && call_has(call, i))
            TRY(check_dtype(call, i));
    }
    return ACLNN_SUCCESS;
}

/* The work. */

static const uint64_t *ends_of(const struct task *task)
{
    return task->shared;
}

/* Where groups end: of rows behind all of them nothing is written. */
static int find_ends(struct task *task)
{
    const struct mx_rows *plan = task->parameters;
    uint64_t *end = task->shared, before = 0;
    for (uint64_t g = 0; g < plan->rows.groups; g++) {
        const int64_t number = task_integer(task, plan->rows.part[GROUPS] - 1U, g);
        const uint64_t begin = plan->are_counts ? 0 : before,
                       left = plan->rows.rows - (plan->are_counts ? before : 0);
        if (number < (int64_t)begin || (uint64_t)number > left)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupIndex holds %" PRId64 " at [%" PRIu64
                                  "]; %s, and no more than %" PRIu64 " rows in the end, are expected",
                                  number, g,
                                  plan->are_counts ? "counts that are not negative" : "ends that do not fall",
                                  plan->rows.rows);
        before = (plan->are_counts ? before : 0) + (uint64_t)number;
        end[g] = before;
    }
    return 0;
}

/* A row of the input; of a norm it is nothing where any of it is. */
static void make_row(const struct task *task, uint64_t row, double *to, double *room)
{
    const struct mx_rows *plan = task->parameters;
    plan->rows.input(task, &plan->rows, row, 0, to, room);
    bool is_number = true;
    for (uint64_t i = 0; plan->is_norm && i < plan->rows.width; i++)
        is_number = is_number && to[i] == to[i];
    for (uint64_t i = 0; !is_number && i < plan->rows.width; i++)
        to[i] = (double)NAN;
}

static void write_along(const struct task *task, uint64_t row, const double *value)
{
    const struct mx_rows *plan = task->parameters;
    if (plan->along[0] > 0)
        mx_write_row(task, &plan->number, plan->along[0] - 1U, plan->along[1] - 1U, row, plan->rows.width,
                     value);
}

static void take_row(const struct task *task, uint64_t row)
{
    const struct mx_rows *plan = task->parameters;
    const uint64_t width = plan->rows.width;
    if (plan->rows.groups > 0 && row >= ends_of(task)[plan->rows.groups - 1])
        return;
    make_row(task, row, task->room, task->room + width);
    write_along(task, row, task->room);
}

/* A block of up to 32 rows: the codes of its columns, a row at a time, and a scale for each, two apart. */
static void take_block(const struct task *task, uint64_t row, uint64_t rows, const double *value,
                       uint8_t *code, uint8_t *power)
{
    const struct mx_rows *plan = task->parameters;
    const uint64_t width = plan->rows.width;
    for (uint64_t column = 0; column < width; column++) {
        double one[MX_BLOCK];
        uint8_t of_one[MX_BLOCK];
        for (uint64_t i = 0; i < rows; i++)
            one[i] = value[i * width + column];
        power[2 * column] = mx_encode_values(&plan->number, one, rows, of_one);
        for (uint64_t i = 0; i < rows; i++)
            code[i * width + column] = of_one[i];
    }
    task_put(task, plan->across[0] - 1U, row * width, rows * width, code);
}

/* The rows, up to 64, that a row of scales is of. */
static void find_band(const struct task *task, uint64_t number, uint64_t *row, uint64_t *rows)
{
    const struct mx_rows *plan = task->parameters;
    const uint64_t matrix = number / plan->pairs, pair = number % plan->pairs;
    uint64_t begin = 0, end = plan->height, first = 0;
    bool is_found = plan->rows.groups == 0;
    for (uint64_t g = 0; g < plan->rows.groups && !is_found; g++) {
        begin = g > 0 ? ends_of(task)[g - 1] : 0;
        end = ends_of(task)[g];
        first = begin / MX_PAIR + g;
        is_found = pair >= first && pair < first + mx_pairs(end - begin);
    }
    const uint64_t at = begin + (pair - first) * MX_PAIR, left = is_found && end > at ? end - at : 0;
    *row = matrix * plan->height + at;
    *rows = left < MX_PAIR ? left : MX_PAIR;
}

/* 64 rows, two blocks of each column. */
static void take_band(const struct task *task, uint64_t number)
{
    const struct mx_rows *plan = task->parameters;
    const uint64_t width = plan->rows.width;
    double *value = task->room, *room = value + MX_PAIR * width;
    uint8_t *code = (uint8_t *)(room + plan->rows.room * width), *power = code + MX_BLOCK * width;
    uint64_t row, rows;
    find_band(task, number, &row, &rows);
    for (uint64_t i = 0; i < rows; i++) {
        make_row(task, row + i, value + i * width, room);
        write_along(task, row + i, value + i * width);
    }
    memset(power, 0, 2 * width);
    for (uint64_t block = 0; block < 2 && block * MX_BLOCK < rows; block++) {
        const uint64_t first = block * MX_BLOCK, left = rows - first;
        take_block(task, row + first, left < MX_BLOCK ? left : MX_BLOCK, value + first * width, code,
                   power + block);
    }
    task_put(task, plan->across[1] - 1U, 2 * number * width, 2 * width, power);
}

aclnnStatus mx_rows_plan(const struct call *call, const struct result *result)
{
    struct mx_rows plan;
    TRY(mx_contract(call, &plan));
    for (unsigned i = 0, n = 0; i < call->function->parameter_count; i++)
        if (parameter_is_written(&call->function->parameter[i]) && result->output[n++].is_unwanted)
            plan.rows.part[RSTD] = 0; /* the one that need not be asked for */
    const uint64_t elements = (uint64_t)part_view(call, X)->count, width = plan.rows.width;
    const bool is_across = plan.across[0] > 0;
    const uint64_t tasks = elements == 0 ? 0
                           : is_across   ? plan.rows.rows / plan.height * plan.pairs
                                         : plan.rows.rows;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = is_across ? take_band : take_row,
                  .start = plan.rows.groups > 0 ? find_ends : plan.rows.start,
                  .count = tasks,
                  .task_ns =
                      (uint64_t)((double)elements * ELEMENT_PS / 1000 / (double)(tasks > 0 ? tasks : 1)) + 50,
                  .room = (plan.rows.room + (is_across ? MX_PAIR + 5 : 1)) * width,
                  .shared_bytes = plan.rows.shared_bytes + plan.rows.groups * sizeof(uint64_t),
                  .parameters = &plan,
                  .parameter_bytes = sizeof plan});
}
