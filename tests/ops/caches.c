/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows to slots of caches and back, in every form of a cache, against loops over whole tensors in double: what is
 * written, what is left alone, which slots are faults; what comes before (norm, rotation, quantisation); what is
 * refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

/* A cache of blocks of rows of heads by depth, in one of its forms. */
struct form {
    int64_t blocks, rows, heads, depth, tile;
    unsigned rank, row_dim;
    int64_t shape[5];
};

static struct form form_of(aclDataType dtype, bool has_tiles, int64_t heads, int64_t depth)
{
    struct form form = {
        .blocks = 2 + random_below(3), .rows = 1 + random_below(4), .heads = heads, .depth = depth};
    const int64_t tile = 32 / (int64_t)conversion_bytes(dtype), width = heads * depth;
    const int64_t shapes[][5] = {{form.blocks, form.rows, heads, depth},
                                 {form.blocks, width / tile, form.rows, tile},
                                 {form.blocks, heads, depth / tile, form.rows, tile},
                                 {form.blocks, heads, form.rows, depth}};
    const int kind =
        !has_tiles ? heads == 1 ? (int)random_below(2) * 3 : 0 : (int)random_below(depth % tile == 0 ? 3 : 2);
    form.tile = has_tiles ? tile : width;
    form.rank = kind == 2 ? 5 : 4;
    form.row_dim = kind == 0 ? 1 : form.rank - 2; /* kind 3: one head, so heads before rows do */
    memcpy(form.shape, shapes[kind], sizeof form.shape);
    return form;
}

/* The number of an element of a slot's row. */
static int64_t number_in(const struct form *form, int64_t slot, int64_t element)
{
    const int64_t block = slot / form->rows, row = slot % form->rows,
                  tiles = form->heads * form->depth / form->tile;
    return ((block * tiles + element / form->tile) * form->rows + row) * form->tile + element % form->tile;
}

static void draw_slots(int64_t *slot, int64_t count, int64_t slots)
{
    for (int64_t i = 0; i < count; i++)
        slot[i] = random_below(5) == 0 ? -1 - random_below(3) : random_below(slots);
}

static const aclDataType of_each_size[] = {ACL_FLOAT, ACL_BF16, ACL_INT8};

/* As it was, but for the rows of the slots: the last one of each. */
static void expect_rows(const struct trial *trial, const char *row, const char *cache, const double *before,
                        const struct form *form, const int64_t *slot, int64_t tokens)
{
    const int64_t width = form->heads * form->depth;
    for (int64_t s = 0; s < form->blocks * form->rows; s++) {
        int64_t token = tokens - 1;
        while (token >= 0 && slot[token] != s)
            token--;
        for (int64_t e = 0; e < width; e++) {
            const int64_t index = number_in(form, s, e);
            const double wanted = token < 0 ? before[index] : at(trial, row, token * width + e);
            if (at(trial, cache, index) != wanted && !isnan(wanted))
                fail_msg("%s: slot %lld, element %lld of %s", trial->function->operation.name, (long long)s,
                         (long long)e, cache);
        }
    }
}

static void scatter(bool has_values)
{
    const int64_t tokens = random_below(12), heads = 1 + random_below(3);
    const bool has_tiles = random_below(2) == 0;
    struct trial trial = trial_of(has_values ? "aclnnScatterPaKvCache" : "aclnnScatterPaCache");
    const char *const names[][2] = {{"key", "keyCacheRef"}, {"value", "valueCacheRef"}};
    struct form form[2];
    double *before[2];
    int64_t slot[12];
    for (int i = 0; i < (has_values ? 2 : 1); i++) {
        const aclDataType dtype = of_each_size[random_below(3)];
        const int64_t depth = has_tiles ? 32 * (1 + random_below(2)) : 1 + random_below(9),
                      rows[] = {tokens, heads, depth};
        form[i] = form_of(dtype, has_tiles, heads, depth);
        if (i == 1) { /* as many slots as keys have */
            form[1].blocks = form[1].shape[0] = form[0].blocks;
            form[1].rows = form[1].shape[form[1].row_dim] = form[0].rows;
        }
        give(&trial, names[i][0], dtype, 3, rows, 2);
        give(&trial, names[i][1], dtype, form[i].rank, form[i].shape, 2);
        before[i] = numbers_of(&trial, names[i][1]);
    }
    draw_slots(slot, tokens, form[0].blocks * form[0].rows);
    give_numbers(&trial, "slotMapping", random_below(2) == 0 ? ACL_INT32 : ACL_INT64, 1, &tokens, slot);
    give_value(&trial, has_values ? "cacheModeOptional" : "cacheMode",
               argument_of_pointer(has_tiles ? "PA_NZ" : NULL));
    assert_int_equal(run_trial(&trial), 0);
    for (int i = 0; i < (has_values ? 2 : 1); i++) {
        expect_rows(&trial, names[i][0], names[i][1], before[i], &form[i], slot, tokens);
        free(before[i]);
    }
    if (tokens > 0) {
        const int64_t beyond = form[0].blocks * form[0].rows;
        const struct layout *mapping = given(&trial, "slotMapping");
        memcpy(layout_element(mapping, tokens - 1), &beyond, mapping->bytes);
        expect_fault(&trial, "slotMapping leads to slot");
    }
    end_trial(&trial);
}

static void rows_go_to_their_slots(void)
{
    scatter(true);
    scatter(false);
}

static void slots_come_back_by_sequence(void)
{
    const int64_t sequences = 1 + random_below(4), columns = 1 + random_below(4), heads = 1 + random_below(2);
    const bool has_tiles = random_below(2) == 0, is_cumulated = random_below(2) == 0,
               has_offset = random_below(2) == 0;
    const int64_t depth = has_tiles ? 32 : 1 + random_below(9);
    struct trial trial = trial_of("aclnnGatherPaKvCache");
    const aclDataType dtype = of_each_size[random_below(3)];
    struct form form = form_of(dtype, has_tiles, heads, depth);
    int64_t table[16], length[5] = {0}, offset[4], end = 0;
    const int64_t first = is_cumulated ? 3 : 0;
    int64_t lengths[5] = {first};
    for (int64_t i = 0; i < sequences * columns; i++)
        table[i] = random_below(6) == 0 ? form.blocks + random_below(2) : random_below(form.blocks + 1) - 1;
    for (int64_t b = 0; b < sequences; b++) {
        length[b] = random_below(columns * form.rows + 2);
        offset[b] = random_below(2 * form.rows);
        end += length[b];
        lengths[b + is_cumulated] = is_cumulated ? first + end : length[b];
    }
    const int64_t rows = end + random_below(3), shape[] = {rows, heads, depth},
                  tables[] = {sequences, columns}, count = sequences + is_cumulated;
    give(&trial, "keyCache", dtype, form.rank, form.shape, 2);
    give(&trial, "valueCache", dtype, form.rank, form.shape, 2);
    give_numbers(&trial, "blockTables", ACL_INT32, 2, tables, table);
    give_numbers(&trial, "seqLens", ACL_INT32, 1, &count, lengths);
    if (has_offset)
        give_numbers(&trial, "seqOffsetOptional", ACL_INT64, 1, &sequences, offset);
    give(&trial, "keyRef", dtype, 3, shape, 2);
    give(&trial, "valueRef", dtype, 3, shape, 2);
    double *before = numbers_of(&trial, "keyRef");
    give_value(&trial, "cacheMode", argument_of_pointer(has_tiles ? "PA_NZ" : "Norm"));
    give_value(&trial, "isSeqLensCumsum", argument_of_bool(is_cumulated));
    assert_int_equal(run_trial(&trial), 0);
    int64_t row = 0;
    for (int64_t b = 0; b < sequences; b++)
        for (int64_t j = 0; j < length[b]; j++, row++) {
            const int64_t column = (has_offset ? offset[b] / form.rows : 0) + j / form.rows,
                          block = column < columns ? table[b * columns + column] : -1;
            for (int64_t e = 0; e < heads * depth; e++) {
                const bool is_there = block >= 0 && block < form.blocks;
                const int64_t from = is_there ? number_in(&form, block * form.rows + j % form.rows, e) : 0;
                assert_true(at(&trial, "keyRef", row * heads * depth + e) ==
                            (is_there ? at(&trial, "keyCache", from) : 0));
                assert_true(at(&trial, "valueRef", row * heads * depth + e) ==
                            (is_there ? at(&trial, "valueCache", from) : 0));
            }
        }
    for (int64_t e = end * heads * depth; e < rows * heads * depth; e++)
        assert_true(at(&trial, "keyRef", e) == before[e]);
    free(before);
    if (has_offset && rows > 0) {
        const struct layout *offsets = given(&trial, "seqOffsetOptional");
        const int64_t below = -1;
        memcpy(layout_element(offsets, sequences - 1), &below, sizeof below);
        expect_fault(&trial, "seqOffsetOptional holds -1 at [");
        memcpy(layout_element(offsets, sequences - 1), &offset[sequences - 1], sizeof below);
    }
    const int64_t too_many = rows + 1 + first;
    const struct layout *given_lengths = given(&trial, "seqLens");
    memcpy(layout_element(given_lengths, count - 1), &too_many, given_lengths->bytes);
    if (rows > end)
        expect_fault(&trial, "seqLens leads to");
    end_trial(&trial);
}

/* Pairs of neighbours to halves. */
static void turn(const double *x, const double *cosine, const double *sine, int64_t count, double *to)
{
    const int64_t half = count / 2;
    for (int64_t e = 0; e < count; e++) {
        const int64_t p = e % half;
        to[e] = e < half ? x[2 * p] * cosine[e] - x[2 * p + 1] * sine[e]
                         : x[2 * p + 1] * cosine[e] + x[2 * p] * sine[e];
    }
}

static double quantised(double value, const struct trial *trial, const char *scale, const char *offset,
                        int64_t e)
{
    if (!was_given(trial, scale))
        return value;
    const struct layout *scales = given(trial, scale);
    value *= element_of(scales, scales->count == 1 ? 0 : e);
    if (was_given(trial, offset))
        value += element_of(given(trial, offset), given(trial, offset)->count == 1 ? 0 : e);
    value = nearbyint(value);
    return value < -128 ? -128 : value > 127 ? 127 : value;
}

static void latent_rows_are_normalised_turned_and_kept(void)
{
    static const char *const modes[] = {"Norm", "PA", "PA_BNSD", "PA_NZ", "PA_BLK_BNSD", "PA_BLK_NZ"};
    const int mode = (int)random_below(6);
    const bool has_tiles = mode == 3 || mode == 5, has_values = random_below(3) == 0,
               is_int8 = random_below(2) == 0, has_offset = random_below(2) == 0, by_block = mode >= 4;
    const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16,
                      kept = is_int8 ? ACL_INT8 : dtype;
    const int64_t batches = 1 + random_below(3), rows = 1 + random_below(4), turned = 32,
                  norm = 32 * (1 + random_below(2)), values = has_values ? 32 : norm,
                  keys = has_values ? norm : turned, length = has_values ? norm : norm + turned, one = 1;
    struct trial trial = trial_of(has_values || random_below(2) == 0 ? "aclnnKvRmsNormRopeCacheV2"
                                                                     : "aclnnKvRmsNormRopeCache");
    struct form form[2] = {form_of(kept, has_tiles, 1, keys), form_of(kept, has_tiles, 1, values)};
    const int64_t blocks = mode == 0 ? batches : form[0].blocks, in_block = form[0].rows;
    for (int i = 0; i < 2; i++) {
        form[i].blocks = form[i].shape[0] = blocks;
        form[i].rows = form[i].shape[form[i].row_dim] = in_block;
    }
    const int64_t kv[] = {batches, 1, rows, length}, angles[] = {batches, 1, rows, turned},
                  out[][4] = {{batches, 1, rows, keys}, {batches, 1, rows, values}},
                  per_batch = by_block ? (rows + in_block - 1) / in_block : rows,
                  indices = batches * per_batch;
    int64_t index[16], slot[16];
    for (int64_t i = 0; i < indices; i++)
        index[i] = random_below(5) == 0 ? -1
                   : by_block           ? random_below(blocks) * in_block
                                        : random_below(mode == 0 ? in_block : blocks * in_block);
    for (int64_t i = 0; i < batches * rows; i++) {
        const int64_t from = index[i / rows * per_batch + (by_block ? i % rows / in_block : i % rows)];
        slot[i] = from < 0    ? -1
                  : by_block  ? from + i % rows % in_block
                  : mode == 0 ? i / rows * in_block + from
                              : from;
    }
    give(&trial, "kv", dtype, 4, kv, 2);
    give(&trial, "gamma", dtype, 1, &norm, 2);
    give(&trial, "cos", dtype, 4, angles, 1);
    give(&trial, "sin", dtype, 4, angles, 1);
    give_numbers(&trial, "index", ACL_INT64, 1, &indices, index);
    give(&trial, "kCacheRef", kept, form[0].rank, form[0].shape, 2);
    give(&trial, "cKvCacheRef", kept, form[1].rank, form[1].shape, 2);
    if (has_values)
        give(&trial, "vOptional", dtype, 4, out[1], 2);
    if (is_int8) {
        give(&trial, "kRopeScaleOptional", ACL_FLOAT, 1, &keys, 40);
        give(&trial, "cKvScaleOptional", ACL_FLOAT, 1, random_below(2) == 0 ? &one : &values, 40);
        if (has_offset)
            give(&trial, "cKvOffsetOptional", ACL_FLOAT, 1, &values, 9);
    }
    const bool gives_out = random_below(2) == 0;
    give_value(&trial, "epsilon", argument_of_fp64(0.01));
    give_value(&trial, "cacheModeOptional", argument_of_pointer(modes[mode]));
    give_value(&trial, "isOutputKv", argument_of_bool(gives_out));
    if (gives_out || random_below(2) == 0) {
        give(&trial, "kRopeOut", gives_out ? dtype : ACL_FLOAT16, 4, out[0], 1);
        give(&trial, "cKvOut", gives_out ? dtype : ACL_FLOAT16, 4, out[1], 1);
    }
    double *before[2] = {numbers_of(&trial, "kCacheRef"), numbers_of(&trial, "cKvCacheRef")};
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < batches * rows; i++) {
        double x[128], cosine[64], sine[64], key[128], value[128], sum = 0;
        bool is_last = slot[i] >= 0;
        for (int64_t k = i + 1; k < batches * rows; k++)
            is_last = is_last && slot[k] != slot[i];
        for (int64_t e = 0; e < norm; e++)
            sum += at(&trial, "kv", i * length + e) * at(&trial, "kv", i * length + e);
        for (int64_t e = 0; e < length; e++)
            x[e] = at(&trial, "kv", i * length + e) *
                   (e < norm ? at(&trial, "gamma", e) / sqrt(sum / (double)norm + 0.01) : 1);
        for (int64_t e = 0; e < turned; e++) {
            cosine[e] = at(&trial, "cos", i * turned + e);
            sine[e] = at(&trial, "sin", i * turned + e);
        }
        turn(has_values ? x : x + norm, cosine, sine, turned, key);
        for (int64_t e = turned; e < keys; e++)
            key[e] = x[e];
        for (int64_t e = 0; e < values; e++)
            value[e] = has_values ? at(&trial, "vOptional", i * values + e) : x[e];
        for (int64_t e = 0; gives_out && e < keys; e++)
            assert_near("kRopeOut", given(&trial, "kRopeOut"), i * keys + e, (long double)key[e], dtype,
                        1e-13L);
        for (int64_t e = 0; gives_out && e < values; e++)
            assert_near("cKvOut", given(&trial, "cKvOut"), i * values + e, (long double)value[e], dtype,
                        1e-13L);
        for (int64_t e = 0; is_last && e < keys; e++)
            assert_near(
                "kCacheRef", given(&trial, "kCacheRef"), number_in(&form[0], slot[i], e),
                (long double)quantised(key[e], &trial, "kRopeScaleOptional", "kRopeOffsetOptional", e), kept,
                is_int8 ? 0 : 1e-13L);
        for (int64_t e = 0; is_last && e < values; e++)
            assert_near("cKvCacheRef", given(&trial, "cKvCacheRef"), number_in(&form[1], slot[i], e),
                        (long double)quantised(value[e], &trial, "cKvScaleOptional", "cKvOffsetOptional", e),
                        kept, is_int8 ? 0 : 1e-13L);
    }
    for (int64_t s = 0; s < blocks * in_block; s++) {
        bool is_written = false;
        for (int64_t i = 0; i < batches * rows; i++)
            is_written |= slot[i] == s;
        for (int64_t e = 0; !is_written && e < keys; e++)
            assert_true(at(&trial, "kCacheRef", number_in(&form[0], s, e)) ==
                        before[0][number_in(&form[0], s, e)]);
    }
    free(before[0]);
    free(before[1]);
    end_trial(&trial);
}

static void (*const rounds[])(void) = {
    rows_go_to_their_slots,
    slots_come_back_by_sequence,
    latent_rows_are_normalised_turned_and_kept,
};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(60));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 12);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnScatterPaKvCache");
    refuse_tensor(&trial, "slotMapping", ACL_INT32, 1, DIMS(3),
                  "slotMapping has shape [3]; a slot for each of 2 tokens");
    refuse_tensor(&trial, "key", ACL_FLOAT, 2, DIMS(2, 8), "key has shape [2, 8]; tokens, heads and");
    refuse_tensor(&trial, "key", ACL_FLOAT16, 3, DIMS(2, 1, 8), "keyCacheRef has dtype FLOAT");
    refuse_tensor(&trial, "keyCacheRef", ACL_FLOAT, 4, DIMS(2, 2, 1, 9),
                  "keyCacheRef has shape [2, 2, 1, 9]; blocks, rows and 8");
    refuse_tensor(&trial, "valueCacheRef", ACL_FLOAT, 4, DIMS(2, 3, 1, 8),
                  "valueCacheRef has shape [2, 3, 1, 8]; the slots of");
    refuse_tensor(&trial, "compressLensOptional", ACL_INT32, 1, DIMS(2),
                  "compressLensOptional was given; rows that are not");
    refuse_trial(&trial, "cacheModeOptional", argument_of_pointer("NZ"),
                 "cacheModeOptional is \"NZ\"; Norm or PA_NZ is expected");
    refuse_trial(&trial, "scatterModeOptional", argument_of_pointer("Alibi"),
                 "scatterModeOptional is \"Alibi\"; None or Nct");
    aclIntArray *strides = aclCreateIntArray(DIMS(1, 2), 2);
    refuse_trial(&trial, "stridesOptional", argument_of_pointer(strides),
                 "stridesOptional has 2; 1 is expected");
    refuse_trial(&trial, "offsetsOptional", argument_of_pointer(strides),
                 "offsetsOptional has 1; 0 is expected");
    assert_int_equal(aclDestroyIntArray(strides), 0);
    release(&attempt);
    trial = sample_of(&attempt, "aclnnGatherPaKvCache");
    refuse_tensor(&trial, "blockTables", ACL_INT32, 1, DIMS(2),
                  "blockTables has shape [2]; sequences and blocks");
    refuse_tensor(&trial, "seqLens", ACL_INT32, 1, DIMS(3), "seqLens has shape [3]; 2 numbers are expected");
    refuse_trial(&trial, "isSeqLensCumsum", argument_of_bool(true),
                 "seqLens has shape [2]; 3 numbers are expected");
    refuse_tensor(&trial, "seqOffsetOptional", ACL_INT32, 1, DIMS(3),
                  "seqOffsetOptional has shape [3]; a number for");
    refuse_tensor(&trial, "valueRef", ACL_FLOAT, 3, DIMS(5, 1, 8),
                  "valueRef has shape [5, 1, 8]; as many rows as");
    refuse_tensor(&trial, "valueCache", ACL_FLOAT, 4, DIMS(2, 3, 1, 8),
                  "valueCache has shape [2, 3, 1, 8]; the blocks");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnKvRmsNormRopeCacheV2");
    refuse_tensor(&trial, "kv", ACL_FLOAT16, 3, DIMS(2, 1, 12),
                  "kv has shape [2, 1, 12]; batches, 1, rows and");
    refuse_tensor(&trial, "gamma", ACL_FLOAT16, 1, DIMS(9),
                  "kv has shape [2, 1, 1, 12]; rows of 13 elements");
    refuse_tensor(&trial, "gamma", ACL_FLOAT16, 2, DIMS(2, 4), "gamma has shape [2, 4]; one dim is expected");
    refuse_tensor(&trial, "sin", ACL_FLOAT16, 4, DIMS(2, 1, 1, 5),
                  "sin has shape [2, 1, 1, 5]; batches, 1, rows and an even");
    refuse_tensor(&trial, "index", ACL_INT64, 1, DIMS(3), "index has shape [3] and kCacheRef");
    refuse_tensor(&trial, "kCacheRef", ACL_INT8, 4, DIMS(2, 2, 1, 4),
                  "kCacheRef has dtype INT8 and kRopeScaleOptional was not given");
    refuse_tensor(&trial, "kRopeScaleOptional", ACL_FLOAT, 1, DIMS(4),
                  "kCacheRef has dtype FLOAT16 and kRopeScaleOptional was given");
    refuse_tensor(&trial, "cKvCacheRef", ACL_FLOAT16, 4, DIMS(3, 2, 1, 8),
                  "cKvCacheRef has shape [3, 2, 1, 8]; the slots of");
    refuse_tensor(&trial, "vOptional", ACL_FLOAT16, 4, DIMS(2, 1, 1, 8),
                  "kv has shape [2, 1, 1, 12]; rows of 8 elements");
    refuse_trial(&trial, "cacheModeOptional", argument_of_pointer("PA_NZ"),
                 "kCacheRef has shape [2, 2, 1, 4]; blocks, rows and 4 elements, whole tiles");
    refuse_trial(&trial, "cacheModeOptional", argument_of_pointer("pa"),
                 "cacheModeOptional is \"pa\"; Norm, PA, PA_BNSD, PA_NZ, PA_BLK_BNSD or PA_BLK_NZ is");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
