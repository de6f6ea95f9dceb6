/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What SilentCheck and its V2 say of values, one after the other, and what they keep.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

struct step {
    double value, greatest;
    int result;
    double known[3]; /* afterwards */
};

/* Each value in turn; npuAsdDetect 1 leaves the gradient alone. */
static void try_steps(const char *api, const char *known, int64_t size, const struct step *step, int steps,
                      int64_t flag)
{
    struct trial trial = example_of(api);
    const bool has_max = size == 1;
    give(&trial, "val", ACL_FLOAT, 1, DIMS(1), 1);
    if (has_max)
        give(&trial, "max", ACL_FLOAT, 1, DIMS(1), 1);
    give(&trial, known, ACL_FLOAT, 1, &size, 1);
    give(&trial, "inputGradRef", ACL_BF16, 2, DIMS(30, 70), 1);
    give_numbers(&trial, "stepRef", ACL_INT64, 1, DIMS(1), (const int64_t[]){0});
    give(&trial, "result", ACL_INT32, 1, DIMS(1), 1);
    for (int64_t i = 0; i < size; i++)
        set_element(given(&trial, known), i, 0);
    if (has_max)
        give_value(&trial, "beta1", argument_of_fp32(0.5F));
    else
        give_value(&trial, "cMinSteps", argument_of_integer(2));
    give_value(&trial, "cThreshL1", argument_of_fp32(20));
    give_value(&trial, "cThreshL2", argument_of_fp32(10));
    if (!has_max) {
        give_value(&trial, "cCoeffL1", argument_of_fp32(5));
        give_value(&trial, "cCoeffL2", argument_of_fp32(2));
    }
    give_value(&trial, "npuAsdDetect", argument_of_integer(flag));
    bool is_zero = false;
    for (int i = 0; i < steps; i++) {
        set_element(given(&trial, "val"), 0, step[i].value);
        if (has_max)
            set_element(given(&trial, "max"), 0, step[i].greatest);
        assert_int_equal(run_trial(&trial), 0);
        assert_int_equal((int)at(&trial, "result", 0), step[i].result);
        assert_int_equal((int)at(&trial, "stepRef", 0), i + 1);
        for (int64_t k = 0; k < size; k++)
            assert_near(known, given(&trial, known), k, (long double)step[i].known[k], ACL_FLOAT, 1e-7L);
        is_zero = is_zero || (step[i].result == 2 && flag != 1);
        int nonzero = 0;
        for (int64_t k = 0; k < given(&trial, "inputGradRef")->count; k++)
            nonzero += at(&trial, "inputGradRef", k) != 0;
        assert_int_equal(nonzero == 0, is_zero);
    }
    end_trial(&trial);
}

static void values_are_judged_by_their_spread(void **state)
{
    static const struct step steps[] = {
        {4, 0, 0, {4, 4, 4}},          {90, 0, 0, {90, 4, 90}},    {2, 0, 0, {2, 2, 90}},
        {150, 0, 0, {150, 2, 150}},    {500, 0, 1, {500, 2, 500}}, {(double)NAN, 0, 2, {500, 2, 500}},
        {5000, 0, 2, {5000, 2, 5000}}, {3, 0, 0, {3, 2, 5000}},    {(double)INFINITY, 0, 2, {3, 2, 5000}},
    };
    (void)state;
    for (int64_t flag = 0; flag < 3; flag++)
        try_steps("aclnnSilentCheck", "sfdaRef", 3, steps, sizeof steps / sizeof *steps, flag);
}

static void values_are_judged_by_their_average(void **state)
{
    static const struct step steps[] = {
        {4, 4, 0, {2}},
        {8, 8, 0, {5}},
        {66, 66, 0, {35.5}},
        {390, 1, 0, {212.75}},
        {2300, 1, 1, {1256.375}},
        {(double)NAN, 1, 2, {1256.375}},
        {1, (double)INFINITY, 2, {1256.375}},
        {60000, 1, 2, {30628.1875}},
    };
    (void)state;
    for (int64_t flag = 0; flag < 3; flag++)
        try_steps("aclnnSilentCheckV2", "avgRef", 1, steps, sizeof steps / sizeof *steps, flag);
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnSilentCheck");
    refuse_tensor(&trial, "val", ACL_FLOAT, 1, DIMS(2), "val has 2 elements");
    refuse_tensor(&trial, "sfdaRef", ACL_FLOAT, 1, DIMS(2), "sfdaRef has shape [2]; [3] is expected");
    refuse_tensor(&trial, "stepRef", ACL_INT32, 1, DIMS(1), "stepRef has dtype INT32");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnSilentCheckV2");
    refuse_tensor(&trial, "max", ACL_FLOAT, 1, DIMS(0), "max has 0 elements");
    refuse_tensor(&trial, "avgRef", ACL_FLOAT, 1, DIMS(3), "avgRef has 3 elements");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_judged_by_their_spread),
        cmocka_unit_test(values_are_judged_by_their_average),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
