/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Groups one after the other, whose threads are those of each product and of what takes its rows.
 */
#include "ops/contraction/whole_rows.h"

#include <string.h>

#include "base/error.h"
#include "tensor/scratch.h"

static size_t products_at(const struct whole_rows *plan)
{
    return whole_lines(plan->own_bytes);
}

static const struct scaled_product *products(const struct whole_rows *plan)
{
    return (const struct scaled_product *)(const void *)((const unsigned char *)plan + products_at(plan));
}

aclnnStatus whole_rows_plan(const struct call *call, const struct whole_call *whole, unsigned list_parameter,
                            int64_t list_type, struct whole_rows *plan, uint64_t cost_ns)
{
    struct executor_content *content;
    void *made;
    plan->groups = whole->groups;
    plan->rows = (uint64_t)whole_rows(whole);
    plan->list = group_list_of(call, list_parameter, list_type, whole->groups);
    TRY(call_begin(call, products_at(plan) + plan->groups * sizeof(struct scaled_product), &content, &made));
    struct scaled_product *product =
        (struct scaled_product *)(void *)((unsigned char *)made + products_at(plan));
    for (uint64_t g = 0; g < plan->groups; g++)
        whole_product(whole, g, &plan->scaled, &product[g]);
    memcpy(made, plan, plan->own_bytes);
    content->cost_ns = scaled_cost_ns(&plan->scaled, plan->rows) + cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

size_t whole_rows_work_bytes(const struct whole_rows *plan)
{
    return group_list_bytes(&plan->list) + scaled_work_bytes(&plan->scaled);
}

int whole_rows_run(const struct whole_rows *plan, void *const *address, void *scratch, void *memory,
                   const struct whole_rows_taker *taker)
{
    const struct group_piece *piece = scratch;
    uint64_t end = 0;
    int status = group_list_read(&plan->list, address, "groupList", plan->rows, scratch);
    for (uint64_t i = 0; i < plan->list.length; i++)
        end += status == 0 ? piece[i].count : 0;
    if (status == 0 && taker->begin != NULL)
        status = taker->begin(plan, address, memory, end);
    if (status != 0)
        return status;
    for (uint64_t i = 0; i < plan->list.length; i++) {
        struct scaled_work work;
        if (piece[i].count == 0 || plan->scaled.columns == 0)
            continue;
        scaled_use_memory(&work, &plan->scaled, address,
                          (unsigned char *)scratch + group_list_bytes(&plan->list));
        scaled_begin(&work, &products(plan)[piece[i].group]);
        for (uint64_t done = 0, some; done < piece[i].count; done += some) {
            some = piece[i].count - done < SCALED_ROWS ? piece[i].count - done : SCALED_ROWS;
            scaled_multiply(&work, piece[i].first + done, some);
            taker->take(plan, address, memory,
                        &(struct some_rows){piece[i].group, piece[i].first + done, some, work.value});
        }
    }
    taker->end(plan, address, memory, end, plan->rows - end);
    return 0;
}
