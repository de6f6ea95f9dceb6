/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products before and after ranks exchange parts, by several devices of this process, beside references: rows and
 * columns to all, whole numbers with scales; and what is refused.
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

static long double number_in(struct named_call *call, const char *name, int64_t i)
{
    return is_named(call, name) ? (long double)element_of(tensor_named(call, name), i) : 0;
}

static long double factor_in(struct named_call *call, const char *name, int64_t i)
{
    return is_named(call, name) ? (long double)element_of(tensor_named(call, name), i) : 1;
}

/* Products with all ranks' pieces, or of all ranks' columns. */
struct exchange {
    const char *name;
    bool is_there, turns, has_scales, is_made, has_bias, has_moved, has_smooth;
    int64_t rows, width, columns; /* of x1, and of x2 */
};

static const char *const names[] = {
    "aclnnAlltoAllMatmul",      "aclnnAlltoAllMatmulV2",      "aclnnMatmulAlltoAll",
    "aclnnMatmulAlltoAllV2",    "aclnnAlltoAllQuantMatmul",   "aclnnAlltoAllQuantMatmulV2",
    "aclnnQuantMatmulAlltoAll", "aclnnQuantMatmulAlltoAllV2",
};

static struct exchange draw_exchange(int which)
{
    struct exchange e = {.name = names[which],
                         .is_there = which < 2 || which == 4 || which == 5,
                         .has_scales = which >= 4,
                         .turns = random_below(2) == 0,
                         .has_bias = random_below(2) == 0,
                         .rows = 1 + random_below(5),
                         .width = random_below(30),
                         .columns = 1 + random_below(20)};
    e.is_made = e.has_scales && random_below(2) == 0;
    e.has_smooth = e.is_made && random_below(2) == 0;
    e.has_moved = e.is_there && random_below(2) == 0;
    e.rows *= e.is_there ? ranks.count : 1;
    e.columns *= e.is_there ? 1 : ranks.count;
    return e;
}

static int64_t depth_of(const struct exchange *e)
{
    return e->width * (e->is_there ? ranks.count : 1);
}

static void give_exchange(struct named_call *call, const struct exchange *e, aclDataType dtype)
{
    const bool is_whole = e->has_scales && !e->is_made;
    const aclDataType x_dtype = is_whole ? ACL_INT8 : dtype;
    const int64_t depth = depth_of(e),
                  shape[] = {e->turns ? e->columns : depth, e->turns ? depth : e->columns};
    const struct layout *x1 = GIVE(call, "x1", x_dtype, e->rows, e->width),
                        *x2 = give_tensor(call, "x2", e->has_scales ? ACL_INT8 : dtype, 2, shape);
    give_number(call, "transposeX2", e->turns);
    if (is_whole)
        fill_small(x1);
    if (e->has_scales) {
        fill_small(x2);
        const struct layout *scale = GIVE(call, "x2Scale", ACL_FLOAT, e->columns);
        for (int64_t i = 0; i < scale->count; i++)
            set_element(scale, i, 0x1p-12 * (double)(1 + random_below(100)));
        give_number(call, "x1QuantMode", e->is_made ? 7 : 3);
        give_number(call, "x2QuantMode", 2);
        if (is_whole || e->has_smooth)
            GIVE(call, "x1Scale", ACL_FLOAT, is_whole ? e->rows : depth);
    }
    if (e->has_bias)
        GIVE(call, "bias", e->has_scales ? ACL_FLOAT : dtype, e->columns);
    if (e->is_there)
        GIVE(call, "output", dtype, e->rows / ranks.count, e->columns);
    else
        GIVE(call, "output", dtype, e->rows * ranks.count, e->columns / ranks.count);
    if (e->has_moved)
        GIVE(call, "alltoAllOut", x_dtype, e->rows / ranks.count, depth);
}

/* An element of the rows that a rank multiplies, and the call that it comes from. */
static long double left_at(const struct exchange *e, uint32_t rank, int64_t row, int64_t k, bool is_scaled)
{
    const uint32_t other = e->is_there ? (uint32_t)(k / e->width) : rank;
    const int64_t own_row = e->is_there ? rank * (e->rows / ranks.count) + row : row;
    struct named_call *call = &ranks.call[other];
    const bool has_scale = is_scaled && e->has_scales && !e->is_made;
    return (long double)element_of(tensor_named(call, "x1"), own_row * e->width + k % e->width) *
           (has_scale ? factor_in(call, "x1Scale", own_row) : 1);
}

static long double product_at(const struct exchange *e, uint32_t rank, int64_t row, int64_t column,
                              long double *size)
{
    struct named_call *call = &ranks.call[rank];
    const struct layout *x2 = tensor_named(call, "x2");
    const int64_t depth = depth_of(e);
    long double sum = 0, greatest = 0, scale = 1;
    for (int64_t k = 0; e->is_made && k < depth; k++)
        greatest = fmaxl(greatest, fabsl(left_at(e, rank, row, k, false) *
                                         (e->has_smooth ? factor_in(call, "x1Scale", k) : 1)));
    scale = e->is_made ? (long double)(float)(greatest / 127) : 1;
    for (int64_t k = 0; k < depth; k++) {
        long double left = left_at(e, rank, row, k, true);
        if (e->is_made && scale > 0)
            left = scale * (long double)nearbyint(
                               (double)(left * (e->has_smooth ? factor_in(call, "x1Scale", k) : 1) / scale));
        const long double term =
            left * (long double)element_of(x2, e->turns ? column * depth + k : k * e->columns + column);
        sum += term, *size += fabsl(term);
    }
    const long double by = factor_in(call, "x2Scale", column), bias = number_in(call, "bias", column);
    *size = *size * fabsl(by) + fabsl(bias);
    return sum * by + bias;
}

static void judge_exchange(const struct exchange *e, uint32_t rank)
{
    const struct layout *out = tensor_named(&ranks.call[rank], "output");
    const int64_t across = out->shape[1];
    for (int64_t i = 0; i < out->count; i++) {
        long double size = 0;
        const int64_t row = i / across, column = i % across;
        const long double value = e->is_there ? product_at(e, rank, row, column, &size)
                                              : product_at(e, (uint32_t)(row / e->rows), row % e->rows,
                                                           rank * across + column, &size);
        assert_near(e->name, out, i, value, out->dtype, size * (e->is_made ? 0x1p-7L : 0x1p-21L));
    }
    for (int64_t i = 0; e->has_moved && i < out->shape[0] * depth_of(e); i++)
        assert_true((long double)element_of(tensor_named(&ranks.call[rank], "alltoAllOut"), i) ==
                    left_at(e, rank, i / depth_of(e), i % depth_of(e), false));
}

static void parts_go_to_all_ranks(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= RANKS_AT_MOST; count++) {
        open_ranks(&ranks, count);
        for (int round = 0; round < times_effort(24); round++) {
            const struct exchange e = draw_exchange(round % 8);
            const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
            for (uint32_t rank = 0; rank < count; rank++)
                give_exchange(begin_rank(&ranks, rank, e.name), &e, dtype);
            run_ranks(&ranks);
            for (uint32_t rank = 0; rank < count; rank++)
                judge_exchange(&e, rank);
            end_ranks(&ranks);
        }
        close_ranks(&ranks);
    }
}

/* Eight numbers of 4 bits to an element go to the other ranks and lie there as they were. */
static void packed_rows_stay_packed(void **state)
{
    enum { ROWS = 4, WORDS = 2 };
    (void)state;
    open_ranks(&ranks, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct named_call *call = begin_rank(&ranks, rank, "aclnnAlltoAllQuantMatmul");
        const int place = place_named(call, "x1");
        const int64_t shape[] = {ROWS, WORDS};
        call->tensor[place] = layout_create(ACL_INT32, 2, shape, LAYOUT_CONTIGUOUS);
        call->argument[place].tensor = call->tensor[place].tensor;
        call->is_given[place] = true;
        for (int64_t i = 0; i < ROWS * WORDS; i++)
            set_whole(&call->tensor[place], i, (int32_t)random_bits());
        fill_small(GIVE(call, "x2", ACL_INT8, 2 * 8 * WORDS, 3));
        GIVE(call, "x1Scale", ACL_FLOAT, ROWS), GIVE(call, "x2Scale", ACL_FLOAT, 3);
        GIVE(call, "output", ACL_FLOAT, ROWS / 2, 3),
            GIVE(call, "alltoAllOut", ACL_INT32, ROWS / 2, 2 * WORDS);
    }
    run_ranks(&ranks);
    for (uint32_t rank = 0; rank < 2; rank++)
        for (int64_t i = 0; i < ROWS / 2 * 2 * WORDS; i++) {
            const int64_t row = rank * (ROWS / 2) + i / (2 * WORDS), word = i % (2 * WORDS);
            assert_int_equal(
                whole_of(tensor_named(&ranks.call[rank], "alltoAllOut"), i),
                whole_of(tensor_named(&ranks.call[word / WORDS], "x1"), row * WORDS + word % WORDS));
        }
    end_ranks(&ranks);
    close_ranks(&ranks);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    open_ranks(&ranks, 2);
    struct named_call *call = begin_rank(&ranks, 0, "aclnnAlltoAllMatmul");
    GIVE(call, "x1", ACL_FLOAT16, 3, 4), GIVE(call, "x2", ACL_FLOAT16, 8, 2),
        GIVE(call, "output", ACL_FLOAT16, 1, 2);
    assert_named_refused(call, invalid, "x1 has 3 rows; a multiple of the ranks of group, 2, is expected");
    GIVE(call, "x2", ACL_FLOAT16, 4, 2);
    assert_named_refused(call, invalid, "x2 has shape [4, 2]; sums along 8 elements are expected");
    give_number(call, "transposeX1", 1);
    assert_named_refused(call, invalid, "transposeX1 is true; false is expected");
    give_number(call, "transposeX1", 0);
    give_array(call, "alltoAllAxes", (const int64_t[]){0, 1}, 2);
    assert_named_refused(call, invalid, "another list than [-2, -1]");
    call = begin_rank(&ranks, 0, "aclnnQuantMatmulAlltoAll");
    GIVE(call, "x1", ACL_INT8, 3, 4), GIVE(call, "x2", ACL_INT8, 4, 2), GIVE(call, "x2Scale", ACL_FLOAT, 2);
    GIVE(call, "output", ACL_FLOAT16, 6, 1);
    assert_named_refused(call, ACLNN_ERR_PARAM_NULLPTR,
                         "x1ScaleOptional is NULL, which x1QuantMode 3 asks for");
    GIVE(call, "x1Scale", ACL_FLOAT, 2);
    assert_named_refused(call, invalid, "x1ScaleOptional has shape [2]; 3 elements are expected");
    give_number(call, "x1QuantMode", 7);
    assert_named_refused(call, invalid,
                         "x1 is INT8 and x1QuantMode 7; whole numbers go with 3, floats with 7");
    give_number(call, "x1QuantMode", 6);
    assert_named_refused(call, invalid, "x1QuantMode is 6 and x2QuantMode 2; 3, rows with scales");
    ranks.count = 2;
    close_ranks(&ranks);
}

/* Views that repeat an element may have any sizes: here the bytes of two rows three times, and of the product with some
 * threads, are just above 2^64. */
static void rows_beyond_all_memory_are_refused(void **state)
{
    static const int64_t stride[2], storage[] = {1};
    uint16_t *number;
    (void)state;
    open_ranks(&ranks, 1);
    assert_int_equal(aclrtMalloc((void **)&number, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (uint64_t threads = 1; threads <= 16; threads++) {
        const int64_t depth = (int64_t)(UINT64_MAX / (12 + 16 * threads) + 1);
        const int64_t shape[2][2] = {{2, depth}, {depth, 0}};
        struct named_call *call = begin_rank(&ranks, 0, "aclnnAlltoAllMatmul");
        for (int i = 0; i < 2; i++)
            call->argument[place_named(call, i == 0 ? "x1" : "x2")].tensor =
                aclCreateTensor(shape[i], 2, ACL_FLOAT16, stride, 0, ACL_FORMAT_ND, storage, 1, number);
        GIVE(call, "output", ACL_FLOAT16, 2, 0);
        assert_int_not_equal(queue_rank(&ranks, 0), 0);
        for (int i = 0; i < 2; i++)
            assert_int_equal(aclDestroyTensor(call->argument[place_named(call, i == 0 ? "x1" : "x2")].tensor),
                             0);
        end_named(call);
    }
    assert_int_equal(aclrtFree(number), 0);
    close_ranks(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_go_to_all_ranks),
        cmocka_unit_test(packed_rows_stay_packed),
        cmocka_unit_test(rows_beyond_all_memory_are_refused),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    setenv("BELAY_DEVICES", "4", 1);
    setenv("HCCL_EXEC_TIMEOUT", "3", 1);
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
