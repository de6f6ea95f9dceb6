/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Cross entropy by parts of the vocabulary, step by step and its gradients, against loops in long double; what is a
 * fault, what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { START = 100 };

static long double logit(const struct trial *trial, int64_t row, int64_t column, int64_t depth)
{
    long double sum = 0;
    for (int64_t d = 0; d < depth; d++)
        sum += (long double)at(trial, "input", row * depth + d) *
               (long double)at(trial, "weight", column * depth + d);
    return sum;
}

static void statistics_are_those_of_rows(void)
{
    const int64_t rows = 1 + random_below(20), depth = random_below(20), columns = 1 + random_below(600);
    const aclDataType dtype = short_dtypes[random_below(3)],
                      whole = random_below(2) == 0 ? ACL_INT32 : ACL_INT64;
    struct trial trial = trial_of("aclnnFusedLinearOnlineMaxSum");
    int64_t target[20];
    for (int64_t r = 0; r < rows; r++)
        target[r] = START - 3 + random_below(columns + 6);
    give(&trial, "input", dtype, 2, DIMS(rows, depth), 2);
    give(&trial, "weight", dtype, 2, DIMS(columns, depth), 2);
    give_numbers(&trial, "target", whole, 1, DIMS(rows), target);
    give_value(&trial, "vocabStartIndex", argument_of_integer(START));
    give_value(&trial, "vocabEndIndex", argument_of_integer(START + columns - 1));
    give(&trial, "logitsMaxLocalOut", ACL_FLOAT, 1, DIMS(rows), 1);
    give(&trial, "sumExpLogitsLocalOut", ACL_FLOAT, 1, DIMS(rows), 1);
    give(&trial, "predictedLogitsLocalOut", ACL_FLOAT, 1, DIMS(rows), 1);
    give(&trial, "targetMaskOut", ACL_UINT8, 1, DIMS((rows + 7) / 8), 1);
    give(&trial, "maskedTargetOut", whole, 1, DIMS(rows), 1);
    if (random_below(2) == 0)
        give(&trial, "vocabParallelLogitsOutOptional", dtype, 2, DIMS(rows, columns), 1);
    else if (random_below(2) == 0)
        give(&trial, "vocabParallelLogitsOutOptional", dtype, 1, DIMS(0), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t r = 0; r < (rows + 7) / 8 * 8; r++) {
        const bool is_outside = r >= rows || target[r] < START || target[r] >= START + columns;
        const int mask = (int)at(&trial, "targetMaskOut", r / 8);
        assert_int_equal(mask >> (7 - r % 8) & 1, is_outside);
        if (r >= rows)
            continue;
        long double greatest = -(long double)INFINITY, sum = 0;
        const int64_t place = is_outside ? 0 : target[r] - START;
        for (int64_t c = 0; c < columns; c++)
            greatest = fmaxl(greatest, logit(&trial, r, c, depth));
        for (int64_t c = 0; c < columns; c++)
            sum += expl(logit(&trial, r, c, depth) - greatest);
        assert_true(at(&trial, "maskedTargetOut", r) == (double)place);
        assert_near("max", given(&trial, "logitsMaxLocalOut"), r, greatest, ACL_FLOAT, 1e-12L);
        assert_near("sum", given(&trial, "sumExpLogitsLocalOut"), r, sum, ACL_FLOAT, 1e-11L);
        assert_near("predicted", given(&trial, "predictedLogitsLocalOut"), r,
                    is_outside ? 0 : logit(&trial, r, place, depth) - greatest, ACL_FLOAT, 1e-12L);
        for (int64_t c = 0; c < columns && given(&trial, "vocabParallelLogitsOutOptional")->count > 0; c++)
            assert_near("logits", given(&trial, "vocabParallelLogitsOutOptional"), r * columns + c,
                        logit(&trial, r, c, depth), dtype, 1e-12L);
    }
    const int64_t beyond = START + columns;
    give_value(&trial, "vocabEndIndex", argument_of_integer(beyond));
    memcpy(layout_element(given(&trial, "target"), 0), &beyond, given(&trial, "target")->bytes);
    expect_fault(&trial, "the row of weight with number");
    end_trial(&trial);
}

static void losses_are_those_of_sums(void)
{
    const int64_t rows = 1 + random_below(20), columns = 1 + random_below(400);
    const bool has_softmax = random_below(2) == 0;
    struct trial trial = trial_of("aclnnFusedCrossEntropyLossWithMaxSum");
    give(&trial, "logitsMax", ACL_FLOAT, 1, DIMS(rows), 3);
    give(&trial, "sumExpLogits", ACL_FLOAT, 1, DIMS(rows), 3);
    give(&trial, "predictedLogits", ACL_FLOAT, 1, DIMS(rows), 3);
    give(&trial, "lossOut", ACL_FLOAT, 1, DIMS(rows), 1);
    if (has_softmax) {
        give(&trial, "vocabParallelLogitsOptional", short_dtypes[random_below(3)], 2, DIMS(rows, columns), 3);
        give(&trial, "softMaxOutOptional", ACL_FLOAT, 2, DIMS(rows, columns), 1);
    }
    for (int64_t r = 0; r < rows; r++) /* none is below 0 */
        set_element(given(&trial, "sumExpLogits"), r, fabs(at(&trial, "sumExpLogits", r)) + 0.125);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t r = 0; r < rows; r++) {
        const long double sum = (long double)at(&trial, "sumExpLogits", r);
        assert_near("loss", given(&trial, "lossOut"), r,
                    logl(sum) - (long double)at(&trial, "predictedLogits", r), ACL_FLOAT, 1e-14L);
        for (int64_t c = r * columns; has_softmax && c < (r + 1) * columns; c++)
            assert_near("softmax", given(&trial, "softMaxOutOptional"), c,
                        expl((long double)at(&trial, "vocabParallelLogitsOptional", c) -
                             (long double)at(&trial, "logitsMax", r)) /
                            sum,
                        ACL_FLOAT, 1e-12L);
    }
    end_trial(&trial);
}

static void gradients_are_those_of_losses(void)
{
    const int64_t rows = 1 + random_below(20), depth = 1 + random_below(20), columns = 1 + random_below(400);
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool has_softmax = random_below(2) == 0;
    int64_t place[20], mask[3];
    struct trial trial = trial_of("aclnnFusedLinearCrossEntropyLossGrad");
    for (int i = 0; i < 3; i++)
        mask[i] = random_below(256);
    for (int64_t r = 0; r < rows; r++)
        place[r] = random_below(columns);
    give(&trial, "grad", ACL_FLOAT, 1, DIMS(rows), 1);
    give(&trial, "input", dtype, 2, DIMS(rows, depth), 1);
    give(&trial, "weight", dtype, 2, DIMS(columns, depth), 1);
    give_numbers(&trial, "targetMask", ACL_UINT8, 1, DIMS((rows + 7) / 8), mask);
    give_numbers(&trial, "maskedTarget", ACL_INT64, 1, DIMS(rows), place);
    give(&trial, "logitsMaxOptional", ACL_FLOAT, 1, DIMS(rows), 3);
    give(&trial, "sumExpLogitsOptional", ACL_FLOAT, 1, DIMS(rows), 3);
    if (has_softmax)
        give(&trial, "softmaxOptional", ACL_FLOAT, 2, DIMS(rows, columns), 1);
    give(&trial, "inputGradOut", dtype, 2, DIMS(rows, depth), 1);
    give(&trial, "weightGradOut", dtype, 2, DIMS(columns, depth), 1);
    for (int64_t r = 0; r < rows; r++)
        set_element(given(&trial, "sumExpLogitsOptional"), r,
                    fabs(at(&trial, "sumExpLogitsOptional", r)) + 1);
    assert_int_equal(run_trial(&trial), 0);
    long double *p = malloc((size_t)(rows * columns) * sizeof *p);
    long double size = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) {
            long double *to = &p[r * columns + c];
            *to = has_softmax
                      ? (long double)at(&trial, "softmaxOptional", r * columns + c)
                      : expl(logit(&trial, r, c, depth) - (long double)at(&trial, "logitsMaxOptional", r)) /
                            (long double)at(&trial, "sumExpLogitsOptional", r);
            *to -= c == place[r] && (mask[r / 8] >> (7 - r % 8) & 1) == 0 ? 1 : 0;
            *to *= (long double)at(&trial, "grad", r);
            size = fmaxl(size, fabsl(*to));
        }
    for (int64_t d = 0; d < depth; d++) {
        for (int64_t r = 0; r < rows; r++) {
            long double sum = 0;
            for (int64_t c = 0; c < columns; c++)
                sum += p[r * columns + c] * (long double)at(&trial, "weight", c * depth + d);
            assert_near("inputGradOut", given(&trial, "inputGradOut"), r * depth + d, sum, dtype,
                        size * 1e-11L);
        }
        for (int64_t c = 0; c < columns; c++) {
            long double sum = 0;
            for (int64_t r = 0; r < rows; r++)
                sum += p[r * columns + c] * (long double)at(&trial, "input", r * depth + d);
            assert_near("weightGradOut", given(&trial, "weightGradOut"), c * depth + d, sum, dtype,
                        size * 1e-11L);
        }
    }
    free(p);
    const uint8_t inside = 0;
    memcpy(layout_element(given(&trial, "targetMask"), 0), &inside, 1);
    memcpy(layout_element(given(&trial, "maskedTarget"), 0), &columns, sizeof columns);
    expect_fault(&trial, "maskedTarget holds");
    end_trial(&trial);
}

static void (*const rounds[])(void) = {statistics_are_those_of_rows, losses_are_those_of_sums,
                                       gradients_are_those_of_losses};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(40));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 5);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnFusedLinearOnlineMaxSum");
    refuse_tensor(&trial, "input", ACL_FLOAT, 3, DIMS(1, 3, 4), "input has shape [1, 3, 4]");
    refuse_tensor(&trial, "weight", ACL_FLOAT, 2, DIMS(5, 3), "weight has shape [5, 3]; [-1, 4] is expected");
    refuse_tensor(&trial, "weight", ACL_FLOAT16, 2, DIMS(5, 4), "weight has dtype FLOAT16");
    refuse_tensor(&trial, "target", ACL_INT32, 1, DIMS(2), "target has shape [2]; [3] is expected");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnFusedCrossEntropyLossWithMaxSum");
    refuse_tensor(&trial, "sumExpLogits", ACL_FLOAT, 1, DIMS(2), "sumExpLogits has shape [2]");
    refuse_trial(&trial, "labelSmoothing", argument_of_fp32(0.5F), "labelSmoothing is 0.5; 0 is expected");
    give_value(&trial, "vocabParallelLogitsOptional", argument_of_pointer(NULL));
    refuse_tensor(&trial, "softMaxOutOptional", ACL_FLOAT, 2, DIMS(3, 5),
                  "softMaxOutOptional is given without vocabParallelLogitsOptional");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnFusedLinearCrossEntropyLossGrad");
    refuse_tensor(&trial, "targetMask", ACL_UINT8, 1, DIMS(3), "targetMask has shape [3]; [1] is expected");
    refuse_trial(&trial, "softmaxOptional", argument_of_pointer(NULL), "softmaxOptional is not given");
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
