/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A task of attention: a block of rows of a head along all keys.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/attention/walk.h"

/* The sum of exponentials takes one logit more, to which no value belongs; what there was counts e^(old - new
 * greatest) times. */
static void add_sink(const struct attention_work *work, float *factor)
{
    const struct attention_room *room = &work->room;
    float read[ATTENTION_ROWS] = {0}, own[ATTENTION_ROWS] = {0}; /* kernels read whole vectors */
    work->plan->kernels->read(attention_row(work, SINK, work->head, 0),
                              work->plan->tensor[SINK].operand.dtype, 1, 1, read);
    const float sink = read[0];
    memset(factor, 0, ATTENTION_ROWS * sizeof *factor);
    for (uint32_t i = 0; i < work->rows; i++) {
        const float greatest = room->greatest[i] > sink ? room->greatest[i] : sink;
        /* Where there is nothing, e^-inf is to be 0. */
        const float shift = greatest == -INFINITY ? 0 : greatest;
        factor[i] = room->greatest[i] - shift;
        own[i] = sink - shift;
        room->greatest[i] = greatest;
    }
    work->plan->kernels->exponential(factor, ATTENTION_ROWS);
    work->plan->kernels->exponential(own, ATTENTION_ROWS);
    for (uint32_t i = 0; i < work->rows; i++)
        room->sum[i] = room->sum[i] * (double)factor[i] + (double)own[i];
}

static void write_number(const struct attention_work *work, enum attention_tensor tensor, uint32_t i,
                         float value)
{
    const int64_t step = work->plan->tensor[tensor].element * (int64_t)sizeof value;
    if (!attention_has(work->plan, tensor))
        return;
    unsigned char *to = attention_statistic(work, tensor, i);
    for (int k = 0; k < (tensor == LSE ? 1 : (int)work->plan->repeats); k++)
        memcpy(to + k * step, &value, sizeof value);
}

static void write_rows(const struct attention_work *work, const float *sink_factor)
{
    const struct attention *plan = work->plan;
    const struct attention_room *room = &work->room;
    const struct attention_view *out = &plan->tensor[OUT];
    const uint32_t padded = whole_vectors(plan, plan->value_depth);
    for (uint32_t i = 0; i < work->rows; i++) {
        const bool sees_nothing = room->sum[i] == 0;
        float *sums = room->sums + (size_t)i * padded;
        double factor = 1 / room->sum[i];
        if (plan->has_dropout)
            factor /= plan->keep;
        if (sink_factor != NULL)
            factor *= (double)sink_factor[i];
        if (sees_nothing)
            memset(sums, 0, padded * sizeof *sums);
        plan->kernels->write(sums, sees_nothing ? 0 : (float)factor,
                             attention_row(work, OUT, work->head, work->sequence.row + work->row + i),
                             out->operand.dtype, out->element, plan->value_depth);
        float greatest = sees_nothing ? -FLT_MAX : room->greatest[i],
              sum = sees_nothing ? FLT_MAX : (float)room->sum[i];
        if (sum != sum)
            greatest = sum = NAN;
        write_number(work, MAXIMUM, i, greatest);
        write_number(work, SUM, i, sum);
    }
}

static void write_logarithms(const struct attention_work *work)
{
    const struct attention_room *room = &work->room;
    double logarithm[ATTENTION_ROWS];
    memcpy(logarithm, room->sum, sizeof logarithm);
    work->plan->kernels->logarithm(logarithm, ATTENTION_ROWS);
    for (uint32_t i = 0; i < work->rows; i++)
        write_number(work, LSE, i,
                     room->sum[i] == 0              ? INFINITY
                     : room->sum[i] != room->sum[i] ? NAN
                                                    : (float)((double)room->greatest[i] + logarithm[i]));
}

/* Where keys lie at the end of their memory, but for what pads them. */
static void skip_padding(struct attention_work *work)
{
    int64_t padding;
    memcpy(&padding, work->run->at[PADDING], sizeof padding);
    const int64_t first = (int64_t)(work->sequence.room - work->sequence.keys) - (padding > 0 ? padding : 0);
    work->sequence.key = first > 0 ? (uint64_t)first : 0;
}

/* The block's values by its exponentials, onto the sums of blocks before it. */
static void add_values(struct attention_work *work, uint32_t padded, bool adds)
{
    const struct attention *plan = work->plan;
    const struct attention_room *room = &work->room;
    work->few_values.adds = adds;
    if (work->few_values.from != NULL)
        plan->kernels->add_few(&work->few_values);
    else
        attention_multiply(plan, &(struct attention_product){.left = room->scores,
                                                             .left_lane = 1,
                                                             .left_step = plan->row_step,
                                                             .right = work->value_rows,
                                                             .right_step = work->value_step,
                                                             .lanes = work->rows,
                                                             .columns = padded,
                                                             .depth = work->keys,
                                                             .sums = room->sums,
                                                             .sums_step = padded,
                                                             .adds = adds});
}

void attention_forward(struct attention_work *work, uint64_t task)
{
    const struct attention *plan = work->plan;
    const struct attention_room *room = &work->room;
    const uint32_t padded = whole_vectors(plan, plan->value_depth);
    float sink_factor[ATTENTION_ROWS];
    work->sequence = attention_sequence_of(plan, task / plan->row_blocks / plan->heads);
    work->head = task / plan->row_blocks % plan->heads;
    if (attention_has(plan, PADDING) && !work->sequence.is_apart)
        skip_padding(work);
    const uint32_t block_rows = attention_block_rows(work->sequence.rows);
    work->row = task % plan->row_blocks * block_rows;
    if (work->row >= work->sequence.rows)
        return;
    const uint64_t left = work->sequence.rows - work->row;
    work->rows = left < block_rows ? (uint32_t)left : block_rows;
    attention_pack_rows(work, QUERY, QUERY_ROPE, plan->depth, plan->rope_depth, room->query_panels);
    for (uint32_t i = 0; i < ATTENTION_ROWS; i++) {
        room->greatest[i] = -INFINITY;
        room->sum[i] = 0;
    }
    bool is_first = true;
    work->next_key = 0;
    for (; attention_next_keys(work); is_first = false) {
        struct attention_block block;
        attention_take_keys(work);
        attention_score(work, &block);
        plan->kernels->exponentials(&block);
        if (!is_first)
            plan->kernels->rescale(room->sums, work->rows, padded, room->factor);
        add_values(work, padded, !is_first);
    }
    const bool has_sink = attention_has(plan, SINK) && !work->sequence.is_apart;
    if (has_sink)
        add_sink(work, sink_factor);
    if (is_first)
        memset(room->sums, 0, (size_t)work->rows * padded * sizeof(float));
    write_rows(work, has_sink ? sink_factor : NULL);
    if (attention_has(plan, LSE))
        write_logarithms(work);
}
