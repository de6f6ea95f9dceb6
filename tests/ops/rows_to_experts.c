/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows to the experts of other ranks and products that come back, of floats and of quantised rows with scales of all
 * kinds, by several devices of this process, beside references; counts that differ; and what is refused.
 */
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/rank_case.h"
#include "ops/small_floats.h"
#include "support/effort.h"

enum { EXPERTS_AT_MOST = 3, COUNTS = RANKS_AT_MOST * EXPERTS_AT_MOST };

static struct rank_case ranks;

enum scales { NO_SCALES, OF_ALL, OF_EACH, OF_MX };

struct journey {
    int64_t experts, width, columns;
    bool turns, has_mm, permutes;
    enum scales scales;
    aclDataType dtype, made;              /* of rows, and of what comes out */
    int64_t count[RANKS_AT_MOST][COUNTS]; /* from a rank to each rank's experts */
};

static int64_t count_of(const struct journey *j, uint32_t from, uint32_t to, int64_t expert)
{
    return j->count[from][to * j->experts + expert];
}

static void set_counts(const struct journey *j, uint32_t rank, int64_t *sends, int64_t *receives,
                       int64_t *sent, int64_t *received)
{
    *sent = *received = 0;
    for (uint32_t other = 0; other < ranks.count; other++)
        for (int64_t expert = 0; expert < j->experts; expert++) {
            *sent += sends[other * j->experts + expert] = count_of(j, rank, other, expert);
            *received += receives[other * j->experts + expert] = count_of(j, other, rank, expert);
        }
}

/* The row of a rank's gmmX that goes to an expert of another as the i-th. */
static int64_t sent_row(const struct journey *j, uint32_t from, uint32_t to, int64_t expert, int64_t i)
{
    int64_t row = i;
    for (int64_t slot = 0; slot < to * j->experts + expert; slot++)
        row += j->count[from][slot];
    return row;
}

static long double value_at(const struct layout *layout, int64_t i)
{
    return is_float8(layout->dtype) ? (long double)code_value(layout->dtype, *layout_element(layout, i))
                                    : (long double)element_of(layout, i);
}

static void give_rows(struct named_call *call, const char *name, const struct journey *j, unsigned rank,
                      const int64_t *shape)
{
    if (is_float8(j->dtype))
        give_small(call, name, j->dtype, rank, shape);
    else
        fill_small(give_tensor(call, name, j->dtype, rank, shape));
}

/* One for all, for each row, or pairs for each row; and for the columns of each expert, or of no experts. */
static void give_scales(struct named_call *call, const struct journey *j, bool is_mm, int64_t rows,
                        int64_t depth, int64_t columns, bool turns)
{
    const int64_t pairs = (depth + 63) / 64, first = turns ? columns : pairs,
                  second = turns ? pairs : columns, of_rows[] = {rows, pairs, 2},
                  of_weight[] = {j->experts, first, second, 2}, of_columns[] = {j->experts, columns},
                  one[] = {1};
    const bool is_mx = j->scales == OF_MX, is_all = j->scales == OF_ALL;
    const aclDataType dtype = is_mx ? ACL_FLOAT8_E8M0 : ACL_FLOAT;
    struct layout *scale[] = {
        give_tensor(call, is_mm ? "mmXScale" : "gmmXScale", dtype, is_mx ? 3 : 1, is_all ? one : of_rows),
        give_tensor(call, is_mm ? "mmWeightScale" : "gmmWeightScale", dtype,
                    is_all ? 1 : (is_mx ? 4 : 2) - (unsigned)is_mm,
                    is_all  ? is_mm || random_below(2) == 0 ? one : of_weight
                    : is_mx ? of_weight + is_mm
                            : of_columns + is_mm)};
    for (int i = 0; i < 2; i++)
        if (is_mx)
            fill_powers(scale[i]);
        else
            for (int64_t k = 0; k < scale[i]->count; k++)
                set_element(scale[i], k, 0x1p-10 * (double)(1 + random_below(100)));
    give_number(call, is_mm ? "mmXQuantMode" : "gmmXQuantMode", is_mx ? 6 : is_all ? 1 : 3);
    give_number(call, is_mm ? "mmWeightQuantMode" : "gmmWeightQuantMode", is_mx ? 6 : is_all ? 1 : 2);
}

/* What an element of a row, and one of a weight of an expert, are multiplied by. */
static long double row_scale(struct named_call *call, const struct journey *j, const char *name, int64_t row,
                             int64_t k, int64_t depth)
{
    if (j->scales == NO_SCALES)
        return 1;
    const struct layout *scale = tensor_named(call, name);
    return j->scales == OF_MX ? power_at(scale, row * 2 * ((depth + 63) / 64) + k / 32)
                              : value_at(scale, scale->count == 1 ? 0 : row);
}

static long double weight_scale(struct named_call *call, const struct journey *j, const char *name,
                                int64_t expert, int64_t k, int64_t column, int64_t depth, int64_t columns,
                                bool turns)
{
    if (j->scales == NO_SCALES)
        return 1;
    const struct layout *scale = tensor_named(call, name);
    const int64_t pairs = (depth + 63) / 64, pair = k / 64,
                  at = turns ? (expert * columns + column) * pairs + pair
                             : (expert * pairs + pair) * columns + column;
    return j->scales == OF_MX    ? power_at(scale, at * 2 + k / 32 % 2)
           : scale->count == 1   ? value_at(scale, 0)
           : j->scales == OF_ALL ? value_at(scale, expert)
                                 : value_at(scale, expert * columns + column);
}

static long double expert_product(struct named_call *rows, struct named_call *own, const struct journey *j,
                                  int64_t row, int64_t expert, int64_t column, long double *size)
{
    const struct layout *x = tensor_named(rows, "gmmX"), *w = tensor_named(own, "gmmWeight");
    long double sum = 0;
    for (int64_t k = 0; k < j->width; k++) {
        const int64_t at = j->turns ? column * j->width + k : k * j->columns + column;
        const long double term =
            value_at(x, row * j->width + k) * value_at(w, expert * j->width * j->columns + at) *
            row_scale(rows, j, "gmmXScale", row, k, j->width) *
            weight_scale(own, j, "gmmWeightScale", expert, k, column, j->width, j->columns, j->turns);
        sum += term, *size += fabsl(term);
    }
    return sum;
}

static void judge_mm(struct named_call *call, const struct journey *j)
{
    const struct layout *y = tensor_named(call, "mmY"), *x = tensor_named(call, "mmX"),
                        *w = tensor_named(call, "mmWeight");
    for (int64_t i = 0; i < y->count; i++) {
        const int64_t row = i / y->shape[1], column = i % y->shape[1], depth = x->shape[1];
        long double sum = 0, size = 0;
        for (int64_t k = 0; k < depth; k++) {
            const long double term =
                value_at(x, row * depth + k) * value_at(w, k * y->shape[1] + column) *
                row_scale(call, j, "mmXScale", row, k, depth) *
                weight_scale(call, j, "mmWeightScale", 0, k, column, depth, y->shape[1], false);
            sum += term, size += fabsl(term);
        }
        assert_near("mm", y, i, sum, y->dtype, size * 0x1p-21L);
    }
}

static struct journey draw_journey(bool is_there, enum scales scales)
{
    struct journey j = {.experts = 1 + random_below(EXPERTS_AT_MOST),
                        .width = 1 + random_below(scales == OF_MX ? 150 : 20),
                        .columns = 1 + random_below(20),
                        .turns = random_below(2) == 0,
                        .has_mm = random_below(2) == 0,
                        .permutes = is_there && random_below(2) == 0,
                        .scales = scales,
                        .dtype = ACL_FLOAT16,
                        .made = ACL_FLOAT16};
    const aclDataType made[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16},
                      small[] = {ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_HIFLOAT8, ACL_INT8};
    if (scales != NO_SCALES) {
        j.made = made[random_below(3)];
        j.dtype = scales == OF_MX ? small[random_below(2)] : has_float8() ? small[random_below(4)] : ACL_INT8;
    }
    for (uint32_t from = 0; from < ranks.count; from++)
        for (int64_t slot = 0; slot < ranks.count * j.experts; slot++)
            j.count[from][slot] = random_below(4);
    return j;
}

static void give_journey(struct named_call *call, const struct journey *j, uint32_t rank, bool is_there)
{
    int64_t sends[COUNTS], receives[COUNTS], sent, received;
    set_counts(j, rank, sends, receives, &sent, &received);
    const int64_t rows = is_there ? sent : received, of_rows[] = {rows, j->width},
                  of_weight[] = {j->experts, j->turns ? j->columns : j->width,
                                 j->turns ? j->width : j->columns};
    give_number(call, "epWorldSize", ranks.count);
    give_number(call, "transGmmWeight", j->turns);
    give_number(call, "permuteOutFlag", j->permutes);
    /* Of the way back what comes is what others sent there. */
    give_array(call, "sendCounts", is_there ? sends : receives, (uint64_t)(ranks.count * j->experts));
    give_array(call, "recvCounts", is_there ? receives : sends, (uint64_t)(ranks.count * j->experts));
    give_rows(call, "gmmX", j, 2, of_rows);
    give_rows(call, "gmmWeight", j, 3, of_weight);
    if (j->scales != NO_SCALES)
        give_scales(call, j, false, rows, j->width, j->columns, j->turns);
    GIVE(call, is_there ? "gmmY" : "y", j->made, is_there ? received : sent, j->columns);
    if (j->permutes)
        GIVE(call, "permuteOut", j->dtype, received, j->width);
    if (!j->has_mm)
        return;
    give_rows(call, "mmX", j, 2, (const int64_t[]){3, 45});
    give_rows(call, "mmWeight", j, 2, (const int64_t[]){45, 4});
    if (j->scales != NO_SCALES)
        give_scales(call, j, true, 3, 45, 4, false);
    GIVE(call, "mmY", j->made, 3, 4);
}

static void judge_journey(const char *name, const struct journey *j, uint32_t rank, bool is_there)
{
    struct named_call *call = &ranks.call[rank];
    const struct layout *y = tensor_named(call, is_there ? "gmmY" : "y");
    int64_t at = 0; /* the row by own expert and then rank */
    for (int64_t expert = 0; expert < j->experts; expert++)
        for (uint32_t other = 0; other < ranks.count; other++)
            for (int64_t i = 0; i < count_of(j, other, rank, expert); i++, at++) {
                const int64_t row = sent_row(j, other, rank, expert, i);
                for (int64_t k = 0; j->permutes && k < j->width; k++)
                    assert_true(value_at(tensor_named(call, "permuteOut"), at * j->width + k) ==
                                value_at(tensor_named(&ranks.call[other], "gmmX"), row * j->width + k));
                for (int64_t n = 0; n < j->columns; n++) {
                    /* There: to the expert's rank. Back: from there to who sent the row. */
                    struct named_call *rows = is_there ? &ranks.call[other] : call;
                    const struct layout *to = is_there ? y : tensor_named(&ranks.call[other], "y");
                    long double size = 0;
                    const long double value =
                        expert_product(rows, call, j, is_there ? row : at, expert, n, &size);
                    assert_near(name, to, (is_there ? at : row) * j->columns + n, value, j->made,
                                size * 0x1p-21L);
                }
            }
    if (j->has_mm)
        judge_mm(call, j);
}

static void rows_travel(bool are_quantised)
{
    static const char *const functions[] = {
        "aclnnAlltoAllvGroupedMatMul",        "aclnnGroupedMatMulAlltoAllv",
        "aclnnAlltoAllvGroupedMatMulV2",      "aclnnGroupedMatMulAlltoAllvV2",
        "aclnnAlltoAllvQuantGroupedMatMul",   "aclnnQuantGroupedMatMulAlltoAllv",
        "aclnnAlltoAllvQuantGroupedMatMulV2", "aclnnQuantGroupedMatMulAlltoAllvV2"};
    for (uint32_t count = 1; count <= RANKS_AT_MOST; count++) {
        open_ranks(&ranks, count);
        for (int round = 0; round < times_effort(are_quantised ? 36 : 12); round++) {
            const bool is_there = round % 2 == 0;
            const char *const name = functions[round % 4 + (are_quantised ? 4 : 0)];
            const struct journey j = draw_journey(
                is_there, are_quantised ? (enum scales)(1 + round / 4 % (has_float8() ? 3 : 2)) : NO_SCALES);
            for (uint32_t rank = 0; rank < count; rank++)
                give_journey(begin_rank(&ranks, rank, name), &j, rank, is_there);
            run_ranks(&ranks);
            for (uint32_t rank = 0; rank < count; rank++)
                judge_journey(name, &j, rank, is_there);
            end_ranks(&ranks);
        }
        close_ranks(&ranks);
    }
}

static void rows_go_to_experts(void **state)
{
    (void)state;
    rows_travel(false);
}

static void quantised_rows_go_to_experts(void **state)
{
    (void)state;
    rows_travel(true);
}

static void counts_that_differ_fail(void **state)
{
    (void)state;
    open_ranks(&ranks, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct named_call *call = begin_rank(&ranks, rank, "aclnnAlltoAllvGroupedMatMul");
        const int64_t sends[] = {1, 2}, receives[] = {1 + rank, rank == 0 ? 2 : 1};
        give_number(call, "epWorldSize", 2);
        give_number(call, "permuteOutFlag", 0);
        give_array(call, "sendCounts", sends, 2), give_array(call, "recvCounts", receives, 2);
        GIVE(call, "gmmX", ACL_FLOAT16, 3, 4), GIVE(call, "gmmWeight", ACL_FLOAT16, 1, 4, 2);
        GIVE(call, "gmmY", ACL_FLOAT16, 3, 2);
        assert_int_equal(queue_rank(&ranks, rank), 0);
    }
    wait_for_ranks(&ranks);
    assert_true(ranks.status[0] != 0 && ranks.status[1] != 0);
    end_ranks(&ranks);
    close_ranks(&ranks);
}

static void give_view(struct named_call *call, const char *name, unsigned rank, const int64_t *shape)
{
    static const int64_t stride[3], storage[] = {1};
    static uint16_t *number;
    if (number == NULL)
        assert_int_equal(aclrtMalloc((void **)&number, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    call->argument[place_named(call, name)].tensor =
        aclCreateTensor(shape, rank, ACL_FLOAT16, stride, 0, ACL_FORMAT_ND, storage, 1, number);
}

static void end_views(struct named_call *call)
{
    assert_int_equal(aclDestroyTensor(call->argument[place_named(call, "gmmX")].tensor), 0);
    assert_int_equal(aclDestroyTensor(call->argument[place_named(call, "gmmWeight")].tensor), 0);
    end_named(call);
}

/* Views that repeat an element, and empty ones, may have any sizes: here the bytes of two rows three times, and of
 * the product with some threads, are just above 2^64, and experts by ranks are 2^64. */
static void rows_and_experts_beyond_all_memory_are_refused(void **state)
{
    const int64_t experts = INT64_C(1) << 62;
    (void)state;
    struct named_call *call;
    open_ranks(&ranks, 1);
    for (uint64_t threads = 1; threads <= 16; threads++) {
        const int64_t depth = (int64_t)(UINT64_MAX / (12 + 16 * threads) + 1);
        call = begin_rank(&ranks, 0, "aclnnAlltoAllvGroupedMatMul");
        give_view(call, "gmmX", 2, (const int64_t[]){2, depth});
        give_view(call, "gmmWeight", 3, (const int64_t[]){1, depth, 0});
        GIVE(call, "gmmY", ACL_FLOAT16, 2, 0);
        give_number(call, "epWorldSize", 1);
        give_number(call, "permuteOutFlag", 0);
        give_array(call, "sendCounts", (const int64_t[]){2}, 1);
        give_array(call, "recvCounts", (const int64_t[]){2}, 1);
        assert_int_not_equal(queue_rank(&ranks, 0), 0);
        end_views(call);
    }
    close_ranks(&ranks);

    open_ranks(&ranks, 4);
    call = begin_rank(&ranks, 0, "aclnnAlltoAllvGroupedMatMul");
    give_view(call, "gmmX", 2, (const int64_t[]){0, 0});
    give_view(call, "gmmWeight", 3, (const int64_t[]){experts, 0, 1});
    GIVE(call, "gmmY", ACL_FLOAT16, 0, 1);
    give_number(call, "epWorldSize", 4);
    give_number(call, "permuteOutFlag", 0);
    give_array(call, "sendCounts", (const int64_t[]){0}, 0);
    give_array(call, "recvCounts", (const int64_t[]){0}, 0);
    assert_named_refused(call, ACLNN_ERR_PARAM_INVALID, "sendCounts has 0 numbers");
    end_views(call);
    close_ranks(&ranks);
}

/* Rows without elements have no scales of MX, and products that are 0. */
static void quantised_rows_without_elements_give_zeros(void **state)
{
    (void)state;
    open_ranks(&ranks, 1);
    for (int is_mx = 0; is_mx < (has_float8() ? 2 : 1); is_mx++) {
        const aclDataType dtype = is_mx ? ACL_FLOAT8_E4M3FN : ACL_INT8;
        struct named_call *call = begin_rank(&ranks, 0, "aclnnQuantGroupedMatMulAlltoAllv");
        GIVE(call, "gmmX", dtype, 2, 0);
        GIVE(call, "gmmWeight", dtype, 1, 0, 3);
        if (is_mx) {
            GIVE(call, "gmmXScale", ACL_FLOAT8_E8M0, 2, 0, 2);
            GIVE(call, "gmmWeightScale", ACL_FLOAT8_E8M0, 1, 0, 3, 2);
        } else {
            set_element(GIVE(call, "gmmXScale", ACL_FLOAT, 1), 0, 2);
            set_element(GIVE(call, "gmmWeightScale", ACL_FLOAT, 1), 0, 2);
        }
        const struct layout *y = GIVE(call, "y", ACL_FLOAT, 2, 3);
        give_number(call, "gmmXQuantMode", is_mx ? 6 : 1);
        give_number(call, "gmmWeightQuantMode", is_mx ? 6 : 1);
        give_number(call, "epWorldSize", 1);
        give_array(call, "sendCounts", (const int64_t[]){2}, 1);
        give_array(call, "recvCounts", (const int64_t[]){2}, 1);
        run_ranks(&ranks);
        for (int64_t i = 0; i < y->count; i++)
            assert_true(value_at(y, i) == 0);
        end_ranks(&ranks);
    }
    close_ranks(&ranks);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    open_ranks(&ranks, 2);
    struct named_call *call = begin_rank(&ranks, 0, "aclnnGroupedMatMulAlltoAllv");
    GIVE(call, "gmmX", ACL_FLOAT16, 3, 4), GIVE(call, "gmmWeight", ACL_FLOAT16, 1, 4, 2),
        GIVE(call, "y", ACL_FLOAT16, 3, 2);
    give_number(call, "epWorldSize", 3);
    give_array(call, "sendCounts", (const int64_t[]){1, 2}, 2),
        give_array(call, "recvCounts", (const int64_t[]){1, 2}, 2);
    assert_named_refused(call, invalid, "epWorldSize is 3; the ranks of");
    give_number(call, "epWorldSize", 2);
    give_array(call, "sendCounts", (const int64_t[]){1, 3}, 2);
    assert_named_refused(call, invalid, "sendCounts has 2 numbers with the sum 4");
    call = begin_rank(&ranks, 0, "aclnnQuantGroupedMatMulAlltoAllv");
    GIVE(call, "gmmX", ACL_INT8, 3, 4), GIVE(call, "gmmWeight", ACL_INT8, 1, 4, 2),
        GIVE(call, "y", ACL_FLOAT16, 3, 2), GIVE(call, "gmmXScale", ACL_FLOAT, 2),
        GIVE(call, "gmmWeightScale", ACL_FLOAT, 1);
    give_number(call, "epWorldSize", 2);
    give_array(call, "sendCounts", (const int64_t[]){1, 2}, 2),
        give_array(call, "recvCounts", (const int64_t[]){1, 2}, 2);
    assert_named_refused(call, invalid, "gmmXScale has shape [2]; [1] is expected");
    REFUSED(*call, "gmmXQuantMode", 3, "gmmXScale has shape [2]; [3] is expected");
    REFUSED(*call, "gmmXQuantMode", 7, "gmmXQuantMode is 7 and gmmWeightQuantMode 1; 1 or 3 and 1 or 2");
    REFUSED(*call, "gmmXQuantMode", 6, "gmmXQuantMode is 6 and gmmWeightQuantMode 1; 1 or 3 and 1 or 2");
    GIVE(call, "gmmXScale", ACL_FLOAT, 3);
    give_number(call, "gmmXQuantMode", 3);
    REFUSED(*call, "commQuantMode", 1, "commQuantMode is 1; 0, rows that go as they are, is expected");
    close_ranks(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_go_to_experts),
        cmocka_unit_test(quantised_rows_go_to_experts),
        cmocka_unit_test(counts_that_differ_fail),
        cmocka_unit_test(rows_and_experts_beyond_all_memory_are_refused),
        cmocka_unit_test(quantised_rows_without_elements_give_zeros),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    setenv("BELAY_DEVICES", "4", 1);
    setenv("HCCL_EXEC_TIMEOUT", "3", 1);
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
