/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The random functions that order numbers by their draws and draw indices by weights, against a generator of one
 * block at a time, known answers, and what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/random_source.h"

static const struct source *sorted_by;

static int compare_drawn(const void *a, const void *b)
{
    const uint64_t i = (uint64_t) * (const int64_t *)a, k = (uint64_t) * (const int64_t *)b;
    const uint64_t x = long_of(sorted_by->seed, sorted_by->offset, i),
                   y = long_of(sorted_by->seed, sorted_by->offset, k);
    return x != y ? (x < y ? -1 : 1) : i < k ? -1 : 1;
}

struct order {
    const int64_t *number;
    aclDataType dtype;
};

static void expect_order(const void *context, int64_t i, unsigned char *element)
{
    const struct order *order = (const struct order *)context;
    conversion_reference(&order->number[i], ACL_INT64, element, order->dtype);
}

static void numbers_are_put_in_the_order_of_their_draws(void **state)
{
    (void)state;
    static const int64_t known[] = {3, 2, 6, 5, 1, 0, 7, 8, 9, 4};
    static int64_t number[70000];
    for (int round = 0; round < 40; round++) {
        const int64_t count = round == 0 ? 10 : round == 1 ? 70000 : 1 + random_below(3000);
        const struct source source = round == 0 ? (struct source){.seed = 1234} : draw_source();
        struct view out = drawn_view(0, draw_dtype_of("aclnnRandperm", 3), 1, &count);
        const struct order order = {number, out.dtype};
        for (int64_t i = 0; i < count; i++)
            number[i] = i;
        sorted_by = &source;
        qsort(number, (size_t)count, sizeof number[0], compare_drawn);
        assert_true(round > 0 || memcmp(number, known, sizeof known) == 0);
        union argument argument[4] = {argument_of_integer(count)};
        set_source(find("aclnnRandperm"), 1, &source, argument);
        argument[3] = argument_of_pointer(create_placed(&out));
        fill_bytes(0, bytes_of(&out) + 64);
        assert_made("aclnnRandperm", argument, &out, expect_order, &order);
    }
}

struct drawn_index {
    long double key;
    int64_t index;
};

static int compare_keys(const void *a, const void *b)
{
    const struct drawn_index *x = (const struct drawn_index *)a, *y = (const struct drawn_index *)b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->index < y->index ? -1 : 1;
}

static int64_t *sample(const struct source *source, const struct view *self, int64_t rows, int64_t columns,
                       int64_t samples, bool replaces)
{
    static int64_t result[20000];
    static struct drawn_index key[2000];
    for (int64_t row = 0; row < rows; row++) {
        double all = 0, sum = 0;
        for (int64_t k = 0; k < columns; k++) {
            const double weight = real_at(self, row * columns + k);
            const uint64_t x = long_of(source->seed, source->offset, (uint64_t)(row * columns + k));
            all += weight;
            key[k] = (struct drawn_index){weight == 0 ? HUGE_VALL
                                                      : -logl((long double)((x >> 11) + 1) * 0x1p-53L) /
                                                            (long double)weight,
                                          k};
        }
        if (!replaces)
            qsort(key, (size_t)columns, sizeof key[0], compare_keys);
        for (int64_t s = 0; s < samples; s++) {
            const double u = uniform_of(true, source->seed, source->offset, (uint64_t)(row * samples + s));
            int64_t k = 0;
            for (sum = real_at(self, row * columns); replaces && !(sum > u * all);)
                sum += real_at(self, row * columns + ++k);
            result[row * samples + s] = replaces ? k : key[s].index;
        }
    }
    return result;
}

static void indices_are_drawn_by_their_weights(void **state)
{
    (void)state;
    for (int round = 0; round < 120; round++) {
        const char *name = round % 2 == 0 ? "aclnnMultinomial" : "aclnnMultinomialTensor";
        const bool replaces = random_below(2) == 0, is_matrix = random_below(3) > 0;
        const int64_t rows = is_matrix ? 1 + random_below(20) : 1;
        const int64_t columns = 1 + random_below(is_matrix ? 40 : 1500);
        const int64_t samples = 1 + random_below(replaces ? 50 : columns);
        const struct source source = draw_source();
        struct view self = drawn_view(1, draw_dtype_of(name, 0), is_matrix ? 2 : 1,
                                      is_matrix ? DIMS(rows, columns) : DIMS(columns));
        struct view out =
            drawn_view(0, ACL_INT64, is_matrix ? 2 : 1, is_matrix ? DIMS(rows, samples) : DIMS(samples));
        fill_reals(&self, 0, 3);
        for (int64_t i = 0; i < count_of(&self); i++)
            if (i % columns > 0 && random_below(5) == 0)
                memset(element_of(arena[1], &self, i), 0, dtype_bytes(self.dtype));
        const struct order order = {sample(&source, &self, rows, columns, samples, replaces), ACL_INT64};
        union argument argument[7] = {argument_of_pointer(create_placed(&self)), argument_of_integer(samples),
                                      argument_of_bool(replaces)};
        set_source(find(name), 3, &source, argument);
        argument[find(name)->parameter_count - 1] = argument_of_pointer(create_placed(&out));
        fill_bytes(0, bytes_of(&out) + 64);
        assert_made(name, argument, &out, expect_order, &order);
    }
}

static void assert_fault(double weight, const char *text)
{
    struct view self = view_of(1, ACL_FLOAT, 2, DIMS(2, 3)), out = view_of(0, ACL_INT64, 2, DIMS(2, 1));
    const struct function *function = find("aclnnMultinomial");
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    memset(arena[1], 0, 24);
    memset(arena[0], 0x5a, 16);
    for (int64_t i = 0; i < 2; i++)
        conversion_reference(&(double){i == 0 ? 1 : weight}, ACL_DOUBLE,
                             element_of(arena[1], &self, 3 * i + i), ACL_FLOAT);
    aclTensor *from = create_placed(&self), *to = create_placed(&out);
    const union argument argument[] = {argument_of_pointer(from), argument_of_integer(1),
                                       argument_of_bool(true),    argument_of_integer(0),
                                       argument_of_integer(0),    argument_of_pointer(to)};
    assert_int_equal(function_plan_anew(function, argument, &workspace_bytes, &executor), 0);
    assert_int_equal(function->launch(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_sentence(text);
    for (int i = 0; i < 16; i++)
        assert_int_equal(arena[0][i], 0x5a);
    assert_int_equal(aclDestroyTensor(from) | aclDestroyTensor(to), 0);
}

static void weights_that_are_none_fail_the_work(void **state)
{
    (void)state;
    assert_fault(-1, "self holds -1 in row 1, column 1; finite weights of 0 or more are expected");
    assert_fault((double)NAN, "self holds nan in row 1, column 1");
    assert_fault((double)INFINITY, "self holds inf in row 1, column 1");
    assert_fault(0, "the weights in row 1 of self add up to 0");
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnRandperm"));
    attempt.argument[0].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "n is -1; 0 to 2^32 - 1 are expected");
    attempt.argument[0].int64 = 9;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [10]; [9]");
    release(&attempt);

    attempt = accepted(find("aclnnMultinomial"));
    attempt.argument[1].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "numsamples is 0; 1 or more is expected");
    attempt.argument[1].int64 = 4;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "numsamples is 4; 1 or more is expected");
    attempt.argument[1].int64 = 2;
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(1, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims; 1 or 2 are expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 0), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the rows of self have 0 elements");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_put_in_the_order_of_their_draws),
        cmocka_unit_test(indices_are_drawn_by_their_weights),
        cmocka_unit_test(weights_that_are_none_fail_the_work),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
