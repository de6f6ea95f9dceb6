/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary embedding by pairs, by a matrix and by positions in a cache, and attention of parts of the keys merged,
 * against loops in double; examples of known results; what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

/* The other element of the pair that element e is of, in a mode, and whether e is the first of it. */
static int64_t other_of(int64_t mode, int64_t e, int64_t depth, bool *is_first)
{
    const int64_t span = mode == 1 ? 1 : mode == 2 ? depth / 4 : depth / 2;
    *is_first = e / span % 2 == 0;
    return *is_first ? e + span : e - span;
}

static void rows_are_turned(void)
{
    const bool is_interleave = random_below(3) == 0, is_matrix = !is_interleave && random_below(2) == 0;
    const int64_t mode = is_interleave ? 3 : random_below(4),
                  depth = (is_matrix ? 1 : 4) * (1 + random_below(20));
    const unsigned rank = is_interleave ? 4 : 3 + (unsigned)random_below(2);
    const aclDataType dtype = short_dtypes[is_interleave ? 1 + random_below(2) : random_below(3)];
    struct trial trial = trial_of(is_interleave ? "aclnnInterleaveRope" : "aclnnRotaryPositionEmbeddingV2");
    int64_t shape[4], angles[4], rows = 1;
    for (unsigned i = 0; i < rank; i++) {
        shape[i] = i + 1 == rank ? depth : 1 + random_below(4);
        angles[i] = i + 1 == rank || random_below(2) == 0 ? shape[i] : 1;
        rows *= i + 1 == rank ? 1 : shape[i];
    }
    give(&trial, "x", dtype, rank, shape, 2);
    give(&trial, "cos", dtype, rank, angles, 1);
    give(&trial, "sin", dtype, rank, angles, 1);
    give(&trial, "out", dtype, rank, shape, 1);
    if (!is_interleave)
        give_value(&trial, "mode", argument_of_integer(mode));
    if (is_matrix)
        give(&trial, "rotateOptional", dtype, 2, DIMS(depth, depth), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < rows * depth; i++) {
        const int64_t e = i % depth, row = i - e;
        const double cosine = broadcast_element(given(&trial, "cos"), rank, shape, i),
                     sine = broadcast_element(given(&trial, "sin"), rank, shape, i);
        bool is_first = true;
        int64_t other = is_matrix ? 0 : other_of(mode, e, depth, &is_first), own = e;
        if (mode == 3 && !is_matrix) {
            own = is_first ? 2 * e : 2 * (e - depth / 2) + 1;
            other = is_first ? own + 1 : own - 1;
        }
        double turned = 0;
        if (is_matrix) {
            for (int64_t k = 0; k < depth; k++)
                turned += at(&trial, "x", row + k) * at(&trial, "rotateOptional", k * depth + e);
        } else {
            turned = (is_first ? -1 : 1) * at(&trial, "x", row + other);
        }
        assert_near("rotated", given(&trial, "out"), i,
                    (long double)at(&trial, "x", row + own) * (long double)cosine +
                        (long double)turned * (long double)sine,
                    dtype, dtype == ACL_FLOAT ? 1e-13L : 1e-7L);
    }
    end_trial(&trial);
}

static int64_t axis_of(int64_t e, const int64_t *section, int64_t axes, bool is_interleaved)
{
    if (is_interleaved)
        return e % 3 == 1 && e < 3 * section[1] ? 1 : e % 3 == 2 && e < 3 * section[2] ? 2 : 0;
    int64_t end = 0;
    for (int64_t axis = 0; axis < axes; axis++)
        if (e < (end += section[axis]))
            return axis;
    return axes - 1;
}

static void heads_are_turned_by_positions(void)
{
    const bool is_v2 = random_below(2) == 0, is_neox = random_below(2) == 0;
    const int64_t tokens = random_below(6), size = 2 + random_below(20), half = 1 + random_below(size / 2),
                  positions = 1 + random_below(9), heads[] = {1 + random_below(3), 1 + random_below(2)},
                  axes = random_below(2) == 0 ? 0 : 3 + random_below(2);
    const bool is_interleaved = is_v2 && axes < 4 && random_below(2) == 0;
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of(is_v2 ? "aclnnRopeWithSinCosCacheV2" : "aclnnRopeWithSinCosCache");
    int64_t place[32], section[4] = {0}, left = half;
    for (int64_t i = 0; i < 4 * tokens; i++)
        place[i] = random_below(positions);
    for (int64_t i = 0; i < axes; i++)
        left -= section[i] = i + 1 == axes ? left : random_below(left + 1);
    give_numbers(&trial, "positions", random_below(2) == 0 ? ACL_INT32 : ACL_INT64, axes == 0 ? 1 : 2,
                 axes == 0 ? DIMS(tokens) : DIMS(axes, tokens), place);
    give(&trial, "queryIn", dtype, 2, DIMS(tokens, heads[0] * size), 2);
    give(&trial, "keyIn", dtype, 2, DIMS(tokens, heads[1] * size), 2);
    give(&trial, "queryOut", dtype, 2, DIMS(tokens, heads[0] * size), 2);
    give(&trial, "keyOut", dtype, 2, DIMS(tokens, heads[1] * size), 2);
    give(&trial, "cosSinCache", dtype, 2, DIMS(positions, 2 * half), 1);
    if (axes > 0)
        give_value(&trial, "mropeSection", argument_of_pointer(aclCreateIntArray(section, (uint64_t)axes)));
    give_value(&trial, "headSize", argument_of_integer(size));
    give_value(&trial, "isNeoxStyle", argument_of_bool(is_neox));
    if (is_v2)
        give_value(&trial, "cacheMode", argument_of_integer(is_interleaved));
    assert_int_equal(run_trial(&trial), 0);
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < tokens * heads[k] * size; i++) {
            const char *in = k == 0 ? "queryIn" : "keyIn";
            const int64_t token = i / (heads[k] * size), e = i % size, row = i - e;
            long double wanted = (long double)at(&trial, in, i);
            if (e < 2 * half) {
                const int64_t pair = is_neox ? e % half : e / 2;
                const bool is_first = is_neox ? e < half : e % 2 == 0;
                const int64_t other = is_neox ? (is_first ? e + half : e - half) : (is_first ? e + 1 : e - 1);
                const int64_t axis = axes == 0 ? 0 : axis_of(pair, section, axes, is_interleaved),
                              from = place[axis * tokens + token] * 2 * half;
                wanted = wanted * (long double)at(&trial, "cosSinCache", from + pair) +
                         (is_first ? -1 : 1) * (long double)at(&trial, in, row + other) *
                             (long double)at(&trial, "cosSinCache", from + half + pair);
            }
            assert_near("turned", given(&trial, k == 0 ? "queryOut" : "keyOut"), i, wanted, dtype, 1e-15L);
        }
    if (tokens > 0) {
        const struct layout *numbers = given(&trial, "positions");
        memcpy(layout_element(numbers, 0), &positions, numbers->bytes);
        expect_fault(&trial, "positions holds");
    }
    end_trial(&trial);
}

static void parts_are_merged(void)
{
    enum { PARTS_MAX = 4 };
    const int64_t parts = 1 + random_below(PARTS_MAX), rows = random_below(5), depth = 1 + random_below(20),
                  type = random_below(2);
    const aclDataType dtype = short_dtypes[random_below(3)];
    const struct function *function = find("aclnnAttentionUpdate");
    struct layout lse[PARTS_MAX], part[PARTS_MAX];
    const aclTensor *handle[2][PARTS_MAX];
    for (int64_t i = 0; i < parts; i++) {
        lse[i] = layout_create(ACL_FLOAT, 1, &rows, (enum layout_kind)random_below(LAYOUT_KINDS));
        part[i] = layout_create(dtype, 2, DIMS(rows, depth), (enum layout_kind)random_below(LAYOUT_KINDS));
        layout_fill(&lse[i], 4, false);
        layout_fill(&part[i], 2, false);
        for (int64_t k = 0; k < rows; k++)
            if (random_below(4) == 0)
                set_element(&lse[i], k, (double)INFINITY);
        handle[0][i] = lse[i].tensor;
        handle[1][i] = part[i].tensor;
    }
    struct layout out = layout_create(dtype, 2, DIMS(rows, depth),
                                      (enum layout_kind)random_below(LAYOUT_REPEATED)),
                  sums = layout_create(ACL_FLOAT, 1, &rows, (enum layout_kind)random_below(LAYOUT_REPEATED));
    const union argument argument[] = {argument_of_pointer(aclCreateTensorList(handle[0], (uint64_t)parts)),
                                       argument_of_pointer(aclCreateTensorList(handle[1], (uint64_t)parts)),
                                       argument_of_integer(type), argument_of_pointer(out.tensor),
                                       argument_of_pointer(type == 1 ? sums.tensor : NULL)};
    assert_int_equal(call_function(function, argument), 0);
    for (int64_t row = 0; row < rows; row++) {
        long double all = 0;
        for (int64_t i = 0; i < parts; i++)
            all += isinf(element_of(&lse[i], row)) ? 0 : expl((long double)element_of(&lse[i], row));
        for (int64_t e = 0; e < depth; e++) {
            long double sum = 0;
            for (int64_t i = 0; i < parts; i++)
                if (!isinf(element_of(&lse[i], row)))
                    sum += (long double)element_of(&part[i], row * depth + e) *
                           expl((long double)element_of(&lse[i], row)) / all;
            assert_near("merged", &out, row * depth + e, sum, dtype, 1e-15L);
            trial_hash = hash_of(layout_element(&out, row * depth + e), out.bytes, trial_hash);
        }
        if (type == 1 && all == 0)
            assert_true(element_of(&sums, row) == (double)INFINITY);
        else if (type == 1)
            assert_near("lseOut", &sums, row, logl(all), ACL_FLOAT, 1e-15L);
    }
    for (int64_t i = 0; i < parts; i++) {
        assert_int_equal(aclrtFree(memory_known_as(lse[i].memory)), 0);
        assert_int_equal(aclrtFree(memory_known_as(part[i].memory)), 0);
    }
    assert_int_equal(aclDestroyTensorList(argument[0].tensors), 0);
    assert_int_equal(aclDestroyTensorList(argument[1].tensors), 0);
    layout_destroy(&out);
    layout_destroy(&sums);
}

static void a_ring_goes_on(void)
{
    const bool is_packed = random_below(2) == 0, has_blocks = is_packed && random_below(2) == 0,
               has_ends = has_blocks && random_below(3) > 0;
    const int64_t batches = is_packed ? 1 : 1 + random_below(3), rows = 1 + random_below(6),
                  heads = 1 + random_below(3), depth = 1 + random_below(10);
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnRingAttentionUpdateV2");
    static const char *const names[][4] = {{"prevAttnOut", "curAttnOut", "attnOut", ""},
                                           {"prevSoftmaxMax", "curSoftmaxMax", "softmaxMax", ""},
                                           {"prevSoftmaxSum", "curSoftmaxSum", "softmaxSum", ""}};
    for (int k = 0; k < 3; k++) {
        give(&trial, names[0][k], dtype, 3,
             is_packed ? DIMS(rows, heads, depth) : DIMS(rows, batches, heads * depth), 2);
        for (int i = 1; i < 3; i++)
            give(&trial, names[i][k], ACL_FLOAT, is_packed ? 3 : 4,
                 is_packed ? DIMS(rows, heads, 8) : DIMS(batches, heads, rows, 8), 3);
        for (int64_t i = 0; i < given(&trial, names[2][k])->count; i++) {
            const bool is_empty = random_below(5) == 0;
            set_element(given(&trial, names[2][k]), i,
                        is_empty ? (double)FLT_MAX : fabs(at(&trial, names[2][k], i)) + 0.1);
            if (is_empty)
                set_element(given(&trial, names[1][k]), i, -(double)FLT_MAX);
        }
    }
    const int64_t first = random_below(rows + 1), ends[] = {0, first, rows}, count = 3;
    if (has_ends)
        give_numbers(&trial, "actualSeqQlenOptional", ACL_INT64, 1, &count, ends);
    give_value(&trial, "inputLayout", argument_of_pointer(is_packed ? "TND" : "SBH"));
    give_value(&trial, "inputSoftmaxLayout", argument_of_pointer(has_blocks ? "" : "TND"));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t b = 0; b < batches; b++)
        for (int64_t n = 0; n < heads; n++)
            for (int64_t s = 0; s < rows; s++) {
                const int64_t from = has_ends && s >= first ? first : 0,
                              to = has_ends && s < first ? first : rows;
                const int64_t place = 8 * (!is_packed   ? (b * heads + n) * rows + s
                                           : has_blocks ? from * heads + n * (to - from) + s - from
                                                        : s * heads + n);
                const double most[] = {at(&trial, "prevSoftmaxMax", place),
                                       at(&trial, "curSoftmaxMax", place)},
                             sum[] = {at(&trial, "prevSoftmaxSum", place),
                                      at(&trial, "curSoftmaxSum", place)};
                const double greatest = fmax(most[0], most[1]);
                const bool is_empty = greatest == -(double)FLT_MAX;
                const long double weight[] = {(long double)sum[0] * expl((long double)(most[0] - greatest)),
                                              (long double)sum[1] * expl((long double)(most[1] - greatest))};
                for (int k = 0; k < 8; k++) {
                    assert_true(at(&trial, "softmaxMax", place + k) == greatest);
                    assert_near("softmaxSum", given(&trial, "softmaxSum"), place + k,
                                is_empty ? (long double)FLT_MAX : weight[0] + weight[1], ACL_FLOAT, 0);
                }
                for (int64_t e = 0; e < depth; e++) {
                    const int64_t i = ((s * batches + b) * heads + n) * depth + e;
                    assert_near("attnOut", given(&trial, "attnOut"), i,
                                is_empty ? 0
                                         : ((long double)at(&trial, "prevAttnOut", i) * weight[0] +
                                            (long double)at(&trial, "curAttnOut", i) * weight[1]) /
                                               (weight[0] + weight[1]),
                                dtype, 1e-15L);
                }
            }
    if (has_ends) {
        const int64_t beyond = rows + 1;
        memcpy(layout_element(given(&trial, "actualSeqQlenOptional"), 2), &beyond, sizeof beyond);
        expect_fault(&trial, "actualSeqQlen holds");
    }
    end_trial(&trial);
}

static void (*const rounds[])(void) = {rows_are_turned, heads_are_turned_by_positions, parts_are_merged,
                                       a_ring_goes_on};

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

static void fill(const struct trial *trial, const char *name, const double *number)
{
    for (int64_t i = 0; i < given(trial, name)->count; i++)
        set_element(given(trial, name), i, number[i]);
}

#define NUMBERS(...) \
    (const double[]) \
    {                \
        __VA_ARGS__  \
    }

static void examples_give_what_they_should(void **state)
{
    static const double turned[] = {-1.5, 3, 2, 10}, halves = 0.6931471805599453;
    (void)state;
    struct trial trial = example_of("aclnnInterleaveRope");
    for (int i = 0; i < 4; i++)
        give(&trial,
             i == 0   ? "x"
             : i == 1 ? "cos"
             : i == 2 ? "sin"
                      : "out",
             ACL_FLOAT16, 4, DIMS(1, 1, 1, 4), 1);
    fill(&trial, "x", NUMBERS(1, 2, 3, 4));
    fill(&trial, "cos", NUMBERS(.5, 1, .5, 1));
    fill(&trial, "sin", NUMBERS(1, 0, 1, 2));
    assert_int_equal(run_trial(&trial), 0);
    for (int i = 0; i < 4; i++)
        assert_true(at(&trial, "out", i) == turned[i]);
    end_trial(&trial);
    trial = example_of("aclnnRingAttentionUpdateV2");
    static const char *const names[] = {"prevAttnOut",    "curAttnOut",    "attnOut",
                                        "prevSoftmaxMax", "curSoftmaxMax", "softmaxMax",
                                        "prevSoftmaxSum", "curSoftmaxSum", "softmaxSum"};
    for (int i = 0; i < 9; i++)
        give(&trial, names[i], ACL_FLOAT, 3, DIMS(1, 1, i < 3 ? 1 : 8), 1);
    fill(&trial, "prevAttnOut", NUMBERS(10));
    fill(&trial, "curAttnOut", NUMBERS(20));
    for (int i = 0; i < 8; i++) {
        set_element(given(&trial, "prevSoftmaxMax"), i, 0);
        set_element(given(&trial, "curSoftmaxMax"), i, halves);
        set_element(given(&trial, "prevSoftmaxSum"), i, 2);
        set_element(given(&trial, "curSoftmaxSum"), i, 3);
    }
    assert_int_equal(run_trial(&trial), 0);
    assert_near("sum", given(&trial, "softmaxSum"), 7, 4, ACL_FLOAT, 1e-7L);
    assert_near("attention", given(&trial, "attnOut"), 0, 17.5L, ACL_FLOAT, 1e-6L);
    end_trial(&trial);
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnInterleaveRope");
    refuse_tensor(&trial, "x", ACL_FLOAT16, 3, DIMS(1, 3, 4), "cos has shape [1, 1, 3, 4]; that of x");
    refuse_tensor(&trial, "x", ACL_FLOAT, 4, DIMS(1, 2, 3, 4), "x has dtype FLOAT");
    refuse_tensor(&trial, "cos", ACL_FLOAT16, 4, DIMS(1, 1, 2, 4), "cos has shape [1, 1, 2, 4]; that of x");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnRotaryPositionEmbeddingV2");
    refuse_tensor(&trial, "rotateOptional", ACL_FLOAT, 2, DIMS(4, 3),
                  "rotateOptional has shape [4, 3]; [4, 4] is");
    refuse_tensor(&trial, "x", ACL_FLOAT, 2, DIMS(3, 4), "x has shape [3, 4]; rank 3 or 4 is expected");
    refuse_tensor(&trial, "sin", ACL_FLOAT, 4, DIMS(1, 1, 1, 4), "sin has shape [1, 1, 1, 4]");
    refuse_tensor(&trial, "cos", ACL_FLOAT16, 4, DIMS(1, 2, 1, 4), "cos has dtype FLOAT16");
    refuse_trial(&trial, "mode", argument_of_integer(4), "mode");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnRopeWithSinCosCacheV2");
    refuse_tensor(&trial, "positions", ACL_INT32, 2, DIMS(2, 3),
                  "positions has shape [2, 3]; one number for each");
    refuse_tensor(&trial, "positions", ACL_INT32, 2, DIMS(3, 3),
                  "mropeSection has 0 numbers, 0 in all; 3 numbers, 2");
    refuse_tensor(&trial, "queryIn", ACL_FLOAT, 2, DIMS(3, 7),
                  "queryIn has shape [3, 7]; 3 tokens and heads of 4");
    refuse_tensor(&trial, "keyIn", ACL_FLOAT16, 2, DIMS(3, 4), "keyIn has dtype FLOAT16");
    refuse_tensor(&trial, "cosSinCache", ACL_FLOAT, 2, DIMS(5, 3),
                  "headSize is 4 and cosSinCache has shape [5, 3]");
    refuse_trial(&trial, "headSize", argument_of_integer(2),
                 "headSize is 2 and cosSinCache has shape [5, 4]");
    refuse_trial(&trial, "cacheMode", argument_of_integer(2), "cacheMode is 2; 0, or 1 of up to 3 positions");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnAttentionUpdate");
    refuse_trial(&trial, "updateType", argument_of_integer(2), "updateType is 2; 0 or 1 is expected");
    refuse_trial(&trial, "localOut", trial.argument[0],
                 "localOut has shape [3]; rows and elements are expected");
    refuse_trial(&trial, "lse", trial.argument[1],
                 "tensor 0 of lse has shape [3, 4]; one number for each of 3 rows");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnRingAttentionUpdateV2");
    refuse_trial(&trial, "inputLayout", argument_of_pointer("BSH"),
                 "inputLayout is \"BSH\"; SBH or TND is expected");
    refuse_trial(&trial, "inputLayout", argument_of_pointer("SBH"),
                 "prevAttnOut has shape [2, 1, 4] and prevSoftmaxMax");
    refuse_trial(&trial, "inputSoftmaxLayout", argument_of_pointer("BSH"), "inputSoftmaxLayout is \"BSH\"");
    refuse_tensor(&trial, "curSoftmaxMax", ACL_FLOAT, 3, DIMS(2, 2, 8), "curSoftmaxMax has shape");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(examples_give_what_they_should),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
