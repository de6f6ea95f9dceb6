/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products that meet other ranks, by several devices of this process: whole tensors in any layout beside
 * references, what is refused, and what becomes of ranks that differ or do not come.
 */
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/rank_case.h"
#include "support/effort.h"

static struct rank_case ranks;

static const char *const products[] = {
    "aclnnMatmulAllReduce",   "aclnnMatmulAllReduceV2",   "aclnnMatmulAllReduceV3",    "aclnnAllGatherMatmul",
    "aclnnAllGatherMatmulV2", "aclnnMatmulReduceScatter", "aclnnMatmulReduceScatterV2"};
enum { ALL_REDUCES = 3, GATHERS = 5, MADE_WITH_RANKS = 7 };

struct sizes {
    int64_t m, k, n;
    bool is_whole, has_bias, has_x3, has_row_scale, has_gathered, has_batch;
    aclDataType dtype;
};

static struct sizes draw_sizes(int kind)
{
    const bool has_scales = kind == 4 || kind == 6;
    struct sizes s = {.m = random_below(9),
                      .k = random_below(3) == 0 ? random_below(300) : random_below(20),
                      .n = 1 + random_below(70)};
    if (kind >= GATHERS)
        s.m *= ranks.count;
    s.is_whole = has_scales && random_below(2) == 0;
    s.dtype = s.is_whole ? ACL_INT8 : random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    s.has_bias = random_below(2) == 0;
    s.has_x3 = (kind == 1 || kind == 2) && random_below(2) == 0;
    s.has_row_scale = s.is_whole && random_below(2) == 0;
    s.has_gathered = kind >= ALL_REDUCES && kind < GATHERS && random_below(2) == 0;
    s.has_batch = kind < ALL_REDUCES && random_below(2) == 0;
    return s;
}

static void give_operands(struct named_call *call, const struct sizes *s, int kind)
{
    const aclDataType made = s->is_whole ? random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16 : s->dtype;
    const int64_t rows = kind < ALL_REDUCES ? s->m : kind < GATHERS ? s->m * ranks.count : s->m / ranks.count;
    const struct layout *x1 =
        s->has_batch ? GIVE(call, "x1", s->dtype, s->m, 2, s->k) : GIVE(call, "x1", s->dtype, s->m, s->k);
    const struct layout *x2 = GIVE(call, "x2", s->dtype, s->k, s->n);
    if (s->has_bias)
        GIVE(call, "bias", s->is_whole ? ACL_INT32 : s->dtype, s->n);
    if (s->has_x3 && s->has_batch)
        GIVE(call, "x3", s->dtype, s->m, 2, s->n);
    else if (s->has_x3)
        GIVE(call, "x3", s->dtype, s->m, s->n);
    if (s->is_whole) {
        fill_small(x1);
        fill_small(x2);
        if (s->has_bias)
            fill_small(tensor_named(call, "bias"));
        const struct layout *scale = GIVE(call, "x2Scale", ACL_FLOAT, random_below(2) == 0 ? 1 : s->n);
        for (int64_t i = 0; i < scale->count; i++)
            set_element(scale, i, 0x1p-12 * (double)(1 + random_below(100)));
    }
    if (s->has_row_scale)
        GIVE(call, "x1Scale", ACL_FLOAT, s->m);
    if (s->has_batch)
        GIVE(call, "output", made, s->m, 2, s->n);
    else
        GIVE(call, "output", made, rows, s->n);
    if (s->has_gathered)
        GIVE(call, "gatherOut", s->dtype, rows, s->k);
}

static long double number_in(struct named_call *call, const char *name, int64_t i)
{
    return is_named(call, name) ? (long double)element_of(tensor_named(call, name), i) : 0;
}

/* What one rank's product has at a row and a column; and, for bounds, the sum of what it adds. */
static long double product_of(struct named_call *call, const struct sizes *s, int64_t row, int64_t column,
                              long double *size)
{
    const struct layout *x1 = tensor_named(call, "x1"), *x2 = tensor_named(call, "x2");
    long double sum = 0, scale = 1;
    for (int64_t k = 0; k < s->k; k++) {
        const long double term =
            (long double)element_of(x1, row * s->k + k) * (long double)element_of(x2, k * s->n + column);
        sum += term;
        *size += fabsl(term);
    }
    if (s->is_whole) {
        const struct layout *columns = tensor_named(call, "x2Scale");
        scale = (long double)element_of(columns, columns->count == 1 ? 0 : column);
        if (s->has_row_scale)
            scale *= (long double)element_of(tensor_named(call, "x1Scale"), row);
    }
    sum += number_in(call, "bias", column);
    *size = (*size + fabsl(sum)) * fabsl(scale);
    const int64_t at = row * s->n + column;
    *size += fabsl(number_in(call, "x3", at));
    return sum * scale + number_in(call, "x3", at);
}

static void judge_product(uint32_t rank, int kind, const struct sizes *s)
{
    const struct layout *out = tensor_named(&ranks.call[rank], "output");
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t row = i / s->n, column = i % s->n;
        long double sum = 0, size = 0;
        if (kind >= ALL_REDUCES && kind < GATHERS) {
            struct named_call mixed =
                ranks.call[rank]; /* the other's rows and their scales, the own weight */
            const uint32_t other = (uint32_t)(row / s->m);
            const char *const theirs[] = {"x1", "x1Scale"};
            for (int part = 0; part < 2; part++)
                if (is_named(&mixed, theirs[part]))
                    mixed.tensor[place_named(&mixed, theirs[part])] =
                        *tensor_named(&ranks.call[other], theirs[part]);
            sum = product_of(&mixed, s, row % s->m, column, &size);
        } else {
            for (uint32_t other = 0; other < ranks.count; other++)
                sum += product_of(&ranks.call[other], s, row + (kind >= GATHERS ? rank * out->shape[0] : 0),
                                  column, &size);
        }
        assert_near(products[kind], out, i, sum, out->dtype, size * 0x1p-21L);
    }
    for (int64_t i = 0; s->has_gathered && i < s->m * ranks.count * s->k; i++)
        assert_true(element_of(tensor_named(&ranks.call[rank], "gatherOut"), i) ==
                    element_of(tensor_named(&ranks.call[i / (s->m * s->k)], "x1"), i % (s->m * s->k)));
}

static void products_meet_other_ranks(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= RANKS_AT_MOST; count++) {
        open_ranks(&ranks, count);
        for (int round = 0; round < times_effort(28); round++) {
            const int kind = round % MADE_WITH_RANKS;
            const struct sizes s = draw_sizes(kind);
            for (uint32_t rank = 0; rank < count; rank++)
                give_operands(begin_rank(&ranks, rank, products[kind]), &s, kind);
            run_ranks(&ranks);
            struct sizes flat = s;
            flat.m *= s.has_batch ? 2 : 1;
            for (uint32_t rank = 0; rank < count; rank++)
                judge_product(rank, kind, &flat);
            end_ranks(&ranks);
        }
        close_ranks(&ranks);
    }
}

/* Sums of INT8 with scales, which may be INT8 on their way. Scales are powers of two: all of it is exact. */
static const char *const quantised[] = {"aclnnQuantMatmulAllReduce", "aclnnQuantMatmulAllReduceV2",
                                        "aclnnQuantMatmulAllReduceV3", "aclnnQuantMatmulAllReduceV4",
                                        "aclnnQuantMatmulAllReduceV5"};

static void fill_powers_of_two(const struct layout *scale)
{
    for (int64_t i = 0; i < scale->count; i++)
        set_element(scale, i, 0x1p-6 * (double)(1 << random_below(5)));
}

static void give_quantised(struct named_call *call, int kind, const struct sizes *s, bool has_way)
{
    fill_small(GIVE(call, "x1", ACL_INT8, s->m, s->k));
    fill_small(GIVE(call, "x2", ACL_INT8, s->k, s->n));
    if (s->has_bias)
        fill_small(GIVE(call, "bias", ACL_INT32, s->n));
    for (int64_t i = 0; s->has_x3 && i < s->m * s->n; i++)
        set_element(i == 0 ? GIVE(call, "x3", s->dtype, s->m, s->n) : tensor_named(call, "x3"), i,
                    (double)(random_below(9) - 4) / 2);
    fill_powers_of_two(GIVE(call, kind < 3 ? "dequantScale" : "x2Scale",
                            random_below(2) == 0 ? ACL_FLOAT : ACL_BF16, random_below(2) == 0 ? 1 : s->n));
    if (s->has_row_scale)
        fill_powers_of_two(GIVE(call, kind < 3 ? "pertokenScale" : "x1Scale", ACL_FLOAT, s->m));
    GIVE(call, "output", s->dtype, s->m, s->n);
    if (!has_way)
        return;
    GIVE(call, "commQuantScale1", s->dtype, s->n);
    GIVE(call, "commQuantScale2", s->dtype, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        set_element(tensor_named(call, "commQuantScale1"), i, 0x1p-3 * (double)(1 << i % 3));
        set_element(tensor_named(call, "commQuantScale2"), i, 0x1p-2 * (double)(1 << i % 4));
    }
}

static double clamped(double value)
{
    return value > 127 ? 127 : value < -128 ? -128 : rint(value);
}

static double scale_in(struct named_call *call, const char *name, int64_t i)
{
    const struct layout *scale = is_named(call, name) ? tensor_named(call, name) : NULL;
    return scale == NULL ? 1 : element_of(scale, scale->count == 1 ? 0 : i);
}

static void judge_quantised(uint32_t rank, int kind, const struct sizes *s, bool has_way)
{
    const struct layout *out = tensor_named(&ranks.call[rank], "output");
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t row = i / s->n, column = i % s->n;
        const double first = has_way ? scale_in(&ranks.call[rank], "commQuantScale1", column) : 1,
                     second = has_way ? scale_in(&ranks.call[rank], "commQuantScale2", column) : 1;
        double sum = 0;
        for (uint32_t other = 0; other < ranks.count; other++) {
            struct named_call *call = &ranks.call[other];
            double value = (double)number_in(call, "bias", column);
            for (int64_t k = 0; k < s->k; k++)
                value += element_of(tensor_named(call, "x1"), row * s->k + k) *
                         element_of(tensor_named(call, "x2"), k * s->n + column);
            value *= scale_in(call, kind < 3 ? "dequantScale" : "x2Scale", column);
            if (s->has_row_scale)
                value *= scale_in(call, kind < 3 ? "pertokenScale" : "x1Scale", row);
            value += (double)number_in(call, "x3", i);
            sum += has_way ? clamped(value / first) : value;
        }
        if (has_way)
            sum = clamped(sum * first / second) * second;
        assert_near(quantised[kind], out, i, (long double)sum, out->dtype, 0);
    }
}

static void quantised_products_meet_other_ranks(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= RANKS_AT_MOST; count++) {
        open_ranks(&ranks, count);
        for (int round = 0; round < times_effort(20); round++) {
            const int kind = round % 5;
            const struct sizes s = {.m = 1 + random_below(8),
                                    .k = random_below(60),
                                    .n = 1 + random_below(round % 4 == 0 ? 600 : 40),
                                    .has_bias = random_below(2) == 0,
                                    .has_x3 = random_below(2) == 0,
                                    .has_row_scale = kind > 0 && random_below(2) == 0,
                                    .dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16};
            const bool has_way = kind > 1 && random_below(3) > 0;
            for (uint32_t rank = 0; rank < count; rank++)
                give_quantised(begin_rank(&ranks, rank, quantised[kind]), kind, &s, has_way);
            run_ranks(&ranks);
            for (uint32_t rank = 0; rank < count; rank++)
                judge_quantised(rank, kind, &s, has_way);
            end_ranks(&ranks);
        }
        close_ranks(&ranks);
    }
}

/* MatmulAllReduce of ones by all, n of each rank's own. */
static void give_ones(uint32_t rank, int64_t n)
{
    struct named_call *call = begin_rank(&ranks, rank, "aclnnMatmulAllReduce");
    const struct layout *x1 = GIVE(call, "x1", ACL_FLOAT16, 2, 3), *x2 = GIVE(call, "x2", ACL_FLOAT16, 3, n);
    for (int64_t i = 0; i < 6; i++)
        set_element(x1, i, 1);
    for (int64_t i = 0; i < 3 * n; i++)
        set_element(x2, i, rank + 1);
    GIVE(call, "output", ACL_FLOAT16, 2, n);
}

static void one_executor_meets_again(void **state)
{
    (void)state;
    open_ranks(&ranks, 2);
    aclOpExecutor *executor[2];
    uint64_t bytes;
    for (uint32_t rank = 0; rank < 2; rank++) {
        give_ones(rank, 4);
        assert_int_equal(
            function_plan_anew(ranks.call[rank].function, ranks.call[rank].argument, &bytes, &executor[rank]),
            0);
        assert_int_equal(aclSetAclOpExecutorRepeatable(executor[rank]), 0);
    }
    for (int round = 0; round < 3; round++) {
        for (uint32_t rank = 0; rank < 2; rank++) {
            set_element(tensor_named(&ranks.call[rank], "x1"), 0, round);
            assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
            assert_int_equal(ranks.call[rank].function->launch(NULL, 0, executor[rank], ranks.streams[rank]),
                             0);
        }
        wait_for_ranks(&ranks);
        for (uint32_t rank = 0; rank < 2; rank++) {
            assert_int_equal(ranks.status[rank], 0);
            assert_true(element_of(tensor_named(&ranks.call[rank], "output"), 0) == 3 * (2 + round));
        }
    }
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(aclDestroyAclOpExecutor(executor[rank]), 0);
    end_ranks(&ranks);
    close_ranks(&ranks);
}

static void ranks_that_differ_fail(void **state)
{
    (void)state;
    open_ranks(&ranks, 2);
    give_ones(0, 4);
    give_ones(1, 5);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(queue_rank(&ranks, rank), 0);
    wait_for_ranks(&ranks);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_rank_failed(&ranks, rank, ACL_ERROR_RT_AICPU_EXCEPTION,
                           "aclnnMatmulAllReduce of 10 fp32, sum");
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_failure(queue_rank(&ranks, 0), ACLNN_ERR_RUNTIME_ERROR, "the communicator has failed before");
    HcclResult error;
    assert_int_equal(HcclGetCommAsyncError(ranks.comm[0], &error), HCCL_SUCCESS);
    assert_int_equal(error, HCCL_E_PARA);
    end_ranks(&ranks);
    close_ranks(&ranks);
    /* A collective of the program's instead. */
    open_ranks(&ranks, 2);
    give_ones(0, 4);
    give_ones(1, 4);
    assert_int_equal(queue_rank(&ranks, 0), 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(HcclBarrier(ranks.comm[1], ranks.streams[1]), HCCL_SUCCESS);
    wait_for_ranks(&ranks);
    assert_rank_failed(&ranks, 0, ACL_ERROR_RT_AICPU_EXCEPTION, "rank 1 called HcclBarrier as number 1");
    end_ranks(&ranks);
    close_ranks(&ranks);
}

static void a_rank_that_does_not_come_is_named(void **state)
{
    (void)state;
    open_ranks(&ranks, 2);
    give_ones(0, 4);
    give_ones(1, 4);
    assert_int_equal(queue_rank(&ranks, 0), 0);
    wait_for_ranks(&ranks);
    assert_rank_failed(&ranks, 0, ACL_ERROR_RT_TASK_TIMEOUT, "came: 0; did not: 1 (never seen)");
    assert_rank_failed(&ranks, 0, ACL_ERROR_RT_TASK_TIMEOUT,
                       "aclnnMatmulAllReduce: 8 fp32, sum, number 1 of");
    end_ranks(&ranks);
    close_ranks(&ranks);
}

static void groups_are_looked_up(void **state)
{
    (void)state;
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    open_ranks(&ranks, 2);
    give_ones(0, 4);
    give_ones(1, 4);
    assert_int_equal(aclrtSetDevice(0), 0);
    struct named_call *call = &ranks.call[0];
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    give_text(call, "group", "nobody");
    assert_named_refused(call, invalid, "group is \"nobody\"; the name of a communicator of device 0");
    give_text(call, "group", longest);
    assert_named_refused(call, invalid, "the name of a communicator of device 0");
    give_text(call, "group", NULL);
    assert_named_refused(call, ACLNN_ERR_PARAM_NULLPTR, "group is NULL");
    give_text(call, "group", ranks.name);
    give_text(call, "reduceOp", "max");
    assert_named_refused(call, invalid, "reduceOp is \"max\"; \"sum\" is expected");
    give_text(call, "reduceOp", NULL);
    assert_named_refused(call, ACLNN_ERR_PARAM_NULLPTR, "reduceOp is NULL");
    give_text(call, "reduceOp", "sum");
    assert_int_equal(aclrtSetDevice(2), 0);
    assert_named_refused(call, invalid, "the name of a communicator of device 2");
    /* Planned for one device, launched on another; and on a stream that is being recorded. */
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(function_plan_anew(call->function, call->argument, &bytes, &executor), 0);
    assert_int_equal(aclmdlRICaptureBegin(ranks.streams[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    assert_int_equal(call->function->launch(NULL, 0, executor, ranks.streams[0]), ACLNN_ERR_RUNTIME_ERROR);
    aclmdlRI graph = NULL;
    (void)aclmdlRICaptureEnd(ranks.streams[0], &graph);
    if (graph != NULL)
        assert_int_equal(aclmdlRIDestroy(graph), 0);
    /* Numbers of what was not queued are free again. */
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(queue_rank(&ranks, rank), 0);
    wait_for_ranks(&ranks);
    assert_int_equal(ranks.status[0] | ranks.status[1], 0);
    end_ranks(&ranks);
    close_ranks(&ranks);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    open_ranks(&ranks, 2);
    struct named_call *call = begin_rank(&ranks, 0, "aclnnMatmulReduceScatter");
    ranks.count = 1;
    GIVE(call, "x1", ACL_FLOAT16, 3, 4);
    GIVE(call, "x2", ACL_FLOAT16, 4, 2);
    GIVE(call, "output", ACL_FLOAT16, 1, 2);
    assert_named_refused(call, invalid, "x1 has 3 rows; a multiple of the ranks of group, 2, is expected");
    end_ranks(&ranks);
    call = begin_rank(&ranks, 0, "aclnnAllGatherMatmulV2");
    GIVE(call, "x1", ACL_INT8, 3, 4);
    GIVE(call, "x2", ACL_INT8, 4, 2);
    GIVE(call, "output", ACL_FLOAT16, 6, 2);
    assert_named_refused(call, ACLNN_ERR_PARAM_NULLPTR, "x2Scale is NULL, which x1 of INT8 asks for");
    GIVE(call, "x2Scale", ACL_FLOAT, 3);
    assert_named_refused(call, invalid, "x2Scale has shape [3]; 1 element or 2 are expected");
    give_number(call, "gatherIndex", 1);
    end_named(call);
    call = begin_rank(&ranks, 0, "aclnnAllGatherMatmulV2");
    GIVE(call, "x1", ACL_FLOAT16, 3, 4);
    GIVE(call, "x2", ACL_FLOAT16, 4, 2);
    GIVE(call, "output", ACL_FLOAT16, 6, 2);
    give_number(call, "gatherIndex", 1);
    assert_named_refused(call, invalid, "gatherIndex is 1; 0, to gather x1, is expected");
    give_number(call, "gatherIndex", 0);
    GIVE(call, "x1Scale", ACL_FLOAT, 3);
    assert_named_refused(call, invalid, "x1Scale is given; NULL is expected unless x1 is INT8");
    end_ranks(&ranks);
    call = begin_rank(&ranks, 0, "aclnnQuantMatmulAllReduceV4");
    GIVE(call, "x1", ACL_INT8, 3, 4);
    GIVE(call, "x2", ACL_INT8, 4, 2);
    GIVE(call, "x2Scale", ACL_FLOAT, 2);
    GIVE(call, "output", ACL_FLOAT16, 3, 2);
    GIVE(call, "commQuantScale1", ACL_FLOAT, 2);
    assert_named_refused(call, invalid, "commQuantScale1 and commQuantScale2 are expected together");
    GIVE(call, "commQuantScale2", ACL_FLOAT, 3);
    assert_named_refused(call, invalid, "commQuantScale2 has shape [3]; 1 element or 2 are expected");
    end_ranks(&ranks);
    call = begin_rank(&ranks, 0, "aclnnQuantMatmulAllReduceV4");
    GIVE(call, "x1", ACL_INT8, 3, 4);
    GIVE(call, "x2", ACL_INT8, 4, 2);
    GIVE(call, "x2Scale", ACL_FLOAT, 2);
    GIVE(call, "output", ACL_FLOAT16, 3, 2);
    give_number(call, "commQuantMode", 2);
    assert_named_refused(call, invalid, "commQuantMode is 2; 0 is expected");
    end_ranks(&ranks);
    ranks.count = 2;
    close_ranks(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_meet_other_ranks),
        cmocka_unit_test(quantised_products_meet_other_ranks),
        cmocka_unit_test(one_executor_meets_again),
        cmocka_unit_test(ranks_that_differ_fail),
        cmocka_unit_test(a_rank_that_does_not_come_is_named),
        cmocka_unit_test(groups_are_looked_up),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    setenv("BELAY_DEVICES", "4", 1);
    setenv("HCCL_EXEC_TIMEOUT", "3", 1);
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
