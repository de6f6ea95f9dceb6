/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comes before latent attention, token by token: everything in doubles, sums in the order of their terms. A
 * task takes some tokens together, so that a row of a weight is read once for all of them.
 */
#include "ops/cache/mla_prolog.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/quantise/number.h"
#include "runtime/streams/fault.h"

/* The memory of a task: of each token what products make, and rows that all share. */
struct room {
    double *token, *latent, *query, *kept, *projected; /* by token */
    double *row, *gamma, *kept_gamma, *smooth, *cosine, *sine, *turned;
};

static uint64_t widest(const struct mla *mla)
{
    const uint64_t query = mla->heads * (mla->depth + mla->turned), kept = mla->kept + mla->turned;
    const uint64_t most = query > kept ? query : kept;
    return most > mla->latent ? most : mla->latent;
}

/* Where everything is, from the first double on; how many there are. */
static uint64_t carve(const struct mla *mla, double *first, struct room *room)
{
    const uint64_t n = MLA_TASK_TOKENS;
    const struct {
        double **place;
        uint64_t count;
    } parts[] = {
        {&room->token, n * mla->width},
        {&room->latent, n * mla->latent},
        {&room->query, n * mla->heads * (mla->depth + mla->turned)},
        {&room->kept, n * (mla->kept + mla->turned)},
        {&room->projected, n * mla->kept},
        {&room->row, widest(mla)},
        {&room->gamma, mla->latent},
        {&room->kept_gamma, mla->kept},
        {&room->smooth, mla->latent},
        {&room->cosine, mla->turned},
        {&room->sine, mla->turned},
        {&room->turned, mla->turned},
    };
    uint64_t used = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; used += parts[i++].count)
        *parts[i].place = first == NULL ? NULL : first + used;
    return used;
}

uint64_t mla_room(const struct mla *mla)
{
    struct room room;
    return carve(mla, NULL, &room);
}

/* The number of a token's block among those that cacheIndex names, and its place there. */
static uint64_t block_of(const struct task *task, uint64_t token, uint64_t *place)
{
    const struct mla *mla = task->parameters;
    const uint64_t rows = mla->slots[0].rows;
    uint64_t blocks = 0, begin = 0;
    if (!mla->is_packed || !mla->has_lengths) {
        *place = token % mla->batch_tokens % rows;
        return token / mla->batch_tokens * ((mla->batch_tokens + rows - 1) / rows) +
               token % mla->batch_tokens / rows;
    }
    for (uint64_t b = 0;; b++) {
        const uint64_t end = (uint64_t)task_integer(task, MLA_LENGTHS, b);
        if (token < end)
            break;
        blocks += (end - begin + rows - 1) / rows;
        begin = end;
    }
    *place = (token - begin) % rows;
    return blocks + (token - begin) / rows;
}

static int64_t slot_of_token(const struct task *task, uint64_t token)
{
    const struct mla *mla = task->parameters;
    uint64_t place;
    if (!mla->has_index)
        return (int64_t)token;
    if (!mla->by_blocks)
        return task_integer(task, mla->index, token);
    const int64_t block = task_integer(task, mla->index, block_of(task, token, &place)),
                  blocks = (int64_t)mla->slots[0].blocks;
    return block < 0         ? block
           : block >= blocks ? INT64_MAX
                             : block * (int64_t)mla->slots[0].rows + (int64_t)place;
}

/* Where sequences end: all tokens are of one, and their blocks are named. */
static int check_lengths(const struct task *task)
{
    const struct mla *mla = task->parameters;
    const uint64_t rows = mla->slots[0].rows;
    uint64_t blocks = 0;
    int64_t before = 0;
    for (uint64_t b = 0; before < (int64_t)mla->tokens; b++) {
        const int64_t end = b < mla->sequences ? task_integer(task, MLA_LENGTHS, b) : -1;
        if (end < before || end > (int64_t)mla->tokens)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "actualSeqLen leads to %" PRId64 " tokens of sequence %" PRIu64
                                  "; ends from %" PRId64 " up to %" PRIu64 ", the last one, are expected",
                                  end, b, before, mla->tokens);
        blocks += ((uint64_t)(end - before) + rows - 1) / rows;
        before = end;
    }
    return blocks <= mla->block_numbers
               ? 0
               : operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                "cacheIndex has %" PRIu64 " blocks; %" PRIu64 " are expected",
                                mla->block_numbers, blocks);
}

int mla_start(struct task *task)
{
    const struct mla *mla = task->parameters;
    const int status = mla->by_blocks && mla->is_packed && mla->has_lengths ? check_lengths(task) : 0;
    return status != 0 ? status : slots_check(task, &mla->slots[0], mla->tokens, "cacheIndex", slot_of_token);
}

/* sums (of each token) = tokens times a weight, whose rows are read once. */
static void multiply(const struct task *task, unsigned weight, uint64_t first_row, const double *left,
                     uint64_t left_step, uint64_t tokens, uint64_t depth, uint64_t columns, double *row,
                     double *sums)
{
    memset(sums, 0, tokens * columns * sizeof *sums);
    for (uint64_t i = 0; i < depth; i++) {
        task_read(task, weight, (first_row + i) * columns, columns, row);
        for (uint64_t t = 0; t < tokens; t++)
            task->maths->add_scaled(sums + t * columns, row, left[t * left_step + i], columns);
    }
}

/* What products of INT8 are in numbers: times a scale of the row and one of each column. */
static void scale(const struct task *task, unsigned columns_scale, double row_scale, uint64_t columns,
                  double *row, double *sums)
{
    task_read(task, columns_scale, 0, columns, row);
    for (uint64_t e = 0; e < columns; e++)
        sums[e] *= row_scale * row[e];
}

static void normalise(const struct task *task, const double *gamma, double epsilon, double factor,
                      uint64_t count, double *row)
{
    const double root = sqrt(task->maths->dot(row, row, count) / (double)count + epsilon);
    for (uint64_t e = 0; e < count; e++)
        row[e] = row[e] / root * gamma[e] * factor;
}

/* A row as INT8 by its greatest size; the scale, in FLOAT. */
static double quantise(double *row, const double *smooth, uint64_t count)
{
    for (uint64_t e = 0; smooth != NULL && e < count; e++)
        row[e] *= smooth[e];
    const double step = (double)scale_of_size(greatest_size(row, count, 0), 127);
    for (uint64_t e = 0; e < count; e++)
        row[e] = step == 0 ? 0 : task_int8(row[e] / step);
    return step;
}

/* The latent query of a token, and what is written of it; its scale where it is quantised. */
static double take_latent(const struct task *task, const struct room *room, uint64_t token, double *latent)
{
    const struct mla *mla = task->parameters;
    const unsigned norm = mla->outputs + 3U;
    double step = 1;
    if (mla->weights == MLA_ALL_QUANTISED)
        scale(task, MLA_DOWN_SCALE, task_number(task, MLA_TOKEN_SCALE, token), mla->latent, room->row,
              latent);
    normalise(task, room->gamma, mla->epsilon[0], mla->query_scale, mla->latent, latent);
    if (mla->weights != MLA_PLAIN)
        step = quantise(latent, task_has(task, MLA_SMOOTH) ? room->smooth : NULL, mla->latent);
    if (mla->has_norm && task_has(task, norm))
        task_write(task, norm, token * mla->latent, mla->latent, latent);
    if (mla->has_norm && task_has(task, norm + 1))
        task_set(task, norm + 1, token, step);
    return step;
}

/* The part of a token's query that a head's keys meet, and the part that is turned. */
static void write_head(const struct task *task, const struct room *room, uint64_t token, uint64_t head,
                       const double *turned, double *query)
{
    const struct mla *mla = task->parameters;
    const uint64_t number = token * mla->heads + head;
    turn_pairs_to_halves(turned, room->cosine, room->sine, mla->turned, room->turned);
    if (mla->caches == MLA_CACHE_BY_ONE) {
        task_round(task, mla->dtype, mla->kept, query);
        const double step = quantise(query, NULL, mla->kept),
                     factor = task_number(task, MLA_CACHE_SCALE, 0) / step;
        for (uint64_t e = 0; e < mla->turned; e++)
            room->turned[e] *= factor;
        if (task_has(task, mla->outputs + 2U))
            task_set(task, mla->outputs + 2U, number, step);
    }
    task_write(task, mla->outputs, number * mla->kept, mla->kept, query);
    task_write(task, mla->outputs + 1U, number * mla->turned, mla->turned, room->turned);
}

static void read_angles(const struct task *task, const struct room *room, uint64_t token)
{
    const struct mla *mla = task->parameters;
    task_read(task, MLA_COSINE, token * mla->turned, mla->turned, room->cosine);
    task_read(task, MLA_SINE, token * mla->turned, mla->turned, room->sine);
}

static void take_queries(const struct task *task, const struct room *room, uint64_t first, uint64_t tokens)
{
    const struct mla *mla = task->parameters;
    const uint64_t whole = mla->depth + mla->turned, columns = mla->heads * whole;
    double step[MLA_TASK_TOKENS];
    multiply(task, MLA_DOWN, 0, room->token, mla->width, tokens, mla->width, mla->latent, room->row,
             room->latent);
    for (uint64_t t = 0; t < tokens; t++)
        step[t] = take_latent(task, room, first + t, room->latent + t * mla->latent);
    multiply(task, MLA_UP, 0, room->latent, mla->latent, tokens, mla->latent, columns, room->row,
             room->query);
    for (uint64_t t = 0; mla->weights != MLA_PLAIN && t < tokens; t++)
        scale(task, MLA_UP_SCALE, step[t], columns, room->row, room->query + t * columns);
    for (uint64_t head = 0; head < mla->heads; head++) {
        for (uint64_t t = 0; t < tokens; t++)
            task_round(task, mla->dtype, mla->depth, room->query + t * columns + head * whole);
        multiply(task, MLA_KEYS, head * mla->depth, room->query + head * whole, columns, tokens, mla->depth,
                 mla->kept, room->row, room->projected);
        for (uint64_t t = 0; t < tokens; t++) {
            read_angles(task, room, first + t);
            write_head(task, room, first + t, head, room->query + t * columns + head * whole + mla->depth,
                       room->projected + t * mla->kept);
        }
    }
}

static void keep(const struct task *task, unsigned i, uint64_t slot, double *row)
{
    const struct mla *mla = task->parameters;
    const unsigned scales = MLA_CACHE_SCALE + i;
    for (uint64_t e = 0; task_has(task, scales) && e < mla->slots[i].width; e++)
        row[e] = task_int8(row[e] * task_number(task, scales, mla->caches == MLA_CACHE_BY_ONE ? 0 : e));
    slots_write(task, mla->cache[i], &mla->slots[i], slot, row);
}

static void take_kept(const struct task *task, const struct room *room, uint64_t first, uint64_t tokens)
{
    const struct mla *mla = task->parameters;
    const uint64_t columns = mla->kept + mla->turned;
    multiply(task, MLA_KEPT, 0, room->token, mla->width, tokens, mla->width, columns, room->row, room->kept);
    for (uint64_t t = 0; t < tokens; t++) {
        double *row = room->kept + t * columns;
        const int64_t slot = slot_of_token(task, first + t);
        if (slot < 0)
            continue;
        if (mla->weights == MLA_ALL_QUANTISED)
            scale(task, MLA_KEPT_SCALE, task_number(task, MLA_TOKEN_SCALE, first + t), columns, room->row,
                  row);
        normalise(task, room->kept_gamma, mla->epsilon[1], mla->kept_scale, mla->kept, row);
        read_angles(task, room, first + t);
        turn_pairs_to_halves(row + mla->kept, room->cosine, room->sine, mla->turned, room->turned);
        keep(task, 0, (uint64_t)slot, row);
        keep(task, 1, (uint64_t)slot, room->turned);
    }
}

void mla_take_tokens(const struct task *task, uint64_t number)
{
    const struct mla *mla = task->parameters;
    const uint64_t first = number * MLA_TASK_TOKENS, left = mla->tokens - first,
                   tokens = left < MLA_TASK_TOKENS ? left : MLA_TASK_TOKENS;
    struct room room;
    carve(mla, task->room, &room);
    task_read(task, MLA_TOKENS, first * mla->width, tokens * mla->width, room.token);
    task_read(task, MLA_GAMMA, 0, mla->latent, room.gamma);
    task_read(task, MLA_KEPT_GAMMA, 0, mla->kept, room.kept_gamma);
    if (task_has(task, MLA_SMOOTH))
        task_read(task, MLA_SMOOTH, 0, mla->latent, room.smooth);
    take_queries(task, &room, first, tokens);
    take_kept(task, &room, first, tokens);
}
