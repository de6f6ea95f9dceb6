/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The products of groups one after the other, whose threads are those of each product.
 */
#include "ops/contraction/grouped.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/streams/fault.h"

enum { LEFT, RIGHT, ADDEND, INPUTS, RESULT = INPUTS };

/* The numbers of the groups, and what products take. */
size_t grouped_work_bytes(const void *prepared)
{
    const struct grouped_plan *plan = prepared;
    return whole_lines(plan->groups * sizeof(int64_t)) + whole_lines(plan->work_bytes);
}

/* Where each group ends, in numbers that are counted and do not fall; a fault otherwise. */
static int read_ends(const struct grouped_plan *plan, void *const *address, int64_t *end)
{
    int64_t most = (int64_t)(plan->type == GROUPS_OF_DEPTH ? plan->group[0].depth : plan->group[0].rows);
    int64_t before = 0;
    for (uint64_t g = 1; plan->type == GROUPS_OF_LISTS && g < plan->groups; g++)
        most = (int64_t)((uint64_t)most + plan->group[g].rows);
    if (plan->has_array)
        memcpy(end, &plan->group[plan->groups], plan->number_count * sizeof(int64_t));
    else
        port_bring(&plan->list, address, 0, plan->groups, end);
    for (uint64_t g = 0; g < plan->groups; g++) {
        const int64_t found = end[g];
        const int64_t at = plan->is_counted && found >= 0 && found <= most ? before + found : found;
        if (at < before || at > most || (plan->is_counted && found < 0))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupList holds %" PRId64 " at [%" PRIu64 "]; %s", found, g,
                                  plan->is_counted ? "counts are expected that add up to x's size at most"
                                                   : "sums are expected that do not fall, up to x's size");
        if (plan->type == GROUPS_OF_LISTS && (uint64_t)(at - before) != plan->group[g].rows)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupList holds %" PRId64 " at [%" PRIu64 "]; %" PRIu64
                                  " rows are expected in this group: those of its x",
                                  found, g, plan->group[g].rows);
        before = end[g] = at;
    }
    return 0;
}

struct grouped_work {
    const struct grouped_plan *plan;
    unsigned char *work; /* what products take */
};

static struct contraction_matrix matrix_of(const struct side *side, uint32_t address, bool is_turned)
{
    return (struct contraction_matrix){.dtype = side->operand.dtype,
                                       .bytes = side->operand.bytes,
                                       .address = address,
                                       .stride = {side->stride[is_turned], side->stride[!is_turned]}};
}

/* Multiplies some rows of a group, by some of its depth, from first_row and first_step on; no depth makes
 * zeros. */
static void multiply(struct grouped_work *work, const struct group *group, uint64_t first_row, uint64_t rows,
                     uint64_t first_step, uint64_t depth, bool has_bias, void *const *first)
{
    const struct grouped_plan *plan = work->plan;
    struct contraction product = {.rows = rows,
                                  .columns = group->columns,
                                  .depth = depth,
                                  .left = matrix_of(&group->x, LEFT, false),
                                  .right = matrix_of(&group->weight, RIGHT, true),
                                  .out = matrix_of(&group->y, RESULT, false),
                                  .alpha = 1,
                                  .beta = 1,
                                  .has_self = has_bias,
                                  .is_exact = plan->is_exact};
    if (rows == 0 || group->columns == 0)
        return;
    if (has_bias)
        product.self = matrix_of(&group->bias, ADDEND, false);
    const int64_t x_step = (int64_t)first_row * group->x.stride[0] + (int64_t)first_step * group->x.stride[1];
    void *const address[] = {(unsigned char *)first[LEFT] + x_step * (int64_t)group->x.operand.bytes,
                             (unsigned char *)first[RIGHT] + (int64_t)first_step * group->weight.stride[0] *
                                                                 (int64_t)group->weight.operand.bytes,
                             first[ADDEND],
                             (unsigned char *)first[RESULT] +
                                 (int64_t)first_row * group->y.stride[0] * (int64_t)group->y.operand.bytes};
    contraction_prepare(&product, plan->level, plan->threads);
    (void)contraction_run(&product, address, contraction_work_bytes(&product) > 0 ? work->work : NULL);
}

static void *first_of(const struct side *side, void *const *address)
{
    return (unsigned char *)address[side->operand.address] + side->offset;
}

int grouped_run(const void *prepared, void *const *address, void *scratch)
{
    const struct grouped_plan *plan = prepared;
    int64_t *end = scratch;
    struct grouped_work work = {
        .plan = plan, .work = (unsigned char *)scratch + whole_lines(plan->groups * sizeof(int64_t))};
    if (plan->has_numbers) {
        const int status = read_ends(plan, address, end);
        if (status != 0)
            return status;
    }
    uint64_t begin = 0;
    void *first[INPUTS + 1] = {NULL};
    for (uint64_t g = 0; g < plan->groups; g++) {
        const struct group *group = &plan->group[g];
        const uint64_t stop = plan->type == GROUPS_OF_LISTS ? 0 : (uint64_t)end[g];
        const uint64_t rows = plan->type == GROUPS_OF_ROWS ? stop - begin : group->rows;
        const uint64_t depth = plan->type == GROUPS_OF_DEPTH ? stop - begin : group->depth;
        first[LEFT] = first_of(&group->x, address);
        first[RIGHT] = first_of(&group->weight, address);
        first[ADDEND] = plan->has_bias ? first_of(&group->bias, address) : NULL;
        first[RESULT] = first_of(&group->y, address);
        multiply(&work, group, plan->type == GROUPS_OF_ROWS ? begin : 0, rows,
                 plan->type == GROUPS_OF_DEPTH ? begin : 0, depth, plan->has_bias, first);
        begin = stop;
    }
    if (plan->type == GROUPS_OF_ROWS)
        multiply(&work, &plan->group[0], begin, plan->group[0].rows - begin, 0, 0, false, first);
    return 0;
}
