/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of small numbers that are added to what is there, or added up over a batch or groups, or whose dims are
 * permuted, under Ascend950 against loops in long double.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ops/small_floats.h"
#include "support/effort.h"

static const aclDataType outs[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

static int64_t pairs_in(int64_t depth)
{
    return (depth - 1) / 64 + 1;
}

/* x1 [depth, rows] and x2 [depth, columns], turned by transposeX1, with scales of MX or of rows and columns. */
static void products_are_added_to_what_is_there(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        struct named_call call = call_begin_named("aclnnQuantBatchMatmulInplaceAdd");
        const int64_t m = 1 + random_below(8), n = 1 + random_below(60), k = 1 + random_below(150),
                      pairs = pairs_in(k);
        const bool has_powers = random_below(2) == 0;
        const struct small x = give_small(&call, "x1", ACL_FLOAT8_E4M3FN, 2, (const int64_t[]){k, m}),
                           w = give_small(&call, "x2", ACL_FLOAT8_E5M2, 2, (const int64_t[]){k, n});
        give_number(&call, "transposeX1", 1);
        const struct layout *own = has_powers ? GIVE(&call, "x1Scale", ACL_FLOAT8_E8M0, pairs, m, 2)
                                              : GIVE(&call, "x1Scale", ACL_FLOAT, m),
                            *scale = has_powers ? GIVE(&call, "x2Scale", ACL_FLOAT8_E8M0, pairs, n, 2)
                                                : GIVE(&call, "x2Scale", ACL_FLOAT, n);
        if (has_powers)
            fill_powers(own), fill_powers(scale);
        const struct layout *y = GIVE(&call, "yRef", ACL_FLOAT, m, n);
        double before[8 * 60];
        for (int64_t i = 0; i < m * n; i++)
            before[i] = element_of(y, i);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < m * n; i++) {
            long double value = (long double)before[i], size = fabsl(value);
            for (int64_t j = 0; j < k; j++) {
                long double term =
                    (long double)small_value(&x, j * m + i / n) * (long double)small_value(&w, j * n + i % n);
                if (has_powers)
                    term *= power_at(own, (j / 64 * m + i / n) * 2 + j / 32 % 2) *
                            power_at(scale, (j / 64 * n + i % n) * 2 + j / 32 % 2);
                else
                    term *= (long double)element_of(own, i / n) * (long double)element_of(scale, i % n);
                value += term, size += fabsl(term);
            }
            assert_near("added", y, i, value, ACL_FLOAT, 0x1p-45L * size);
        }
        end_named(&call);
    }
}

/* Blocks of 32 steps in blocks of 512, each with scales; x2 as it is, or as bytes. */
static void products_have_scales_of_two_levels(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(16); round++) {
        struct named_call call = call_begin_named("aclnnDualLevelQuantMatmulWeightNz");
        const int64_t m = 1 + random_below(8), n = 1 + random_below(20), k = 2 * (1 + random_below(700)),
                      pairs = pairs_in(k), blocks = (k - 1) / 512 + 1;
        struct small x = give_small(&call, "x1", ACL_FLOAT4_E2M1, 2, (const int64_t[]){m, k}),
                     w = give_small(&call, "x2", ACL_FLOAT4_E2M1, 2, (const int64_t[]){n, k});
        if (round % 2 == 0) {
            assert_int_equal(aclDestroyTensor(w.tensor), 0);
            w.tensor = aclCreateTensor((const int64_t[]){n, k / 2}, 2, ACL_INT8, (const int64_t[]){k / 2, 1},
                                       0, ACL_FORMAT_ND, (const int64_t[]){n, k / 2}, 2,
                                       memory_known_as(w.layout.memory));
            call.argument[place_named(&call, "x2")].tensor = w.tensor;
        }
        const struct layout *own = GIVE(&call, "x1Level0Scale", ACL_FLOAT, m, blocks),
                            *scale = GIVE(&call, "x2Level0Scale", ACL_FLOAT, blocks, n),
                            *own_power = GIVE(&call, "x1Level1Scale", ACL_FLOAT8_E8M0, m, pairs, 2),
                            *power = GIVE(&call, "x2Level1Scale", ACL_FLOAT8_E8M0, n, pairs, 2),
                            *bias = round % 3 == 0 ? GIVE(&call, "bias", ACL_FLOAT, n) : NULL;
        fill_powers(own_power), fill_powers(power);
        const struct layout *out = GIVE(&call, "out", round % 5 < 2 ? ACL_FLOAT16 : ACL_BF16, m, n);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < m * n; i++) {
            const int64_t row = i / n, column = i % n;
            long double value = bias != NULL ? (long double)element_of(bias, column) : 0, size = fabsl(value);
            for (int64_t j = 0; j < k; j++) {
                const long double term = (long double)small_value(&x, row * k + j) *
                                         (long double)small_value(&w, column * k + j) *
                                         power_at(own_power, row * pairs * 2 + j / 32) *
                                         power_at(power, column * pairs * 2 + j / 32) *
                                         (long double)element_of(own, row * blocks + j / 512) *
                                         (long double)element_of(scale, j / 512 * n + column);
                value += term, size += fabsl(term);
            }
            assert_near("two levels", out, i, value, out->dtype, 0x1p-45L * size);
        }
        end_named(&call);
        end_small(&x), end_small(&w);
    }
}

/* Where nothing is added up, behind a product that was. */
static void products_of_no_steps_are_the_bias(void **state)
{
    (void)state;
    for (int64_t k = 64; k >= 0; k -= 64) {
        struct named_call call = call_begin_named("aclnnDualLevelQuantMatmulWeightNz");
        struct small x = give_small(&call, "x1", ACL_FLOAT4_E2M1, 2, (const int64_t[]){3, k}),
                     w = give_small(&call, "x2", ACL_FLOAT4_E2M1, 2, (const int64_t[]){5, k});
        GIVE(&call, "x1Level0Scale", ACL_FLOAT, 3, k / 64),
            GIVE(&call, "x2Level0Scale", ACL_FLOAT, k / 64, 5);
        const struct layout *own = GIVE(&call, "x1Level1Scale", ACL_FLOAT8_E8M0, 3, k / 64, 2),
                            *power = GIVE(&call, "x2Level1Scale", ACL_FLOAT8_E8M0, 5, k / 64, 2),
                            *bias = GIVE(&call, "bias", ACL_FLOAT, 5),
                            *out = GIVE(&call, "out", ACL_BF16, 3, 5);
        fill_powers(own), fill_powers(power);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; k == 0 && i < out->count; i++)
            assert_near("no steps", out, i, (long double)element_of(bias, i % 5), ACL_BF16, 0);
        end_named(&call);
        end_small(&x), end_small(&w);
    }
}

/* Parts of the depth by a list, whose pairs of blocks begin at floor(first / 64) + group. */
static void products_of_groups_are_added(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        struct named_call call = call_begin_named("aclnnQuantGroupedMatmulInplaceAdd");
        const int64_t m = 1 + random_below(6), n = 1 + random_below(30), k = 1 + random_below(200),
                      groups = 1 + random_below(4);
        const bool has_powers = random_below(2) == 0, is_hifloat = !has_powers,
                   has_columns = random_below(2) == 0, has_own = has_powers || random_below(2) == 0;
        const aclDataType dtype = is_hifloat ? ACL_HIFLOAT8 : ACL_FLOAT8_E4M3FN;
        const struct small x = give_small(&call, "x1", dtype, 2, (const int64_t[]){k, m}),
                           w = give_small(&call, "x2", dtype, 2, (const int64_t[]){k, n});
        const int64_t starts = k / 64 + groups;
        const struct layout *own = !has_own     ? NULL
                                   : has_powers ? GIVE(&call, "scale1", ACL_FLOAT8_E8M0, starts, m, 2)
                                                : GIVE(&call, "scale1", ACL_FLOAT, groups, 1),
                            *scale = has_powers    ? GIVE(&call, "scale2", ACL_FLOAT8_E8M0, starts, n, 2)
                                     : has_columns ? GIVE(&call, "scale2", ACL_FLOAT, groups, n)
                                                   : GIVE(&call, "scale2", ACL_FLOAT, groups);
        if (has_powers)
            fill_powers(own), fill_powers(scale);
        const struct layout *list = GIVE(&call, "groupList", ACL_INT64, groups);
        int64_t end[4], last = 0;
        const bool has_counts = random_below(2) == 0;
        for (int64_t g = 0; g < groups; g++) {
            const int64_t count = random_below(k - last + 1);
            end[g] = last += count;
            set_whole(list, g, has_counts ? count : last);
        }
        give_number(&call, "groupListType", has_counts);
        const struct layout *y = GIVE(&call, "yRef", ACL_FLOAT, groups, m, n);
        double before[4 * 6 * 30];
        for (int64_t i = 0; i < y->count; i++)
            before[i] = element_of(y, i);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < y->count; i++) {
            const int64_t g = i / n / m, r = i / n % m, c = i % n, first = g > 0 ? end[g - 1] : 0;
            long double value = 0, size = fabsl((long double)before[i]);
            for (int64_t j = first; j < end[g]; j++) {
                const int64_t block = (j - first) / 32, at = first / 64 + g + block / 2;
                long double term =
                    (long double)small_value(&x, j * m + r) * (long double)small_value(&w, j * n + c);
                if (has_powers)
                    term *= power_at(own, (at * m + r) * 2 + block % 2) *
                            power_at(scale, (at * n + c) * 2 + block % 2);
                else
                    term *= (own != NULL ? (long double)element_of(own, g) : 1) *
                            (long double)element_of(scale, has_columns ? g * n + c : g);
                value += term, size += fabsl(term);
            }
            assert_near("groups added", y, i, value + (long double)before[i], ACL_FLOAT, 0x1p-45L * size);
        }
        end_named(&call);
    }
}

static void products_of_a_batch_are_added_up(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        struct named_call call = call_begin_named("aclnnQuantMatmulReduceSumWeightNz");
        const int64_t b = 1 + random_below(4), m = 1 + random_below(70), n = 1 + random_below(20),
                      k = 1 + random_below(40);
        const bool keeps = random_below(2) == 0;
        const struct layout *x = GIVE(&call, "x1", ACL_INT8, b, m, k),
                            *w = GIVE(&call, "x2", ACL_INT8, b, k, n);
        for (int64_t i = 0; i < x->count; i++)
            set_whole(x, i, random_below(256) - 128);
        for (int64_t i = 0; i < w->count; i++)
            set_whole(w, i, random_below(256) - 128);
        const struct layout *own = GIVE(&call, "x1Scale", ACL_FLOAT, b, m),
                            *scale = GIVE(&call, "x2Scale", ACL_BF16, n);
        give_array(&call, "dims", (const int64_t[]){0}, 1), give_number(&call, "keepDims", keeps);
        const struct layout *out = keeps ? GIVE(&call, "out", outs[random_below(3)], 1, m, n)
                                         : GIVE(&call, "out", outs[random_below(3)], m, n);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            long double value = 0, size = 0;
            for (int64_t j = 0; j < b; j++) {
                int64_t sum = 0;
                for (int64_t l = 0; l < k; l++)
                    sum += whole_of(x, (j * m + i / n) * k + l) * whole_of(w, (j * k + l) * n + i % n);
                const long double term = (long double)sum * (long double)element_of(own, j * m + i / n) *
                                         (long double)element_of(scale, i % n);
                value += term, size += fabsl(term);
            }
            assert_near("added up", out, i, value, out->dtype, 0x1p-45L * size);
        }
        end_named(&call);
    }
}

static void dims_may_be_permuted(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        struct named_call call = call_begin_named(round % 2 == 0 ? "aclnnTransposeQuantBatchMatMul"
                                                                 : "aclnnTransposeQuantBatchMatMulWeightNz");
        const int64_t b = 1 + random_below(4), m = 1 + random_below(8), n = 1 + random_below(20),
                      k = 1 + random_below(100), pairs = pairs_in(k);
        const bool is_first = random_below(2) == 0, turns = random_below(2) == 0,
                   has_powers = random_below(2) == 0;
        const struct small x = give_small(&call, "x1", ACL_FLOAT8_E4M3FN, 3,
                                          is_first ? (const int64_t[]){b, m, k} : (const int64_t[]){m, b, k}),
                           w = give_small(&call, "x2", ACL_FLOAT8_E4M3FN, 3,
                                          turns ? (const int64_t[]){b, n, k} : (const int64_t[]){b, k, n});
        give_array(&call, "permX1", is_first ? (const int64_t[]){0, 1, 2} : (const int64_t[]){1, 0, 2}, 3);
        give_array(&call, "permX2", turns ? (const int64_t[]){0, 2, 1} : (const int64_t[]){0, 1, 2}, 3);
        give_array(&call, "permY", (const int64_t[]){1, 0, 2}, 3);
        const struct layout *own = !has_powers ? GIVE(&call, "x1Scale", ACL_FLOAT, m)
                                   : is_first  ? GIVE(&call, "x1Scale", ACL_FLOAT8_E8M0, b, m, pairs, 2)
                                               : GIVE(&call, "x1Scale", ACL_FLOAT8_E8M0, m, b, pairs, 2),
                            *scale = !has_powers ? GIVE(&call, "x2Scale", ACL_FLOAT, n)
                                     : turns     ? GIVE(&call, "x2Scale", ACL_FLOAT8_E8M0, b, n, pairs, 2)
                                                 : GIVE(&call, "x2Scale", ACL_FLOAT8_E8M0, b, pairs, n, 2);
        if (has_powers)
            fill_powers(own), fill_powers(scale);
        const aclDataType dtype = outs[1 + random_below(2)];
        give_number(&call, "dtype", dtype);
        const struct layout *out = GIVE(&call, "out", dtype, m, b, n);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            const int64_t r = i / n / b, batch = i / n % b, c = i % n,
                          row = is_first ? batch * m + r : r * b + batch;
            long double value = 0, size = 0;
            for (int64_t j = 0; j < k; j++) {
                const int64_t at = turns ? (batch * n + c) * k + j : (batch * k + j) * n + c;
                long double term =
                    (long double)small_value(&x, row * k + j) * (long double)small_value(&w, at);
                if (has_powers)
                    term *= power_at(own, (row * pairs + j / 64) * 2 + j / 32 % 2) *
                            power_at(scale, (turns ? (batch * n + c) * pairs + j / 64
                                                   : (batch * pairs + j / 64) * n + c) *
                                                    2 +
                                                j / 32 % 2);
                else
                    term *= (long double)element_of(own, r) * (long double)element_of(scale, c);
                value += term, size += fabsl(term);
            }
            assert_near("permuted", out, i, value, dtype, 0x1p-45L * size);
        }
        end_named(&call);
    }
}

static void products_of_floats_become_something_else(void **state)
{
    static const char *const types[] = {"", "relu", "add", "mul", "gelu_erf", "gelu_tanh", "16cast32"};
    (void)state;
    for (int round = 0; round < times_effort(35); round++) {
        struct named_call call = call_begin_named("aclnnFusedMatmul");
        const int type = round % 7;
        const int64_t b = 1 + random_below(3), m = 1 + random_below(70), n = 1 + random_below(20),
                      k = round < 7 ? 0 : 1 + random_below(20);
        const aclDataType dtype = outs[type == 6 ? 1 + random_below(2) : random_below(3)];
        const bool shares = random_below(2) == 0;
        const struct layout *x = GIVE(&call, "x1", dtype, b, m, k),
                            *w = shares ? GIVE(&call, "x2", dtype, k, n) : GIVE(&call, "x2", dtype, b, k, n),
                            *bias = random_below(2) == 0 ? GIVE(&call, "bias", ACL_FLOAT, n) : NULL,
                            *other = NULL;
        if (type == 2 || type == 3)
            other = shares ? GIVE(&call, "x3", dtype, m, n) : GIVE(&call, "x3", dtype, b, m, n);
        call.argument[place_named(&call, "fusedOpType")] = argument_of_pointer(types[type]);
        const struct layout *y = GIVE(&call, "y", type == 6 ? ACL_FLOAT : dtype, b, m, n);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < y->count; i++) {
            const int64_t batch = i / n / m, r = i / n % m, c = i % n;
            long double value = bias != NULL ? (long double)element_of(bias, c) : 0, size = fabsl(value);
            for (int64_t j = 0; j < k; j++) {
                const long double term = (long double)element_of(x, (batch * m + r) * k + j) *
                                         (long double)element_of(w, ((shares ? 0 : batch * k) + j) * n + c);
                value += term, size += fabsl(term);
            }
            const long double third =
                other != NULL ? (long double)element_of(other, shares ? i % (m * n) : i) : 0;
            const long double inner = 0.79788456080286535588L * (value + 0.044715L * value * value * value);
            value = type == 1   ? fmaxl(value, 0)
                    : type == 2 ? value + third
                    : type == 3 ? value * third
                    : type == 4 ? value * erfcl(-value / sqrtl(2)) / 2
                    : type == 5 ? value * (1 + tanhl(inner)) / 2
                                : value;
            assert_near("fused", y, i, value, y->dtype, 0x1p-19L * (size + 1) * (1 + fabsl(third)));
        }
        end_named(&call);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    (void)state;
    struct named_call call = call_begin_named("aclnnTransposeQuantBatchMatMul");
    GIVE(&call, "x1", ACL_FLOAT8_E4M3FN, 3, 2, 4), GIVE(&call, "x2", ACL_FLOAT8_E4M3FN, 2, 4, 5);
    GIVE(&call, "x2Scale", ACL_FLOAT, 5), GIVE(&call, "out", ACL_FLOAT16, 3, 2, 5);
    give_array(&call, "permX1", (const int64_t[]){1, 0, 2}, 3),
        give_array(&call, "permX2", (const int64_t[]){2, 0, 1}, 3);
    give_array(&call, "permY", (const int64_t[]){1, 0, 2}, 3);
    assert_named_refused(&call, invalid,
                         "permX2 is another order than [0, 1, 2] or [0, 2, 1], which is expected");
    give_array(&call, "permX2", (const int64_t[]){0, 1, 2}, 3);
    give_number(&call, "batchSplitFactor", 2);
    assert_named_refused(&call, invalid, "batchSplitFactor is 2; 1 is expected");
    give_number(&call, "batchSplitFactor", 1), give_number(&call, "dtype", 27);
    assert_named_refused(&call, invalid, "out is FLOAT16 with 3 dims; BFLOAT16, which dtype says");
    call = call_begin_named("aclnnQuantMatmulReduceSumWeightNz");
    GIVE(&call, "x1", ACL_INT8, 2, 3, 4), GIVE(&call, "x2", ACL_INT8, 2, 4, 5),
        GIVE(&call, "x1Scale", ACL_FLOAT, 3);
    GIVE(&call, "x2Scale", ACL_BF16, 5), GIVE(&call, "out", ACL_BF16, 3, 5);
    give_array(&call, "dims", (const int64_t[]){0, 1}, 2);
    assert_named_refused(&call, invalid, "dims has 2 entries; 1 is expected, the batch");
    give_array(&call, "dims", (const int64_t[]){0}, 1);
    assert_named_refused(&call, invalid, "x1Scale has shape [3]; [2, 3] is expected");
    call = call_begin_named("aclnnFusedMatmul");
    GIVE(&call, "x1", ACL_FLOAT, 3, 4), GIVE(&call, "x2", ACL_FLOAT, 4, 5), GIVE(&call, "y", ACL_FLOAT, 3, 5);
    call.argument[place_named(&call, "fusedOpType")] = argument_of_pointer("tanh");
    assert_named_refused(&call, invalid, "fusedOpType is \"tanh\"; \"\", \"relu\"");
    call.argument[place_named(&call, "fusedOpType")] = argument_of_pointer("add");
    assert_named_refused(&call, invalid, "fusedOpType is \"add\" and x3Optional is NULL");
    call.argument[place_named(&call, "fusedOpType")] = argument_of_pointer("16cast32");
    assert_named_refused(&call, invalid, "x1 is FLOAT; FLOAT16 or BFLOAT16 is expected beside");
    call.argument[place_named(&call, "fusedOpType")] = argument_of_pointer("relu");
    give_tensor(&call, "bias", ACL_FLOAT, 0, (const int64_t[]){1});
    assert_named_refused(&call, invalid, "biasOptional has shape []; [5] is expected");
    call = call_begin_named("aclnnQuantGroupedMatmulInplaceAdd");
    GIVE(&call, "x1", ACL_FLOAT8_E4M3FN, 64, 3), GIVE(&call, "x2", ACL_FLOAT8_E4M3FN, 64, 5),
        GIVE(&call, "groupList", ACL_INT64, 2);
    GIVE(&call, "scale2", ACL_FLOAT, 2, 4), GIVE(&call, "yRef", ACL_FLOAT, 2, 3, 5);
    assert_named_refused(&call, invalid, "scale2 has shape [2, 4]; [2], [2, 1] or [2, 5] is expected");
    GIVE(&call, "yRef", ACL_FLOAT, 2, 3, 4);
    assert_named_refused(&call, invalid, "yRef has shape [2, 3, 4]; [2, 3, 5] is expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_added_to_what_is_there),
        cmocka_unit_test(products_have_scales_of_two_levels),
        cmocka_unit_test(products_of_no_steps_are_the_bias),
        cmocka_unit_test(products_of_groups_are_added),
        cmocka_unit_test(products_of_a_batch_are_added_up),
        cmocka_unit_test(dims_may_be_permuted),
        cmocka_unit_test(products_of_floats_become_something_else),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
