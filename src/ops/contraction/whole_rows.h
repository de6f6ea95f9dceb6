/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of one x by the weights of their groups, of whole numbers, whose values a function takes a few rows at a
 * time: it makes something else of them than rounded rows.
 */
#ifndef BELAY_OPS_CONTRACTION_WHOLE_ROWS_H
#define BELAY_OPS_CONTRACTION_WHOLE_ROWS_H

#include "ops/contraction/activation.h"
#include "ops/contraction/group_list.h"
#include "ops/contraction/whole_call.h"

struct whole_rows {
    struct scaled scaled;
    struct group_list list;
    uint64_t rows, groups;
    size_t own_bytes; /* of the function's plan, which begins with this; products lie behind it */
};

/* Rows of a group as values one behind the other, and the first one's number in x. */
struct some_rows {
    uint64_t group, first, count;
    double *value;
};

/* What becomes of them; of the rows of no group, which are the last ones; and memory of the function's own. */
struct whole_rows_taker {
    void (*take)(const void *plan, void *const *address, void *memory, const struct some_rows *rows);
    int (*begin)(const void *plan, void *const *address, void *memory, uint64_t rows); /* 0, or a fault */
    void (*end)(const void *plan, void *const *address, void *memory, uint64_t first, uint64_t rows);
};

/* The end of phase 1, for a plan that is copied, of own_bytes. Then its products are made. */
aclnnStatus whole_rows_plan(const struct call *call, const struct whole_call *whole, unsigned list_parameter,
                            int64_t list_type, struct whole_rows *plan, uint64_t cost_ns);
size_t whole_rows_work_bytes(const struct whole_rows *plan);
int whole_rows_run(const struct whole_rows *plan, void *const *address, void *scratch, void *memory,
                   const struct whole_rows_taker *taker);

#endif
