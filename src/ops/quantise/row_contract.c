/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What calls of rows that become numbers must be, and what comes out of them: the same for all forms.
 */
#include <inttypes.h>

#include "ops/quantise/row.h"
#include "ops/rows/normalise.h"

enum { ELEMENT_PS = 4000 };

/* A factor of a row: one number, a row, or of groups one of these each. */
static aclnnStatus check_factor(const struct call *call, const struct row_plan *plan, enum part part,
                                struct row_factor *factor)
{
    if (!has_part(call, part))
        return ACLNN_SUCCESS;
    const struct tensor_view *view = part_view(call, part);
    const int64_t width = (int64_t)(plan->factor_width > 0 ? plan->factor_width : plan->width),
                  groups = plan->groups > 0 ? (int64_t)plan->groups : 1;
    const bool is_number_each =
                   row_form(call)->may_be_by_group && view->rank == 1 && view->shape[0] == groups,
               is_row_each = view->rank == 2 && view->shape[0] == groups && view->shape[1] == width;
    factor->parameter = (uint8_t)AT(part_at(call, part));
    factor->is_by_group = plan->groups > 0 && (is_number_each || is_row_each);
    factor->is_row = !is_number_each && view->count != 1;
    if (is_number_each || is_row_each || view->count == 1 || view->count == width)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; 1 element or %" PRId64 ", one for each of a row%s, are expected",
                  call_name(call, part_at(call, part)), shape_text(TEXT, view), width,
                  plan->groups > 0 ? ", or a row of them for each group" : "");
}

aclnnStatus row_groups(const struct call *call, struct row_plan *plan)
{
    if (!has_part(call, GROUPS))
        return ACLNN_SUCCESS;
    const struct tensor_view *groups = part_view(call, GROUPS);
    if (groups->rank != 1 || groups->count == 0)
        return refuse(call, "%s has shape %s; one dim, of 1 or more, is expected",
                      call_name(call, part_at(call, GROUPS)), shape_text(TEXT, groups));
    plan->groups = (uint64_t)groups->count;
    return ACLNN_SUCCESS;
}

static aclnnStatus check_groups(const struct call *call, struct row_plan *plan)
{
    const union argument *type = row_choice(call, GROUP_TYPE);
    plan->group_kind = row_form(call)->groups;
    if (type != NULL && (type->int64 < 0 || type->int64 > 1))
        return refuse(call, "%s is %" PRId64 "; 0, ends of groups, or 1, counts of rows, is expected",
                      call_name(call, row_form(call)->choice[GROUP_TYPE] - 1U), type->int64);
    if (type != NULL)
        plan->group_kind = type->int64 == 0 ? ENDS : COUNTS;
    return row_groups(call, plan);
}

/* Whether scales are made of the rows. */
static aclnnStatus check_mode(const struct call *call, bool *is_made)
{
    const union argument *mode = row_choice(call, QUANT_MODE);
    *is_made = row_form(call)->is_made;
    if (mode == NULL || mode->string == NULL)
        return ACLNN_SUCCESS;
    *is_made = strcmp(mode->string, "dynamic") == 0;
    return *is_made || strcmp(mode->string, "static") == 0
               ? ACLNN_SUCCESS
               : refuse(call, "quantMode is \"%s\"; \"static\" or \"dynamic\" is expected", mode->string);
}

/* Which of two rows of numbers are asked for. */
static aclnnStatus check_wanted(const struct call *call, bool *is_wanted)
{
    const struct row_form *form = row_form(call);
    is_wanted[0] = true;
    is_wanted[1] =
        form->part[Y2] > 0 && ((!form->is_made && form->given == UNCHANGED) || has_part(call, FACTOR2));
    if (form->choice[MASK] == 0)
        return ACLNN_SUCCESS;
    const unsigned mask = form->choice[MASK] - 1U;
    if (!call_has(call, mask)) {
        if (has_part(call, FACTOR2) && !has_part(call, FACTOR))
            return refuse(call, "%s is given without %s", call_name(call, part_at(call, FACTOR2)),
                          call_name(call, part_at(call, FACTOR)));
        return ACLNN_SUCCESS;
    }
    if (call->values[mask].count != 2)
        return refuse(call, "%s has %" PRIu64 " entries; 2 are expected", call_name(call, mask),
                      call->values[mask].count);
    for (unsigned i = 0; i < 2; i++) {
        is_wanted[i] = mask_has(call, mask, i);
        if (!is_wanted[i] && has_part(call, FACTOR + i))
            return refuse(call, "%s is given where %s does not ask for its row",
                          call_name(call, part_at(call, FACTOR + i)), call_name(call, mask));
    }
    return is_wanted[0] || is_wanted[1]
               ? ACLNN_SUCCESS
               : refuse(call, "%s asks for nothing; true in one or both entries is expected",
                        call_name(call, mask));
}

static aclnnStatus check_output(const struct call *call, struct row_plan *plan, unsigned i, bool is_made)
{
    const struct row_form *form = row_form(call);
    struct row_output *output = &plan->output[i];
    const union argument *divides = row_choice(call, DIVIDES), *symmetric = row_choice(call, SYMMETRIC);
    const unsigned y = part_at(call, Y + i);
    output->y = (uint8_t)AT(y);
    output->rule = is_made ? form->made : divides != NULL && !divides->boolean ? TIMES : form->given;
    if (output->rule == UNCHANGED)
        return ACLNN_SUCCESS;
    TRY(check_numbers(call, y, form->choice[DST_TYPE] > 0 ? form->choice[DST_TYPE] - 1U : PARAMETERS_MAX,
                      part_at(call, X), plan->shape.dim[plan->shape.rank - 1], &output->number));
    if (form->may_be_pairs && output->number.dtype == ACL_INT4 && call->has_outputs && call_has(call, y) &&
        call->tensor[y].dtype == ACL_INT8)
        output->number.dtype = ACL_INT8;
    if (form->choice[ROUND_MODE] > 0)
        TRY(check_rounding(call, form->choice[ROUND_MODE] - 1U, false, &output->number));
    if (row_choice(call, MOST) != NULL && row_choice(call, MOST)->fp32 > 0 &&
        output->number.dtype == ACL_HIFLOAT8)
        output->number.most = (double)row_choice(call, MOST)->fp32;
    if (!is_made && form->part[FACTOR + i] > 0)
        TRY(check_given(call, part_at(call, FACTOR + i), "a given scale"));
    TRY(check_factor(call, plan, FACTOR + i, &output->factor));
    if (!is_made)
        TRY(check_factor(call, plan, OFFSET + i, &output->offset));
    if (is_made && form->part[SCALE + i] > 0)
        output->scale = form->part[SCALE + i];
    const bool has_zero =
        is_made && i == 0 && form->part[ZERO] > 0 &&
        (symmetric == NULL ? !call->has_outputs || has_part(call, ZERO) : !symmetric->boolean);
    if (has_zero) {
        output->zero = form->part[ZERO];
        output->rule = BY_ENDS;
        if (call->has_outputs)
            TRY(check_given(call, part_at(call, ZERO), "isSymmetrical false"));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus row_contract(const struct call *call, struct row_plan *plan)
{
    const struct row_form *form = row_form(call);
    bool is_made, is_wanted[2];
    memset(plan, 0, sizeof *plan);
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (parameter_is_read(&call->function->parameter[i]) && call_has(call, i)) {
            TRY(check_dtype(call, i));
            TRY(check_rank(call, i));
        }
    if (form->check != NULL)
        TRY(form->check(call));
    if (part_view(call, X)->rank < 1)
        return refuse(call, "%s has 0 dims; 1 or more are expected", call_name(call, part_at(call, X)));
    for (unsigned i = 0; i < PARTS; i++)
        plan->part[i] = has_part(call, i) ? form->part[i] : 0;
    TRY(form->stage(call, plan));
    TRY(check_groups(call, plan));
    TRY(check_mode(call, &is_made));
    if (plan->groups > 0 && !is_made && !form->has_given_groups)
        return refuse(call, "%s is given; quantMode \"dynamic\" is expected then",
                      call_name(call, part_at(call, GROUPS)));
    TRY(check_wanted(call, is_wanted));
    for (unsigned i = 0; i < 2; i++)
        if (is_wanted[i])
            TRY(check_output(call, plan, i, is_made));
    return ACLNN_SUCCESS;
}

/* Which part an output is; the last of those that are one parameter. */
static enum part part_of(const struct row_form *form, unsigned parameter)
{
    unsigned part = Y;
    while (form->part[part] != AT(parameter))
        part++;
    return (enum part)part;
}

static bool is_empty(const struct call *call, unsigned parameter)
{
    return call->has_outputs && (!call_has(call, parameter) || call->tensor[parameter].count == 0);
}

static void add_output(const struct call *call, struct result *result, const struct row_plan *plan,
                       unsigned parameter)
{
    const struct row_form *form = row_form(call);
    const struct tensor_view *x = part_view(call, X);
    const enum part part = part_of(form, parameter);
    const unsigned i = part == Y2 || part == SCALE2;
    const bool is_row = part == Y || part == Y2, is_scale = part == SCALE || part == SCALE2;
    const struct row_output *of = &plan->output[i];
    struct output *output;
    if (is_row && of->y > 0 && of->rule != UNCHANGED)
        output = add_numbers(result, &of->number, &plan->shape);
    else if (is_row || part == SUM || part == NORM)
        output = result_add(
            result, call->function->parameter[parameter].dtypes == &dtypes_fp32 ? ACL_FLOAT : x->dtype,
            DTYPE_EQUAL);
    else
        output = result_add(result, ACL_FLOAT, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    if (!is_row || of->y == 0 || of->rule == UNCHANGED)
        output->shape = part == SUM || part == NORM || is_row ? plan->shape : plan->outer;
    if (!is_row && part != SUM && part != NORM && plan->outer.rank == plan->shape.rank)
        output->shape_rule = SHAPE_BY_COUNT;
    const bool is_absent = call->has_outputs && !call_has(call, parameter);
    output->is_unwanted =
        is_row         ? of->y == 0
        : is_scale     ? of->scale == 0
        : part == ZERO ? of->zero == 0
        : part == RSTD ? (row_choice(call, WITH_RSTD) != NULL && !row_choice(call, WITH_RSTD)->boolean) ||
                             (is_empty(call, parameter) && x->count > 0)
                       : is_absent || (is_empty(call, parameter) && x->count > 0);
    if (is_row && of->y == 0)
        output->dtype = ACL_INT8;
}

aclnnStatus row_infer(const struct call *call, struct result *result)
{
    struct row_plan plan;
    TRY(row_contract(call, &plan));
    result->computed = part_view(call, X)->dtype;
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (parameter_is_written(&call->function->parameter[i])) {
            add_output(call, result, &plan, i);
            if (call->has_outputs && call_has(call, i) && result->output[result->count - 1].is_unwanted &&
                part_of(row_form(call), i) >= SCALE)
                TRY(check_dtype(call, i));
        }
    return ACLNN_SUCCESS;
}

_Static_assert(sizeof(struct row_plan) <= ROW_TASKS_PARAMETERS, "a plan is copied with its work");

/* Rows of no elements have a scale, which is 0, as their offset is. */
static void row_of_nothing(const struct task *task, uint64_t row)
{
    const struct row_plan *plan = task->parameters;
    const struct row_scale_pair none = {.scale = 0};
    for (int i = 0; i < 2; i++)
        if (plan->output[i].y > 0 && plan->output[i].rule >= BY_SIZE)
            row_pair_write(task, &plan->output[i], row, &none);
}

static uint64_t count_of(const struct shape *shape)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        count *= (uint64_t)shape->dim[i];
    return count;
}

aclnnStatus row_plan(const struct call *call, const struct result *result)
{
    struct row_plan plan;
    TRY(row_contract(call, &plan));
    for (unsigned i = 0, n = 0; i < call->function->parameter_count; i++)
        if (parameter_is_written(&call->function->parameter[i]) && result->output[n++].is_unwanted)
            for (unsigned part = Y; part < PARTS; part++)
                plan.part[part] = plan.part[part] == AT(i) ? 0 : plan.part[part];
    const uint64_t elements = (uint64_t)part_view(call, X)->count;
    uint64_t tasks = plan.tasks > 0 ? plan.tasks : plan.rows;
    if (elements == 0) {
        plan.body = row_of_nothing;
        tasks = count_of(&plan.outer);
    }
    const bool starts_tensor = plan.start != NULL && elements > 0;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = plan.body != NULL ? plan.body : row_quantise,
                  .start = starts_tensor     ? plan.start
                           : plan.groups > 0 ? row_start
                                             : NULL,
                  .count = tasks,
                  .task_ns =
                      (uint64_t)((double)elements * ELEMENT_PS / 1000 / (double)(tasks > 0 ? tasks : 1)) + 50,
                  .room = plan.width * plan.room,
                  .shared_bytes = plan.shared_bytes + plan.groups * sizeof(uint64_t),
                  .parameters = &plan,
                  .parameter_bytes = sizeof plan});
}
