/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens that become numbers of few bits on their way to other ranks, under Ascend950: every mode of quantising and
 * dtype of MoeDistributeDispatch beside loops over codes, by several devices of this process; and what is refused.
 */
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/dispatch_case.h"
#include "support/effort.h"

static const char *const dispatches[] = {"aclnnMoeDistributeDispatch", "aclnnMoeDistributeDispatchV2",
                                         "aclnnMoeDistributeDispatchV3", "aclnnMoeDistributeDispatchV4"};

static const struct {
    int mode;
    struct made_row made;
} kinds[] = {
    {1, {ACL_INT8, NO_SCALE, false, 0}},
    {1, {ACL_HIFLOAT8, NO_SCALE, false, 0}},
    {1, {ACL_FLOAT8_E4M3FN, NO_SCALE, false, 0}},
    {1, {ACL_FLOAT8_E5M2, NO_SCALE, false, 0}},
    {2, {ACL_INT8, ROW, false, 0}},
    {2, {ACL_HIFLOAT8, ROW, false, 0}},
    {2, {ACL_FLOAT8_E4M3FN, ROW, false, 0}},
    {2, {ACL_FLOAT8_E5M2, ROW, false, 0}},
    {3, {ACL_FLOAT8_E4M3FN, BLOCK, false, 0}},
    {3, {ACL_FLOAT8_E5M2, BLOCK, false, 0}},
    {3, {ACL_HIFLOAT8, BLOCK, false, 0}},
    {4, {ACL_FLOAT8_E4M3FN, MX, false, 0}},
    {4, {ACL_FLOAT8_E5M2, MX, false, 0}},
    {4, {ACL_FLOAT4_E2M1, MX, false, 0}},
    {4, {ACL_FLOAT4_E1M2, MX, false, 0}},
    {5, {ACL_FLOAT8_E4M3FN, MX, false, 0}},
    {5, {ACL_FLOAT8_E5M2, MX, false, 0}},
    {5, {ACL_FLOAT4_E2M1, MX, false, 0}},
    {5, {ACL_FLOAT4_E1M2, MX, false, 0}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], INVALID = ACLNN_ERR_PARAM_INVALID };

static void dispatch_and_judge(const struct setting *s)
{
    for (uint32_t rank = 0; rank < ranks.count; rank++)
        give_dispatch(s, rank);
    run_ranks(&ranks);
    memcpy(sent, ranks.call, sizeof sent);
    for (uint32_t rank = 0; rank < ranks.count; rank++)
        judge_dispatch(s, rank);
    end_ranks(&ranks);
}

static void tokens_become_numbers_of_every_mode(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= RANKS_AT_MOST; count++) {
        open_ranks(&ranks, count);
        for (int round = 0; round < times_effort(KINDS); round++) {
            const int version = (round + (int)count) % 4;
            struct setting s = draw_setting(dispatches[version], version);
            s.mode = kinds[round % KINDS].mode;
            s.made = kinds[round % KINDS].made;
            s.width += dtype_is_packed(s.made.dtype) ? s.width % 2 : 0;
            s.has_factors = s.mode == 1 || random_below(2) == 0;
            dispatch_and_judge(&s);
        }
        close_ranks(&ranks);
    }
}

/* With quantMode 0: FLOAT8, FLOAT4 and HIFLOAT8, words of several numbers; with scales of their own or without. */
static void rows_of_few_bits_go_as_they_are(void **state)
{
    (void)state;
    static const struct made_row made[] = {
        {ACL_FLOAT8_E4M3FN, MX, false, 0},     {ACL_FLOAT8_E5M2, BLOCK, false, 0},
        {ACL_HIFLOAT8, BLOCK, false, 0},       {ACL_FLOAT4_E2M1, MX, false, 0},
        {ACL_FLOAT4_E1M2, BLOCK, false, 0},    {ACL_INT32, ROW, false, 0},
        {ACL_FLOAT8_E5M2, NO_SCALE, false, 0}, {ACL_INT32, NO_SCALE, false, 0},
    };
    const int count_made = (int)(sizeof made / sizeof made[0]);
    for (uint32_t count = 1; count <= RANKS_AT_MOST; count++) {
        open_ranks(&ranks, count);
        for (int round = 0; round < count_made; round++) {
            const int version = (round + (int)count) % 4;
            struct setting s = draw_setting(dispatches[version], version);
            s.mode = 0;
            s.has_factors = false;
            s.made = made[round];
            s.is_made_before = true;
            s.width += s.width % 2;
            s.own_scales = s.made.scales == NO_SCALE ? 0 : s.made.scales == ROW ? 1 : 1 + random_below(9);
            dispatch_and_judge(&s);
        }
        close_ranks(&ranks);
    }
}

/* One rank with one expert, and three tokens of 65. */
static struct named_call *plain_call(int mode, aclDataType made, int64_t scales)
{
    struct named_call *call = begin_rank(&ranks, 0, dispatches[3]);
    GIVE(call, "x", ACL_BF16, 3, 65);
    set_numbers(GIVE(call, "expertIds", ACL_INT32, 3, 1), (const double[]){0, 0, 0});
    give_number(call, "epWorldSize", 1);
    give_number(call, "epRankId", 0);
    give_number(call, "moeExpertNum", 1);
    give_number(call, "quantMode", mode);
    give_codes(call, "expandX", made, 2, SHAPE(3, 65));
    GIVE(call, "assistInfoForCombine", ACL_INT32, 3 * 128);
    GIVE(call, "expertTokenNums", ACL_INT64, 1);
    GIVE(call, "epRecvCounts", ACL_INT32, 1);
    if (mode > 3)
        give_codes(call, "dynamicScales", ACL_FLOAT8_E8M0, 2, SHAPE(3, scales));
    else if (mode > 1)
        GIVE(call, "dynamicScales", ACL_FLOAT, 3, scales);
    return call;
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    static const struct {
        int mode;
        aclDataType made;
        int64_t scales;
        int status;
        const char *sentence;
    } rows[] = {
        {6, ACL_INT8, 1, INVALID, "quantMode is 6; 0 (none) to 5 is expected"},
        {-1, ACL_INT8, 1, INVALID, "quantMode is -1; 0 (none) to 5 is expected"},
        {1, ACL_INT8, 1, ACLNN_ERR_PARAM_NULLPTR, "scales is NULL, which quantMode 1 asks for"},
        {1, ACL_FLOAT4_E2M1, 1, INVALID,
         "expandX is FLOAT4_E2M1; INT8, HIFLOAT8, FLOAT8_E4M3FN or FLOAT8_E5M2"},
        {3, ACL_INT8, 1, INVALID, "expandX is INT8; FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8 is expected"},
        {3, ACL_FLOAT8_E5M2, 2, INVALID, "dynamicScales has shape [3, 2]"},
        {4, ACL_HIFLOAT8, 4, INVALID, "expandX is HIFLOAT8; FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT4_E2M1 or"},
        {5, ACL_FLOAT8_E4M3FN, 3, INVALID, "dynamicScales has shape [3, 3]"},
        {4, ACL_FLOAT4_E1M2, 4, INVALID, "x has shape [3, 65]; an even last dim is expected for FLOAT4_E1M2"},
    };
    open_ranks(&ranks, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct named_call *call = plain_call(rows[i].mode, rows[i].made, rows[i].scales);
        assert_named_refused(call, rows[i].status, rows[i].sentence);
        end_ranks(&ranks);
    }
    close_ranks(&ranks);
}

static void scales_that_do_not_go_along_are_refused(void **state)
{
    (void)state;
    static const struct {
        int mode;
        aclDataType x, scales;
        int64_t shape[2];
        const char *sentence;
    } rows[] = {
        {0,
         ACL_BF16,
         ACL_FLOAT,
         {3, 1},
         "scales is given; NULL is expected with quantMode 0 and x of BFLOAT16"},
        {4, ACL_FLOAT8_E5M2, ACL_FLOAT, {1, 65}, "x is FLOAT8_E5M2; FLOAT16 or BFLOAT16 is expected with"},
        {2, ACL_BF16, ACL_FLOAT8_E8M0, {1, 65}, "scales is FLOAT8_E8M0; FLOAT is expected with quantMode 2"},
        {0, ACL_FLOAT8_E5M2, ACL_FLOAT, {2, 1}, "scales has shape [2, 1]"},
        {0, ACL_INT32, ACL_FLOAT, {3, 1}, "scales has shape [3, 1]"},
        {0, ACL_FLOAT8_E5M2, ACL_FLOAT, {3, 2}, "dynamicScales is NULL, which scales asks for"},
    };
    open_ranks(&ranks, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct named_call *call = begin_rank(&ranks, 0, dispatches[2]);
        const bool has_floats = rows[i].x == ACL_BF16 || rows[i].x == ACL_INT32;
        if (has_floats)
            GIVE(call, "x", rows[i].x, 3, 65);
        else
            give_codes(call, "x", rows[i].x, 2, SHAPE(3, 65));
        if (rows[i].scales == ACL_FLOAT)
            give_tensor(call, "scales", ACL_FLOAT, 2, rows[i].shape);
        else
            give_codes(call, "scales", rows[i].scales, 2, rows[i].shape);
        set_numbers(GIVE(call, "expertIds", ACL_INT32, 3, 1), (const double[]){0, 0, 0});
        give_number(call, "epWorldSize", 1);
        give_number(call, "epRankId", 0);
        give_number(call, "moeExpertNum", 1);
        give_number(call, "quantMode", rows[i].mode);
        if (has_floats)
            GIVE(call, "expandX", rows[i].mode == 2 ? ACL_INT8 : rows[i].x, 3, 65);
        else
            give_codes(call, "expandX", rows[i].x, 2, SHAPE(3, 65));
        GIVE(call, "assistInfoForCombine", ACL_INT32, 3 * 128);
        GIVE(call, "expertTokenNums", ACL_INT64, 1);
        GIVE(call, "epRecvCounts", ACL_INT32, 1);
        assert_named_refused(call, i == 5 ? ACLNN_ERR_PARAM_NULLPTR : INVALID, rows[i].sentence);
        end_ranks(&ranks);
    }
    close_ranks(&ranks);
}

/* Numbers of two dtypes that take as many bytes. */
static void ranks_of_different_dtypes_are_told(void **state)
{
    (void)state;
    open_ranks(&ranks, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct setting s = (struct setting){.function = dispatches[1],
                                            .version = 1,
                                            .width = 8,
                                            .k = 1,
                                            .experts = 2,
                                            .each = 1,
                                            .rows = 4,
                                            .batch = 1,
                                            .tokens = {1, 1},
                                            .mode = 2,
                                            .dtype = ACL_BF16};
        s.made = (struct made_row){rank == 0 ? ACL_FLOAT8_E5M2 : ACL_FLOAT8_E4M3FN, ROW, false, 0};
        give_dispatch(&s, rank);
        assert_int_equal(queue_rank(&ranks, rank), 0);
    }
    wait_for_ranks(&ranks);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_true(ranks.status[rank] != 0 && strstr(ranks.sentence[rank], "fp8e5m2") != NULL &&
                    strstr(ranks.sentence[rank], "fp8e4m3") != NULL);
    end_ranks(&ranks);
    close_ranks(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_become_numbers_of_every_mode),
        cmocka_unit_test(rows_of_few_bits_go_as_they_are),
        cmocka_unit_test(scales_that_do_not_go_along_are_refused),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
        cmocka_unit_test(ranks_of_different_dtypes_are_told),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    setenv("BELAY_DEVICES", "4", 1);
    setenv("HCCL_EXEC_TIMEOUT", "10", 1);
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
