/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * TransposeBatchMatMul in each order of its inputs and with each split of the batches, bit for bit what
 * aclnnBatchMatMul makes of the permuted views, in any layout; whole numbers where there are scales; and what
 * is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_transpose_batch_mat_mul.h"
#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

static const int64_t orders[2][2][3] = {{{0, 1, 2}, {1, 0, 2}}, {{0, 1, 2}, {0, 2, 1}}},
                     first_row[] = {1, 0, 2};

struct trial {
    int64_t batch, rows, depth, columns, factor;
    int swaps_x1, swaps_x2;
    bool is_by_other_name; /* that of an x2 in blocks, which takes any */
    struct layout x1, x2, out, plain;
};

static struct layout made(aclDataType dtype, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, 3, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    layout_fill(&layout, 1, false);
    return layout;
}

/* The view of a tensor with two of its dims exchanged. */
static aclTensor *view(const struct layout *layout, bool is_swapped, int a, int b)
{
    int64_t shape[3], stride[3];
    for (int i = 0; i < 3; i++) {
        const int from = !is_swapped ? i : i == a ? b : i == b ? a : i;
        shape[i] = layout->shape[from];
        stride[i] = layout->stride[from];
    }
    return aclCreateTensor(shape, 3, layout->dtype, stride, layout->offset, ACL_FORMAT_ND, layout->shape, 3,
                           memory_known_as(layout->memory));
}

static struct trial draw(int64_t size)
{
    static const int64_t factors[] = {1, 1, 2, 3};
    struct trial trial = {.rows = 1 + random_below(size),
                          .depth = 1 + random_below(random_below(4) == 0 ? 300 : size),
                          .columns = 1 + random_below(size),
                          .factor = factors[random_below(4)],
                          .swaps_x1 = (int)random_below(2),
                          .swaps_x2 = (int)random_below(2),
                          .is_by_other_name = random_below(2) == 0};
    const aclDataType dtype = short_dtypes[random_below(3)],
                      out_dtype = random_below(3) == 0 ? ACL_FLOAT : dtype;
    trial.batch = trial.factor * (1 + random_below(4));
    const int64_t x1[2][3] = {{trial.batch, trial.rows, trial.depth}, {trial.rows, trial.batch, trial.depth}},
                  x2[2][3] = {{trial.batch, trial.depth, trial.columns},
                              {trial.batch, trial.columns, trial.depth}},
                  plain[] = {trial.batch, trial.rows, trial.columns};
    const int64_t out[2][3] = {{trial.rows, trial.batch, trial.columns},
                               {trial.factor, trial.rows, trial.batch / trial.factor * trial.columns}};
    trial.x1 = made(dtype, x1[trial.swaps_x1], true);
    trial.x2 = made(dtype, x2[trial.swaps_x2], true);
    trial.out = made(out_dtype, out[trial.factor > 1], false);
    trial.plain = made(out_dtype, plain, false);
    return trial;
}

static int multiply_scaled(const struct trial *trial, const aclTensor *scale, aclOpExecutor **executor)
{
    uint64_t bytes = 0;
    const aclIntArray *order_x1 = aclCreateIntArray(orders[0][trial->swaps_x1], 3),
                      *order_x2 = aclCreateIntArray(orders[1][trial->swaps_x2], 3),
                      *order_y = aclCreateIntArray(first_row, 3);
    const int status = (trial->is_by_other_name ? aclnnTransposeBatchMatMulWeightNzGetWorkspaceSize
                                                : aclnnTransposeBatchMatMulGetWorkspaceSize)(
        trial->x1.tensor, trial->x2.tensor, NULL, scale, order_x1, order_x2, order_y, 0,
        (int32_t)trial->factor, trial->out.tensor, &bytes, executor);
    aclDestroyIntArray(order_x1);
    aclDestroyIntArray(order_x2);
    aclDestroyIntArray(order_y);
    return status;
}

static int multiply(const struct trial *trial, aclOpExecutor **executor)
{
    return multiply_scaled(trial, NULL, executor);
}

static void check(const struct trial *trial)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    aclTensor *x1 = view(&trial->x1, trial->swaps_x1 != 0, 0, 1),
              *x2 = view(&trial->x2, trial->swaps_x2 != 0, 1, 2);
    assert_int_equal(aclnnBatchMatMulGetWorkspaceSize(x1, x2, trial->plain.tensor, 0, &bytes, &executor), 0);
    assert_int_equal(aclnnBatchMatMul(NULL, 0, executor, NULL), 0);
    if (multiply(trial, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal((trial->is_by_other_name ? aclnnTransposeBatchMatMulWeightNz
                                              : aclnnTransposeBatchMatMul)(NULL, 0, executor, NULL),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    const int64_t within = trial->batch / trial->factor;
    for (int64_t b = 0; b < trial->batch; b++)
        for (int64_t m = 0; m < trial->rows; m++)
            for (int64_t n = 0; n < trial->columns; n++) {
                const int64_t plain = (b * trial->rows + m) * trial->columns + n;
                const int64_t place =
                    ((b / within * trial->rows + m) * within + b % within) * trial->columns + n;
                if (memcmp(layout_element(&trial->plain, plain), layout_element(&trial->out, place),
                           trial->out.bytes) != 0)
                    fail_msg("element %lld of matrix %lld differs", (long long)(m * trial->columns + n),
                             (long long)b);
            }
    aclDestroyTensor(x1);
    aclDestroyTensor(x2);
}

static void products_lie_with_the_rows_first(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(60); i++) {
        struct trial trial = draw(i % 10 == 0 ? 70 : 12);
        check(&trial);
        layout_destroy(&trial.x1);
        layout_destroy(&trial.x2);
        layout_destroy(&trial.out);
        layout_destroy(&trial.plain);
    }
}

/* Beside the same products in FLOAT, by scales of which the upper 19 bits count. */
static void scaled_results_are_whole_numbers(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        struct trial trial = draw(round % 20 == 0 ? 90 : 12);
        const int64_t all[] = {trial.batch * trial.columns}, out[] = {trial.rows, 1, all[0]};
        const bool fits = trial.factor == 1 && trial.x1.dtype == ACL_FLOAT16;
        struct layout scale = layout_create(round % 2 == 0 ? ACL_INT64 : ACL_UINT64, 1, all,
                                            (enum layout_kind)random_below(LAYOUT_KINDS)),
                      wanted = trial.out;
        for (int64_t i = 0; i < all[0]; i++) {
            const float factor = (float)(1 + random_below(4000)) / 16;
            uint64_t bits = UINT64_C(0x400000000000);
            memcpy(&bits, &factor, sizeof factor);
            memcpy(layout_element(&scale, i), &bits, sizeof bits);
        }
        trial.out = made(round % 3 == 0 ? ACL_FLOAT16 : ACL_INT8, out, false);
        aclOpExecutor *executor;
        if (!fits)
            assert_failure(multiply_scaled(&trial, scale.tensor, &executor), 161002, " is expected");
        else if (trial.plain.dtype == ACL_FLOAT) {
            struct trial plain = trial;
            plain.out = wanted;
            check(&plain);
            if (multiply_scaled(&trial, scale.tensor, &executor) != 0)
                fail_msg("%s", aclGetRecentErrMsg());
            assert_int_equal((trial.is_by_other_name ? aclnnTransposeBatchMatMulWeightNz
                                                     : aclnnTransposeBatchMatMul)(NULL, 0, executor, NULL),
                             0);
            assert_int_equal(aclrtSynchronizeStream(NULL), 0);
            for (int64_t i = 0; i < trial.rows * all[0]; i++) {
                const int64_t m = i / all[0], b = i % all[0] / trial.columns, n = i % trial.columns;
                uint32_t bits;
                float factor, sum;
                memcpy(&bits, layout_element(&scale, i % all[0]), sizeof bits);
                bits &= UINT32_C(0xffffe000);
                memcpy(&factor, &bits, sizeof factor);
                memcpy(&sum, layout_element(&trial.plain, (b * trial.rows + m) * trial.columns + n),
                       sizeof sum);
                const double value = nearbyint((double)sum * (double)factor);
                assert_true(element_of(&trial.out, i) == (value > 127 ? 127 : value < -128 ? -128 : value));
            }
        }
        layout_destroy(&scale);
        layout_destroy(&wanted);
        layout_destroy(&trial.x1);
        layout_destroy(&trial.x2);
        layout_destroy(&trial.out);
        layout_destroy(&trial.plain);
    }
}

static void is_refused(const struct trial *trial, const char *sentence)
{
    aclOpExecutor *executor;
    assert_failure(multiply(trial, &executor), 161002, sentence);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct trial trial = draw(6);
    uint64_t bytes;
    aclOpExecutor *executor;
    const aclIntArray *two = aclCreateIntArray(first_row, 2), *three = aclCreateIntArray(first_row, 3),
                      *as_it_is = aclCreateIntArray(orders[0][0], 3);
    const aclTensor *x1 = trial.x1.tensor, *x2 = trial.x2.tensor;
    aclTensor *out = trial.out.tensor;
#define CALL(bias, scale, a, b, y, type) \
    aclnnTransposeBatchMatMulGetWorkspaceSize(x1, x2, bias, scale, a, b, y, type, 1, out, &bytes, &executor)
    assert_failure(CALL(x1, NULL, as_it_is, as_it_is, three, 0), 161002, "bias is given");
    assert_failure(CALL(NULL, NULL, two, as_it_is, three, 0), 161002, "permX1");
    assert_failure(CALL(NULL, NULL, as_it_is, three, three, 0), 161002, "permX2");
    assert_failure(CALL(NULL, NULL, as_it_is, as_it_is, as_it_is, 0), 161002, "permY");
    aclDestroyIntArray(two);
    aclDestroyIntArray(three);
    aclDestroyIntArray(as_it_is);
    trial.factor = trial.batch + 1;
    is_refused(&trial, "batchSplitFactor");
    trial.factor = 0;
    is_refused(&trial, "batchSplitFactor");
    trial.factor = 1;
    struct layout kept = trial.x2;
    trial.x2 = made(kept.dtype, (const int64_t[]){trial.batch + 1, trial.depth, trial.depth}, false);
    is_refused(&trial, "the same numbers are expected");
    layout_destroy(&trial.x2);
    trial.x2 = made(kept.dtype == ACL_FLOAT ? ACL_BF16 : ACL_FLOAT, kept.shape, false);
    is_refused(&trial, "x2");
    layout_destroy(&trial.x2);
    layout_destroy(&kept);
    layout_destroy(&trial.x1);
    layout_destroy(&trial.out);
    layout_destroy(&trial.plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_lie_with_the_rows_first),
        cmocka_unit_test(scaled_results_are_whole_numbers),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
