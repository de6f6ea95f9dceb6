/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The weights of an indexer and of attention for the rows of a sequence, how far apart they are, and the gradients of
 * that, in doubles.
 */
#include "ops/attention/indexer_losses.h"

#include <float.h>
#include <string.h>

static const struct losses_sequence *sequences_of(const struct task *task)
{
    return (const struct losses_sequence *)(const void *)task->numbers;
}

struct room {
    double *query, *weight, *d_query, *d_weight, *key, *d_keys; /* of the indexer */
    double *score, *sum, *p, *s;       /* score: of each head; sum: of all, s by it */
    double *own, *own_key, *own_score; /* of attention */
    uint64_t *index, *place;
};

static uint64_t elements_of(const struct losses *losses)
{
    return losses->heads * losses->depth;
}

static uint64_t most_of(const struct losses *losses)
{
    return losses->form->chosen != 0 ? losses->chosen : losses->most_keys;
}

static struct room carve(const struct losses *losses, double *first)
{
    const uint64_t most = most_of(losses), own = over_keys_whole(&losses->over);
    struct room room = {.query = first};
    room.d_query = room.query + elements_of(losses);
    room.weight = room.d_query + elements_of(losses);
    room.d_weight = room.weight + losses->heads;
    room.key = room.d_weight + losses->heads;
    room.score = room.key + losses->depth;
    room.sum = room.score + losses->heads * most;
    room.p = room.sum + most;
    room.s = room.p + most;
    room.own = room.s + most;
    room.own_key = room.own + own;
    room.own_score = room.own_key + own;
    room.index = (uint64_t *)(void *)(room.own_score + most);
    room.place = room.index + most;
    room.d_keys = (double *)(void *)(room.place + most);
    return room;
}

uint64_t losses_room(const struct losses *losses)
{
    const uint64_t most = most_of(losses);
    return 2 * elements_of(losses) + 2 * losses->heads + losses->depth + (losses->heads + 6) * most +
           2 * over_keys_whole(&losses->over) +
           (losses->form->is_loss ? losses->most_keys * losses->depth : 0) + 1;
}

/* The keys that a row of a sequence sees, or that were chosen for it. */
static uint64_t find_keys(const struct task *task, const struct losses_sequence *sequence, int64_t row,
                          const struct room *room)
{
    const struct losses *losses = task->parameters;
    const int64_t end = row + sequence->keys - sequence->rows + 1,
                  seen = losses->is_causal && end < sequence->keys ? end : sequence->keys;
    uint64_t count = 0;
    for (int64_t j = 0; losses->form->chosen == 0 && j < seen; j++)
        room->index[count++] = (uint64_t)j;
    for (uint64_t i = 0; losses->form->chosen != 0 && i < losses->chosen; i++) {
        const int64_t j =
            task_integer(task, losses->form->chosen, (uint64_t)(sequence->row + row) * losses->chosen + i);
        if (j >= 0 && j < sequence->keys)
            room->index[count++] = (uint64_t)j;
    }
    return count;
}

/* What the indexer gives each key: of each head, and of all. */
static void score_keys(const struct task *task, const struct losses_sequence *sequence, uint64_t row,
                       uint64_t count, const struct room *room)
{
    const struct losses *losses = task->parameters;
    const unsigned query = losses->form->indexer;
    task_read(task, query, row * elements_of(losses), elements_of(losses), room->query);
    task_read(task, query + 2, row * losses->heads, losses->heads, room->weight);
    for (uint64_t i = 0; i < count; i++) {
        task_read(task, query + 1, ((uint64_t)sequence->key + room->index[i]) * losses->depth, losses->depth,
                  room->key);
        room->sum[i] = 0;
        for (uint64_t n = 0; n < losses->heads; n++) {
            const double score = task->maths->dot(room->query + n * losses->depth, room->key, losses->depth);
            room->score[n * count + i] = score;
            room->sum[i] += room->weight[n] * (score < 0 ? 0 : score);
        }
    }
}

void losses_take_statistics(const struct task *task, uint64_t b)
{
    const struct losses *losses = task->parameters;
    const struct losses_sequence *sequence = &sequences_of(task)[b];
    const struct room room = carve(losses, task->room);
    const unsigned out = losses->form->out;
    for (int64_t row = 0; row < sequence->rows; row++) {
        const uint64_t at = (uint64_t)(sequence->row + row), count = find_keys(task, sequence, row, &room);
        double greatest, sum;
        score_keys(task, sequence, at, count, &room);
        over_keys_weigh(task, NULL, room.sum, count, &greatest, &sum);
        task_set(task, out, at, count == 0 ? -(double)FLT_MAX : greatest);
        task_set(task, out + 1, at, count == 0 ? (double)FLT_MAX : sum);
    }
    const bool is_last = b + 1 == losses->sequences;
    const uint64_t own = losses->is_packed ? losses->rows : (b + 1) * losses->own_rows;
    for (uint64_t at = (uint64_t)(sequence->row + sequence->rows);
         (!losses->is_packed || is_last) && at < own; at++) {
        task_set(task, out, at, -(double)FLT_MAX);
        task_set(task, out + 1, at, (double)FLT_MAX);
    }
}

/* The weights of attention, of all heads alike. */
static void weigh(const struct task *task, const struct losses_sequence *sequence, uint64_t row,
                  uint64_t count, const struct room *room)
{
    const struct losses *losses = task->parameters;
    const uint64_t own = losses->own_rows, b = losses->is_packed ? 0 : row / own,
                   in = losses->is_packed ? row : row % own;
    double all = 0;
    memset(room->p, 0, count * sizeof(double));
    for (uint64_t n = 0; n < losses->all_heads; n++) {
        const uint64_t head = n / losses->group,
                       at = ((b * losses->key_heads + head) * (losses->is_packed ? losses->rows : own) + in) *
                                losses->group +
                            n % losses->group;
        const double greatest = task_number(task, losses->form->maximum, at),
                     sum = task_number(task, losses->form->maximum + 1U, at);
        for (uint64_t i = 0; i < count; i++)
            room->place[i] = ((uint64_t)sequence->key + room->index[i]) * losses->key_heads + head;
        over_keys_queries(task, &losses->over, row * losses->all_heads + n, 1, room->own);
        over_keys_scores(task, &losses->over, room->own, 1, room->place, count, room->own_key,
                         room->own_score, count);
        for (uint64_t i = 0; i < count; i++)
            room->own_score[i] -= greatest;
        task->maths->exponential(room->own_score, count);
        for (uint64_t i = 0; i < count; i++)
            room->p[i] += room->own_score[i] / sum / (double)losses->all_heads;
    }
    for (uint64_t i = 0; losses->has_sinks && i < count; i++)
        all += room->p[i];
    for (uint64_t i = 0; losses->has_sinks && all > 0 && i < count; i++)
        room->p[i] /= all;
}

/* The weights of the indexer: of its own sum, or of one that is given. */
static void weigh_index(const struct task *task, uint64_t row, uint64_t count, const struct room *room)
{
    const struct losses *losses = task->parameters;
    double greatest, sum;
    memcpy(room->s, room->sum, count * sizeof(double));
    if (losses->form->index_maximum != 0) {
        greatest = task_number(task, losses->form->index_maximum, row);
        sum = task_number(task, losses->form->index_maximum + 1U, row);
        for (uint64_t i = 0; i < count; i++)
            room->s[i] -= greatest;
        task->maths->exponential(room->s, count);
    } else
        over_keys_weigh(task, NULL, room->s, count, &greatest, &sum);
    for (uint64_t i = 0; i < count; i++)
        room->s[i] /= sum;
}

/* The sum of p ln(p / s); what is below a least number counts as that number in the logarithm. */
static double divergence(const struct task *task, uint64_t count, const struct room *room)
{
    static const double least = 1e-8;
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        double logarithm[2] = {room->p[i] < least ? least : room->p[i],
                               room->s[i] < least ? least : room->s[i]};
        task->maths->logarithm(logarithm, 2);
        sum += room->p[i] * (logarithm[0] - logarithm[1]);
    }
    return sum;
}

static double take_row(const struct task *task, const struct losses_sequence *sequence, int64_t number,
                       const struct room *room)
{
    const struct losses *losses = task->parameters;
    const uint64_t row = (uint64_t)(sequence->row + number), elements = elements_of(losses),
                   count = find_keys(task, sequence, number, room);
    double loss = 0;
    memset(room->d_query, 0, elements * sizeof(double));
    memset(room->d_weight, 0, losses->heads * sizeof(double));
    if (count > 0) {
        score_keys(task, sequence, row, count, room);
        weigh(task, sequence, row, count, room);
        weigh_index(task, row, count, room);
        loss = divergence(task, count, room);
    }
    for (uint64_t i = 0; i < count; i++) {
        const double d = room->s[i] - room->p[i];
        task_read(task, losses->form->indexer + 1U,
                  ((uint64_t)sequence->key + room->index[i]) * losses->depth, losses->depth, room->key);
        for (uint64_t n = 0; n < losses->heads; n++) {
            const double score = room->score[n * count + i];
            double slope = d * room->weight[n];
            if (!(score > 0))
                continue;
            room->d_weight[n] += d * score;
            task_round(task, task_dtype(task, losses->form->indexer), 1, &slope);
            task->maths->add_scaled(room->d_query + n * losses->depth, room->key, slope, losses->depth);
            task->maths->add_scaled(room->d_keys + room->index[i] * losses->depth,
                                    room->query + n * losses->depth, slope, losses->depth);
        }
    }
    task_write(task, losses->form->out, row * elements, elements, room->d_query);
    task_write(task, losses->form->out + 2U, row * losses->heads, losses->heads, room->d_weight);
    return loss;
}

/* The loss of all sequences so far is in what they share. */
int losses_start(struct task *task)
{
    *(double *)task->shared = 0;
    task->in_order = true;
    return 0;
}

void losses_take_sequence(const struct task *task, uint64_t b)
{
    const struct losses *losses = task->parameters;
    const struct losses_sequence *sequence = &sequences_of(task)[b];
    const struct room room = carve(losses, task->room);
    const unsigned out = losses->form->out;
    const bool is_last = b + 1 == losses->sequences;
    double *loss = task->shared;
    memset(room.d_keys, 0, losses->most_keys * losses->depth * sizeof(double));
    for (int64_t row = 0; row < sequence->rows; row++)
        *loss += take_row(task, sequence, row, &room);
    task_write(task, out + 1, (uint64_t)sequence->key * losses->depth,
               (uint64_t)sequence->keys * losses->depth, room.d_keys);
    /* What is of no sequence. */
    const uint64_t per = losses->keys / losses->sequences, row = (uint64_t)(sequence->row + sequence->rows),
                   key = (uint64_t)(sequence->key + sequence->keys),
                   row_end = losses->is_packed ? is_last ? losses->rows : row : (b + 1) * losses->own_rows,
                   key_end = losses->is_packed ? is_last ? losses->keys : key : (b + 1) * per;
    task_clear(task, out, row * elements_of(losses), (row_end - row) * elements_of(losses));
    task_clear(task, out + 2, row * losses->heads, (row_end - row) * losses->heads);
    task_clear(task, out + 1, key * losses->depth, (key_end - key) * losses->depth);
    task_set(task, out + 3, 0, *loss);
}
