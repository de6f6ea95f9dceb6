/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Blocks of attention: their rows as panels, their products, and what is hidden or kept of them.
 */
#include "ops/attention/walk.h"

#include <math.h>
#include <string.h>

#include "ops/contraction/sizes.h"

/* The next part of the memory, in whole lines. */
static void *carve(unsigned char *memory, size_t *used, uint64_t count, size_t bytes)
{
    void *part = memory + *used;
    *used += whole_lines(count * bytes);
    return part;
}

size_t attention_carve(const struct attention *plan, unsigned char *memory, struct attention_room *room)
{
    static unsigned char nowhere[1];
    const bool is_gradient = plan->is_gradient, has_rows = is_gradient || attention_is_coded(plan, QUERY);
    const uint32_t width = attention_panel_width(plan);
    const uint64_t rows = least(plan->rows, ATTENTION_ROWS), keys = least(plan->keys, ATTENTION_KEYS);
    const uint64_t padded_rows = (rows + width - 1) / width * width;
    const uint32_t depth = plan->depth + plan->rope_depth, padded = whole_vectors(plan, depth),
                   value_padded = whole_vectors(plan, plan->value_depth);
    const uint64_t block = keys * plan->row_step;
    size_t used = 0;
    unsigned char *first = memory != NULL ? memory : nowhere;
    room->query_panels = carve(first, &used, padded_rows * depth, sizeof(float));
    room->dy_panels = carve(first, &used, is_gradient ? padded_rows * plan->value_depth : 0, sizeof(float));
    room->query_rows = carve(first, &used, has_rows ? rows * padded : 0, sizeof(float));
    room->dy_rows = carve(first, &used, is_gradient ? rows * value_padded : 0, sizeof(float));
    room->key_rows = carve(first, &used, keys * padded, sizeof(float));
    room->value_rows = carve(first, &used, keys * value_padded, sizeof(float));
    room->scores = carve(first, &used, block, sizeof(float));
    room->slopes = carve(first, &used, is_gradient ? block : 0, sizeof(float));
    room->bias = carve(first, &used, attention_has(plan, PSE) ? block : 0, sizeof(float));
    room->sums = carve(first, &used, rows * (padded > value_padded ? padded : value_padded), sizeof(float));
    room->key_sums = carve(first, &used, is_gradient ? plan->keys * padded : 0, sizeof(float));
    room->value_sums = carve(first, &used, is_gradient ? plan->keys * value_padded : 0, sizeof(float));
    room->scales =
        carve(first, &used, attention_has(plan, KEY_SCALE) ? 2 * (padded + value_padded) : 0, sizeof(float));
    room->hidden = carve(first, &used, ATTENTION_WORDS * ATTENTION_ROWS, sizeof(uint32_t));
    room->kept = carve(first, &used, ATTENTION_WORDS * ATTENTION_ROWS, sizeof(uint32_t));
    room->greatest = carve(first, &used, ATTENTION_ROWS, sizeof(float));
    room->factor = carve(first, &used, ATTENTION_ROWS, sizeof(float));
    room->sum = carve(first, &used, ATTENTION_ROWS, sizeof(double));
    return used;
}

struct attention_sequence attention_sequence_of(const struct attention *plan, uint64_t number)
{
    if (number < plan->sequence_count)
        return plan->sequence[number];
    return (struct attention_sequence){
        .batch = number,
        .rows = plan->rows,
        .keys = plan->keys,
        .elements_before = number * plan->heads * plan->rows * plan->keys,
        .lower = plan->lower,
        .upper = plan->upper,
        .last = plan->last,
    };
}

/* Rows of a matrix, whose elements lie from a number on in those of the panels. */
static void pack_panels(const struct attention_work *work, const struct contraction_matrix *operand,
                        const unsigned char *matrix, uint32_t depth, uint32_t at, uint32_t whole_depth,
                        float *panels)
{
    const uint32_t width = attention_panel_width(work->plan);
    struct contraction_panel panel = {.operand = operand, .matrix = matrix, .width = width};
    for (; panel.lane < work->rows; panel.lane += width, panels += (size_t)width * whole_depth) {
        panel.lanes = (uint32_t)least(width, work->rows - panel.lane);
        for (panel.first = 0; panel.first < depth; panel.first += panel.depth) {
            panel.depth = (uint32_t)least(CONTRACTION_BLOCK, depth - panel.first);
            panel.to = panels + (at + panel.first) * width;
            work->plan->products->pack(NULL, &panel);
        }
    }
}

static void pack(const struct attention_work *work, enum attention_tensor tensor, uint32_t depth, uint32_t at,
                 uint32_t whole_depth, float *panels)
{
    const struct attention_view *view = &work->plan->tensor[tensor];
    const struct contraction_matrix operand = {
        .dtype = view->operand.dtype, .bytes = view->operand.bytes, .stride = {view->row, view->element}};
    pack_panels(work, &operand, attention_row(work, tensor, work->head, work->sequence.row + work->row),
                depth, at, whole_depth, panels);
}

/* Rows that are floats in the room of rows before they are packed. */
static void pack_coded(const struct attention_work *work, enum attention_tensor tensor, uint32_t depth,
                       float *panels)
{
    float *rows = tensor == QUERY ? work->room.query_rows : work->room.dy_rows;
    const uint32_t padded = whole_vectors(work->plan, depth);
    const struct contraction_matrix operand = {
        .dtype = ACL_FLOAT, .bytes = sizeof(float), .stride = {padded, 1}};
    attention_read_rows(work, tensor, tensor, work->head, work->sequence.row + work->row, work->rows, rows);
    pack_panels(work, &operand, (const unsigned char *)rows, depth, 0, depth, panels);
}

void attention_pack_rows(const struct attention_work *work, enum attention_tensor tensor,
                         enum attention_tensor more, uint32_t depth, uint32_t more_depth, float *panels)
{
    if (attention_is_coded(work->plan, tensor)) {
        pack_coded(work, tensor, depth, panels);
        return;
    }
    pack(work, tensor, depth, 0, depth + more_depth, panels);
    if (more_depth > 0)
        pack(work, more, more_depth, depth, depth + more_depth, panels);
}

void attention_multiply(const struct attention *plan, const struct attention_product *product)
{
    const struct contraction_kernels *products = plan->products;
    const bool is_packed = product->left_lane == 1;
    contraction_multiply *const(*multiply)[14] = is_packed ? products->packed : products->direct;
    const uint32_t most = is_packed ? products->rows_max : products->rows_direct_max;
    const uint32_t width = attention_panel_width(plan), groups = (product->lanes + most - 1) / most;
    struct contraction_step step = {.left_lane = product->left_lane,
                                    .left_step = product->left_step,
                                    .right_step = product->right_step == 0 ? width : product->right_step,
                                    .depth = product->depth,
                                    .takes_pairs = product->takes_pairs,
                                    .sums_step = product->sums_step,
                                    .adds = product->adds};
    for (uint32_t group = 0, i = 0; group < groups; group++) {
        const uint32_t next = (uint32_t)((uint64_t)product->lanes * (group + 1) / groups);
        step.left = product->left + (int64_t)i * product->left_lane;
        for (uint32_t j = 0; j < product->columns; j += width) {
            const size_t right = product->right_step == 0 ? (size_t)j * product->depth : j;
            step.right = product->right + right;
            step.sums = product->sums + (int64_t)i * product->sums_step + j;
            multiply[product->columns - j > products->vector_lanes ? 1 : 0][next - i - 1](&step);
        }
        i = next;
    }
}

static int64_t position_of(const struct attention_work *work, uint32_t i)
{
    return work->plan->has_rows_of_heads ? 0 : (int64_t)(work->row + i);
}

/* The first key and the last one that row i of the work sees. */
static int64_t first_seen(const struct attention_work *work, uint32_t i)
{
    return position_of(work, i) + work->sequence.lower;
}

static int64_t last_seen(const struct attention_work *work, uint32_t i)
{
    const int64_t last = position_of(work, i) + work->sequence.upper;
    return last > work->sequence.last ? last : work->sequence.last;
}

/* The lowest bits, as many as fit. */
static uint32_t low_bits(int64_t count)
{
    return count <= 0 ? 0 : count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

/* A bit for each of count bytes, 32 at most, which is set where the byte is not 0. */
static uint32_t bits_of_bytes(const unsigned char *byte, int64_t stride, uint32_t count)
{
    uint32_t bits = 0, j = 0;
    for (; stride == 1 && j + 8 <= count; j += 8) {
        uint64_t eight;
        memcpy(&eight, byte + j, sizeof eight);
        if (eight == 0)
            continue;
        eight |= eight >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f);
        eight |= eight >> 2 & UINT64_C(0x0303030303030303);
        eight |= eight >> 1;
        eight &= UINT64_C(0x0101010101010101);
        bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << j;
    }
    for (; j < count; j++)
        bits |= (uint32_t)(byte[(int64_t)j * stride] != 0) << j;
    return bits;
}

/* Whether something is hidden of the block: words for all its lanes then. */
static bool find_hidden(const struct attention_work *work, uint32_t lanes)
{
    const struct attention_view *mask = &work->plan->tensor[MASK];
    const bool has_mask = attention_has(work->plan, MASK);
    const bool is_bounded =
        work->plan->is_bounded && (first_seen(work, work->rows - 1) > (int64_t)work->key ||
                                   last_seen(work, 0) < (int64_t)(work->key + work->keys - 1));
    if (!has_mask && !is_bounded)
        return false;
    uint32_t any = 0;
    for (uint32_t c = 0; c * 32 < work->keys; c++) {
        const int64_t first = (int64_t)work->key + c * 32;
        const uint32_t count = (uint32_t)least(32, work->keys - c * 32);
        uint32_t *word = work->room.hidden + c * ATTENTION_ROWS;
        for (uint32_t i = 0; i < lanes; i++) {
            word[i] = 0;
            if (i >= work->rows)
                continue;
            if (has_mask && i > 0 && mask->row == 0)
                word[i] = word[0];
            else if (has_mask)
                word[i] = bits_of_bytes(attention_row(work, MASK, work->head, work->row + i) +
                                            first * mask->element,
                                        mask->element, count);
            any |= word[i];
        }
        for (uint32_t i = 0; is_bounded && i < work->rows; i++) {
            word[i] |= low_bits(first_seen(work, i) - first) | ~low_bits(last_seen(work, i) + 1 - first);
            any |= word[i];
        }
    }
    return any != 0;
}

/* Bits of dropMask from a number on. */
static uint32_t bits_of_mask(const struct attention_work *work, uint64_t element, uint32_t count)
{
    const unsigned char *byte = work->run->at[DROP];
    const int64_t stride = work->plan->tensor[DROP].element;
    uint64_t bits = 0;
    for (uint64_t k = element / 8; k <= (element + count - 1) / 8; k++)
        bits |= (uint64_t)byte[(int64_t)k * stride] << (k - element / 8) * 8;
    return (uint32_t)(bits >> element % 8) & low_bits(count);
}

/* Bits that are drawn: 1 where the word of this number is below what is kept. */
static uint32_t bits_of_draw(const struct attention *plan, uint64_t element, uint32_t count)
{
    const struct draw draw = {.seed = plan->seed, .offset = plan->offset, .scale = 1};
    uint32_t word[DRAW_ELEMENTS_MAX], bits = 0;
    plan->words(&draw, element / 4, word);
    for (uint32_t j = 0; j < count; j++)
        bits |= (uint32_t)(word[element % 4 + j] < plan->kept_words) << j;
    return bits;
}

static void find_kept(const struct attention_work *work, uint32_t lanes)
{
    const struct attention_sequence *sequence = &work->sequence;
    for (uint32_t c = 0; c * 32 < work->keys; c++)
        for (uint32_t i = 0; i < lanes; i++) {
            const uint32_t count = (uint32_t)least(32, work->keys - c * 32);
            const uint64_t element = sequence->elements_before +
                                     (work->head * sequence->rows + work->row + i) * sequence->keys +
                                     work->key + c * 32;
            uint32_t *word = &work->room.kept[c * ATTENTION_ROWS + i];
            *word = i >= work->rows             ? 0
                    : work->plan->draws_dropout ? bits_of_draw(work->plan, element, count)
                                                : bits_of_mask(work, element, count);
        }
}

/* Fills positional scores that are made of slopes, -slope |row - key| or -slope sqrt |row - key| (O. Press,
 * N. A. Smith, M. Lewis, Train Short, Test Long: Attention with Linear Biases, 2021). */
static void fill_slopes(const struct attention_work *work, uint32_t lanes, uint32_t step)
{
    const struct attention *plan = work->plan;
    float slope;
    memcpy(&slope, attention_row(work, PSE, work->head, 0), sizeof slope);
    for (uint32_t j = 0; j < work->keys; j++)
        for (uint32_t i = 0; i < lanes; i++) {
            const double apart = fabs((double)((int64_t)(work->row + i) + plan->row_start -
                                               (int64_t)(work->key + j) - plan->key_start));
            const double distance = plan->pse_kind == PSE_ROOTS ? sqrt(apart) : apart;
            work->room.bias[(size_t)j * step + i] = (float)(-(double)slope * distance);
        }
}

/* What is added to the block's scores, if anything is. */
static void fill_bias(const struct attention_work *work)
{
    const struct attention_view *view = &work->plan->tensor[PSE];
    const uint32_t lanes = whole_vectors(work->plan, work->rows), step = work->plan->row_step;
    if (!attention_has(work->plan, PSE))
        return;
    if (work->plan->pse_kind == PSE_SLOPES || work->plan->pse_kind == PSE_ROOTS) {
        fill_slopes(work, lanes, step);
        return;
    }
    const struct contraction_matrix operand = {
        .dtype = view->operand.dtype, .bytes = view->operand.bytes, .stride = {view->row, view->element}};
    const struct contraction_panel panel = {.operand = &operand,
                                            .matrix = attention_row(work, PSE, work->head, work->row),
                                            .first = work->key,
                                            .lanes = work->rows,
                                            .width = step,
                                            .depth = work->keys,
                                            .to = work->room.bias};
    work->plan->products->pack(NULL, &panel);
}

/* Leaves out keys at the block's end to whose scores the bias adds -infinity in each row, as it does to those of
 * places that a cache has not filled yet; false where these are all keys. */
static bool has_seen_keys(struct attention_work *work)
{
    const struct attention *plan = work->plan;
    if (!attention_has(plan, PSE) || plan->pse_kind != PSE_ADDED)
        return true;
    for (; work->keys > 0; work->keys--) {
        const float *bias = work->room.bias + (size_t)(work->keys - 1) * plan->row_step;
        for (uint32_t i = 0; i < work->rows; i++)
            if (bias[i] != -INFINITY)
                return true;
    }
    return false;
}

bool attention_next_keys(struct attention_work *work)
{
    const bool is_bounded = work->plan->is_bounded;
    for (;;) {
        work->key = work->next_key;
        if (work->key >= work->sequence.keys || work->sequence.is_apart)
            return false;
        work->keys = (uint32_t)least(ATTENTION_KEYS, work->sequence.keys - work->key);
        work->next_key = work->key + work->keys;
        if (is_bounded && (first_seen(work, 0) >= (int64_t)(work->key + work->keys) ||
                           last_seen(work, work->rows - 1) < (int64_t)work->key))
            continue;
        fill_bias(work);
        if (has_seen_keys(work))
            return true;
    }
}

void attention_score(const struct attention_work *work, struct attention_block *block)
{
    const struct attention *plan = work->plan;
    const struct attention_room *room = &work->room;
    const uint32_t lanes = whole_vectors(plan, work->rows);
    *block = (struct attention_block){
        .scores = room->scores,
        .slopes = room->slopes,
        .keys = work->keys,
        .lanes = lanes,
        .step = plan->row_step,
        .scale = plan->scale,
        .inverse_keep = (float)(1 / plan->keep),
        .is_bias_scaled = plan->pse_kind == PSE_SCALED,
        .greatest = room->greatest,
        .factor = room->factor,
        .sum = room->sum,
    };
    if (work->few_keys.from != NULL)
        plan->kernels->score_few(&work->few_keys);
    else
        attention_multiply(plan,
                           &(struct attention_product){.left = work->key_rows,
                                                       .left_lane = work->key_step,
                                                       .left_step = 1,
                                                       .right = room->query_panels,
                                                       .lanes = work->keys,
                                                       .columns = lanes,
                                                       .depth = plan->depth + plan->rope_depth,
                                                       .sums = room->scores,
                                                       .sums_step = plan->row_step,
                                                       .takes_pairs = attention_has_pairs(plan, QUERY, KEY)});
    if (attention_has(plan, PSE))
        block->bias = room->bias;
    if (find_hidden(work, lanes))
        block->hidden = room->hidden;
    if (plan->has_dropout) {
        find_kept(work, lanes);
        block->kept = room->kept;
    }
}

unsigned char *attention_statistic(const struct attention_work *work, enum attention_tensor tensor,
                                   uint32_t i)
{
    const struct attention *plan = work->plan;
    const struct attention_sequence *sequence = &work->sequence;
    if (!plan->is_packed || plan->has_rows_of_statistics)
        return attention_row(work, tensor, work->head, sequence->row + work->row + i);
    /* A block (head, row) for each sequence: its number among all rows and heads of the view. */
    const uint64_t number = sequence->row * plan->heads + work->head * sequence->rows + work->row + i;
    return attention_row(work, tensor, number % plan->heads, number / plan->heads);
}
