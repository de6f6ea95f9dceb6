/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * EmbeddingBag in all modes, layouts and dtypes against a loop; work that fails; and what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/normalisation.h"
#include "support/effort.h"

enum { WEIGHT, INDICES, OFFSETS, MODE = 4, SAMPLES = 6, LAST, PADDING, OUTPUT, BAG_OF, SIZE, FROM };

static void give_whole(unsigned place, int64_t count, const int64_t *value)
{
    give(place, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, 1, &count, false, 1);
    for (int64_t i = 0; i < count; i++)
        set_element(&call.tensor[place], i, (double)value[i]);
}

static void give_room(unsigned place, unsigned rank, const int64_t *shape)
{
    give(place, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, rank, shape, false, 1);
}

static int64_t index_of[ELEMENTS], begin_of[ELEMENTS];

static void draw(int64_t rows, int64_t width, int64_t count, int64_t bags, bool has_last)
{
    const aclDataType dtype = draw_dtype();
    give(WEIGHT, dtype, 2, (const int64_t[]){rows, width}, true, 3);
    for (int64_t i = 0; i < count; i++)
        index_of[i] = random_below(rows);
    begin_of[0] = 0;
    for (int64_t i = 1; i < bags; i++)
        begin_of[i] = random_below(count + 1);
    for (int64_t i = 1; i < bags; i++)
        for (int64_t k = i; k > 1 && begin_of[k] < begin_of[k - 1]; k--) {
            const int64_t kept = begin_of[k];
            begin_of[k] = begin_of[k - 1];
            begin_of[k - 1] = kept;
        }
    begin_of[bags] = has_last && bags > 0 ? begin_of[bags - 1] : count;
    begin_of[bags] += has_last && bags > 0 ? random_below(count - begin_of[bags] + 1) : 0;
    give_whole(INDICES, count, index_of), give_whole(OFFSETS, bags + has_last, begin_of);
    call.argument[3].boolean = call.argument[5].boolean = random_below(2) == 0;
    call.argument[MODE].int64 = random_below(3);
    if (call.argument[MODE].int64 == 0 && random_below(2) == 0)
        give(SAMPLES, dtype, 1, &count, true, 2);
    call.argument[LAST].int64 = 0;
    call.argument[LAST].boolean = has_last;
    call.argument[PADDING].int64 = random_below(3) - 1;
    give(OUTPUT, dtype, 2, (const int64_t[]){bags, width}, false, 1);
    give_room(BAG_OF, 1, random_below(4) > 0 ? &count : &(const int64_t){0}), give_room(SIZE, 1, &bags);
    give_room(FROM, 2, (const int64_t[]){bags, width});
}

static void expect_whole(unsigned place, int64_t i, int64_t value)
{
    if (element_of(&call.tensor[place], i) != (double)value)
        fail_msg("parameter %u: element %lld is %g and not %lld", place, (long long)i,
                 element_of(&call.tensor[place], i), (long long)value);
}

static void bags_are_as_a_loop_computes_them(void **state)
{
    static long double wanted[ELEMENTS];
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t rows = 1 + random_below(9), width = random_below(round % 9 == 0 ? 600 : 20),
                      count = random_below(40), bags = 1 + random_below(8);
        draw(rows, width, count, bags, random_below(2) == 0);
        assert_int_equal(call_function(find("aclnnEmbeddingBag"), call.argument), 0);
        const int64_t mode = call.argument[MODE].int64, padding = call.argument[PADDING].int64;
        for (int64_t bag = 0; bag < bags; bag++) {
            int64_t taken = 0;
            for (int64_t k = begin_of[bag]; k < begin_of[bag + 1]; k++) {
                taken += index_of[k] != padding;
                if (call.tensor[BAG_OF].count > 0)
                    expect_whole(BAG_OF, k, bag);
            }
            expect_whole(SIZE, bag, taken);
            for (int64_t c = 0; c < width; c++) {
                long double sum = 0, most = -(long double)INFINITY;
                int64_t from = 0;
                for (int64_t k = begin_of[bag]; k < begin_of[bag + 1]; k++) {
                    const long double value = call.before[WEIGHT][index_of[k] * width + c];
                    if (index_of[k] == padding)
                        continue;
                    sum += value * had(SAMPLES, k, 1);
                    from = value > most ? index_of[k] : from;
                    most = value > most ? value : most;
                }
                wanted[bag * width + c] = mode == 0 ? sum : taken == 0 ? 0 : mode == 1 ? sum / taken : most;
                if (mode == 2)
                    expect_whole(FROM, bag * width + c, from);
            }
        }
        assert_output("aclnnEmbeddingBag", OUTPUT, true, wanted, 0x1p-40L);
        forget_call(find("aclnnEmbeddingBag"));
    }
}

static void expect_failure(unsigned place, int64_t i, int64_t value, const char *sentence)
{
    draw(5, 3, 6, 3, false);
    set_element(&call.tensor[place], i, (double)value);
    assert_int_not_equal(call_function(find("aclnnEmbeddingBag"), call.argument), 0);
    assert_sentence(sentence);
    for (int64_t k = 0; k < call.tensor[OUTPUT].count; k++)
        assert_true(element_of(&call.tensor[OUTPUT], k) == (double)call.before[OUTPUT][k]);
    forget_call(find("aclnnEmbeddingBag"));
}

static void indices_and_offsets_are_checked(void **state)
{
    (void)state;
    expect_failure(INDICES, 4, 5, "indices holds 5 at [4]; 0 to 4 are expected");
    expect_failure(INDICES, 0, -1, "indices holds -1 at [0]; 0 to 4 are expected");
    expect_failure(OFFSETS, 0, 1, "offsets holds 1 at [0]; 0 is expected");
    expect_failure(OFFSETS, 2, 7, "offsets holds 7 at [2]; 0 to 6 are expected");
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnEmbeddingBag")); /* 2 x 3, 4, 2 */
    assert_accepted(&attempt);
    attempt.argument[SAMPLES].tensor = tensor_with(ACL_FLOAT, 1, DIMS(4), NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mode is 2 beside perSampleWeights; 0 (sum) is");
    attempt.argument[MODE].int64 = 0;
    assert_accepted(&attempt);
    replace(&attempt, SAMPLES, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "perSampleWeights has shape [3]");
    replace(&attempt, SAMPLES, tensor_with(ACL_FLOAT16, 1, DIMS(4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "perSampleWeights has dtype FLOAT16");
    assert_int_equal(aclDestroyTensor(attempt.argument[SAMPLES].tensor), 0);
    attempt.argument[SAMPLES].tensor = NULL;
    replace(&attempt, OFFSETS, tensor_with(ACL_INT64, 2, DIMS(1, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "offsets has 2 dims; 1 is expected");
    replace(&attempt, WEIGHT, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "weight has 1 dims; 2 are expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bags_are_as_a_loop_computes_them),
        cmocka_unit_test(indices_and_offsets_are_checked),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
