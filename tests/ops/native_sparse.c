/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Native sparse attention, in any layout, against plain loops: windows of rows, their gradients and the last one into a
 * cache; attention over compressed keys with the blocks that are chosen, packed and in pages; attention over listed
 * blocks; what is refused or fails; and that bits depend neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/rounds.h"

enum { INVALID = ACLNN_ERR_PARAM_INVALID, FAULT = 507035, MOST = 1 << 14, SEQUENCES = 3 };

static long double sums[MOST], sizes[MOST];

static aclDataType draw_dtype(void)
{
    return random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
}

static void clear_sums(int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        sums[i] = sizes[i] = 0;
}

static void add(int64_t i, long double term)
{
    sums[i] += term;
    sizes[i] += fabsl(term);
}

/* Sums, rounded once, but for what adding up in another order changes. */
static void expect_sums(const struct named_call *call, const struct layout *layout)
{
    for (int64_t i = 0; i < layout->count; i++) {
        const double found = element_of(layout, i), ulp = layout->dtype == ACL_FLOAT  ? 0x1p-24
                                                          : layout->dtype == ACL_BF16 ? 0x1p-8
                                                                                      : 0x1p-11;
        if (!(fabsl((long double)found - sums[i]) <=
              fabsl(sums[i]) * (long double)ulp * 1.001L + sizes[i] * 1e-7L + 1e-7L))
            fail_msg("%s: [%d] is %.9g; %.9Lg is expected", call->function->operation.name, (int)i, found,
                     sums[i]);
    }
}

static void windows(void)
{
    const bool is_gradient = random_below(2) == 0;
    struct named_call call = call_begin_named(is_gradient ? "aclnnNsaCompressGrad" : "aclnnNsaCompress");
    const int64_t heads = 1 + random_below(3), depth = 1 + random_below(20), size = 1 + random_below(6),
                  stride = 1 + random_below(5), sequences = 1 + random_below(SEQUENCES),
                  rows = random_below(30) + 1, elements = heads * depth;
    int64_t end[SEQUENCES], count = 0;
    for (int64_t b = 0, before = 0; b < sequences; before = end[b++]) {
        end[b] = before + random_below(rows - before + 1);
        count += end[b] - before >= size ? (end[b] - before - size) / stride + 1 : 0;
    }
    const aclDataType dtype = draw_dtype();
    const struct layout *x = GIVE(&call, "input", dtype, rows, heads, depth),
                        *weight = GIVE(&call, "weight", dtype, size, heads),
                        *grad = is_gradient ? GIVE(&call, "outputGrad", dtype, count, heads, depth) : NULL;
    const struct layout *out = is_gradient ? GIVE(&call, "inputGrad", dtype, rows, heads, depth)
                                           : GIVE(&call, "output", dtype, count, heads, depth),
                        *dw = is_gradient ? GIVE(&call, "weightGrad", dtype, size, heads) : NULL;
    give_array(&call, "actSeqLen", end, (uint64_t)sequences);
    give_number(&call, "compressBlockSize", (double)size);
    give_number(&call, "compressStride", (double)stride);
    assert_int_equal(run_named(&call), 0);
    for (int pass = 0; pass < 1 + is_gradient; pass++) {
        clear_sums(MOST);
        for (int64_t b = 0, begin = 0, w = 0; b < sequences; begin = end[b++])
            for (int64_t first = begin; first + size <= end[b]; first += stride, w++)
                for (int64_t i = 0; i < size * elements; i++) {
                    const int64_t e = i % elements, row = (first + i / elements) * elements + e,
                                  factor = i / elements * heads + e / depth;
                    if (!is_gradient)
                        add(w * elements + e,
                            (long double)element_of(x, row) * (long double)element_of(weight, factor));
                    else if (pass == 0)
                        add(row, (long double)element_of(grad, w * elements + e) *
                                     (long double)element_of(weight, factor));
                    else
                        add(factor, (long double)element_of(grad, w * elements + e) *
                                        (long double)element_of(x, row));
                }
        expect_sums(&call, pass == 0 ? out : dw);
    }
    finish_named(&call);
}

static void last_windows(void)
{
    struct named_call call = call_begin_named("aclnnNsaCompressWithCache");
    const int64_t heads = 1 + random_below(3), depth = 1 + random_below(9), elements = heads * depth,
                  size = 1 + random_below(5), stride = 1 + random_below(3), page = 1 + random_below(4),
                  sequences = 1 + random_below(SEQUENCES);
    const aclDataType dtype = draw_dtype();
    const struct layout *x = GIVE(&call, "input", dtype, 5, page, heads, depth),
                        *weight = GIVE(&call, "weight", dtype, size, heads),
                        *cache = GIVE(&call, "outputCacheRef", dtype, 4, heads, depth),
                        *table = GIVE(&call, "blockTable", ACL_INT32, sequences, 4),
                        *slots = GIVE(&call, "slotMapping", ACL_INT32, sequences);
    int64_t length[SEQUENCES], pages[SEQUENCES * 4], slot[SEQUENCES];
    for (int64_t i = 0; i < sequences * 4; i++)
        set_whole(table, i, pages[i] = random_below(5));
    for (int64_t b = 0; b < sequences; b++) {
        set_whole(slots, b, slot[b] = random_below(5) - 1);
        length[b] = random_below(4 * page + 1);
    }
    clear_sums(cache->count);
    for (int64_t i = 0; i < cache->count; i++)
        sums[i] = (long double)element_of(cache, i);
    for (int64_t b = 0; b < sequences; b++) {
        if (slot[b] < 0 || length[b] < size || (length[b] - size) % stride != 0)
            continue;
        for (int64_t i = 0; i < elements; i++)
            sums[slot[b] * elements + i] = sizes[slot[b] * elements + i] = 0;
        for (int64_t i = 0; i < size * elements; i++) {
            const int64_t row = length[b] - size + i / elements,
                          at = pages[b * 4 + row / page] * page + row % page;
            add(slot[b] * elements + i % elements,
                (long double)element_of(x, at * elements + i % elements) *
                    (long double)element_of(weight, i / elements * heads + i % elements / depth));
        }
    }
    give_array(&call, "actSeqLen", length, (uint64_t)sequences);
    give_number(&call, "compressBlockSize", (double)size);
    give_number(&call, "compressStride", (double)stride);
    give_number(&call, "pageBlockSize", (double)page);
    assert_int_equal(run_named(&call), 0);
    expect_sums(&call, cache);
    finish_named(&call);
}

struct attention {
    int64_t heads, key_heads, depth, wide, group;
    const struct layout *query, *key, *value;
    long double weight[256], greatest, sum;
};

/* Weights of the keys at the places of one head, and what comes out in sums. */
static void attend(struct attention *of, int64_t row, const int64_t *place, const bool *is_hidden,
                   int64_t count)
{
    of->greatest = -(long double)INFINITY;
    of->sum = 0;
    clear_sums(of->wide);
    for (int64_t i = 0; i < count; i++) {
        long double score = 0;
        for (int64_t e = 0; e < of->depth; e++)
            score += (long double)element_of(of->query, row * of->depth + e) *
                     (long double)element_of(of->key, place[i] * of->depth + e);
        of->weight[i] = is_hidden != NULL && is_hidden[i] ? -(long double)INFINITY : score * 0.5L;
        of->greatest = fmaxl(of->greatest, of->weight[i]);
    }
    for (int64_t i = 0; i < count; i++) {
        of->weight[i] = isinf(of->weight[i]) ? 0 : expl(of->weight[i] - of->greatest);
        of->sum += of->weight[i];
    }
    for (int64_t i = 0; i < count && of->sum > 0; i++)
        for (int64_t e = 0; e < of->wide; e++)
            add(e, of->weight[i] / of->sum * (long double)element_of(of->value, place[i] * of->wide + e));
}

static void expect_row(const struct named_call *call, const struct attention *of, const struct layout *out,
                       int64_t row)
{
    const long double ulp = out->dtype == ACL_BF16 ? 0x1p-8L : 0x1p-11L;
    for (int64_t e = 0; e < of->wide; e++)
        if (!(fabsl((long double)element_of(out, row * of->wide + e) - sums[e]) <=
              fabsl(sums[e]) * ulp + sizes[e] * 1e-9L + 1e-7L))
            fail_msg("%s: row %d is %.9g; %.9Lg is expected", call->function->operation.name, (int)row,
                     element_of(out, row * of->wide + e), sums[e]);
}

static void add_importance(const struct attention *of, int64_t keys, int64_t blocks, int64_t parts,
                           int64_t inside, long double *to)
{
    for (int64_t j = 0; j < blocks && of->sum > 0; j++)
        for (int64_t a = 0; a < parts; a++)
            for (int64_t c = 0; c < inside; c++) {
                const int64_t k = parts * (j + 1) - a - c;
                to[j] += k >= 0 && k < keys ? of->weight[k] / of->sum : 0;
            }
}

/* Each index is one of a block that was not chosen before, and none that is left has more. */
static void expect_chosen(const struct layout *chosen, int64_t at, int64_t count, int64_t blocks,
                          long double *importance, bool has_ends)
{
    const int64_t first[] = {0, blocks - 2, blocks - 1};
    bool is_taken[256] = {false};
    int64_t forced = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t index = whole_of(chosen, at + i);
        while (has_ends && forced < 3 && (first[forced] < 0 || is_taken[first[forced]]))
            forced++;
        if (i >= blocks) {
            assert_int_equal(index, -1);
            continue;
        }
        assert_true(index >= 0 && index < blocks && !is_taken[index]);
        is_taken[index] = true;
        if (has_ends && forced < 3) {
            assert_int_equal(index, first[forced]);
            continue;
        }
        for (int64_t j = 0; j < blocks; j++)
            assert_true(is_taken[j] || importance[j] <= importance[index] + 1e-12L);
    }
}

static void compressed(void)
{
    struct named_call call = call_begin_named("aclnnNsaCompressAttention");
    struct attention of = {.key_heads = 1 + random_below(2),
                           .group = 1 + random_below(3),
                           .depth = 1 + random_below(9),
                           .wide = 1 + random_below(9)};
    of.heads = of.key_heads * of.group;
    const int64_t sequences = 1 + random_below(SEQUENCES), rows = 1 + random_below(6),
                  keys = 1 + random_below(40), stride = 1 + random_below(3), parts = 1 + random_below(4),
                  inside = 1 + random_below(3), count = 1 + random_below(6);
    int64_t end[SEQUENCES], last[SEQUENCES], block_end[SEQUENCES], before[3] = {0};
    for (int64_t b = 0; b < sequences; b++) {
        end[b] = b + 1 == sequences ? rows : before[0] + random_below(rows - before[0] + 1);
        last[b] = before[1] + random_below(keys - before[1] + 1);
        block_end[b] = before[2] + (last[b] - before[1] + parts - 1) / parts;
        before[0] = end[b];
        before[1] = last[b];
        before[2] = block_end[b];
    }
    const aclDataType dtype = draw_dtype();
    of.query = GIVE(&call, "query", dtype, rows, of.heads, of.depth);
    of.key = GIVE(&call, "key", dtype, keys, of.key_heads, of.depth);
    of.value = GIVE(&call, "value", dtype, keys, of.key_heads, of.wide);
    const struct layout *mask = random_below(2) == 0 ? GIVE(&call, "attenMask", ACL_BOOL, rows, keys) : NULL,
                        *first = random_below(2) == 0 ? GIVE(&call, "topkMask", ACL_BOOL, rows, keys) : NULL;
    for (int64_t i = 0; i < rows * keys; i++) {
        if (mask != NULL)
            *layout_element(mask, i) = random_below(3) == 0;
        if (first != NULL)
            *layout_element(first, i) = random_below(5) == 0;
    }
    const struct layout *out = GIVE(&call, "attentionOut", dtype, rows, of.heads, of.wide),
                        *most = GIVE(&call, "softmaxMax", ACL_FLOAT, rows, of.heads, 8),
                        *total = GIVE(&call, "softmaxSum", ACL_FLOAT, rows, of.heads, 8),
                        *chosen = GIVE(&call, "topkIndices", ACL_INT32, rows, of.key_heads, count);
    give_array(&call, "actualSeqQLen", end, (uint64_t)sequences);
    give_array(&call, "actualCmpSeqKvLen", last, (uint64_t)sequences);
    give_array(&call, "actualSelSeqKvLen", block_end, (uint64_t)sequences);
    give_number(&call, "scaleValue", .5);
    give_number(&call, "headNum", (double)of.heads);
    give_number(&call, "compressStride", (double)stride);
    give_number(&call, "compressBlockSize", (double)(stride * inside));
    give_number(&call, "selectBlockSize", (double)(stride * parts));
    give_number(&call, "selectBlockCount", (double)count);
    call.argument[place_named(&call, "inputLayout")].string = "TND";
    assert_int_equal(run_named(&call), 0);
    for (int64_t b = 0, row = 0; b < sequences; b++)
        for (int64_t begin = b > 0 ? last[b - 1] : 0, own = 0, length = last[b] - begin; row < end[b];
             row++, own++)
            for (int64_t head = 0; head < of.key_heads; head++) {
                const int64_t blocks = block_end[b] - (b > 0 ? block_end[b - 1] : 0);
                long double importance[256] = {0};
                int64_t place[64];
                bool is_hidden[64];
                for (int64_t j = 0; j < length; j++) {
                    place[j] = (begin + j) * of.key_heads + head;
                    is_hidden[j] = mask != NULL && *layout_element(mask, own * keys + j) != 0;
                }
                for (int64_t g = 0; g < of.group; g++) {
                    const int64_t at = row * of.heads + head * of.group + g;
                    attend(&of, at, place, is_hidden, length);
                    expect_row(&call, &of, out, at);
                    add_importance(&of, length, blocks, parts, inside, importance);
                    const double greatest = element_of(most, at * 8 + 7), sum = element_of(total, at * 8 + 3);
                    assert_true(of.sum > 0 ? fabsl((long double)greatest - of.greatest) <=
                                                     1e-6L * (1 + fabsl(of.greatest)) &&
                                                 fabsl((long double)sum - of.sum) <= 1e-6L * of.sum
                                           : greatest < -3e38 && sum > 3e38);
                }
                for (int64_t j = 0; first != NULL && j < blocks; j++)
                    if (*layout_element(first, own * keys + j) != 0)
                        importance[j] = (long double)INFINITY;
                expect_chosen(chosen, (row * of.key_heads + head) * count, count, blocks, importance, false);
            }
    finish_named(&call);
}

static void in_pages(void)
{
    const bool chooses = random_below(2) == 0;
    const char *const layout = ((const char *const[]){NULL, "BSND", "BSH"})[random_below(chooses ? 2 : 3)];
    const bool is_joined = layout != NULL && strcmp(layout, "BSH") == 0;
    struct named_call call =
        call_begin_named(chooses ? "aclnnNsaCompressAttentionInfer" : "aclnnNsaSelectedAttentionInfer");
    struct attention of = {.key_heads = 1 + random_below(2),
                           .group = 1 + random_below(3),
                           .depth = 1 + random_below(9),
                           .wide = 1 + random_below(9)};
    of.heads = of.key_heads * of.group;
    const int64_t batches = 1 + random_below(SEQUENCES), page = 1 + random_below(6),
                  count = 1 + random_below(5),
                  block = !chooses && random_below(4) == 0 ? INT64_C(1) << 58 : 1 + random_below(4);
    const aclDataType dtype = draw_dtype();
    of.query = is_joined        ? GIVE(&call, "query", dtype, batches, 1, of.heads * of.depth)
               : layout != NULL ? GIVE(&call, "query", dtype, batches, 1, of.heads, of.depth)
                                : GIVE(&call, "query", dtype, batches, of.heads, of.depth);
    of.key = GIVE(&call, "key", dtype, 6, page, of.key_heads * of.depth);
    of.value = GIVE(&call, "value", dtype, 6, page, of.key_heads * of.wide);
    const struct layout *out = is_joined        ? GIVE(&call, "output", dtype, batches, 1, of.heads * of.wide)
                               : layout != NULL ? GIVE(&call, "output", dtype, batches, 1, of.heads, of.wide)
                                                : GIVE(&call, "output", dtype, batches, of.heads, of.wide),
                        *table = GIVE(&call, "blockTable", ACL_INT32, batches, 5),
                        *chosen = GIVE(&call, chooses ? "topKOutput" : "topkIndices", ACL_INT32, batches,
                                       of.key_heads, count);
    int64_t length[SEQUENCES], blocks[SEQUENCES], pages[SEQUENCES * 5];
    for (int64_t i = 0; i < batches * 5; i++)
        set_whole(table, i, pages[i] = random_below(6));
    const bool has_blocks = chooses && random_below(3) == 0;
    for (int64_t b = 0; b < batches; b++) {
        length[b] = 1 + random_below(5 * page);
        blocks[b] = has_blocks ? random_below(9) : (length[b] - 1 + 2 + block - 1) / block;
    }
    if (has_blocks)
        give_array(&call, "actualSelKvSeqLen", blocks, (uint64_t)batches);
    for (int64_t i = 0; !chooses && i < chosen->count; i++)
        set_whole(chosen, i, random_below(9) - 1);
    give_array(&call, chooses ? "actualCmpKvSeqLen" : "actualKvSeqLen", length, (uint64_t)batches);
    give_number(&call, "scaleValue", .5);
    give_number(&call, "numHeads", (double)of.heads);
    give_number(&call, "numKeyValueHeads", (double)of.key_heads);
    give_number(&call, "selectBlockSize", (double)block);
    give_number(&call, "selectBlockCount", (double)count);
    give_number(&call, "compressBlockSize", 2);
    give_number(&call, "compressStride", 1);
    give_number(&call, "pageBlockSize", (double)page);
    call.argument[place_named(&call, "layout")].string = layout;
    assert_int_equal(run_named(&call), 0);
    for (int64_t b = 0; b < batches; b++)
        for (int64_t head = 0; head < of.key_heads; head++) {
            const int64_t at = (b * of.key_heads + head) * count;
            int64_t place[256], seen = 0;
            long double importance[256] = {0};
            for (int64_t i = 0; i < (chooses ? 1 : count); i++) {
                const int64_t from = chooses ? 0 : whole_of(chosen, at + i) * block,
                              to = chooses ? length[b] : from + block;
                for (int64_t j = from; j >= 0 && j < to && j < length[b]; j++)
                    place[seen++] = (pages[b * 5 + j / page] * page + j % page) * of.key_heads + head;
            }
            for (int64_t g = 0; g < of.group; g++) {
                attend(&of, b * of.heads + head * of.group + g, place, NULL, seen);
                expect_row(&call, &of, out, b * of.heads + head * of.group + g);
                if (chooses)
                    add_importance(&of, seen, blocks[b], block, 2, importance);
            }
            if (chooses)
                expect_chosen(chosen, at, count, blocks[b], importance, true);
        }
    finish_named(&call);
}

static void (*const rounds[])(void) = {windows, last_windows, compressed, in_pages, NULL};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    try_rounds(rounds, 12);
}

static uint64_t everything(void)
{
    return hash_of_rounds(rounds);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnNsaCompress");
    const int64_t ends[] = {2, 4}, wrong[] = {3, 2}, lengths[] = {3, 4};
    GIVE(&call, "input", ACL_FLOAT16, 4, 2, 3);
    GIVE(&call, "weight", ACL_FLOAT16, 2, 2);
    GIVE(&call, "output", ACL_FLOAT16, 2, 2, 3);
    assert_named_refused(&call, INVALID, "actSeqLenOptional is not given");
    give_array(&call, "actSeqLen", wrong, 2);
    assert_named_refused(&call, INVALID, "actSeqLenOptional has 2 at [1]; ends that do not fall, up to 4");
    assert_int_equal(aclDestroyIntArray(call.argument[place_named(&call, "actSeqLen")].ints), 0);
    give_array(&call, "actSeqLen", ends, 2);
    REFUSED(call, "actSeqLenType", 1, "actSeqLenType is 1; 0 is expected");
    give_number(&call, "actSeqLenType", 0);
    REFUSED(call, "compressStride", 0, "compressBlockSize is 2 and compressStride 0");
    end_named(&call);

    call = call_begin_named("aclnnNsaCompressWithCache");
    GIVE(&call, "input", ACL_FLOAT16, 3, 2, 2, 3);
    GIVE(&call, "weight", ACL_FLOAT16, 2, 2);
    GIVE(&call, "outputCacheRef", ACL_FLOAT16, 4, 2, 3);
    set_numbers(GIVE(&call, "slotMapping", ACL_INT32, 2), (const double[]){4, 0});
    struct layout *table = GIVE(&call, "blockTable", ACL_INT32, 2, 2);
    set_numbers(table, (const double[]){0, 1, 2, 3});
    give_array(&call, "actSeqLen", lengths, 2);
    assert_failure(run_named(&call), FAULT, "slotMapping holds 4 at [0]; up to 3 are expected");
    set_numbers(tensor_named(&call, "slotMapping"), (const double[]){1, 0});
    assert_failure(run_named(&call), FAULT, "blockTable holds 3 for sequence 1; 0 to 2 are expected");
    REFUSED(call, "pageBlockSize", 3, "pageBlockSize is 3; 2, as input has, is expected");
    end_named(&call);

    call = call_begin_named("aclnnNsaSelectedAttentionInfer");
    GIVE(&call, "query", ACL_FLOAT16, 2, 2, 4);
    GIVE(&call, "key", ACL_FLOAT16, 3, 4, 4);
    GIVE(&call, "value", ACL_FLOAT16, 3, 4, 4);
    GIVE(&call, "output", ACL_FLOAT16, 2, 2, 4);
    set_numbers(GIVE(&call, "topkIndices", ACL_INT32, 2, 1, 2), (const double[]){0, -1, 0, -1});
    set_numbers(GIVE(&call, "blockTable", ACL_INT32, 2, 1), (const double[]){0, 3});
    give_array(&call, "actualKvSeqLen", lengths, 2);
    assert_failure(run_named(&call), FAULT, "blockTable holds 3 at [1, 0]; 0 to 2 are expected");
    REFUSED(call, "selectBlockCount", 3, "topkIndices has shape [2, 1, 2]; [2, 1, 3] is expected");
    give_number(&call, "selectBlockCount", 2);
    REFUSED(call, "numKeyValueHeads", 3, "there are 2 heads, and 3 of keys; a multiple is expected");
    end_named(&call);
}

/* However long it is said to be; two of them have the same keys twice. */
static void a_block_has_no_more_than_all_keys(void **state)
{
    (void)state;
    const int64_t lengths[] = {3};
    struct named_call call = call_begin_named("aclnnNsaSelectedAttentionInfer");
    GIVE(&call, "query", ACL_FLOAT16, 1, 2, 4);
    GIVE(&call, "key", ACL_FLOAT16, 3, 4, 4);
    set_numbers(GIVE(&call, "value", ACL_FLOAT16, 3, 4, 1),
                (const double[]){5, 5, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7});
    const struct layout *out = GIVE(&call, "output", ACL_FLOAT16, 1, 2, 1);
    set_numbers(GIVE(&call, "topkIndices", ACL_INT32, 1, 1, 2), (const double[]){0, 0});
    set_numbers(GIVE(&call, "blockTable", ACL_INT32, 1, 1), (const double[]){0});
    give_array(&call, "actualKvSeqLen", lengths, 1);
    give_number(&call, "selectBlockSize", 0x1p62);
    assert_int_equal(run_named(&call), 0);
    assert_true(element_of(out, 0) == 5 && element_of(out, 1) == 5);
    end_named(&call);

    call = call_begin_named("aclnnNsaCompressAttentionInfer");
    GIVE(&call, "query", ACL_FLOAT16, 1, 2, 4);
    GIVE(&call, "key", ACL_FLOAT16, 3, 4, 4);
    GIVE(&call, "value", ACL_FLOAT16, 3, 4, 1);
    GIVE(&call, "output", ACL_FLOAT16, 1, 2, 1);
    const struct layout *chosen = GIVE(&call, "topKOutput", ACL_INT32, 1, 1, 2);
    set_numbers(GIVE(&call, "blockTable", ACL_INT32, 1, 1), (const double[]){0});
    give_array(&call, "actualCmpKvSeqLen", lengths, 1);
    give_number(&call, "selectBlockSize", 0x1p62);
    assert_int_equal(run_named(&call), 0);
    assert_true(whole_of(chosen, 0) == 0 && whole_of(chosen, 1) == -1);
    end_named(&call);
}

/* Windows that are longer than all keys see what those see that are just as long, and no later. */
static void windows_of_any_length_end(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const int64_t rows[] = {1}, keys[] = {3};
        struct named_call call = call_begin_named("aclnnNsaCompressAttention");
        GIVE(&call, "query", ACL_FLOAT16, 1, 1, 4), GIVE(&call, "key", ACL_FLOAT16, 3, 1, 4);
        GIVE(&call, "value", ACL_FLOAT16, 3, 1, 1), GIVE(&call, "attentionOut", ACL_FLOAT16, 1, 1, 1);
        GIVE(&call, "softmaxMax", ACL_FLOAT, 1, 1, 8), GIVE(&call, "softmaxSum", ACL_FLOAT, 1, 1, 8);
        const struct layout *chosen = GIVE(&call, "topkIndices", ACL_INT32, 1, 1, 3);
        give_array(&call, "actualSeqQLen", rows, 1), give_array(&call, "actualCmpSeqKvLen", keys, 1);
        give_array(&call, "actualSelSeqKvLen", keys, 1), give_number(&call, "headNum", 1);
        give_number(&call, "compressStride", 1), give_number(&call, "selectBlockSize", 1);
        give_number(&call, "compressBlockSize", i == 0 ? 4 : 0x1p62);
        give_number(&call, "selectBlockCount", 3);
        call.argument[place_named(&call, "inputLayout")].string = "TND";
        assert_int_equal(run_named(&call), 0);
        assert_true(whole_of(chosen, 0) == 1 && whole_of(chosen, 1) == 2 && whole_of(chosen, 2) == 0);
        end_named(&call);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(a_block_has_no_more_than_all_keys),
        cmocka_unit_test(windows_of_any_length_end),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
