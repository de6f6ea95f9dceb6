/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the walks over blocks share: the memory of a thread, where elements lie, products of blocks, and which
 * scores are hidden or kept.
 */
#ifndef BELAY_OPS_ATTENTION_WALK_H
#define BELAY_OPS_ATTENTION_WALK_H

#include <string.h>

#include "ops/attention/attention.h"

/* The memory of a thread. Panels have the elements of two vectors of rows side by side; rows are floats with
 * zeros up to whole vectors. */
struct attention_room {
    float *query_panels, *dy_panels;
    float *query_rows, *dy_rows, *key_rows, *value_rows;
    float *scores, *slopes, *bias;
    float *sums;                  /* of the values, or the gradients of rows */
    float *key_sums, *value_sums; /* the gradients of all keys and values of a head */
    float *scales;                /* and offsets of a head's elements */
    uint32_t *hidden, *kept;
    float *greatest, *factor;
    double *sum;
};

struct attention_run {
    const struct attention *plan;
    unsigned char *at[ATTENTION_TENSORS];
    unsigned char **member_at; /* keys and values of lists in turn */
    double *totals;            /* of dpse and dsink */
};

/* The page of memory that so many pages of a batch's keys come before. */
static inline int32_t attention_page(const struct attention_run *run, uint64_t batch, uint64_t number)
{
    const struct attention_view *view = &run->plan->tensor[PAGES];
    int32_t page;
    memcpy(&page, run->at[PAGES] + ((int64_t)batch * view->row + (int64_t)number * view->element) * 4,
           sizeof page);
    return page;
}

/* Some rows of a head, and the block of keys that they meet. */
struct attention_work {
    const struct attention_run *run;
    const struct attention *plan;
    struct attention_sequence sequence;
    struct attention_room room;
    uint64_t head, row, key, next_key;
    uint32_t rows, keys;
    const float *key_rows, *value_rows; /* of the block: where they lie, or in the room */
    int64_t key_step, value_step;
    struct attention_few few_keys, few_values; /* instead of these, where from is not NULL */
};

static inline uint32_t whole_vectors(const struct attention *plan, uint32_t count)
{
    const uint32_t lanes = plan->products->vector_lanes;
    return (count + lanes - 1) / lanes * lanes;
}

/* Of what rows of the query are packed in. */
static inline uint32_t attention_panel_width(const struct attention *plan)
{
    return 2 * plan->products->vector_lanes;
}

/* Floats of 8 bits, which are made FLOAT before anything is packed. */
static inline bool attention_is_coded(const struct attention *plan, enum attention_tensor tensor)
{
    return plan->tensor[tensor].operand.bytes == 1;
}

static inline bool attention_is_of_keys(enum attention_tensor tensor)
{
    return tensor == KEY || tensor == VALUE || tensor == KEY_ROPE;
}

static inline const struct attention_view *attention_view_at(const struct attention_work *work,
                                                             enum attention_tensor tensor)
{
    return work->plan->member_count > 0 && attention_is_of_keys(tensor)
               ? attention_member(work->plan, work->sequence.member, tensor)
               : &work->plan->tensor[tensor];
}

/* Element (batch, head, row, 0); row counts from the tensor's first. */
static inline unsigned char *attention_row(const struct attention_work *work, enum attention_tensor tensor,
                                           uint64_t head, uint64_t row)
{
    const struct attention *plan = work->plan;
    const struct attention_view *view = attention_view_at(work, tensor);
    unsigned char *base = view == &plan->tensor[tensor]
                              ? work->run->at[tensor]
                              : work->run->member_at[2 * work->sequence.member + (tensor == VALUE)];
    uint64_t batch = work->sequence.batch;
    if (plan->page > 0 && attention_is_of_keys(tensor)) {
        batch = (uint64_t)attention_page(work->run, batch, row / plan->page);
        row %= plan->page;
    }
    const int64_t offset =
        (int64_t)batch * view->batch + (int64_t)head * view->head + (int64_t)row * view->row;
    return base + offset * (int64_t)view->operand.bytes;
}

/* The number of rows in each block of a sequence. */
static inline uint32_t attention_block_rows(uint64_t rows)
{
    const uint64_t blocks = (rows + ATTENTION_ROWS - 1) / ATTENTION_ROWS;
    return blocks == 0 ? 0 : (uint32_t)((rows + blocks - 1) / blocks);
}

/* The room of a thread, or only its bytes where memory is NULL. */
size_t attention_carve(const struct attention *plan, unsigned char *memory, struct attention_room *room);

struct attention_sequence attention_sequence_of(const struct attention *plan, uint64_t number);

/* Rows of query or dy, transposed. */
void attention_pack_rows(const struct attention_work *work, enum attention_tensor tensor,
                         enum attention_tensor more, uint32_t depth, uint32_t more_depth, float *panels);

/* count rows of a tensor (and what its rope appends) as floats, in memory of the room. */
void attention_read_rows(const struct attention_work *work, enum attention_tensor tensor,
                         enum attention_tensor more, uint64_t head, uint64_t row, uint32_t count, float *to);

/* The block's keys and values. */
void attention_take_keys(struct attention_work *work);

/* sums[lane][column] = or += the sum over steps of left[lane][step] * right[step][column]. Right is rows that
 * are right_step apart, or panels where that is 0. */
struct attention_product {
    const float *left, *right;
    int64_t left_lane, left_step, right_step;
    uint32_t lanes, columns, depth;
    float *sums;
    int64_t sums_step;
    bool adds, takes_pairs; /* of each two steps the second one first */
};

/* Whether both are BFLOAT16, whose products take pairs of steps. */
static inline bool attention_has_pairs(const struct attention *plan, enum attention_tensor left,
                                       enum attention_tensor right)
{
    return plan->tensor[left].operand.dtype == ACL_BF16 && plan->tensor[right].operand.dtype == ACL_BF16;
}

void attention_multiply(const struct attention *plan, const struct attention_product *product);

/* Goes to the work's next block of keys that some row sees, and fills its bias, if there is any; false at the end.
 * From next_key 0 on. */
bool attention_next_keys(struct attention_work *work);

/* The block's scores as products, and what goes into them. */
void attention_score(const struct attention_work *work, struct attention_block *block);

/* Row i of the work in softmaxMax or softmaxSum. */
unsigned char *attention_statistic(const struct attention_work *work, enum attention_tensor tensor,
                                   uint32_t i);

/* A task of each. */
void attention_forward(struct attention_work *work, uint64_t task);
void attention_backward(struct attention_work *work, uint64_t task);

/* dpse and dsink from their totals. */
void attention_finish_totals(const struct attention_run *run);

#endif
