/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by groups: what a plan holds, and how it runs.
 */
#ifndef BELAY_OPS_CONTRACTION_GROUPED_H
#define BELAY_OPS_CONTRACTION_GROUPED_H

#include "ops/contraction/contraction.h"
#include "ops/operands.h"
#include "ops/port.h"

enum group_type { GROUPS_OF_LISTS = -1, GROUPS_OF_ROWS = 0, GROUPS_OF_DEPTH = 2 };
/* One side of a group's product. */
struct side {
    struct operand operand;
    int64_t offset, stride[2]; /* bytes; elements: row, column */
};

struct group {
    struct side x, weight, bias, y;
    uint64_t rows, columns, depth; /* of the group, or of all of them together */
};

struct grouped_plan {
    const struct transfer *transfer;
    enum isa_level level;
    uint32_t threads;
    enum group_type type;
    bool is_exact, is_counted, has_bias;
    bool has_numbers, has_array; /* of groups; in an array, otherwise in the tensor list */
    bool is_joined;              /* lists have one y */
    uint64_t groups, work_bytes, cost_ns;
    struct port list;      /* of INT64 */
    uint64_t number_count; /* behind the groups, where an array has them */
    struct group group[];
};

size_t grouped_work_bytes(const void *plan);
int grouped_run(const void *plan, void *const *address, void *scratch);

#endif
