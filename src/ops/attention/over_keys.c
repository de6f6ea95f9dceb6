/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows over keys that are listed, and their gradients: sums in the order of the list.
 */
#include "ops/attention/over_keys.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/attention/attention.h"

void over_keys_queries(const struct task *task, const struct over_keys *of, uint64_t row, uint64_t count,
                       double *query)
{
    const uint64_t whole = over_keys_whole(of);
    for (uint64_t g = 0; g < count; g++) {
        task_read(task, of->query, (row + g) * of->depth, of->depth, query + g * whole);
        if (of->rope > 0)
            task_read(task, of->query_rope, (row + g) * of->rope, of->rope, query + g * whole + of->depth);
    }
}

/* The numbers of a row of bytes, times the scale of their tile. */
static void read_numbers(const struct task *task, const struct over_keys *of, uint64_t place, double *number)
{
    const uint64_t tiles = (of->numbers + of->tile - 1) / of->tile, first = place * of->row_bytes;
    task_read(task, of->key, first, of->numbers, number);
    for (uint64_t k = 0; k < tiles; k++) {
        float scale;
        task_bits(task, of->key, first + of->row_bytes - (tiles - k) * sizeof scale, sizeof scale, &scale);
        const uint64_t end = (k + 1) * of->tile < of->numbers ? (k + 1) * of->tile : of->numbers;
        for (uint64_t e = k * of->tile; e < end; e++)
            number[e] *= (double)scale;
    }
}

void over_keys_key(const struct task *task, const struct over_keys *of, uint64_t place, double *key)
{
    if (of->row_bytes == 0) {
        task_read(task, of->key, place * of->depth, of->depth, key);
        if (of->rope > 0)
            task_read(task, of->key_rope, place * of->rope, of->rope, key + of->depth);
        return;
    }
    read_numbers(task, of, place, key);
    _Alignas(64) unsigned char piece[PORT_PIECE];
    const uint64_t first = place * of->row_bytes + of->numbers, at_once = PORT_PIECE / 2;
    for (uint64_t done = of->numbers; done < of->depth; done += at_once) {
        const uint64_t count = of->depth - done < at_once ? of->depth - done : at_once;
        task_bits(task, of->key, first + 2 * (done - of->numbers), 2 * count, piece);
        task_widen(task, piece, task_dtype(task, of->query), count, key + done);
    }
}

void over_keys_value(const struct task *task, const struct over_keys *of, uint64_t place, double *value)
{
    if (of->row_bytes > 0)
        read_numbers(task, of, place, value);
    else
        task_read(task, of->value, place * of->wide, of->wide, value);
}

void over_keys_scores(const struct task *task, const struct over_keys *of, const double *query,
                      uint64_t group, const uint64_t *place, uint64_t count, double *key, double *score,
                      uint64_t step)
{
    const uint64_t whole = over_keys_whole(of);
    for (uint64_t j = 0; j < count; j++) {
        over_keys_key(task, of, place[j], key);
        for (uint64_t g = 0; g < group; g++)
            score[g * step + j] = of->scale * task->maths->dot(query + g * whole, key, whole);
    }
}

void over_keys_weigh(const struct task *task, const double *sink, double *score, uint64_t count,
                     double *greatest, double *sum)
{
    const double hidden = -(double)INFINITY;
    double own = sink != NULL ? *sink : hidden, most = own;
    for (uint64_t j = 0; j < count; j++)
        most = score[j] > most || score[j] != score[j] ? score[j] : most;
    own = own - most < -700 || most == hidden ? -700 : own - most;
    for (uint64_t j = 0; j < count; j++)
        score[j] = most == hidden || score[j] - most < -700 ? -700 : score[j] - most;
    task->maths->exponential(score, count);
    task->maths->exponential(&own, 1);
    *greatest = most;
    *sum = sink != NULL && own > 0x1p-1000 ? own : 0;
    for (uint64_t j = 0; j < count; j++) {
        score[j] = most == hidden ? 0 : score[j];
        *sum += score[j];
    }
}

void over_keys_statistics(const struct task *task, unsigned maximum, uint64_t row, bool is_none,
                          double greatest, double sum)
{
    for (uint64_t place = row * STATISTIC_REPEATS; place < (row + 1) * STATISTIC_REPEATS; place++) {
        task_set(task, maximum, place, is_none ? -(double)FLT_MAX : greatest);
        task_set(task, maximum + 1, place, is_none ? (double)FLT_MAX : sum);
    }
}

void over_keys_values(const struct task *task, const struct over_keys *of, const double *weight,
                      uint64_t group, const uint64_t *place, uint64_t count, double *value, double *out,
                      uint64_t step)
{
    memset(out, 0, group * of->wide * sizeof *out);
    for (uint64_t j = 0; j < count; j++) {
        over_keys_value(task, of, place[j], value);
        for (uint64_t g = 0; g < group; g++)
            task->maths->add_scaled(out + g * of->wide, value, weight[g * step + j], of->wide);
    }
}

void over_keys_gradients(const struct task *task, const struct over_keys *of, const struct over_keys_row *row,
                         const uint64_t *place, const uint64_t *index, uint64_t count, double *score,
                         double *key, double *value, double *d_query, double *d_keys, double *d_values)
{
    const uint64_t whole = over_keys_whole(of);
    for (uint64_t j = 0; j < count; j++)
        score[j] = score[j] - row->greatest < -700 ? -(double)INFINITY : score[j] - row->greatest;
    for (uint64_t j = 0; j < count; j++) {
        double p = score[j];
        if (p == -(double)INFINITY) /* hidden, or as good as */
            continue;
        task->maths->exponential(&p, 1);
        p /= row->sum;
        over_keys_value(task, of, place[j], value);
        over_keys_key(task, of, place[j], key);
        const double slope = of->scale * p * (task->maths->dot(row->d_out, value, of->wide) - row->delta);
        task->maths->add_scaled(d_values + index[j] * of->wide, row->d_out, p, of->wide);
        task->maths->add_scaled(d_query, key, slope, whole);
        task->maths->add_scaled(d_keys + index[j] * whole, row->query, slope, whole);
    }
}
