/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts of tensors and lists replaced by updates, queries and keys and values to their places, the next step of
 * decoding, and clipped gates, against loops; what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

static const aclDataType of_each_size[] = {ACL_BOOL, ACL_BF16, ACL_FLOAT, ACL_INT64, ACL_COMPLEX128};

static bool is_same(const struct layout *a, int64_t i, const struct layout *b, int64_t k)
{
    return memcmp(layout_element(a, i), layout_element(b, k), a->bytes) == 0;
}

static void copy_bits(const struct layout *from, struct layout *to)
{
    *to = layout_create(from->dtype, from->rank, from->shape, LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < from->count; i++)
        memcpy(layout_element(to, i), layout_element(from, i), from->bytes);
}

static void batches_are_updated(void)
{
    const unsigned rank = 2 + (unsigned)random_below(3), axis = 1 + (unsigned)random_below(rank - 1);
    const aclDataType dtype = of_each_size[random_below(5)];
    const bool has_pairs = random_below(2) == 0;
    int64_t shape[4], updates[4], index[16], inner = 1, outer = 1;
    for (unsigned i = 0; i < rank; i++) {
        shape[i] = 1 + random_below(4);
        updates[i] = i == axis ? random_below(shape[i] + 1) : shape[i];
        inner *= i > axis ? shape[i] : 1;
        outer *= i > 0 && i < axis ? shape[i] : 1;
    }
    updates[0] = has_pairs ? random_below(7) : random_below(shape[0] + 1);
    for (int64_t k = 0; k < updates[0]; k++) {
        const int64_t place = random_below(shape[axis] - updates[axis] + 1);
        index[has_pairs ? 2 * k + 1 : k] = place;
        if (has_pairs)
            index[2 * k] = random_below(shape[0]);
    }
    struct trial trial = trial_of("aclnnInplaceScatterUpdate");
    const struct layout *data = give(&trial, "data", dtype, rank, shape, 2);
    struct layout wanted;
    copy_bits(data, &wanted);
    const struct layout *parts = give(&trial, "updates", dtype, rank, updates, 2);
    give_numbers(&trial, "indices", random_below(2) == 0 ? ACL_INT32 : ACL_INT64, has_pairs ? 2 : 1,
                 has_pairs ? DIMS(updates[0], 2) : updates, index);
    give_value(&trial, "axis",
               argument_of_integer(random_below(2) == 0 ? (int64_t)axis : (int64_t)axis - (int64_t)rank));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < parts->count; i++) {
        const int64_t e = i % inner, a = i / inner % updates[axis], o = i / inner / updates[axis] % outer,
                      k = i / inner / updates[axis] / outer, batch = has_pairs ? index[2 * k] : k,
                      place = index[has_pairs ? 2 * k + 1 : k];
        memcpy(layout_element(&wanted, ((batch * outer + o) * shape[axis] + place + a) * inner + e),
               layout_element(parts, i), parts->bytes);
    }
    for (int64_t i = 0; i < data->count; i++)
        assert_true(is_same(data, i, &wanted, i));
    layout_destroy(&wanted);
    if (parts->count > 0) {
        const int64_t beyond = shape[axis] - updates[axis] + 1;
        const struct layout *indices = given(&trial, "indices");
        memcpy(layout_element(indices, indices->count - 1), &beyond, indices->bytes);
        expect_fault(&trial, "indices holds");
    }
    end_trial(&trial);
}

static void lists_are_updated(void)
{
    enum { MOST = 4 };
    const int64_t count = 1 + random_below(MOST), rows = 1 + random_below(5), width = 1 + random_below(4),
                  length = random_below(rows + 1), shape[] = {rows, width};
    const aclDataType dtype = of_each_size[random_below(5)];
    const bool has_pairs = random_below(2) == 0, has_mask = random_below(2) == 0;
    int64_t index[2 * MOST], mask[MOST], lengths[MOST];
    struct trial trial = trial_of("aclnnScatterList");
    struct layout var[MOST], wanted[MOST];
    const aclTensor *handle[MOST];
    for (int64_t k = 0; k < count; k++) {
        var[k] = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
        layout_fill(&var[k], 2, false);
        copy_bits(&var[k], &wanted[k]);
        handle[k] = var[k].tensor;
        lengths[k] = has_pairs ? random_below(length + 1) : length;
        index[has_pairs ? 2 * k : k] = random_below(rows - lengths[k] + 1);
        if (has_pairs)
            index[2 * k + 1] = lengths[k];
        mask[k] = random_below(2);
    }
    give_value(&trial, "varRef", argument_of_pointer(aclCreateTensorList(handle, (uint64_t)count)));
    const struct layout *updates = give(&trial, "updates", dtype, 3, DIMS(count, length, width), 2);
    give_numbers(&trial, "indice", ACL_INT64, has_pairs ? 2 : 1, DIMS(count, 2), index);
    if (has_mask)
        give_numbers(&trial, "maskOptional", ACL_UINT8, 1, &count, mask);
    give_value(&trial, "axis", argument_of_integer(random_below(2) == 0 ? -2 : 1));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; (!has_mask || mask[k] != 0) && i < lengths[k] * width; i++)
            memcpy(layout_element(&wanted[k], index[has_pairs ? 2 * k : k] * width + i),
                   layout_element(updates, k * length * width + i), updates->bytes);
        for (int64_t i = 0; i < rows * width; i++) {
            assert_true(is_same(&var[k], i, &wanted[k], i));
            trial_hash = hash_of(layout_element(&var[k], i), var[k].bytes, trial_hash);
        }
        layout_destroy(&wanted[k]);
    }
    if (length > 0 && !has_mask) {
        const int64_t below = -1;
        memcpy(layout_element(given(&trial, "indice"), 0), &below, sizeof below);
        expect_fault(&trial, "indice holds -1 for part 0");
    }
    end_trial(&trial);
    for (int64_t k = 0; k < count; k++)
        assert_int_equal(aclrtFree(memory_known_as(var[k].memory)), 0);
}

static double clamped(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

static void gates_are_clipped(void)
{
    const unsigned rank = 1 + (unsigned)random_below(3), dim = (unsigned)random_below(rank);
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool is_in_turn = random_below(2) == 0, has_groups = random_below(2) == 0;
    int64_t shape[3], out[3], rows = 1, length = 1;
    for (unsigned i = 0; i < rank; i++) {
        shape[i] = (i == dim ? 2 : 1) * (1 + random_below(5));
        out[i] = i == dim ? shape[i] / 2 : shape[i];
        rows *= i < dim ? shape[i] : 1;
        length *= i < dim ? 1 : shape[i];
    }
    const int64_t groups[] = {random_below(rows + 1), random_below(3)};
    struct trial trial = trial_of("aclnnClippedSwiglu");
    give(&trial, "x", dtype, rank, shape, 12);
    give(&trial, "out", dtype, rank, out, 1);
    if (has_groups)
        give_numbers(&trial, "groupIndexOptional", ACL_INT64, 1, DIMS(2), groups);
    give_value(&trial, "dim", argument_of_integer((int64_t)dim - (int64_t)rank * random_below(2)));
    give_value(&trial, "alpha", argument_of_fp64(1.702));
    give_value(&trial, "limit", argument_of_fp64(7));
    give_value(&trial, "bias", argument_of_fp64(1));
    give_value(&trial, "interleaved", argument_of_bool(is_in_turn));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < rows * length / 2; i++) {
        const int64_t row = i / (length / 2), e = i % (length / 2);
        const double a = clamped(at(&trial, "x", row * length + (is_in_turn ? 2 * e : e)), -99, 7),
                     b = clamped(at(&trial, "x", row * length + (is_in_turn ? 2 * e + 1 : length / 2 + e)),
                                 -7, 7);
        const bool is_computed = !has_groups || row < groups[0] + groups[1];
        assert_near("clipped", given(&trial, "out"), i,
                    is_computed ? (long double)a / (1 + expl(-1.702L * (long double)a)) * ((long double)b + 1)
                                : 0,
                    dtype, 1e-13L);
    }
    end_trial(&trial);
}

static void gates_multiply(void)
{
    const int64_t rows = random_below(4), half = 1 + random_below(9);
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool is_tanh = random_below(2) == 0;
    struct trial trial = trial_of("aclnnGeluMul");
    give(&trial, "input", dtype, 2, DIMS(rows, 2 * half), 6);
    give(&trial, "out", dtype, 2, DIMS(rows, half), 1);
    give_value(&trial, "approximateOptional", argument_of_pointer(is_tanh ? "tanh" : NULL));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < rows * half; i++) {
        const long double a = (long double)at(&trial, "input", i / half * 2 * half + i % half),
                          b = (long double)at(&trial, "input", i / half * 2 * half + half + i % half);
        const long double u = sqrtl(2 / 3.14159265358979323846L) * (a + 0.044715L * a * a * a),
                          gelu = is_tanh ? a / (1 + expl(-2 * u)) : a * erfcl(-a / sqrtl(2)) / 2;
        assert_near("gelu", given(&trial, "out"), i, gelu * b, dtype, 1e-13L);
    }
    end_trial(&trial);
}

static void windows_are_weighed(void)
{
    const int64_t windows = 1 + random_below(3), times = 1 + random_below(2), heads = 1 + random_below(3),
                  rows = 1 + random_below(3), width = 1 + random_below(9);
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool has_mask = random_below(2) == 0, has_five = random_below(2) == 0;
    struct trial trial = trial_of("aclnnMaskedSoftmaxWithRelPosBias");
    const int64_t *shape =
        has_five ? DIMS(times, windows, heads, rows, width) : DIMS(times * windows, heads, rows, width);
    give(&trial, "x", dtype, has_five ? 5 : 4, shape, 3);
    give(&trial, "out", dtype, has_five ? 5 : 4, shape, 1);
    if (random_below(2) == 0)
        give(&trial, "relativePosBias", dtype, 3, DIMS(heads, rows, width), 2);
    else
        give(&trial, "relativePosBias", dtype, 4, DIMS(1, heads, rows, width), 2);
    if (has_mask && random_below(2) == 0)
        give(&trial, "attenMaskOptional", dtype, 3, DIMS(windows, rows, width), 2);
    else if (has_mask)
        give(&trial, "attenMaskOptional", dtype, 4, DIMS(windows, 1, rows, width), 2);
    give_value(&trial, "scaleValue", argument_of_fp64(0.5));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t line = 0; line < times * windows * heads * rows; line++) {
        const int64_t row = line % rows, head = line / rows % heads, window = line / rows / heads % windows;
        long double part[9], sum = 0;
        for (int64_t i = 0; i < width; i++) {
            part[i] = 0.5L * (long double)at(&trial, "x", line * width + i) +
                      (long double)at(&trial, "relativePosBias", (head * rows + row) * width + i);
            if (has_mask)
                part[i] += (long double)at(&trial, "attenMaskOptional", (window * rows + row) * width + i);
            sum += part[i] = expl(part[i]);
        }
        for (int64_t i = 0; i < width; i++)
            assert_near("weights", given(&trial, "out"), line * width + i, part[i] / sum, dtype, 1e-13L);
    }
    end_trial(&trial);
}

static void tokens_go_to_their_caches(void)
{
    const int64_t tokens = 1 + random_below(5),
                  heads[] = {1 + random_below(3), 1 + random_below(2), 1 + random_below(2)}, depth = 32,
                  all = heads[0] + heads[1] + heads[2], blocks = 3, rows = 2;
    const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    const bool is_int8 = random_below(2) == 0, has_offset = random_below(2) == 0,
               has_before = random_below(2) == 0;
    const int64_t tile = is_int8 ? 32 : 16;
    struct trial trial = trial_of("aclnnQkvRmsNormRopeCache");
    int64_t slot[8];
    for (int64_t i = 0; i < tokens; i++)
        slot[i] = random_below(4) == 0 ? -1 : (i + 1) % (blocks * rows);
    give(&trial, "qkv", dtype, 2, DIMS(tokens, all * depth), 2);
    give(&trial, "qGamma", dtype, 1, DIMS(depth), 2);
    give(&trial, "kGamma", dtype, 1, DIMS(depth), 2);
    give(&trial, "cos", dtype, 2, DIMS(tokens, depth), 1);
    give(&trial, "sin", dtype, 2, DIMS(tokens, depth), 1);
    give_numbers(&trial, "index", ACL_INT64, 1, DIMS(tokens), slot);
    give(&trial, "qOut", dtype, 2, DIMS(tokens, heads[0] * depth), 1);
    static const char *const caches[] = {"kCache", "vCache"},
                             *const scales[] = {"kScaleOptional", "vScaleOptional"},
                             *const offsets[] = {"kOffsetOptional", "vOffsetOptional"},
                             *const outs[] = {"qOutBeforeQuantOptional", "kOutBeforeQuantOptional",
                                              "vOutBeforeQuantOptional"};
    for (int i = 0; i < 2; i++) {
        give(&trial, caches[i], is_int8 ? ACL_INT8 : dtype, 4,
             DIMS(blocks, heads[1 + i] * depth / tile, rows, tile), 1);
        if (is_int8) {
            const struct layout *scale = give(&trial, scales[i], ACL_FLOAT, 2, DIMS(heads[1 + i], depth), 1);
            for (int64_t e = 0; e < scale->count; e++)
                set_element(scale, e, 0.05 + fabs(element_of(scale, e)));
        }
        if (is_int8 && has_offset)
            give(&trial, offsets[i], ACL_FLOAT, 2, DIMS(heads[1 + i], depth), 5);
    }
    for (int i = 0; has_before && i < 3; i++)
        give(&trial, outs[i], dtype, 2, DIMS(tokens, heads[i] * depth), 1);
    give_value(&trial, "qkvSize", argument_of_pointer(aclCreateIntArray(DIMS(1, tokens, all, depth), 4)));
    give_value(&trial, "headNums", argument_of_pointer(aclCreateIntArray(heads, 3)));
    give_value(&trial, "epsilon", argument_of_fp64(0.01));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t t = 0; t < tokens; t++)
        for (int64_t n = 0, part = 0; n < all; n++) {
            part = n < heads[0] ? 0 : n < heads[0] + heads[1] ? 1 : 2;
            const int64_t head = n - (part > 0 ? heads[0] : 0) - (part > 1 ? heads[1] : 0);
            double x[32], sum = 0;
            for (int64_t e = 0; e < depth; e++) {
                x[e] = at(&trial, "qkv", (t * all + n) * depth + e);
                sum += x[e] * x[e];
            }
            for (int64_t e = 0; part < 2 && e < depth; e++)
                x[e] = x[e] / sqrt(sum / 32 + 0.01) * at(&trial, part == 0 ? "qGamma" : "kGamma", e);
            for (int64_t e = 0; e < depth; e++) {
                const int64_t other = e < 16 ? e + 16 : e - 16, width = heads[part] * depth,
                              place = head * depth + e;
                double value = part == 2
                                   ? x[e]
                                   : x[e] * at(&trial, "cos", t * depth + e) +
                                         (e < 16 ? -1 : 1) * x[other] * at(&trial, "sin", t * depth + e);
                if (has_before)
                    assert_near(outs[part], given(&trial, outs[part]), t * width + place, (long double)value,
                                dtype, 1e-13L);
                if (part == 0)
                    assert_near("qOut", given(&trial, "qOut"), t * width + place, (long double)value, dtype,
                                1e-13L);
                if (part == 0 || slot[t] < 0)
                    continue;
                const int64_t tiles = width / tile, block = slot[t] / rows, row = slot[t] % rows;
                if (is_int8)
                    value = clamped(nearbyint(value / at(&trial, scales[part - 1], place) +
                                              (has_offset ? at(&trial, offsets[part - 1], place) : 0)),
                                    -128, 127);
                assert_near(caches[part - 1], given(&trial, caches[part - 1]),
                            ((block * tiles + place / tile) * rows + row) * tile + place % tile,
                            (long double)value, is_int8 ? ACL_INT8 : dtype, is_int8 ? 0 : 1e-13L);
            }
        }
    end_trial(&trial);
}

static void steps_are_advanced(void)
{
    const bool is_v2 = random_below(2) == 0, has_guesses = is_v2 && random_below(3) > 0;
    const int64_t sequences = 1 + random_below(4),
                  queries = has_guesses ? sequences : random_below(sequences + 1),
                  guesses = has_guesses ? 1 + random_below(2) : 0, places = sequences * (1 + guesses),
                  block = 1 + random_below(4), columns = 30, sampled = has_guesses ? 1 + guesses : 1;
    struct trial trial = trial_of(is_v2 ? "aclnnAdvanceStepV2" : "aclnnAdvanceStep");
    int64_t number[5][16], table[4 * 30];
    for (int64_t i = 0; i < places; i++) {
        number[0][i] = random_below(99);
        number[1][i] = random_below(20);
        number[2][i] = random_below(20);
        number[3][i] = random_below(3) == 0 ? -1 : random_below(99);
        number[4][i] = random_below(3);
    }
    for (int64_t i = 0; i < sequences * columns; i++)
        table[i] = random_below(50);
    for (int64_t i = 0; i < sequences; i++)
        number[3][i * sampled] = random_below(99);
    give_numbers(&trial, "inputTokens", ACL_INT64, 1, DIMS(places), number[0]);
    give_numbers(&trial, "sampledTokenIds", ACL_INT64, 2, DIMS(sequences, sampled), number[3]);
    give_numbers(&trial, "inputPositions", ACL_INT64, 1, DIMS(places), number[1]);
    give_numbers(&trial, "seqLens", ACL_INT64, 1, DIMS(places), number[2]);
    give_numbers(&trial, "slotMapping", ACL_INT64, 1, DIMS(places), number[0]);
    give_numbers(&trial, "blockTables", ACL_INT64, 2, DIMS(sequences, columns), table);
    if (has_guesses) {
        give_numbers(&trial, "specTokenOptional", ACL_INT64, 2, DIMS(sequences, guesses), number[0]);
        give_numbers(&trial, "acceptedNumOptional", ACL_INT64, 1, DIMS(sequences), number[4]);
    }
    give_value(&trial, "numSeqs", argument_of_integer(sequences));
    give_value(&trial, "numQueries", argument_of_integer(queries));
    give_value(&trial, "blockSize", argument_of_integer(block));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < places; i++) {
        const int64_t sequence = i / (1 + guesses), guess = i % (1 + guesses);
        const bool is_over = !has_guesses && i >= queries;
        const int64_t position = is_over       ? 0
                                 : has_guesses ? number[1][i] + 1 + number[4][sequence]
                                               : number[2][i];
        int64_t token = number[3][sequence * sampled];
        for (int64_t k = 1; k < sampled && number[3][sequence * sampled + k] != -1; k++)
            token = number[3][sequence * sampled + k];
        token = is_over ? 0 : guess > 0 ? number[0][sequence * guesses + guess - 1] : token;
        assert_int_equal((int64_t)at(&trial, "inputTokens", i), token);
        assert_int_equal((int64_t)at(&trial, "inputPositions", i), position);
        assert_int_equal((int64_t)at(&trial, "seqLens", i), is_over ? number[2][i] : position + 1);
        assert_int_equal((int64_t)at(&trial, "slotMapping", i),
                         is_over ? -1
                                 : table[sequence * columns + position / block] * block + position % block);
    }
    if (!has_guesses && queries > 0) {
        const int64_t beyond = block * columns;
        memcpy(layout_element(given(&trial, "seqLens"), 0), &beyond, sizeof beyond);
        expect_fault(&trial, "of place 0 is beyond the 30 blocks of blockTables");
    }
    end_trial(&trial);
}

static void (*const rounds[])(void) = {batches_are_updated, lists_are_updated,   gates_are_clipped,
                                       gates_multiply,      windows_are_weighed, tokens_go_to_their_caches,
                                       steps_are_advanced};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(100));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 12);
    return trial_hash;
}

static void an_example_is_clipped_as_it_should_be(void **state)
{
    (void)state;
    struct trial trial = example_of("aclnnClippedSwiglu");
    give(&trial, "x", ACL_FLOAT, 1, DIMS(2), 1);
    give(&trial, "out", ACL_FLOAT, 1, DIMS(1), 1);
    set_element(given(&trial, "x"), 0, 8);
    set_element(given(&trial, "x"), 1, -9);
    assert_int_equal(run_trial(&trial), 0);
    assert_near("example", given(&trial, "out"), 0, -41.9997L, ACL_FLOAT, 1e-4L);
    end_trial(&trial);
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    struct attempt attempt;
    (void)state;
    struct trial trial = sample_of(&attempt, "aclnnInplaceScatterUpdate");
    refuse_tensor(&trial, "updates", ACL_FLOAT, 2, DIMS(2, 4),
                  "updates has shape [2, 4] and data [2, 3, 4]; as many");
    refuse_tensor(&trial, "updates", ACL_FLOAT, 3, DIMS(2, 1, 5),
                  "updates has shape [2, 1, 5] and what they go to");
    refuse_tensor(&trial, "updates", ACL_FLOAT16, 3, DIMS(2, 1, 4), "updates has dtype FLOAT16");
    refuse_tensor(&trial, "indices", ACL_INT32, 1, DIMS(3),
                  "indices has shape [3]; one number or two for each of 2");
    refuse_trial(&trial, "axis", argument_of_integer(-3), "axis is the first dim; another one is expected");
    refuse_trial(&trial, "axis", argument_of_integer(3), "axis");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnScatterList");
    refuse_trial(&trial, "reduce", argument_of_pointer("add"), "reduce is \"add\"; update is expected");
    refuse_trial(&trial, "axis", argument_of_integer(0), "axis is the first dim; another one is expected");
    refuse_tensor(&trial, "updates", ACL_FLOAT, 3, DIMS(3, 1, 4),
                  "updates has shape [3, 1, 4] and varRef 2 tensors");
    refuse_tensor(&trial, "updates", ACL_FLOAT16, 3, DIMS(2, 1, 4),
                  "tensor 0 of varRef has dtype FLOAT and shape");
    refuse_tensor(&trial, "indice", ACL_INT64, 1, DIMS(3),
                  "indice has shape [3]; one number or two for each of 2");
    refuse_tensor(&trial, "maskOptional", ACL_UINT8, 1, DIMS(3),
                  "maskOptional has shape [3]; a number for each of 2");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnClippedSwiglu");
    refuse_tensor(&trial, "x", ACL_FLOAT, 2, DIMS(3, 5),
                  "x has shape [3, 5]; an even size of dim 1 is expected");
    refuse_tensor(&trial, "groupIndexOptional", ACL_INT64, 2, DIMS(1, 1),
                  "groupIndexOptional has shape [1, 1]; one dim");
    refuse_trial(&trial, "dim", argument_of_integer(2), "dim");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnGeluMul");
    refuse_tensor(&trial, "input", ACL_FLOAT, 2, DIMS(3, 5),
                  "input has shape [3, 5]; an even size of its last dim");
    refuse_trial(&trial, "approximateOptional", argument_of_pointer("erf"),
                 "approximate is \"erf\"; none or tanh");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnMaskedSoftmaxWithRelPosBias");
    refuse_tensor(&trial, "x", ACL_FLOAT, 3, DIMS(2, 3, 4), "x has shape [2, 3, 4]; rank 4 or 5 is expected");
    refuse_tensor(&trial, "attenMaskOptional", ACL_FLOAT, 3, DIMS(3, 3, 4),
                  "attenMaskOptional has shape [3, 3, 4]; a mask");
    refuse_tensor(&trial, "relativePosBias", ACL_FLOAT, 3, DIMS(3, 3, 4),
                  "relativePosBias has shape [3, 3, 4]; 2, 3 and 4");
    refuse_tensor(&trial, "relativePosBias", ACL_BF16, 3, DIMS(2, 3, 4),
                  "relativePosBias has dtype BFLOAT16");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnQkvRmsNormRopeCache");
    aclIntArray *heads = aclCreateIntArray(DIMS(1, 1, 1), 3);
    refuse_trial(&trial, "headNums", argument_of_pointer(heads),
                 "qkvSize says 4 heads of 16 elements and headNums 1, 1");
    refuse_trial(&trial, "qkvSize", argument_of_pointer(heads),
                 "qkvSize and headNums have 3 and 3 numbers; 4 and 3");
    refuse_trial(&trial, "cacheModeOptional", argument_of_pointer("PA"),
                 "cacheModeOptional is \"PA\"; PA_NZ is expected");
    refuse_tensor(&trial, "kGamma", ACL_FLOAT16, 1, DIMS(8),
                  "kGamma has shape [8]; 16 elements are expected");
    refuse_tensor(&trial, "cos", ACL_FLOAT16, 2, DIMS(2, 8),
                  "cos has shape [2, 8]; tokens and 16 elements are expected");
    refuse_tensor(&trial, "kCache", ACL_INT8, 4, DIMS(2, 1, 2, 16),
                  "kCache has shape [2, 1, 2, 16]; blocks, rows and 16");
    refuse_tensor(&trial, "kScaleOptional", ACL_FLOAT, 2, DIMS(1, 16),
                  "kCache has dtype FLOAT16 and kScaleOptional was");
    refuse_tensor(&trial, "vCache", ACL_FLOAT16, 4, DIMS(2, 1, 3, 16),
                  "vCache has shape [2, 1, 3, 16]; the slots of");
    assert_int_equal(aclDestroyIntArray(heads), 0);
    release(&attempt);
    trial = sample_of(&attempt, "aclnnAdvanceStepV2");
    refuse_trial(&trial, "numQueries", argument_of_integer(3),
                 "numSeqs, numQueries and blockSize are 2, 3 and 2");
    refuse_trial(&trial, "blockSize", argument_of_integer(0),
                 "numSeqs, numQueries and blockSize are 2, 2 and 0");
    refuse_tensor(&trial, "specTokenOptional", ACL_INT64, 2, DIMS(2, 1),
                  "only one of specTokenOptional and accepted");
    refuse_tensor(&trial, "seqLens", ACL_INT64, 1, DIMS(1),
                  "seqLens has shape [1]; one dim of 2 is expected");
    refuse_tensor(&trial, "blockTables", ACL_INT64, 2, DIMS(1, 4),
                  "sampledTokenIds has shape [2, 1] and blockTables");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(an_example_is_clipped_as_it_should_be),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
