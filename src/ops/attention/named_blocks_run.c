/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows over the blocks of keys that are named, and their gradients, which a task adds up for a head of keys of a
 * sequence, in the order of its rows.
 */
#include "ops/attention/named_blocks.h"

#include <math.h>
#include <string.h>

#include "ops/attention/attention.h"

static const struct named_sequence *sequences_of(const struct task *task)
{
    return (const struct named_sequence *)(const void *)task->numbers;
}

/* The number of a head's row, or of a head's key, in its tensor. */
static uint64_t place_of(const struct named *named, uint64_t b, int64_t first, uint64_t row, uint64_t head,
                         uint64_t heads, uint64_t rows)
{
    return named->is_packed ? ((uint64_t)first + row) * heads + head : (b * heads + head) * rows + row;
}

static uint64_t row_place(const struct task *task, uint64_t b, uint64_t row, uint64_t head)
{
    const struct named *named = task->parameters;
    return place_of(named, b, sequences_of(task)[b].row, row, head, named->heads, named->rows);
}

static uint64_t key_place(const struct task *task, uint64_t b, uint64_t key, uint64_t head)
{
    const struct named *named = task->parameters;
    return place_of(named, b, sequences_of(task)[b].key, key, head, named->key_heads, named->keys);
}

/* The memory of a task; the gradients of keys come last, where there are any. */
struct room {
    double *query, *key, *value, *out, *d_out, *d_query, *score, *d_keys, *d_values;
    uint64_t *place, *index;
};

uint64_t named_room(const struct named *named)
{
    const uint64_t depth = named->over.depth, wide = named->over.wide,
                   most = named->chosen * named->block_keys;
    return named->group * (depth + wide + most) + 2 * depth + 2 * wide + 2 * most +
           (named->form->is_gradient ? named->most_keys * (depth + wide) : 0);
}

static struct room carve(const struct named *named, double *first)
{
    const uint64_t depth = named->over.depth, wide = named->over.wide,
                   most = named->chosen * named->block_keys;
    struct room room = {.query = first};
    room.out = room.query + named->group * depth;
    room.score = room.out + named->group * wide;
    room.key = room.score + named->group * most;
    room.d_query = room.key + depth;
    room.value = room.d_query + depth;
    room.d_out = room.value + wide;
    room.place = (uint64_t *)(void *)(room.d_out + wide);
    room.index = room.place + most;
    room.d_keys = (double *)(void *)(room.index + most);
    room.d_values = room.d_keys + named->most_keys * depth;
    return room;
}

/* The keys that a row sees, for the heads of one of its lists: their numbers in the sequence, and in the tensor. */
static uint64_t find_keys(const struct task *task, uint64_t b, uint64_t row, uint64_t list,
                          const struct room *room)
{
    const struct named *named = task->parameters;
    const struct named_sequence *sequence = &sequences_of(task)[b];
    const uint64_t key_head = list * named->group / (named->heads / named->key_heads);
    int64_t seen = sequence->keys;
    uint64_t count = 0;
    if (named->is_causal && (int64_t)row + sequence->keys - sequence->rows + 1 < seen)
        seen = (int64_t)row + sequence->keys - sequence->rows + 1;
    for (uint64_t i = 0; i < named->chosen; i++) {
        int64_t block = (int64_t)i;
        if (named->form->by_mask) {
            const uint64_t at = ((b * named->heads + list) * named->row_blocks + row / named->block_rows) *
                                    named->key_blocks +
                                i;
            block = task_integer(task, named->form->names, at) != 0 ? block : -1;
        } else {
            const uint64_t at = ((uint64_t)sequence->row + row) * named->lists + list;
            block = task_integer(task, named->form->names, at * named->chosen + i);
        }
        if (block < 0 || block > seen / (int64_t)named->block_keys)
            continue;
        for (int64_t key = block * (int64_t)named->block_keys, k = 0;
             k < (int64_t)named->block_keys && key + k < seen; k++) {
            room->index[count] = (uint64_t)(key + k);
            room->place[count++] = key_place(task, b, (uint64_t)(key + k), key_head);
        }
    }
    return count;
}

static void write_statistics(const struct task *task, uint64_t place, bool is_none, double greatest,
                             double sum)
{
    const struct named *named = task->parameters;
    const unsigned outputs = named->form->outputs;
    if (named->form->by_mask) {
        double logarithm = sum;
        task->maths->logarithm(&logarithm, 1);
        if (task_has(task, outputs + 1))
            task_set(task, outputs + 1, place, is_none ? (double)INFINITY : greatest + logarithm);
        return;
    }
    over_keys_statistics(task, outputs, place, is_none, greatest, sum);
}

void named_take_row(const struct task *task, uint64_t number)
{
    const struct named *named = task->parameters;
    const struct over_keys *over = &named->over;
    const struct named_sequence *sequence = sequences_of(task);
    const uint64_t list = number % named->lists, all = number / named->lists,
                   most = named->chosen * named->block_keys;
    const unsigned out = named->form->by_mask ? named->form->outputs : named->form->outputs + 2U;
    const struct room room = carve(named, task->room);
    uint64_t b = named->is_packed ? 0 : all / named->rows, row = named->is_packed ? all : all % named->rows;
    while (named->is_packed && b < named->sequences && row >= (uint64_t)(sequence[b].row + sequence[b].rows))
        b++;
    const bool is_apart = b >= named->sequences || (!named->is_packed && row >= (uint64_t)sequence[b].rows);
    if (named->is_packed && !is_apart)
        row -= (uint64_t)sequence[b].row;
    const uint64_t count = is_apart ? 0 : find_keys(task, b, row, list, &room);
    for (uint64_t g = 0; g < named->group; g++) {
        const uint64_t head = list * named->group + g,
                       place = named->is_packed ? all * named->heads + head : row_place(task, b, row, head);
        double greatest, sum;
        over_keys_queries(task, over, place, 1, room.query);
        over_keys_scores(task, over, room.query, 1, room.place, count, room.key, room.score, most);
        over_keys_weigh(task, NULL, room.score, count, &greatest, &sum);
        over_keys_values(task, over, room.score, 1, room.place, count, room.value, room.out, most);
        for (uint64_t e = 0; count > 0 && e < over->wide; e++)
            room.out[e] /= sum;
        task_write(task, out, place * over->wide, over->wide, room.out);
        write_statistics(task, place, count == 0, greatest, sum);
    }
}

/* A head's row of a gradient. */
static void add_row(const struct task *task, const struct room *room, uint64_t place, uint64_t count)
{
    const struct named *named = task->parameters;
    const struct named_form *form = named->form;
    const struct over_keys *over = &named->over;
    const uint64_t repeats = form->by_mask ? 1 : STATISTIC_REPEATS;
    struct over_keys_row row = {.query = room->query, .d_out = room->d_out};
    memset(room->d_query, 0, over->depth * sizeof(double));
    if (count > 0) {
        over_keys_queries(task, over, place, 1, room->query);
        task_read(task, form->d_out, place * over->wide, over->wide, room->d_out);
        task_read(task, form->out, place * over->wide, over->wide, room->out);
        row.delta = task->maths->dot(room->d_out, room->out, over->wide);
        row.greatest = task_number(task, form->by_mask ? form->sum : form->maximum, place * repeats);
        row.sum = form->by_mask ? 1 : task_number(task, form->sum, place * repeats);
        over_keys_scores(task, over, room->query, 1, room->place, count, room->key, room->score, 0);
        over_keys_gradients(task, over, &row, room->place, room->index, count, room->score, room->key,
                            room->value, room->d_query, room->d_keys, room->d_values);
    }
    task_write(task, form->outputs, place * over->depth, over->depth, room->d_query);
}

static void write_keys(const struct task *task, const struct room *room, uint64_t b, uint64_t key_head)
{
    const struct named *named = task->parameters;
    const struct over_keys *over = &named->over;
    const struct named_sequence *sequence = &sequences_of(task)[b];
    const bool is_last = b + 1 == named->sequences;
    const uint64_t own = (uint64_t)sequence->keys, all = !named->is_packed ? named->keys
                                                         : is_last ? named->keys - (uint64_t)sequence->key
                                                                   : own;
    for (uint64_t k = 0; k < all; k++) {
        const uint64_t place = key_place(task, b, k, key_head);
        const unsigned outputs = named->form->outputs;
        if (k < own) {
            task_write(task, outputs + 1, place * over->depth, over->depth, room->d_keys + k * over->depth);
            task_write(task, outputs + 2, place * over->wide, over->wide, room->d_values + k * over->wide);
        } else {
            task_clear(task, outputs + 1, place * over->depth, over->depth);
            task_clear(task, outputs + 2, place * over->wide, over->wide);
        }
    }
}

void named_take_sequence(const struct task *task, uint64_t number)
{
    const struct named *named = task->parameters;
    const uint64_t b = number / named->key_heads, key_head = number % named->key_heads,
                   lists = named->lists / named->key_heads;
    const struct named_sequence *sequence = &sequences_of(task)[b];
    const struct room room = carve(named, task->room);
    const uint64_t own = (uint64_t)sequence->rows, all = !named->is_packed ? named->rows
                                                         : b + 1 == named->sequences
                                                             ? named->rows - (uint64_t)sequence->row
                                                             : own;
    memset(room.d_keys, 0, (uint64_t)sequence->keys * named->over.depth * sizeof(double));
    memset(room.d_values, 0, (uint64_t)sequence->keys * named->over.wide * sizeof(double));
    for (uint64_t row = 0; row < all; row++)
        for (uint64_t list = key_head * lists; list < (key_head + 1) * lists; list++) {
            const uint64_t count = row < own ? find_keys(task, b, row, list, &room) : 0;
            for (uint64_t g = 0; g < named->group; g++)
                add_row(task, &room, row_place(task, b, row, list * named->group + g), count);
        }
    write_keys(task, &room, b, key_head);
}
