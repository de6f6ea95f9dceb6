/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Small calls whose results can be followed by hand, under Ascend950: dropped tokens, the best of a row, a
 * recurrence, a sink, scales of two levels, and INT8 by INT4 with a correction.
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

/* A tensor of these numbers. */
#define NUMBERS(call, name, dtype, numbers, ...) set_numbers(GIVE(call, name, dtype, __VA_ARGS__), numbers)
#define OF(...)      \
    (const double[]) \
    {                \
        __VA_ARGS__  \
    }

static void run_example(struct named_call *call)
{
    if (run_named(call) != 0)
        fail_msg("%s: %s", call->function->operation.name, aclGetRecentErrMsg());
}

static void whole_numbers_are(const struct layout *layout, const int64_t *number)
{
    for (int64_t i = 0; i < layout->count; i++)
        assert_true(whole_of(layout, i) == number[i]);
}

/* An expert takes one token, the first; places of those that are dropped are -1. */
static void tokens_beyond_the_capacity_are_dropped(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnMoeInitRoutingV3");
    NUMBERS(&call, "x", ACL_FLOAT16, OF(10, 20, 30), 3, 1);
    NUMBERS(&call, "expertIdx", ACL_INT32, OF(1, 2, 0, 1, 0, 2), 3, 2);
    GIVE(&call, "expandedX", ACL_FLOAT16, 3, 1, 1);
    const struct layout *place = GIVE(&call, "expandedRowIdx", ACL_INT32, 6),
                        *count = GIVE(&call, "expertTokensCountOrCumsum", ACL_INT64, 3);
    GIVE(&call, "expandedScale", ACL_FLOAT, 3);
    give_number(&call, "activeNum", 6), give_number(&call, "expertCapacity", 1);
    give_number(&call, "expertNum", 3), give_number(&call, "dropPadMode", 1);
    give_number(&call, "expertTokensNumType", 1), give_number(&call, "expertTokensNumFlag", 1);
    give_number(&call, "quantMode", -1), give_number(&call, "rowIdxType", 0);
    run_example(&call);
    assert_numbers(&call, "expandedX", OF(20, 10, 10), 0);
    whole_numbers_are(place, (const int64_t[]){1, 2, 0, -1, -1, -1});
    whole_numbers_are(count, (const int64_t[]){2, 2, 2});
    end_named(&call);
}

static void the_best_of_a_row_stay(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct named_call call = call_begin_named("aclnnApplyTopKTopP");
        NUMBERS(&call, "logits", ACL_FLOAT, OF(3, 1, 4, 2, 3), 1, 5);
        NUMBERS(&call, "p", ACL_FLOAT, OF(which == 0 ? 0.5 : 0.9), 1);
        NUMBERS(&call, "k", ACL_INT32, OF(which == 0 ? 3 : 2), 1);
        const struct layout *out = GIVE(&call, "out", ACL_FLOAT, 1, 5);
        run_example(&call);
        const double first = which == 0 ? -(double)INFINITY : 3,
                     stays[] = {first, -(double)INFINITY, 4, -(double)INFINITY, first};
        for (int64_t i = 0; i < 5; i++)
            assert_true(element_of(out, i) == stays[i]);
        end_named(&call);
    }
}

static void a_state_is_held_and_corrected(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnRecurrentGatedDeltaRule");
    NUMBERS(&call, "query", ACL_BF16, OF(1, 1), 1, 1, 2);
    NUMBERS(&call, "key", ACL_BF16, OF(1, 0), 1, 1, 2);
    NUMBERS(&call, "value", ACL_BF16, OF(2), 1, 1, 1);
    NUMBERS(&call, "beta", ACL_BF16, OF(0.5), 1, 1);
    NUMBERS(&call, "stateRef", ACL_FLOAT, OF(1, 1), 1, 1, 1, 2);
    NUMBERS(&call, "actualSeqLengths", ACL_INT32, OF(1), 1);
    NUMBERS(&call, "ssmStateIndices", ACL_INT32, OF(0), 1);
    NUMBERS(&call, "gOptional", ACL_FLOAT, OF(log(0.5)), 1, 1);
    GIVE(&call, "out", ACL_BF16, 1, 1, 1);
    give_number(&call, "scaleValue", 1);
    run_example(&call);
    assert_numbers(&call, "stateRef", OF(1.25, 0.5), 1e-6);
    assert_numbers(&call, "out", OF(1.75), 0);
    end_named(&call);
}

/* Scores of 1 and 2 beside a sink of 2. */
static void a_sink_takes_its_part(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnFusedInferAttentionScoreV4");
    NUMBERS(&call, "query", ACL_FLOAT16, OF(1), 1, 1, 1, 1);
    NUMBERS(&call, "key", ACL_FLOAT16, OF(1, 2), 1, 1, 2, 1);
    NUMBERS(&call, "value", ACL_FLOAT16, OF(1, 2), 1, 1, 2, 1);
    NUMBERS(&call, "learnableSink", ACL_BF16, OF(2), 1);
    GIVE(&call, "attentionOut", ACL_FLOAT16, 1, 1, 1, 1);
    GIVE(&call, "softmaxLse", ACL_FLOAT, 1, 1, 1, 1);
    list_tensors(&call);
    give_number(&call, "numHeads", 1), give_number(&call, "numKeyValueHeads", 1);
    give_number(&call, "scaleValue", 1), give_number(&call, "softmaxLseFlag", 1);
    give_text(&call, "inputLayout", "BNSD");
    run_example(&call);
    assert_numbers(&call, "attentionOut", OF(0.1554 + 2 * 0.4223), 1e-3);
    assert_numbers(&call, "softmaxLse", OF(log(exp(1) + 2 * exp(2))), 1e-6);
    const char *const lists[] = {"key", "value"}; /* which own their tensors */
    for (int i = 0; i < 2; i++) {
        const int place = place_named(&call, lists[i]);
        assert_int_equal(aclDestroyTensorList(call.argument[place].tensors), 0);
        assert_int_equal(aclrtFree(memory_known_as(call.tensor[place].memory)), 0);
        call.is_given[place] = false;
    }
    end_named(&call);
}

/* All eights: 6 of a FLOAT of 8 / 6, whose blocks have 2^0. */
static void levels_of_scales_are_made(void **state)
{
    (void)state;
    double eights[512];
    for (int i = 0; i < 512; i++)
        eights[i] = 8;
    struct named_call call = call_begin_named("aclnnDynamicDualLevelMxQuant");
    NUMBERS(&call, "x", ACL_BF16, eights, 1, 512);
    struct small y = give_small(&call, "y", ACL_FLOAT4_E2M1, 2, (const int64_t[]){1, 512});
    GIVE(&call, "level0Scale", ACL_FLOAT, 1, 1);
    const struct layout *powers = GIVE(&call, "level1Scale", ACL_FLOAT8_E8M0, 1, 8, 2);
    give_text(&call, "roundMode", "rint");
    give_number(&call, "level0BlockSize", 512), give_number(&call, "level1BlockSize", 32);
    run_example(&call);
    assert_numbers(&call, "level0Scale", OF(1.333333), 1e-6);
    for (int64_t i = 0; i < 16; i++)
        assert_int_equal(*layout_element(powers, i), 127);
    for (int64_t i = 0; i < 256; i++)
        assert_int_equal(y.layout.memory[i], 0x77);
    end_named(&call);
    end_small(&y);
}

/* x less 8, and 8 times the weight behind it: (3 - 8) 2 + 16. */
static void a_correction_makes_up_for_the_shift(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnQuantMatmulV5");
    NUMBERS(&call, "x1", ACL_INT8, OF(3), 1, 1);
    NUMBERS(&call, "x2", ACL_INT32, OF(0x22222222), 1, 1);
    NUMBERS(&call, "x1Scale", ACL_FLOAT, OF(1), 1, 1);
    const struct layout *scale = GIVE(&call, "x2Scale", ACL_INT64, 1, 8);
    NUMBERS(&call, "yOffset", ACL_FLOAT, OF(16, 16, 16, 16, 16, 16, 16, 16), 8);
    for (int64_t i = 0; i < 8; i++)
        set_whole(scale, i, 0x3f800000);
    GIVE(&call, "out", ACL_BF16, 1, 8);
    give_number(&call, "groupSize", 256);
    run_example(&call);
    assert_numbers(&call, "out", OF(6, 6, 6, 6, 6, 6, 6, 6), 0);
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_beyond_the_capacity_are_dropped),
        cmocka_unit_test(the_best_of_a_row_stay),
        cmocka_unit_test(a_state_is_held_and_corrected),
        cmocka_unit_test(a_sink_takes_its_part),
        cmocka_unit_test(levels_of_scales_are_made),
        cmocka_unit_test(a_correction_makes_up_for_the_shift),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
