/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ConfusionTranspose and AddLora against loops over elements, in any layout; what is a fault, what is refused; and the
 * same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

/* The number of the element of a shape that has this number when its dims are in another order. */
static int64_t unturned(unsigned rank, const int64_t *shape, const int64_t *perm, int64_t number)
{
    int64_t index[4] = {0}, place = 0;
    for (unsigned i = rank; i-- > 0; number /= shape[perm[i]])
        index[perm[i]] = number % shape[perm[i]];
    for (unsigned i = 0; i < rank; i++)
        place = place * shape[i] + index[i];
    return place;
}

static void elements_go_where_dims_do(void)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16,    ACL_INT8,
                                         ACL_INT64, ACL_COMPLEX128, ACL_BOOL};
    const aclDataType dtype = dtypes[random_below(6)];
    const bool is_first = random_below(2) == 0;
    int64_t turned[4], perm[] = {0, 1, 2, 3}, flat[3], out[4];
    const unsigned rank = 1 + (unsigned)random_below(4);
    int64_t count = 1;
    for (unsigned i = 0; i < rank; i++) {
        const unsigned k = (unsigned)random_below((int64_t)i + 1);
        const int64_t kept = perm[i];
        perm[i] = perm[k];
        perm[k] = kept;
        turned[i] = 1 + random_below(i == 0 ? 40 : 9);
        count *= turned[i];
    }
    flat[0] = random_below(2) == 0 && count % 2 == 0 ? 2 : 1;
    flat[1] = count / flat[0] % 3 == 0 ? 3 : 1;
    flat[2] = count / flat[0] / flat[1];
    for (unsigned i = 0; i < rank; i++)
        out[i] = turned[perm[i]];
    struct trial trial = trial_of("aclnnConfusionTranspose");
    give(&trial, "x", dtype, is_first ? rank : 3, is_first ? turned : flat, 3);
    give(&trial, "out", dtype, is_first ? 3 : rank, is_first ? flat : out, 3);
    give_value(&trial, "transposeFirst", argument_of_bool(is_first));
    give_value(&trial, "perm", argument_of_pointer(aclCreateIntArray(perm, rank)));
    give_value(&trial, "shape",
               argument_of_pointer(is_first ? aclCreateIntArray(flat, 3) : aclCreateIntArray(turned, rank)));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < count; i++)
        assert_memory_equal(layout_element(given(&trial, "out"), i),
                            layout_element(given(&trial, "x"), unturned(rank, turned, perm, i)),
                            given(&trial, "x")->bytes);
    end_trial(&trial);
}

static void rows_have_products_added(void)
{
    const int64_t rows = 1 + random_below(6), width = 3 + random_below(30), weights = 1 + random_below(3),
                  layers = 1 + random_below(3), ranks = 1 + random_below(20), slice = 1 + random_below(width);
    const bool has_a = random_below(3) > 0;
    const int64_t depth = has_a ? 1 + random_below(40) : ranks, layer = random_below(layers),
                  offset = random_below(width - slice + 1);
    const aclDataType dtype = short_dtypes[random_below(3)];
    int64_t index[6];
    for (int64_t r = 0; r < rows; r++)
        index[r] = random_below(weights + 2) - 1;
    struct trial trial = trial_of("aclnnAddLora");
    give(&trial, "y", dtype, 2, DIMS(rows, width), 1);
    give(&trial, "x", dtype, 2, DIMS(rows, depth), 1);
    give(&trial, "weightB", dtype, 4, DIMS(weights, layers, slice, ranks), 1);
    if (has_a)
        give(&trial, "weightAOptional", dtype, 4, DIMS(weights, layers, ranks, depth), 1);
    give_numbers(&trial, "indices", ACL_INT32, 1, DIMS(rows), index);
    give(&trial, "out", dtype, 2, DIMS(rows, width), 1);
    give_value(&trial, "layerIdx", argument_of_integer(layer));
    give_value(&trial, "scale", argument_of_fp64(0.25));
    give_value(&trial, "yOffset", argument_of_integer(offset));
    give_value(&trial, "ySliceSize", argument_of_integer(random_below(2) == 0 ? slice : -1));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < rows * width; i++) {
        const int64_t row = i / width, column = i % width - offset;
        long double wanted = (long double)at(&trial, "y", i);
        const bool is_added = column >= 0 && column < slice && index[row] >= 0 && index[row] < weights;
        for (int64_t r = 0; is_added && r < ranks; r++) {
            const int64_t weight = index[row] * layers + layer;
            long double inner = has_a ? 0 : (long double)at(&trial, "x", row * depth + r);
            for (int64_t d = 0; has_a && d < depth; d++)
                inner += (long double)at(&trial, "x", row * depth + d) *
                         (long double)at(&trial, "weightAOptional", (weight * ranks + r) * depth + d);
            wanted += inner * (long double)at(&trial, "weightB", (weight * slice + column) * ranks + r) / 4;
        }
        assert_near("out", given(&trial, "out"), i, wanted, dtype, 1e-12L);
    }
    const int32_t beyond = (int32_t)weights + 1;
    memcpy(layout_element(given(&trial, "indices"), 0), &beyond, sizeof beyond);
    expect_fault(&trial, "indices holds");
    end_trial(&trial);
}

static void (*const rounds[])(void) = {elements_go_where_dims_do, rows_have_products_added};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(150));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 12);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnConfusionTranspose");
    refuse_tensor(&trial, "x", ACL_FLOAT, 3, DIMS(2, 3, 5),
                  "shape is [3, 8]; 8 sizes at most, of 30 elements");
    refuse_tensor(&trial, "x", ACL_FLOAT, 2, DIMS(6, 4),
                  "perm has 3 elements; 2, one for each dim, are expected");
    refuse_tensor(&trial, "out", ACL_FLOAT, 2, DIMS(8, 3), "out has shape [8, 3]; [3, 8]");
    aclIntArray *perm = aclCreateIntArray(DIMS(0, 1, 1), 3);
    refuse_trial(&trial, "perm", argument_of_pointer(perm), "perm names dim 1 twice");
    assert_int_equal(aclDestroyIntArray(perm), 0);
    release(&attempt);
    trial = sample_of(&attempt, "aclnnAddLora");
    refuse_tensor(&trial, "x", ACL_FLOAT, 2, DIMS(2, 4), "x has shape [2, 4]; [3, -1] is expected");
    refuse_tensor(&trial, "x", ACL_FLOAT16, 2, DIMS(3, 4), "x has dtype FLOAT16");
    refuse_tensor(&trial, "weightAOptional", ACL_FLOAT, 4, DIMS(2, 1, 3, 4),
                  "weightAOptional has shape [2, 1, 3, 4]");
    refuse_trial(&trial, "layerIdx", argument_of_integer(1), "layerIdx is 1; 0 to 0 are expected");
    refuse_trial(&trial, "ySliceSize", argument_of_integer(4), "ySliceSize is 4; 5, as weightB has, or -1");
    refuse_trial(&trial, "yOffset", argument_of_integer(1), "yOffset is 1; a slice of 5 in 5 is expected");
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
