/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A task of attention's gradients: a head of keys, with all heads of rows that share it.
 *
 *     P = e^(S - max) / sum, R = P as dropout keeps it, dS = P (dropout(dy value^T) - rowsum(dy out))
 *     dvalue = R^T dy, dquery = scale dS key, dkey = scale dS^T query
 */
#include <string.h>

#include "ops/attention/walk.h"

/* The sum of products in doubles, of four chains. */
static double dot(const float *a, const float *b, uint32_t count)
{
    double sum[4] = {0};
    for (uint32_t k = 0; k < count; k++)
        sum[k % 4] += (double)a[k] * (double)b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* What belongs to each row: its greatest score, 1 / sum, and rowsum(dy out). */
static void take_statistics(const struct attention_work *work)
{
    const struct attention *plan = work->plan;
    const struct attention_room *room = &work->room;
    const uint32_t padded = whole_vectors(plan, plan->value_depth);
    for (uint32_t i = 0; i < ATTENTION_ROWS; i++) {
        room->greatest[i] = room->factor[i] = 0;
        room->sum[i] = 0;
    }
    /* The rows of out are read into memory that the block's scores take afterwards. */
    for (uint32_t i = 0; i < work->rows; i++) {
        float sum;
        float *out = room->sums;
        memcpy(&room->greatest[i], attention_statistic(work, MAXIMUM, i), sizeof(float));
        memcpy(&sum, attention_statistic(work, SUM, i), sizeof sum);
        room->factor[i] = 1 / sum;
        plan->kernels->read(attention_row(work, OUT, work->head, work->sequence.row + work->row + i),
                            plan->tensor[OUT].operand.dtype, plan->tensor[OUT].element, plan->value_depth,
                            out);
        room->sum[i] = dot(out, room->dy_rows + (size_t)i * padded, plan->value_depth);
    }
}

/* Adds the block's gradients of scores to those of pse. */
static void add_pse(const struct attention_work *work, const struct attention_block *block)
{
    const struct attention *plan = work->plan;
    const int64_t *stride = plan->pse_stride;
    const double factor = plan->pse_kind == PSE_SCALED ? (double)plan->scale : 1;
    double *total = work->run->totals + (int64_t)work->sequence.batch * stride[0] +
                    (int64_t)work->head * stride[1] + (int64_t)work->row * stride[2] +
                    (int64_t)work->key * stride[3];
    for (uint32_t j = 0; j < block->keys; j++)
        for (uint32_t i = 0; i < work->rows; i++)
            total[i * stride[2] + j * stride[3]] +=
                factor * (double)block->slopes[(size_t)j * block->step + i];
}

/* The logit of the sink has no value: its gradient is -p rowsum(dy out). */
static void add_sink(const struct attention_work *work)
{
    const struct attention_room *room = &work->room;
    float sink, p[ATTENTION_ROWS];
    memcpy(&sink, attention_row(work, SINK, work->head, 0), sizeof sink);
    for (uint32_t i = 0; i < ATTENTION_ROWS; i++)
        p[i] = sink - room->greatest[i];
    work->plan->kernels->exponential(p, ATTENTION_ROWS);
    for (uint32_t i = 0; i < work->rows; i++)
        work->run->totals[work->plan->pse_count + work->head] -=
            (double)(p[i] * room->factor[i]) * room->sum[i];
}

/* One block of scores: what it adds to the gradients of its rows, keys and values. */
static void run_block(struct attention_work *work)
{
    const struct attention *plan = work->plan;
    const struct attention_room *room = &work->room;
    const uint32_t depth = whole_vectors(plan, plan->depth + plan->rope_depth),
                   value_depth = whole_vectors(plan, plan->value_depth);
    struct attention_block block;
    attention_take_keys(work);
    attention_score(work, &block);
    struct attention_product product = {.left = work->value_rows,
                                        .left_lane = work->value_step,
                                        .left_step = 1,
                                        .right = room->dy_panels,
                                        .lanes = work->keys,
                                        .columns = block.lanes,
                                        .depth = plan->value_depth,
                                        .sums = room->slopes,
                                        .sums_step = block.step,
                                        .takes_pairs = attention_has_pairs(plan, DY, VALUE)};
    attention_multiply(plan, &product);
    plan->kernels->slopes(&block);
    if (plan->pse_count > 0)
        add_pse(work, &block);
    product = (struct attention_product){.left = room->scores,
                                         .left_lane = block.step,
                                         .left_step = 1,
                                         .right = room->dy_rows,
                                         .right_step = value_depth,
                                         .lanes = work->keys,
                                         .columns = value_depth,
                                         .depth = work->rows,
                                         .sums = room->value_sums + work->key * value_depth,
                                         .sums_step = value_depth,
                                         .adds = true};
    attention_multiply(plan, &product);
    product.left = room->slopes;
    product.right = room->query_rows;
    product.columns = depth;
    product.right_step = product.sums_step = depth;
    product.sums = room->key_sums + work->key * depth;
    attention_multiply(plan, &product);
    product.left_lane = 1;
    product.left_step = block.step;
    product.right = work->key_rows;
    product.right_step = work->key_step;
    product.lanes = work->rows;
    product.depth = work->keys;
    product.sums = room->sums;
    attention_multiply(plan, &product);
}

/* Rows of sums, part of each to one tensor. */
static void write_rows(const struct attention_work *work, enum attention_tensor tensor, uint64_t head,
                       uint64_t row, uint64_t count, const float *sums, uint32_t padded, uint32_t depth,
                       float factor)
{
    const struct attention_view *view = &work->plan->tensor[tensor];
    if (!attention_has(work->plan, tensor))
        return;
    for (uint64_t i = 0; i < count; i++, sums += padded)
        work->plan->kernels->write(sums, factor, attention_row(work, tensor, head, row + i),
                                   view->operand.dtype, view->element, depth);
}

static void run_rows(struct attention_work *work)
{
    const struct attention *plan = work->plan;
    const struct attention_room *room = &work->room;
    const uint32_t padded = whole_vectors(plan, plan->depth + plan->rope_depth);
    const enum attention_tensor more = plan->rope_depth > 0 ? QUERY_ROPE : QUERY;
    const uint64_t row = work->sequence.row + work->row;
    attention_pack_rows(work, QUERY, QUERY_ROPE, plan->depth, plan->rope_depth, room->query_panels);
    attention_pack_rows(work, DY, DY, plan->value_depth, 0, room->dy_panels);
    attention_read_rows(work, QUERY, more, work->head, row, work->rows, room->query_rows);
    attention_read_rows(work, DY, DY, work->head, row, work->rows, room->dy_rows);
    take_statistics(work);
    memset(room->sums, 0, (size_t)work->rows * padded * sizeof(float));
    work->next_key = 0;
    while (attention_next_keys(work))
        run_block(work);
    write_rows(work, D_QUERY, work->head, row, work->rows, room->sums, padded, plan->depth, plan->scale);
    write_rows(work, D_QUERY_ROPE, work->head, row, work->rows, room->sums + plan->depth, padded,
               plan->rope_depth, plan->scale);
    if (plan->sums_count > plan->pse_count && !work->sequence.is_apart)
        add_sink(work);
}

void attention_backward(struct attention_work *work, uint64_t task)
{
    const struct attention *plan = work->plan;
    const struct attention_room *room = &work->room;
    const uint64_t shared_heads = plan->heads / plan->group, shared = task % shared_heads;
    work->sequence = attention_sequence_of(plan, task / shared_heads);
    const uint32_t padded = whole_vectors(plan, plan->depth + plan->rope_depth),
                   value_padded = whole_vectors(plan, plan->value_depth);
    const uint64_t keys = work->sequence.keys, key = work->sequence.key;
    const uint32_t block_rows = attention_block_rows(work->sequence.rows);
    memset(room->key_sums, 0, keys * padded * sizeof(float));
    memset(room->value_sums, 0, keys * value_padded * sizeof(float));
    for (work->head = shared * plan->group; work->head < (shared + 1) * plan->group; work->head++)
        for (work->row = 0; work->row < work->sequence.rows; work->row += work->rows) {
            const uint64_t left = work->sequence.rows - work->row;
            work->rows = left < block_rows ? (uint32_t)left : block_rows;
            run_rows(work);
        }
    write_rows(work, D_KEY, shared, key, keys, room->key_sums, padded, plan->depth, plan->scale);
    write_rows(work, D_KEY_ROPE, shared, key, keys, room->key_sums + plan->depth, padded, plan->rope_depth,
               plan->scale);
    write_rows(work, D_VALUE, shared, key, keys, room->value_sums, value_padded, plan->value_depth, 1);
}

static void write_total(const struct attention_run *run, enum attention_tensor tensor, int64_t place,
                        double total)
{
    const struct operand *operand = &run->plan->tensor[tensor].operand;
    float value[16] = {(float)total}; /* the longest vector, of which one element is written */
    run->plan->kernels->write(value, 1, run->at[tensor] + place * (int64_t)operand->bytes, operand->dtype, 1,
                              1);
}

void attention_finish_totals(const struct attention_run *run)
{
    const struct attention *plan = run->plan;
    const struct attention_view *pse = &plan->tensor[D_PSE];
    const uint64_t *size = plan->pse_size;
    for (uint64_t n = 0; n < plan->pse_count; n++) {
        const uint64_t i = n / size[3], h = i / size[2], b = h / size[1];
        const int64_t place = (int64_t)b * pse->batch + (int64_t)(h % size[1]) * pse->head +
                              (int64_t)(i % size[2]) * pse->row + (int64_t)(n % size[3]) * pse->element;
        write_total(run, D_PSE, place, run->totals[n]);
    }
    for (uint64_t n = plan->pse_count; n < plan->sums_count; n++) {
        const uint64_t head = n - plan->pse_count;
        write_total(run, D_SINK, (int64_t)head * plan->tensor[D_SINK].head, run->totals[n]);
    }
}
