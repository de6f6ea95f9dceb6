/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comes before latent attention, both versions, plain and quantised, in every mode of its caches, against loops
 * over whole tensors in double; what is a fault, what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { TOKENS_MAX = 24, WIDTH_MAX = 40, SLOTS_MAX = 200 };
enum cache_mode { PAGES, TILES, BLOCKS, BLOCK_TILES, BATCHES, PACKED, CACHE_MODES };
static const char *const cache_modes[] = {"PA_BSND", "PA_NZ", "PA_BLK_BSND", "PA_BLK_NZ", "BSND", "TND"};

struct sizes {
    bool is_v3, is_packed, has_lengths;
    int64_t batches, rows, tokens, width, latent, heads, depth, turned, kept, blocks, block;
    int weights, caches;
    enum cache_mode mode;
    aclDataType dtype;
    int64_t slot[TOKENS_MAX];
};

static double rounded(double value, aclDataType dtype)
{
    unsigned char bits[8];
    double result;
    conversion_reference(&value, ACL_DOUBLE, bits, dtype);
    conversion_reference(bits, dtype, &result, ACL_DOUBLE);
    return result;
}

static struct sizes draw(void)
{
    struct sizes of = {.is_v3 = random_below(2) == 0,
                       .is_packed = random_below(2) == 0,
                       .weights = (int)random_below(3),
                       .caches = (int)random_below(3),
                       .mode = (enum cache_mode)random_below(CACHE_MODES),
                       .dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16};
    const bool has_tiles = of.mode == TILES || of.mode == BLOCK_TILES;
    of.batches = of.is_packed ? 1 : 1 + random_below(3);
    of.rows = 1 + random_below(7) + (of.is_packed ? random_below(12) : 0);
    of.tokens = of.batches * of.rows;
    of.width = 1 + random_below(12);
    of.latent = 1 + random_below(9);
    of.heads = 1 + random_below(3);
    of.depth = 1 + random_below(5);
    of.turned = has_tiles ? 32 : 2 * (1 + random_below(3));
    of.kept = has_tiles ? 32 : 1 + random_below(9);
    of.block = 1 + random_below(4);
    of.blocks = of.mode == BATCHES || of.mode == PACKED ? (of.tokens + of.block - 1) / of.block
                                                        : 3 + random_below(of.tokens + 1);
    if (of.mode == PACKED)
        of.block = 1, of.blocks = of.tokens;
    return of;
}

static const int64_t *token_dims(const struct sizes *of, int64_t last)
{
    static int64_t dim[3];
    dim[0] = of->is_packed ? of->tokens : of->batches;
    dim[1] = of->is_packed ? last : of->rows;
    dim[2] = last;
    return dim;
}

static void give_by_token(struct trial *trial, const struct sizes *of, const char *name, aclDataType dtype,
                          int64_t last)
{
    give(trial, name, dtype, of->is_packed ? 2 : 3, token_dims(of, last), 1);
}

static void give_cache(struct trial *trial, const struct sizes *of, const char *name, bool is_int8,
                       int64_t width)
{
    const aclDataType dtype = is_int8 ? ACL_INT8 : of->dtype;
    const int64_t tile = is_int8 ? 32 : 16;
    if (of->mode == PACKED)
        give(trial, name, dtype, 3, DIMS(of->tokens, 1, width), 1);
    else if (of->mode == TILES || of->mode == BLOCK_TILES)
        give(trial, name, dtype, 4, DIMS(of->blocks, width / tile, of->block, tile), 1);
    else
        give(trial, name, dtype, 4, DIMS(of->blocks, of->block, 1, width), 1);
}

/* Slots, or blocks, of all tokens; sequences of their own where the blocks are by sequence. */
static void give_slots(struct trial *trial, struct sizes *of)
{
    const char *name = of->is_v3 ? "cacheIndexOptional" : "cacheIndex";
    int64_t index[TOKENS_MAX], ends[TOKENS_MAX], count = 0, sequences = of->batches;
    for (int64_t t = 0; t < of->tokens; t++)
        of->slot[t] = index[t] = of->mode >= BATCHES    ? t
                                 : random_below(5) == 0 ? -1
                                                        : random_below(of->blocks * of->block);
    for (int64_t b = 0; b < sequences; b++)
        ends[b] = (b + 1) * of->rows;
    of->has_lengths = of->is_v3 && of->is_packed && random_below(2) == 0;
    if (of->has_lengths) {
        sequences = 3;
        ends[2] = of->tokens;
        ends[1] = random_below(of->tokens + 1);
        ends[0] = random_below(ends[1] + 1);
        give_numbers(trial, "actualSeqLenOptional", ACL_INT32, 1, DIMS(3), ends);
    }
    if (of->mode == BLOCKS || of->mode == BLOCK_TILES) {
        for (int64_t b = 0, t = 0; b < sequences; b++)
            for (int64_t first = t; t < ends[b]; t++) {
                if ((t - first) % of->block == 0)
                    index[count++] = random_below(5) == 0 ? -1 : random_below(of->blocks);
                of->slot[t] =
                    index[count - 1] < 0 ? -1 : index[count - 1] * of->block + (t - first) % of->block;
            }
        give_numbers(trial, name, ACL_INT64, 1, DIMS(count), index);
    } else if (of->mode < BATCHES || !of->is_v3) {
        give_numbers(trial, name, ACL_INT64, of->is_packed ? 1 : 2,
                     of->is_packed ? DIMS(of->tokens) : DIMS(of->batches, of->rows), index);
    }
    give_value(trial, "cacheModeOptional", argument_of_pointer(cache_modes[of->mode]));
}

static void give_scale(struct trial *trial, const char *name, int64_t rows, int64_t count, double size)
{
    give(trial, name, ACL_FLOAT, 2, DIMS(rows, count), size);
    for (int64_t i = 0; i < given(trial, name)->count; i++)
        set_element(given(trial, name), i, size * (0.25 + fabs(at(trial, name, i)) / size));
}

static struct trial give_all(struct sizes *of)
{
    struct trial trial = example_of(of->is_v3 ? "aclnnMlaPrologV3WeightNz" : "aclnnMlaPrologV2WeightNz");
    const aclDataType all = of->weights == 2 ? ACL_INT8 : of->dtype,
                      up = of->weights > 0 ? ACL_INT8 : of->dtype;
    const int64_t whole = of->heads * (of->depth + of->turned);
    give_by_token(&trial, of, "tokenX", all, of->width);
    give(&trial, "weightDq", all, 2, DIMS(of->width, of->latent), 1);
    give(&trial, "weightUqQr", up, 2, DIMS(of->latent, whole), 1);
    give(&trial, "weightUk", of->dtype, 3, DIMS(of->heads, of->depth, of->kept), 1);
    give(&trial, "weightDkvKr", all, 2, DIMS(of->width, of->kept + of->turned), 1);
    give(&trial, "rmsnormGammaCq", of->dtype, 1, DIMS(of->latent), 1);
    give(&trial, "rmsnormGammaCkv", of->dtype, 1, DIMS(of->kept), 1);
    give_by_token(&trial, of, "ropeSin", of->dtype, of->turned);
    give_by_token(&trial, of, "ropeCos", of->dtype, of->turned);
    give_cache(&trial, of, "kvCacheRef", of->caches > 0, of->kept);
    give_cache(&trial, of, "krCacheRef", of->caches == 2, of->turned);
    if (of->weights == 2) {
        give_scale(&trial, "dequantScaleXOptional", of->tokens, 1, 0.1);
        give_scale(&trial, "dequantScaleWDqOptional", 1, of->latent, 0.1);
        give_scale(&trial, "dequantScaleWDkvKrOptional", 1, of->kept + of->turned, 0.1);
    }
    if (of->weights > 0)
        give_scale(&trial, "dequantScaleWUqQrOptional", 1, whole, 0.1);
    if (of->weights > 0 && random_below(2) == 0)
        give_scale(&trial, "smoothScalesCqOptional", 1, of->latent, 1);
    if (of->caches > 0)
        give_scale(&trial, "quantScaleCkvOptional", 1, of->caches == 1 ? 1 : of->kept, 20);
    if (of->caches == 2)
        give_scale(&trial, "quantScaleCkrOptional", 1, of->turned, 20);
    give_slots(&trial, of);
    int64_t dim[4];
    const unsigned rank = of->is_packed ? 3 : 4;
    memcpy(dim, token_dims(of, of->heads), 3 * sizeof *dim);
    dim[rank - 2] = of->heads;
    dim[rank - 1] = of->kept;
    give(&trial, "queryOut", of->caches == 1 ? ACL_INT8 : of->dtype, rank, dim, 1);
    dim[rank - 1] = of->turned;
    give(&trial, "queryRopeOut", of->dtype, rank, dim, 1);
    if (of->caches == 1)
        give(&trial, "dequantScaleQNopeOutOptional", ACL_FLOAT, 3, DIMS(of->tokens, of->heads, 1), 1);
    else if (random_below(2) == 0)
        give(&trial, "dequantScaleQNopeOutOptional", ACL_FLOAT, 1, DIMS(random_below(2)), 1);
    if (!of->is_v3)
        return trial;
    give_value(&trial, "weightQuantMode", argument_of_integer(of->weights));
    give_value(&trial, "kvCacheQuantMode", argument_of_integer(of->caches));
    give_value(&trial, "queryQuantMode", argument_of_integer(of->caches == 1));
    give_value(&trial, "qcQrScale", argument_of_fp64(1.5));
    give_value(&trial, "kcScale", argument_of_fp64(0.75));
    if (random_below(3) > 0)
        give_by_token(&trial, of, "queryNormOutOptional", up, of->latent);
    else
        give(&trial, "queryNormOutOptional", up, 1, DIMS(0), 1);
    if (of->weights > 0 && random_below(3) > 0)
        give(&trial, "dequantScaleQNormOutOptional", ACL_FLOAT, 2, DIMS(of->tokens, 1), 1);
    return trial;
}

static double scale_at(const struct trial *trial, const char *name, int64_t index)
{
    return was_given(trial, name) ? at(trial, name, index) : 1;
}

/* A row of a product, with what its scales make of INT8. */
static void multiply(const struct trial *trial, const double *left, const char *weight, int64_t depth,
                     int64_t columns, const char *scales, double own, double *to)
{
    for (int64_t c = 0; c < columns; c++) {
        to[c] = 0;
        for (int64_t i = 0; i < depth; i++)
            to[c] += left[i] * at(trial, weight, i * columns + c);
        to[c] *= own * scale_at(trial, scales, c);
    }
}

static void normalise(const struct trial *trial, const char *gamma, const char *epsilon, double factor,
                      int64_t count, double *row)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += row[i] * row[i];
    const double root = sqrt(sum / (double)count + trial->argument[place_named(trial, epsilon)].fp64);
    for (int64_t i = 0; i < count; i++)
        row[i] = row[i] / root * at(trial, gamma, i) * factor;
}

static double int8_of(double value)
{
    const double whole = nearbyint(value);
    return whole < -128 ? -128 : whole > 127 ? 127 : whole;
}

static double quantise(double *row, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(row[i]));
    const double step = (double)(float)(most / 127);
    for (int64_t i = 0; i < count; i++)
        row[i] = step == 0 ? 0 : int8_of(row[i] / step);
    return step;
}

static void turn(const struct trial *trial, int64_t token, const double *from, int64_t count, double *to)
{
    for (int64_t e = 0; e < count; e++) {
        const int64_t p = e % (count / 2);
        const double c = at(trial, "ropeCos", token * count + e), s = at(trial, "ropeSin", token * count + e);
        to[e] = e < count / 2 ? from[2 * p] * c - from[2 * p + 1] * s : from[2 * p + 1] * c + from[2 * p] * s;
    }
}

static void expect_head(const struct trial *trial, const struct sizes *of, int64_t token, int64_t head,
                        double *query)
{
    const int64_t number = token * of->heads + head;
    double nope[WIDTH_MAX], rope[WIDTH_MAX];
    for (int64_t e = 0; e < of->kept; e++) {
        nope[e] = 0;
        for (int64_t d = 0; d < of->depth; d++)
            nope[e] +=
                rounded(query[d], of->dtype) * at(trial, "weightUk", (head * of->depth + d) * of->kept + e);
        nope[e] = of->caches == 1 ? rounded(nope[e], of->dtype) : nope[e];
    }
    turn(trial, token, query + of->depth, of->turned, rope);
    if (of->caches == 1) {
        const double step = quantise(nope, of->kept);
        assert_near("scale", given(trial, "dequantScaleQNopeOutOptional"), number, (long double)step,
                    ACL_FLOAT, 0);
        for (int64_t e = 0; e < of->turned; e++)
            rope[e] *= at(trial, "quantScaleCkvOptional", 0) / step;
    }
    for (int64_t e = 0; e < of->kept; e++)
        assert_near("query", given(trial, "queryOut"), number * of->kept + e, (long double)nope[e],
                    given(trial, "queryOut")->dtype, of->caches == 1 ? 0 : 1e-12L);
    for (int64_t e = 0; e < of->turned; e++)
        assert_near("queryRope", given(trial, "queryRopeOut"), number * of->turned + e, (long double)rope[e],
                    of->dtype, 1e-9L * (long double)(1 + fabs(rope[e])));
}

static void expect_queries(const struct trial *trial, const struct sizes *of, int64_t token)
{
    const int64_t whole = of->depth + of->turned, columns = of->heads * whole;
    double x[WIDTH_MAX], latent[WIDTH_MAX], query[WIDTH_MAX * 4], step = 1;
    for (int64_t i = 0; i < of->width; i++)
        x[i] = at(trial, "tokenX", token * of->width + i);
    multiply(trial, x, "weightDq", of->width, of->latent, "dequantScaleWDqOptional",
             scale_at(trial, "dequantScaleXOptional", token), latent);
    normalise(trial, "rmsnormGammaCq", "rmsnormEpsilonCq", of->is_v3 ? 1.5 : 1, of->latent, latent);
    if (of->weights > 0) {
        for (int64_t i = 0; i < of->latent; i++)
            latent[i] *= scale_at(trial, "smoothScalesCqOptional", i);
        step = quantise(latent, of->latent);
    }
    if (of->is_v3 && given(trial, "queryNormOutOptional")->count > 0)
        for (int64_t i = 0; i < of->latent; i++)
            assert_near("norm", given(trial, "queryNormOutOptional"), token * of->latent + i,
                        (long double)latent[i], given(trial, "queryNormOutOptional")->dtype, 1e-12L);
    if (of->is_v3 && was_given(trial, "dequantScaleQNormOutOptional"))
        assert_near("norm's scale", given(trial, "dequantScaleQNormOutOptional"), token, (long double)step,
                    ACL_FLOAT, 0);
    multiply(trial, latent, "weightUqQr", of->latent, columns, "dequantScaleWUqQrOptional", step, query);
    for (int64_t n = 0; n < of->heads; n++)
        expect_head(trial, of, token, n, query + n * whole);
}

/* The number of an element of a slot's row. */
static int64_t number_in(const struct sizes *of, int64_t slot, int64_t e, int64_t width, bool is_int8)
{
    const int64_t tile = of->mode == TILES || of->mode == BLOCK_TILES ? (is_int8 ? 32 : 16) : width;
    return ((slot / of->block * (width / tile) + e / tile) * of->block + slot % of->block) * tile + e % tile;
}

static void expect_kept(const struct trial *trial, const struct sizes *of, const double *const *before)
{
    for (int64_t slot = 0; slot < of->blocks * of->block; slot++) {
        double x[WIDTH_MAX], row[WIDTH_MAX * 2], turned[WIDTH_MAX];
        int64_t token = of->tokens - 1;
        while (token >= 0 && of->slot[token] != slot)
            token--;
        if (token >= 0) {
            for (int64_t i = 0; i < of->width; i++)
                x[i] = at(trial, "tokenX", token * of->width + i);
            multiply(trial, x, "weightDkvKr", of->width, of->kept + of->turned, "dequantScaleWDkvKrOptional",
                     scale_at(trial, "dequantScaleXOptional", token), row);
            normalise(trial, "rmsnormGammaCkv", "rmsnormEpsilonCkv", of->is_v3 ? 0.75 : 1, of->kept, row);
            turn(trial, token, row + of->kept, of->turned, turned);
        }
        for (int i = 0; i < 2; i++) {
            const char *cache = i == 0 ? "kvCacheRef" : "krCacheRef",
                       *scale = i == 0 ? "quantScaleCkvOptional" : "quantScaleCkrOptional";
            const int64_t width = i == 0 ? of->kept : of->turned;
            const bool is_int8 = given(trial, cache)->dtype == ACL_INT8;
            for (int64_t e = 0; e < width; e++) {
                const int64_t index = number_in(of, slot, e, width, is_int8);
                double wanted = token < 0 ? before[i][index] : i == 0 ? row[e] : turned[e];
                if (token >= 0 && is_int8)
                    wanted = int8_of(wanted * at(trial, scale, of->caches == 1 ? 0 : e));
                assert_near(cache, given(trial, cache), index, (long double)wanted,
                            given(trial, cache)->dtype, is_int8 ? 0 : 1e-12L);
            }
        }
    }
}

static void tokens_are_taken(void)
{
    struct sizes of = draw();
    struct trial trial = give_all(&of);
    const double *const before[] = {numbers_of(&trial, "kvCacheRef"), numbers_of(&trial, "krCacheRef")};
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t t = 0; t < of.tokens; t++)
        expect_queries(&trial, &of, t);
    expect_kept(&trial, &of, before);
    if (of.mode < BATCHES) {
        const char *name = of.is_v3 ? "cacheIndexOptional" : "cacheIndex";
        const int64_t beyond = of.blocks * of.block;
        memcpy(layout_element(given(&trial, name), 0), &beyond, sizeof beyond);
        expect_fault(&trial, "cacheIndex leads to slot");
    }
    if (of.has_lengths && (of.mode == BLOCKS || of.mode == BLOCK_TILES)) {
        const int32_t less = -1;
        memcpy(layout_element(given(&trial, "actualSeqLenOptional"), 0), &less, sizeof less);
        expect_fault(&trial, "actualSeqLen leads to -1 tokens of sequence 0");
    }
    free((void *)(uintptr_t)before[0]);
    free((void *)(uintptr_t)before[1]);
    end_trial(&trial);
}

static void (*const rounds[])(void) = {tokens_are_taken};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(400));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 40);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnMlaPrologV2WeightNz");
    refuse_trial(&trial, "cacheModeOptional", argument_of_pointer("PA"),
                 "cacheModeOptional is \"PA\"; PA_BSND");
    refuse_tensor(&trial, "tokenX", ACL_FLOAT16, 1, DIMS(4), "tokenX has shape [4]; tokens, or batches");
    refuse_tensor(&trial, "tokenX", ACL_BF16, 2, DIMS(3, 4),
                  "tokenX has dtype BFLOAT16; FLOAT16 is expected");
    refuse_tensor(&trial, "weightDq", ACL_FLOAT16, 2, DIMS(3, 5),
                  "weightDq has shape [3, 5]; [4, 5] is expected");
    refuse_tensor(&trial, "weightUqQr", ACL_INT8, 2, DIMS(5, 12),
                  "dequantScaleWUqQrOptional has shape none; 12 numbers are expected");
    refuse_tensor(&trial, "quantScaleCkvOptional", ACL_FLOAT, 1, DIMS(3),
                  "quantScaleCkvOptional was given; none is expected");
    refuse_tensor(&trial, "krCacheRef", ACL_INT8, 4, DIMS(2, 2, 1, 2), "krCacheRef is INT8 and kvCacheRef");
    refuse_tensor(&trial, "krCacheRef", ACL_FLOAT16, 4, DIMS(2, 3, 1, 2), "the slots of kvCacheRef");
    refuse_tensor(&trial, "ropeSin", ACL_FLOAT16, 2, DIMS(3, 3), "ropeSin has shape [3, 3]; an even number");
    refuse_tensor(&trial, "cacheIndex", ACL_INT64, 1, DIMS(2), "cacheIndex has shape [2]; 3 numbers");
    refuse_tensor(&trial, "queryOut", ACL_FLOAT16, 3, DIMS(3, 2, 4), "queryOut has shape [3, 2, 4]");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnMlaPrologV3WeightNz");
    refuse_trial(&trial, "weightQuantMode", argument_of_integer(1), "weightQuantMode is 1; 0 is expected of");
    refuse_trial(&trial, "kvCacheQuantMode", argument_of_integer(3), "kvCacheQuantMode is 3; 0 is expected");
    refuse_trial(&trial, "ckvkrRepoMode", argument_of_integer(1), "ckvkrRepoMode is 1; 0 is expected");
    refuse_trial(&trial, "cacheIndexOptional", argument_of_pointer(NULL), "cacheIndexOptional was not given");
    refuse_tensor(&trial, "kNopeClipAlphaOptional", ACL_FLOAT, 1, DIMS(1),
                  "kNopeClipAlphaOptional was given");
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
