/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by groups: what a plan holds, and how it runs.
 */
#ifndef BELAY_OPS_CONTRACTION_GROUPED_H
#define BELAY_OPS_CONTRACTION_GROUPED_H

#include "ops/contraction/activation.h"
#include "ops/contraction/group_list.h"
#include "ops/contraction/quantised.h"
#include "ops/contraction/scaled.h"
#include "ops/operands.h"

enum group_type { GROUPS_OF_LISTS = -1, GROUPS_OF_ROWS = 0, GROUPS_OF_DEPTH = 2 };
/* One side of a group's product. */
struct side {
    struct operand operand;
    int64_t offset, stride[2]; /* bytes; elements: row, column */
};

struct group {
    struct side x, weight, bias, y;
    struct target target;          /* y, where values are rounded to it that come from memory */
    uint64_t rows, columns, depth; /* of the group, or of all of them together */
};

/* What a group has beside, where its product is one of whole numbers. */
struct whole_group {
    struct scaled scaled;
    struct scaled_product product;
    uint64_t first_row; /* of x, in lists */
};

/* Where its weights are numbers with scales: packing's plan, without the addresses. */
struct antiquant_group {
    struct quantised quantised;
    struct factors scale, offset;
};

struct grouped_plan {
    const struct transfer *transfer;
    enum isa_level level;
    uint32_t threads;
    enum group_type type;
    bool is_exact, has_bias, is_whole, is_antiquant;
    enum activation activation;
    enum group_list_type list_type;
    bool has_numbers, has_array; /* of groups; in an array, otherwise in the tensor list */
    bool is_joined;              /* lists have one y */
    uint64_t groups, work_bytes, room_bytes, cost_ns;
    struct port list;      /* of INT64 */
    uint64_t number_count; /* behind everything, where an array has them */
    /* Behind the groups are those of whole numbers, or with scales, if they are. */
    struct group group[];
};

static inline struct whole_group *whole_groups(const struct grouped_plan *plan)
{
    return (struct whole_group *)(uintptr_t)&plan->group[plan->groups];
}

static inline struct antiquant_group *antiquant_groups(const struct grouped_plan *plan)
{
    return (struct antiquant_group *)(uintptr_t)&plan->group[plan->groups];
}

static inline size_t groups_bytes(bool is_whole, bool is_antiquant, uint64_t groups)
{
    return groups * (sizeof(struct group) + (is_whole ? sizeof(struct whole_group) : 0) +
                     (is_antiquant ? sizeof(struct antiquant_group) : 0));
}

size_t grouped_work_bytes(const void *plan);
int grouped_run(const void *plan, void *const *address, void *scratch);

#endif
