/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of scores, the best of each, of equal ones the first, and NaN before all numbers; and their gradients.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/experts/gating.h"
#include "ops/loops/tasks.h"
#include "runtime/streams/fault.h"

/* What a share has: lines of doubles, marks and numbers of experts. */
enum { LINES = 6 };

struct gating {
    const struct gating_plan *plan;
    void *const *address;
};

struct room {
    double *x, *score, *value, *bias, *kernel, *group;
    int64_t *chosen;
    uint8_t *is_out; /* of an expert: chosen, or of a group that is */
    uint8_t *is_group_out;
};

static size_t share_bytes(const struct gating_plan *plan)
{
    return LINES * whole_lines(plan->experts * sizeof(double)) + whole_lines(plan->k * sizeof(int64_t)) +
           2 * whole_lines(plan->experts);
}

size_t gating_work_bytes(const void *prepared)
{
    const struct gating_plan *plan = prepared;
    return (size_t)plan->shares * share_bytes(plan);
}

static struct room room_in(const struct gating_plan *plan, unsigned char *memory)
{
    const size_t line = (size_t)plan->experts * sizeof(double);
    size_t used = 0;
    return (struct room){.x = take_room(memory, &used, line),
                         .score = take_room(memory, &used, line),
                         .value = take_room(memory, &used, line),
                         .bias = take_room(memory, &used, line),
                         .kernel = take_room(memory, &used, line),
                         .group = take_room(memory, &used, line),
                         .chosen = take_room(memory, &used, (size_t)plan->k * sizeof(int64_t)),
                         .is_out = take_room(memory, &used, (size_t)plan->experts),
                         .is_group_out = take_room(memory, &used, (size_t)plan->experts)};
}

static bool is_greater(double a, double b)
{
    return a > b || (a != a && b == b);
}

/* The first of the greatest of those that are not out; count, if all are. */
static uint64_t greatest_of(const double *value, const uint8_t *is_out, uint64_t count)
{
    uint64_t best = count;
    for (uint64_t i = 0; i < count; i++)
        if (is_out[i] == 0 && (best == count || is_greater(value[i], value[best])))
            best = i;
    return best;
}

/* All groups but the best have their experts out. */
static void leave_groups(const struct gating_plan *plan, const struct room *room)
{
    const uint64_t size = plan->experts / plan->groups;
    for (uint64_t g = 0; g < plan->groups; g++) {
        uint8_t *is_out = room->is_out + g * size;
        const double *value = room->value + g * size;
        const uint64_t best = greatest_of(value, is_out, size);
        room->group[g] = value[best];
        if (plan->sums_two) {
            is_out[best] = 1;
            room->group[g] += value[greatest_of(value, is_out, size)];
        }
        memset(is_out, 1, (size_t)size);
    }
    memset(room->is_group_out, 0, (size_t)plan->groups);
    for (uint64_t kept = 0; kept < plan->groups_kept; kept++) {
        const uint64_t g = greatest_of(room->group, room->is_group_out, plan->groups);
        room->is_group_out[g] = 1;
        memset(room->is_out + g * size, 0, (size_t)size);
    }
}

static void choose_best(const struct gating_plan *plan, const struct room *room)
{
    for (uint64_t i = 0; i < plan->experts; i++)
        room->value[i] = room->score[i] + room->bias[i];
    memset(room->is_out, 0, (size_t)plan->experts);
    if (plan->groups > 1)
        leave_groups(plan, room);
    for (uint64_t j = 0; j < plan->k; j++) {
        const uint64_t best = greatest_of(room->value, room->is_out, plan->experts);
        room->is_out[best] = 1;
        room->chosen[j] = (int64_t)best;
    }
}

/* The experts that a table has for the row's key. */
static void look_up(const struct gating *gating, uint64_t row, int64_t *chosen)
{
    const struct gating_plan *plan = gating->plan;
    int64_t key;
    port_bring(&plan->ports.at[KEYS], gating->address, row, 1, &key);
    port_bring(&plan->ports.at[TABLE], gating->address, (uint64_t)key * plan->k, plan->k, chosen);
}

static void take_row(void *context, uint64_t row, unsigned char *memory)
{
    const struct gating *gating = context;
    const struct gating_plan *plan = gating->plan;
    const struct room own = room_in(plan, memory), *room = &own;
    const bool is_short = true;
    const void *parameter = plan->choice == SCORE_SOFTMAX ? (const void *)&is_short : &plan->choice;
    double sum = 0;
    port_bring(&plan->ports.at[X], gating->address, row * plan->experts, plan->experts, room->x);
    memset(room->bias, 0, (size_t)plan->experts * sizeof room->bias[0]);
    if (has_port(&plan->ports, BIAS))
        port_bring(&plan->ports.at[BIAS], gating->address, 0, plan->experts, room->bias);
    plan->score((const void *const[]){room->x}, (void *const[]){room->score}, (size_t)plan->experts,
                room->kernel, parameter);
    if (has_port(&plan->ports, TABLE))
        look_up(gating, row, room->chosen);
    else
        choose_best(plan, room);
    double *const weight = room->x; /* k of them */
    for (uint64_t j = 0; j < plan->k; j++) {
        weight[j] = room->score[room->chosen[j]];
        sum += weight[j];
    }
    for (uint64_t j = 0; j < plan->k; j++)
        weight[j] = (plan->normalises ? weight[j] / (sum + plan->eps) : weight[j]) * plan->factor;
    port_deliver(&plan->ports.at[Y], gating->address, row * plan->k, plan->k, weight);
    port_deliver(&plan->ports.at[CHOSEN], gating->address, row * plan->k, plan->k, room->chosen);
    if (has_port(&plan->ports, SCORES))
        port_deliver(&plan->ports.at[SCORES], gating->address, row * plan->experts, plan->experts,
                     room->score);
}

/* Numbers of a part are 0 to limit - 1. */
static int check_below(const struct gating *gating, const char *name, unsigned part, uint64_t count,
                       uint64_t limit)
{
    int64_t number[EXPERTS_PIECE] __attribute__((uninitialized));
    for (uint64_t at = 0; at < count; at += EXPERTS_PIECE) {
        const uint64_t some = count - at < EXPERTS_PIECE ? count - at : EXPERTS_PIECE;
        port_bring(&gating->plan->ports.at[part], gating->address, at, some, number);
        for (uint64_t i = 0; i < some; i++)
            if ((uint64_t)number[i] >= limit)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "%s holds %" PRId64 " as element %" PRIu64 "; 0 up to %" PRIu64
                                      ", less 1, are expected",
                                      name, number[i], at + i, limit);
    }
    return 0;
}

int gating_run(const void *prepared, void *const *address, void *scratch)
{
    const struct gating_plan *plan = prepared;
    struct gating gating = {plan, address};
    if (has_port(&plan->ports, TABLE)) {
        int status = check_below(&gating, "inputIds", KEYS, plan->rows, plan->keys);
        if (status == 0)
            status = check_below(&gating, "tid2eid", TABLE, plan->keys * plan->k, plan->experts);
        if (status != 0)
            return status;
    }
    tasks_run_in_memory(take_row, &gating, plan->rows,
                        &(struct task_memory){scratch, share_bytes(plan), plan->shares}, plan->cost_ns);
    return 0;
}

/* What the row's weights pass on to the scores: g, or with the sum D of the weights (g - sum of g w / D) / D.
 */
static void pass_on(const struct gating_plan *plan, const struct room *room, const double *grad, double *to)
{
    double sum = plan->eps, mean = 0;
    for (uint64_t j = 0; j < plan->k; j++)
        sum += room->score[room->chosen[j]];
    for (uint64_t j = 0; j < plan->k; j++)
        mean += room->score[room->chosen[j]] / sum * grad[j];
    memset(to, 0, (size_t)plan->experts * sizeof to[0]);
    for (uint64_t j = 0; j < plan->k; j++)
        to[room->chosen[j]] += plan->normalises ? (grad[j] - mean) / sum : grad[j];
}

static void take_row_back(void *context, uint64_t row, unsigned char *memory)
{
    const struct gating *gating = context;
    const struct gating_plan *plan = gating->plan;
    const struct room own = room_in(plan, memory), *room = &own;
    double *const passed = room->value, *const slope = room->kernel, dot = 0;
    port_bring(&plan->ports.at[BACK_SCORES], gating->address, row * plan->experts, plan->experts,
               room->score);
    port_bring(&plan->ports.at[BACK_Y], gating->address, row * plan->k, plan->k, room->x);
    port_bring(&plan->ports.at[BACK_CHOSEN], gating->address, row * plan->k, plan->k, room->chosen);
    for (uint64_t j = 0; j < plan->k; j++)
        room->x[j] *= plan->factor;
    pass_on(plan, room, room->x, passed);
    if (plan->choice == SCORE_SOFTPLUS_ROOT_SLOPE)
        plan->score((const void *const[]){room->score}, (void *const[]){slope}, (size_t)plan->experts, NULL,
                    &plan->choice);
    for (uint64_t i = 0; i < plan->experts; i++)
        dot += passed[i] * room->score[i];
    for (uint64_t i = 0; i < plan->experts; i++) {
        const double score = room->score[i];
        passed[i] = plan->choice == SCORE_SOFTMAX   ? score * (passed[i] - dot)
                    : passed[i] == 0                ? 0
                    : plan->choice == SCORE_SIGMOID ? passed[i] * (score * (1 - score))
                                                    : passed[i] * slope[i];
    }
    port_deliver(&plan->ports.at[BACK_X], gating->address, row * plan->experts, plan->experts, passed);
}

int gating_backward_run(const void *prepared, void *const *address, void *scratch)
{
    const struct gating_plan *plan = prepared;
    struct gating gating = {plan, address};
    const int status = check_below(&gating, "expertIdx", BACK_CHOSEN, plan->rows * plan->k, plan->experts);
    if (status == 0)
        tasks_run_in_memory(take_row_back, &gating, plan->rows,
                            &(struct task_memory){scratch, share_bytes(plan), plan->shares}, plan->cost_ns);
    return status;
}
