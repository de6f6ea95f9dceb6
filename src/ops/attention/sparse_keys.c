/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of each row over the keys that its indices name, in doubles: scores of all of a row's heads that share
 * a head of keys, their exponentials, and the sums of values.
 */
#include "ops/attention/sparse_keys.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "ops/sizes.h"

enum { ELEMENT_PS = 500 };

aclnnStatus sparse_check_like(const struct call *call, unsigned parameter, unsigned other, int64_t *last)
{
    const struct tensor_view *view = &call->tensor[parameter], *as = &call->tensor[other];
    bool fits = view->rank == as->rank;
    TRY(check_dtype(call, parameter));
    TRY(check_same_dtype(call, parameter, other, NULL));
    for (uint32_t i = 0; fits && i + 1 < view->rank; i++)
        fits = view->shape[i] == as->shape[i];
    if (!fits || (*last >= 0 && view->shape[view->rank - 1] != *last))
        return refuse(call, "%s has shape %s; that of %s but for its elements is expected",
                      call_name(call, parameter), shape_text(TEXT, view), call_name(call, other));
    *last = view->shape[view->rank - 1];
    return ACLNN_SUCCESS;
}

aclnnStatus sparse_check_ropes(const struct call *call, struct sparse *sparse)
{
    const struct over_keys *over = &sparse->over;
    const unsigned rope[] = {over->query_rope, over->key_rope}, of[] = {over->query, over->key};
    int64_t depth = -1;
    if (!call_has_elements(call, rope[0]) && !call_has_elements(call, rope[1]))
        return ACLNN_SUCCESS;
    /* Parts of no rows are empty without being absent. */
    for (unsigned i = 0; i < 2; i++)
        if (!call_has(call, rope[i]) || (!call_has_elements(call, rope[i]) && call->tensor[of[i]].count > 0))
            return refuse(
                call,
                "only one of queryRopeOptional and keyRopeOptional was given; both or none are expected");
    TRY(sparse_check_like(call, rope[0], of[0], &depth));
    TRY(sparse_check_like(call, rope[1], of[1], &depth));
    sparse->over.rope = (uint64_t)depth;
    return ACLNN_SUCCESS;
}

aclnnStatus sparse_check_indices(const struct call *call, struct sparse *sparse, int64_t block, int64_t mode)
{
    const struct tensor_view *query = &call->tensor[sparse->over.query],
                             *indices = &call->tensor[sparse->indices];
    TRY(check_dtype(call, sparse->indices));
    bool fits =
        indices->rank == query->rank && (uint64_t)indices->shape[indices->rank - 2] == sparse->keys.key_heads;
    for (uint32_t i = 0; fits && i + 2 < indices->rank; i++)
        fits = indices->shape[i] == query->shape[i];
    if (!fits)
        return refuse(call,
                      "sparseIndices has shape %s; indices of each row of query and each of %" PRIu64
                      " heads of key are expected",
                      shape_text(TEXT, indices), sparse->keys.key_heads);
    if (block < 1 || mode < 0)
        return refuse(call,
                      "sparseBlockSize is %" PRId64 " and attentionMode %" PRId64
                      "; 1 or more, and 0 or more are "
                      "expected",
                      block, mode);
    /* A block of all keys and a longer one are the same keys: index 0 has them, the others none. */
    const uint64_t all = chosen_most(&sparse->keys);
    sparse->block = (uint64_t)block <= all ? (uint64_t)block : all > 0 ? all : 1;
    sparse->chosen = (uint64_t)indices->shape[indices->rank - 1];
    sparse->group = sparse->keys.heads / sparse->keys.key_heads;
    return ACLNN_SUCCESS;
}

struct shape sparse_statistics_shape(const struct sparse *sparse)
{
    const struct chosen_keys *keys = &sparse->keys;
    return keys->is_packed ? (struct shape){.rank = 3,
                                            .dim = {(int64_t)keys->key_heads, (int64_t)keys->rows,
                                                    (int64_t)sparse->group}}
                           : (struct shape){.rank = 4,
                                            .dim = {(int64_t)keys->batches, (int64_t)keys->key_heads,
                                                    (int64_t)keys->rows, (int64_t)sparse->group}};
}

uint64_t sparse_statistics_at(const struct sparse *sparse, uint64_t number, uint64_t key_head, uint64_t g)
{
    const struct chosen_keys *keys = &sparse->keys;
    const uint64_t batch = keys->is_packed ? 0 : number / keys->rows, row = number % keys->rows;
    return ((batch * keys->key_heads + key_head) * keys->rows + row) * sparse->group + g;
}

uint64_t sparse_find_keys(const struct task *task, uint64_t number, uint64_t key_head,
                          const struct chosen_row *row, uint64_t *index, uint64_t *place)
{
    const struct sparse *sparse = task->parameters;
    const uint64_t at = (number * sparse->keys.key_heads + key_head) * sparse->chosen;
    uint64_t count = 0;
    for (uint64_t i = 0; i < sparse->chosen; i++) {
        const int64_t named = task_integer(task, sparse->indices, at + i);
        if (named < 0)
            break;
        for (uint64_t k = 0; k < sparse->block; k++) {
            const uint64_t key = (uint64_t)named * sparse->block + k;
            if (key >= (uint64_t)row->seen)
                continue;
            if (index != NULL)
                index[count] = key;
            place[count++] = chosen_key(task, &sparse->keys, row, key) * sparse->keys.key_heads + key_head;
        }
    }
    return count;
}

static int start(struct task *task)
{
    return chosen_check(task, &((const struct sparse *)task->parameters)->keys);
}

static void write_statistics(const struct task *task, uint64_t at, double greatest, double sum)
{
    const struct sparse *sparse = task->parameters;
    if (sparse->maximum > 0 && task_has(task, sparse->maximum))
        task_set(task, sparse->maximum, at, sum == 0 ? -(double)FLT_MAX : greatest);
    if (sparse->sum > 0 && task_has(task, sparse->sum))
        task_set(task, sparse->sum, at, sum == 0 ? (double)FLT_MAX : sum);
}

/* All heads of a row that share a head of keys. */
static void take_row(const struct task *task, uint64_t task_number_)
{
    const struct sparse *sparse = task->parameters;
    const struct over_keys *over = &sparse->over;
    const struct chosen_keys *keys = &sparse->keys;
    const uint64_t number = task_number_ / keys->key_heads, key_head = task_number_ % keys->key_heads,
                   group = sparse->group, whole = over_keys_whole(over),
                   most = sparse->chosen * sparse->block, first = number * keys->heads + key_head * group,
                   wide = over->wide;
    const struct chosen_row row = chosen_row_of(task, keys, number);
    double *query = task->room, *key = query + group * whole, *score = key + whole + wide,
           *out = score + group * most;
    uint64_t *place = (uint64_t *)(void *)(out + group * wide);
    const uint64_t count = row.is_none ? 0 : sparse_find_keys(task, number, key_head, &row, NULL, place);
    over_keys_queries(task, over, first, group, query);
    over_keys_scores(task, over, query, group, place, count, key, score, most);
    double *sum = (double *)(void *)(place + most), *greatest = sum + group;
    for (uint64_t g = 0; g < group; g++) {
        const double sink = sparse->has_sinks ? task_number(task, sparse->sinks, key_head * group + g) : 0;
        over_keys_weigh(task, sparse->has_sinks ? &sink : NULL, score + g * most, count, &greatest[g],
                        &sum[g]);
    }
    over_keys_values(task, over, score, group, place, count, key, out, most);
    for (uint64_t g = 0; g < group; g++) {
        for (uint64_t e = 0; count > 0 && e < wide; e++)
            out[g * wide + e] /= sum[g];
        task_write(task, sparse->out, (first + g) * wide, wide, out + g * wide);
        write_statistics(task, sparse_statistics_at(sparse, number, key_head, g), greatest[g],
                         row.is_none ? 0 : sum[g]);
    }
}

aclnnStatus sparse_plan(const struct call *call, const struct sparse *sparse)
{
    const struct chosen_keys *keys = &sparse->keys;
    const uint64_t whole = over_keys_whole(&sparse->over), most = sparse->chosen * sparse->block,
                   wide = sparse->over.wide;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = take_row,
                  .start = start,
                  .count = wide == 0 ? 0 : keys->all_rows * keys->key_heads,
                  .task_ns = most * sparse->group * ((whole + wide) * ELEMENT_PS / 1000 + 20) + 200,
                  .room = sparse->group * (whole + most + wide + 2) + whole + wide + most,
                  .parameters = sparse,
                  .parameter_bytes = sizeof *sparse});
}
