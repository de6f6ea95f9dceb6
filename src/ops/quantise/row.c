/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The work on rows that become numbers: scales that are given or made, in doubles; what is written in FLOAT is
 * rounded to that before it is used.
 */
#include "ops/quantise/row.h"

#include <inttypes.h>
#include <math.h>

#include "runtime/streams/fault.h"

/* Groups by their ends, in what all tasks share. */
int row_start(struct task *task)
{
    const struct row_plan *plan = task->parameters;
    const unsigned parameter = plan->part[GROUPS] - 1U;
    uint64_t *end = task->shared, before = 0;
    for (uint64_t g = 0; g < plan->groups; g++) {
        const int64_t number = task_integer(task, parameter, g);
        const bool is_last = g + 1 == plan->groups, is_count = plan->group_kind == COUNTS;
        const bool is_end = number >= (int64_t)(is_count ? 0 : before) &&
                            (uint64_t)number <= plan->rows - (is_count ? before : 0);
        if (!is_end || (is_last && plan->group_kind == ALL_ENDS && (uint64_t)number != plan->rows))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupIndex holds %" PRId64 " at [%" PRIu64
                                  "]; numbers that %s, and %s%" PRIu64 " in the end, are expected",
                                  number, g, is_count ? "are not negative" : "do not fall",
                                  plan->group_kind == ALL_ENDS ? "" : "no more than ", plan->rows);
        before = (is_count ? before : 0) + (uint64_t)number;
        end[g] = before;
    }
    return 0;
}

/* The group of a row; as many as there are for rows behind all of them. */
static uint64_t group_of(const struct task *task, const struct row_plan *plan, uint64_t row)
{
    const uint64_t *end = task->shared;
    uint64_t low = 0, high = plan->groups;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (end[middle] > row)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void read_factor(const struct task *task, const struct row_factor *factor, uint64_t group,
                        uint64_t width, double *to)
{
    const unsigned parameter = factor->parameter - 1U;
    const uint64_t row = factor->is_by_group ? group : 0;
    if (factor->is_row) {
        task_read(task, parameter, row * width, width, to);
        return;
    }
    const double number = task_number(task, parameter, row);
    for (uint64_t i = 0; i < width; i++)
        to[i] = number;
}

struct row_scale_pair row_pair_of(const struct row_output *output, double least, double greatest,
                                  bool is_number)
{
    const double most = output->number.most,
                 levels = output->number.format->is_whole ? 2 * most + 1 : 2 * most,
                 size = greatest > -least ? greatest : 0 - least; /* +0 of zeros */
    struct row_scale_pair pair = {.multiplies = output->rule == BY_SIZE_TIMES};
    if (!is_number)
        pair.scale = (float)NAN;
    else if (pair.multiplies)
        pair.scale = size == 0 ? 0 : (float)(most / size);
    else
        pair.scale = (float)(output->rule == BY_ENDS ? (greatest - least) / levels : size / most);
    if (output->rule == BY_ENDS) {
        /* What is 0 beside the least scale of FLOAT is 0 with any offset, and an infinite one would make it NaN. */
        const bool is_0 = pair.scale == 0 && (float)(size / levels) == 0;
        pair.offset = is_0 ? 0 : (float)(most - greatest / (double)pair.scale);
        pair.offset = pair.offset == pair.offset ? pair.offset : (float)NAN;
        pair.is_nothing = pair.scale == 0;
    }
    return pair;
}

void row_pair_write(const struct task *task, const struct row_output *output, uint64_t at,
                    const struct row_scale_pair *pair)
{
    if (output->scale > 0)
        task_set(task, output->scale - 1U, at, (double)pair->scale);
    if (output->rule == BY_ENDS)
        task_set(task, output->zero - 1U, at, (double)pair->offset);
}

/* A row by a scale that is made of it. */
static void scale_by_row(const struct task *task, const struct row_output *output, uint64_t row,
                         uint64_t width, double *u)
{
    double greatest = -(double)INFINITY, least = (double)INFINITY;
    bool is_number = true;
    for (uint64_t i = 0; i < width; i++) {
        is_number = is_number && u[i] == u[i];
        greatest = u[i] > greatest ? u[i] : greatest;
        least = u[i] < least ? u[i] : least;
    }
    const struct row_scale_pair pair = row_pair_of(output, least, greatest, is_number);
    row_pair_write(task, output, row, &pair);
    for (uint64_t i = 0; i < width; i++)
        u[i] = row_scaled(&pair, u[i]);
}

/* Times the factor, or over it. */
static void multiply(const struct task *task, const struct row_output *output, uint64_t group, uint64_t width,
                     const double *value, double *scaled)
{
    if (output->factor.parameter > 0)
        read_factor(task, &output->factor, group, width, scaled);
    for (uint64_t i = 0; i < width; i++)
        scaled[i] = output->factor.parameter == 0 ? value[i]
                    : output->rule == OVER        ? value[i] / scaled[i]
                                                  : value[i] * scaled[i];
}

void row_scaled_input(const struct task *task, const struct row_output *output, uint64_t row, uint64_t group,
                      double *value, double *scaled)
{
    const struct row_plan *plan = task->parameters;
    plan->input(task, plan, row, group, value, scaled + 2 * plan->width);
    multiply(task, output, group, plan->width, value, scaled);
}

static void write_output(const struct task *task, const struct row_plan *plan,
                         const struct row_output *output, uint64_t row, uint64_t group, const double *value,
                         double *scaled, double *offset)
{
    const uint64_t width = plan->width;
    if (output->rule == UNCHANGED) {
        task_write(task, output->y - 1U, row * width, width, value);
        return;
    }
    multiply(task, output, group, width, value, scaled);
    if (output->rule >= BY_SIZE)
        scale_by_row(task, output, row, width, scaled);
    else if (output->offset.parameter > 0) {
        read_factor(task, &output->offset, group, width, offset);
        for (uint64_t i = 0; i < width; i++)
            scaled[i] += offset[i];
    }
    numbers_write(task, output->y - 1U, &output->number, row * width, width, scaled);
}

void row_quantise(const struct task *task, uint64_t row)
{
    const struct row_plan *plan = task->parameters;
    double *value = task->room, *scaled = value + plan->width, *offset = scaled + plan->width,
           *room = offset + plan->width;
    const uint64_t group = plan->groups > 0 ? group_of(task, plan, row) : 0;
    if (plan->groups > 0 && group == plan->groups)
        return;
    plan->input(task, plan, row, group, value, room);
    for (int i = 0; i < 2; i++)
        if (plan->output[i].y > 0)
            write_output(task, plan, &plan->output[i], row, group, value, scaled, offset);
}
