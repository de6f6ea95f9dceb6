/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Experts counted, moved and replaced by their numbers: whole tensors in any layout beside references, worked
 * examples, and calls that are refused.
 */
#include "ops/check.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "ops/named_call.h"
#include "support/effort.h"

enum { FAULT = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION };
#define NUMBERS(...) ((const double[]){__VA_ARGS__})

static void experts_are_counted(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnMoeComputeExpertTokens");
    set_numbers(GIVE(&call, "sortedExperts", ACL_INT32, 6), NUMBERS(0, 0, 0, 1, 1, 2));
    give_number(&call, "numExperts", 3);
    GIVE(&call, "out", ACL_INT32, 3);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "out", NUMBERS(3, 5, 6), 0);
    give_number(&call, "numExperts", 0);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "numExperts is 0");
    end_named(&call);
    for (int round = 0; round < times_effort(40); round++) {
        const aclDataType dtype = random_below(2) == 0 ? ACL_INT32 : ACL_INT64;
        const int64_t rows = random_below(1500), experts = 1 + random_below(9);
        int64_t number = -1;
        call = call_begin_named("aclnnMoeComputeExpertTokens");
        const struct layout *sorted = GIVE(&call, "sortedExperts", dtype, rows);
        for (int64_t i = 0; i < rows; i++)
            set_whole(sorted, i, number += random_below(200) == 0);
        give_number(&call, "numExperts", (double)experts);
        const struct layout *out = GIVE(&call, "out", dtype, experts);
        assert_int_equal(run_named(&call), 0);
        for (int64_t e = 0; e < experts; e++) {
            int64_t count = 0;
            for (int64_t i = 0; i < rows; i++)
                count += whole_of(sorted, i) <= e;
            assert_int_equal(whole_of(out, e), count);
        }
        end_named(&call);
    }
}

static void rows_of_ranks_move_to_experts(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(80); round++) {
        const int64_t ranks = 1 + random_below(4), experts = 1 + random_below(5),
                      width = 1 + random_below(600), spare = random_below(3);
        int64_t count[32], all = 0, row = 0, type = random_below(2), inverse = random_below(2);
        for (int64_t i = 0; i < ranks * experts; i++)
            all += count[i] = round == 0 ? 1 : random_below(4);
        const int64_t rows = all + spare, scales = random_below(3);
        struct named_call call = call_begin_named("aclnnMoeReRouting");
        const aclDataType dtype = random_below(4) == 0 ? ACL_INT8 : short_dtypes[random_below(3)],
                          counts = random_below(2) == 0 ? ACL_INT32 : ACL_INT64;
        const struct layout *tokens = GIVE(&call, "tokens", dtype, rows, width);
        for (int64_t i = 0; dtype == ACL_INT8 && i < tokens->count; i++)
            set_whole(tokens, i, random_below(256) - 128);
        const struct layout *given = GIVE(&call, "expertTokenNumPerRank", counts, ranks, experts);
        for (int64_t i = 0; i < given->count; i++)
            set_whole(given, i, count[i]);
        give_number(&call, "expertTokenNumType", (double)type);
        give_number(&call, "idxType", (double)inverse);
        const struct layout *out = GIVE(&call, "permuteTokens", dtype, rows, width),
                            *index = GIVE(&call, "permuteTokenIdx", ACL_INT32, rows),
                            *totals = GIVE(&call, "expertTokenNum", counts, experts);
        give_tensor(&call, "perTokenScales", ACL_FLOAT, (unsigned)(1 + scales), (int64_t[]){rows, 2, 3});
        give_tensor(&call, "permutePerTokenScales", ACL_FLOAT, (unsigned)(1 + scales),
                    (int64_t[]){rows, 2, 3});
        assert_int_equal(run_named(&call), 0);
        const int64_t each = scales == 0 ? 1 : scales == 1 ? 2 : 6;
        for (int64_t e = 0; e < experts; e++) {
            const int64_t before = row;
            for (int64_t q = 0; q < ranks; q++) {
                int64_t first = 0;
                for (int64_t i = 0; i < q * experts + e; i++)
                    first += count[i];
                for (int64_t i = 0; i < count[q * experts + e]; i++, row++) {
                    assert_int_equal(whole_of(index, inverse ? first + i : row), inverse ? row : first + i);
                    for (int64_t h = 0; h < width; h++)
                        assert_true(element_of(out, row * width + h) ==
                                    element_of(tokens, (first + i) * width + h));
                    for (int64_t h = 0; h < each; h++)
                        assert_true(
                            element_of(tensor_named(&call, "permutePerTokenScales"), row * each + h) ==
                            element_of(tensor_named(&call, "perTokenScales"), (first + i) * each + h));
                }
            }
            assert_int_equal(whole_of(totals, e), type == 1 ? row - before : row);
        }
        for (; row < rows; row++) {
            assert_int_equal(whole_of(index, row), -1);
            assert_true(element_of(out, row * width) == 0);
        }
        set_whole(given, 0, count[0] + spare + 1);
        assert_failure(run_named(&call), FAULT, "expertTokenNumPerRank holds");
        end_named(&call);
    }
    struct named_call call = call_begin_named("aclnnMoeReRouting");
    GIVE(&call, "tokens", ACL_FLOAT, 6, 1);
    set_numbers(GIVE(&call, "expertTokenNumPerRank", ACL_INT32, 2, 2), NUMBERS(1, 2, 2, 1));
    GIVE(&call, "permuteTokens", ACL_FLOAT, 6, 1);
    GIVE(&call, "permuteTokenIdx", ACL_INT32, 6);
    GIVE(&call, "expertTokenNum", ACL_INT32, 2);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "permuteTokenIdx", NUMBERS(0, 3, 4, 1, 2, 5), 0);
    assert_numbers(&call, "expertTokenNum", NUMBERS(3, 3), 0);
    GIVE(&call, "perTokenScales", ACL_FLOAT, 5);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "perTokenScalesOptional has shape [5]; [6]");
    end_named(&call);
}

static void experts_get_their_places(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(80); round++) {
        const int64_t tokens = 1 + random_below(12), k = 1 + random_below(4), experts = 1 + random_below(6),
                      places = 1 + random_below(4), world = 1 + random_below(8), rank = random_below(world),
                      mode = random_below(2);
        const bool prunes = random_below(2) == 0, has_mask = prunes && random_below(2) == 0;
        struct named_call call = call_begin_named("aclnnMoeUpdateExpert");
        const aclDataType dtype = random_below(2) == 0 ? ACL_INT32 : ACL_INT64;
        const struct layout *ids = GIVE(&call, "expertIds", dtype, tokens, k),
                            *table = GIVE(&call, "eplbTable", ACL_INT32, experts, places + 1);
        for (int64_t i = 0; i < ids->count; i++)
            set_whole(ids, i, random_below(experts));
        for (int64_t i = 0; i < table->count; i++)
            set_whole(table, i, i % (places + 1) == 0 ? 1 + random_below(places) : random_below(1000));
        if (prunes) {
            const struct layout *scales =
                GIVE(&call, "expertScales", short_dtypes[random_below(3)], tokens, k);
            const struct layout *threshold = give_tensor(&call, "pruningThreshold", ACL_FLOAT,
                                                         1 + (unsigned)random_below(2), (int64_t[]){1, k});
            if (threshold->rank == 1 && k > 1) { /* one dim of k */
                layout_destroy(&call.tensor[place_named(&call, "pruningThreshold")]);
                threshold = GIVE(&call, "pruningThreshold", ACL_FLOAT, k);
            }
            for (int64_t i = 0; i < scales->count; i++)
                set_element(scales, i, (double)random_below(8) / 8);
            for (int64_t i = 0; i < k; i++)
                set_element(threshold, i, 0.25);
            GIVE(&call, "balancedActiveMask", ACL_BOOL, tokens, k);
        }
        if (has_mask) {
            const struct layout *mask = GIVE(&call, "activeMask", ACL_BOOL, tokens);
            for (int64_t i = 0; i < tokens; i++)
                *(unsigned char *)layout_element(mask, i) = random_below(2) == 0;
        }
        give_number(&call, "localRankId", (double)rank);
        give_number(&call, "worldSize", (double)world);
        give_number(&call, "balanceMode", (double)mode);
        const struct layout *out = GIVE(&call, "balancedExpertIds", dtype, tokens, k);
        assert_int_equal(run_named(&call), 0);
        for (int64_t i = 0; i < tokens * k; i++) {
            const int64_t row = whole_of(ids, i) * (places + 1), count = whole_of(table, row);
            const int64_t place = count == 1  ? 1
                                  : mode == 1 ? i / k % count + 1
                                              : rank / ((world + count - 1) / count) + 1;
            assert_int_equal(whole_of(out, i), whole_of(table, row + place));
            if (!prunes)
                continue;
            double sum = 0;
            for (int64_t j = 0; j < k; j++)
                sum += element_of(tensor_named(&call, "expertScales"), i / k * k + j);
            const bool keeps =
                (!has_mask || *(unsigned char *)layout_element(tensor_named(&call, "activeMask"), i / k)) &&
                element_of(tensor_named(&call, "expertScales"), i) >= 0.25 * sum;
            assert_int_equal(*(unsigned char *)layout_element(tensor_named(&call, "balancedActiveMask"), i),
                             keeps);
        }
        set_whole(table, whole_of(ids, 0) * (places + 1), places + 1);
        assert_failure(run_named(&call), FAULT, "eplbTable holds");
        set_whole(ids, 0, experts);
        assert_failure(run_named(&call), FAULT, "at [0, 0]; 0 up to the rows of eplbTable");
        end_named(&call);
    }
    struct named_call call = call_begin_named("aclnnMoeUpdateExpert");
    GIVE(&call, "expertIds", ACL_INT32, 2, 2);
    GIVE(&call, "eplbTable", ACL_INT32, 2, 2);
    GIVE(&call, "balancedExpertIds", ACL_INT32, 2, 2);
    give_number(&call, "localRankId", 3);
    give_number(&call, "worldSize", 3);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "localRankId is 3; 0 to 2 is expected");
    GIVE(&call, "expertScales", ACL_FLOAT, 2, 2);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "one is NULL; both are expected");
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experts_are_counted),
        cmocka_unit_test(rows_of_ranks_move_to_experts),
        cmocka_unit_test(experts_get_their_places),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
