/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows over compressed keys, which also choose blocks of keys, or over the blocks that were chosen, in doubles.
 */
#include "ops/attention/nsa_attention.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "runtime/streams/fault.h"

static const struct nsa_sequence *sequences_of(const struct task *task)
{
    return (const struct nsa_sequence *)(const void *)task->numbers;
}

int nsa_start(struct task *task)
{
    const struct nsa *nsa = task->parameters;
    for (uint64_t b = 0; nsa->form->has_pages && b < nsa->sequences; b++)
        for (uint64_t i = 0; i * nsa->page < (uint64_t)sequences_of(task)[b].keys; i++) {
            const int64_t page = task_integer(task, nsa->form->table, b * nsa->columns + i);
            if (page < 0 || (uint64_t)page >= nsa->pages)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "blockTable holds %" PRId64 " at [%" PRIu64 ", %" PRIu64
                                      "]; 0 to %" PRIu64 " are expected",
                                      page, b, i, nsa->pages - 1);
        }
    return 0;
}

struct room {
    double *query, *key, *value, *out, *score, *importance;
    uint64_t *place;
    bool *is_taken;
};

uint64_t nsa_most(const struct nsa *nsa)
{
    /* A block longer than all keys has no more than these. */
    const uint64_t block = nsa->block < nsa->most_keys ? nsa->block : nsa->most_keys;
    return nsa->form->chooses ? nsa->most_keys : nsa->count * block;
}

static struct room carve(const struct nsa *nsa, double *first)
{
    const uint64_t most = nsa_most(nsa);
    struct room room = {.query = first};
    room.out = room.query + nsa->group * nsa->over.depth;
    room.key = room.out + nsa->group * nsa->over.wide;
    room.value = room.key + nsa->over.depth;
    room.score = room.value + nsa->over.wide;
    room.importance = room.score + nsa->group * most;
    room.place = (uint64_t *)(void *)(room.importance + nsa->most_blocks);
    room.is_taken = (bool *)(void *)(room.place + most);
    return room;
}

uint64_t nsa_room(const struct nsa *nsa)
{
    return nsa->group * (nsa->over.depth + nsa->over.wide + nsa_most(nsa)) + nsa->over.depth +
           nsa->over.wide + nsa->most_blocks + nsa_most(nsa) + nsa->most_blocks / 8 + 2;
}

static uint64_t key_place(const struct task *task, uint64_t b, uint64_t key, uint64_t head)
{
    const struct nsa *nsa = task->parameters;
    uint64_t place = (uint64_t)sequences_of(task)[b].key + key;
    if (nsa->form->has_pages)
        place =
            (uint64_t)task_integer(task, nsa->form->table, b * nsa->columns + key / nsa->page) * nsa->page +
            key % nsa->page;
    return place * nsa->key_heads + head;
}

/* All keys, or those of the blocks that are listed. */
static uint64_t find_keys(const struct task *task, uint64_t b, uint64_t row, uint64_t head,
                          const struct room *room)
{
    const struct nsa *nsa = task->parameters;
    const int64_t keys = sequences_of(task)[b].keys;
    uint64_t count = 0;
    if (nsa->form->chooses) {
        for (; count < (uint64_t)keys; count++)
            room->place[count] = key_place(task, b, count, head);
        return count;
    }
    for (uint64_t i = 0; i < nsa->count; i++) {
        const int64_t block =
            task_integer(task, nsa->form->indices, (row * nsa->key_heads + head) * nsa->count + i);
        if (block < 0 || block > keys / (int64_t)nsa->block)
            continue;
        for (int64_t key = block * (int64_t)nsa->block, k = 0; k < (int64_t)nsa->block && key + k < keys; k++)
            room->place[count++] = key_place(task, b, (uint64_t)(key + k), head);
    }
    return count;
}

/* What add_importance adds, for windows of any number of parts: pairs of a part and a window that meet a key are
 * counted. */
static void count_importance(const struct nsa *nsa, const double *weight, uint64_t keys, uint64_t blocks,
                             double sum, double *importance)
{
    for (uint64_t j = 0; j < blocks; j++) {
        uint64_t end;
        if (__builtin_mul_overflow(nsa->parts, j + 1, &end))
            return; /* no window reaches back to a key */
        for (uint64_t key = 0; key < keys && key <= end; key++) {
            const uint64_t back = end - key, first = back >= nsa->windows ? back - nsa->windows + 1 : 0,
                           last = back < nsa->parts ? back : nsa->parts - 1;
            if (first <= last)
                importance[j] += weight[key] / sum * (double)(last - first + 1);
        }
    }
}

/* What the weights of a head of the group give each block; a window is in all blocks that its parts are in. */
static void add_importance(const struct nsa *nsa, const double *weight, uint64_t keys, uint64_t blocks,
                           double sum, double *importance)
{
    enum { WINDOWS_WALKED = 4096 };
    if (nsa->windows > WINDOWS_WALKED) {
        count_importance(nsa, weight, keys, blocks, sum, importance);
        return;
    }
    for (uint64_t j = 0; j < blocks; j++) {
        const uint64_t end = nsa->parts * (j + 1), reach = keys + nsa->windows;
        for (uint64_t a = end + 2 > reach ? end + 2 - reach : 0; a < nsa->parts; a++) {
            const uint64_t greatest = end - a;
            for (uint64_t c = greatest >= keys ? greatest - keys + 1 : 0; c < nsa->windows && c <= greatest;
                 c++)
                importance[j] += weight[greatest - c] / sum;
        }
    }
}

/* Blocks that must be, then those with the most, of the same the first. */
static void choose(const struct task *task, uint64_t row, uint64_t own, uint64_t blocks, uint64_t head,
                   const struct room *room)
{
    const struct nsa *nsa = task->parameters;
    const uint64_t at = (row * nsa->key_heads + head) * nsa->count;
    const uint64_t first[] = {0, blocks - 2, blocks - 1};
    uint64_t chosen = 0;
    memset(room->is_taken, 0, blocks);
    for (unsigned i = 0; nsa->form->has_pages && i < 3 && chosen < nsa->count; i++)
        if (first[i] < blocks && !room->is_taken[first[i]]) {
            room->is_taken[first[i]] = true;
            task_set_integer(task, nsa->form->indices, at + chosen++, (int64_t)first[i]);
        }
    for (uint64_t j = 0; nsa->chosen_columns > 0 && j < blocks; j++)
        if (task_integer(task, nsa->form->chosen_mask, own * nsa->chosen_columns + j) != 0)
            room->importance[j] = (double)INFINITY;
    for (; chosen < nsa->count; chosen++) {
        int64_t best = -1;
        for (uint64_t j = 0; j < blocks; j++)
            if (!room->is_taken[j] && (best < 0 || room->importance[j] > room->importance[best]))
                best = (int64_t)j;
        if (best >= 0)
            room->is_taken[best] = true;
        task_set_integer(task, nsa->form->indices, at + chosen, best);
    }
}

void nsa_take(const struct task *task, uint64_t number)
{
    const struct nsa *nsa = task->parameters;
    const struct over_keys *over = &nsa->over;
    const struct nsa_sequence *sequence = sequences_of(task);
    const uint64_t row = number / nsa->key_heads, head = number % nsa->key_heads, most = nsa_most(nsa);
    const struct room room = carve(nsa, task->room);
    uint64_t b = nsa->form->has_pages ? row : 0;
    while (b < nsa->sequences && row >= (uint64_t)(sequence[b].row + sequence[b].rows))
        b++;
    const bool is_apart = b >= nsa->sequences;
    const uint64_t count = is_apart ? 0 : find_keys(task, b, row, head, &room),
                   own = is_apart ? 0 : row - (uint64_t)sequence[b].row,
                   blocks = is_apart ? 0 : (uint64_t)sequence[b].blocks,
                   first = row * nsa->heads + head * nsa->group;
    memset(room.importance, 0, nsa->most_blocks * sizeof(double));
    over_keys_queries(task, over, first, nsa->group, room.query);
    over_keys_scores(task, over, room.query, nsa->group, room.place, count, room.key, room.score, most);
    for (uint64_t j = 0; nsa->mask_columns > 0 && j < count; j++)
        if (task_integer(task, nsa->form->mask, own * nsa->mask_columns + j) != 0)
            for (uint64_t g = 0; g < nsa->group; g++)
                room.score[g * most + j] = -(double)INFINITY;
    for (uint64_t g = 0; g < nsa->group; g++) {
        double *weight = room.score + g * most, greatest, sum;
        over_keys_weigh(task, NULL, weight, count, &greatest, &sum);
        const bool is_none = !(sum > 0) && sum == sum;
        if (nsa->form->chooses && !is_none)
            add_importance(nsa, weight, count, blocks, sum, room.importance);
        over_keys_values(task, over, weight, 1, room.place, count, room.value, room.out, most);
        for (uint64_t e = 0; e < over->wide; e++)
            room.out[e] = is_none ? 0 : room.out[e] / sum;
        task_write(task, nsa->form->out, (first + g) * over->wide, over->wide, room.out);
        if (!nsa->form->has_pages)
            over_keys_statistics(task, nsa->form->maximum, first + g, is_none, greatest, sum);
    }
    if (nsa->form->chooses)
        choose(task, row, own, blocks, head, &room);
}
