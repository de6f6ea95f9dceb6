/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gather, Take, Embedding and its gradient: whole tensors in random layouts against loops over indices; of
 * all functions by index, indices out of range, and their rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/by_index.h"

static void gather_and_take(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        const uint32_t rank = 1 + (uint32_t)random_below(5), dim = (uint32_t)random_below(rank);
        const aclDataType dtype = of_each_size[random_below(4)];
        struct view out = draw_output(rank, random_below(4) == 0 ? 100 : 8);
        int64_t shape[OPERAND_RANK_MAX], to[OPERAND_RANK_MAX] = {0}, from[OPERAND_RANK_MAX];
        for (uint32_t i = 0; i < rank; i++)
            shape[i] = i == dim ? 1 + random_below(20) : out.shape[i] + random_below(3);
        out.dtype = dtype;
        out.arena = (unsigned)random_below(2); /* in self's memory, too */
        struct view self = draw_like(0, dtype, rank, shape), index = draw_index(rank, out.shape);
        if (is_too_large(&self) || is_too_large(&out) || is_too_large(&index))
            continue;
        fill_at_random(0, bytes_of(&self) + 64);
        fill_at_random(1, 64);
        fill_indices(&index, shape[dim]);
        begin_expecting(&out);
        do {
            memcpy(from, to, sizeof from);
            from[dim] = number_at(&index, to);
            from[dim] += from[dim] < 0 ? shape[dim] : 0;
            memcpy(expected + place_of(&out, to), arena[0] + place_of(&self, from), conversion_bytes(dtype));
        } while (next_index(rank, out.shape, to));
        ASSERT_DONE("aclnnGather", TENSOR(&self), NUMBER((int64_t)dim - (round % 2 ? rank : 0)),
                    TENSOR(&index), TENSOR(&out));
        assert_expected(&out);

        const int64_t count = count_of(&self);
        fill_indices(&index, count);
        begin_expecting(&out);
        do {
            int64_t number = number_at(&index, to);
            number += number < 0 ? count : 0;
            for (uint32_t i = rank; i-- > 0; number /= shape[i])
                from[i] = number % shape[i];
            memcpy(expected + place_of(&out, to), arena[0] + place_of(&self, from), conversion_bytes(dtype));
        } while (next_index(rank, out.shape, to));
        ASSERT_DONE("aclnnTake", TENSOR(&self), TENSOR(&index), TENSOR(&out));
        assert_expected(&out);
    }
}

static void embedding(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const uint32_t rank = (uint32_t)random_below(4);
        const aclDataType dtype = of_each_size[random_below(5)];
        struct view out = draw_output(rank + 1, round % 10 == 0 ? 200 : 9);
        out.dtype = dtype;
        out.arena = 1;
        const int64_t rows = 1 + random_below(30);
        struct view weight = draw_like(0, dtype, 2, DIMS(rows, out.shape[rank]));
        struct view index = draw_index(rank, out.shape);
        if (is_too_large(&out) || is_too_large(&weight))
            continue;
        fill_at_random(0, bytes_of(&weight) + 64);
        fill_strictly(&index, rows);
        int64_t to[OPERAND_RANK_MAX] = {0};
        begin_expecting(&out);
        do {
            memcpy(expected + place_of(&out, to),
                   arena[0] + place_of(&weight, DIMS(number_at(&index, to), to[rank])),
                   conversion_bytes(dtype));
        } while (next_index(rank + 1, out.shape, to));
        ASSERT_DONE("aclnnEmbedding", TENSOR(&weight), TENSOR(&index), TENSOR(&out));
        assert_expected(&out);
    }
}

static void embedding_dense_backward(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const uint32_t rank = (uint32_t)random_below(4);
        struct view grad = draw_output(rank + 1, round % 10 == 0 ? 300 : 9);
        const int64_t rows = 1 + random_below(30), width = grad.shape[rank];
        const uint64_t padding = random_below(2) == 0 ? UINT64_MAX : (uint64_t)random_below(rows);
        const bool scales = random_below(2) == 0;
        grad.dtype = dtypes[random_below(3)];
        grad.arena = 0;
        struct view index = draw_index(rank, grad.shape);
        struct view out = draw_like(1, grad.dtype, 2, DIMS(rows, width));
        if (is_too_large(&grad) || rows * width > NUMBERS)
            continue;
        fill_with_numbers(&grad);
        fill_strictly(&index, rows);
        memset(numbers, 0, sizeof numbers[0] * (size_t)(rows * width));
        memset(hits, 0, sizeof hits[0] * (size_t)rows);
        int64_t at[OPERAND_RANK_MAX] = {0};
        begin_expecting(&out);
        do {
            const int64_t row = number_at(&index, at), place = row * width + at[rank];
            if ((uint64_t)row == padding)
                continue;
            numbers[place] =
                reduced(numbers[place], number_from(arena[0] + place_of(&grad, at), grad.dtype), ADD, false);
            hits[row] += at[rank] == 0;
        } while (next_index(rank + 1, grad.shape, at));
        for (int64_t i = 0; scales && i < rows * width; i++)
            if (hits[i / width] > 0)
                divide(&numbers[i], hits[i / width]);
        expect_numbers(&out);
        ASSERT_DONE("aclnnEmbeddingDenseBackward", TENSOR(&grad), TENSOR(&index), NUMBER(rows),
                    NUMBER(padding), {.argument = argument_of_bool(scales)}, TENSOR(&out));
        assert_expected(&out);
    }
}

/* Indices of other dtypes lose their fraction. */
static void embedding_indices_of_any_dtype(void **state)
{
    static const aclDataType dtypes[] = {ACL_INT8,  ACL_UINT8,   ACL_INT16, ACL_BOOL,
                                         ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE};
    (void)state;
    struct view grad = plain_view(0, ACL_FLOAT, 2, DIMS(3, 2)), out = plain_view(1, ACL_FLOAT, 2, DIMS(2, 2));
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        const struct view index = plain_view(3, dtypes[i], 1, DIMS(3));
        const double number[] = {1.75, 0.25, 1};
        const float rows[] = {1, 2, 3, 4, 5, 6};
        memcpy(arena[0], rows, sizeof rows);
        for (size_t k = 0; k < 3; k++)
            if (dtypes[i] == ACL_BOOL)
                arena[3][k] = k != 1;
            else
                conversion_reference(&number[k], ACL_DOUBLE, arena[3] + k * conversion_bytes(dtypes[i]),
                                     dtypes[i]);
        ASSERT_DONE("aclnnEmbeddingDenseBackward", TENSOR(&grad), TENSOR(&index), NUMBER(2), NUMBER(-1),
                    {.argument = argument_of_bool(false)}, TENSOR(&out));
        const float sums[] = {3, 4, 6, 8};
        assert_memory_equal(arena[1], sums, sizeof sums);
    }
}

/* Nothing is written, and the tensor, the position and the value are told. */
static void indices_out_of_range_fail_the_work(void **state)
{
    (void)state;
    struct view self = plain_view(0, ACL_FLOAT, 2, DIMS(5, 4)), out = plain_view(1, ACL_FLOAT, 2, DIMS(5, 4));
    struct view index = plain_view(3, ACL_INT64, 2, DIMS(2, 3)),
                small = plain_view(1, ACL_FLOAT, 2, DIMS(2, 3));
    struct view source = plain_view(2, ACL_FLOAT, 2, DIMS(2, 3)),
                deep = plain_view(1, ACL_FLOAT, 3, DIMS(2, 3, 4));
    struct view grad = plain_view(2, ACL_FLOAT, 3, DIMS(2, 3, 4));
    fill_strictly(&index, 5);
    set_number(&index, DIMS(1, 2), -6);
    begin_expecting(&out);
    assert_failure(CALL("aclnnGather", TENSOR(&self), NUMBER(0), TENSOR(&index), TENSOR(&small)), FAULT,
                   "aclnnGather: index holds -6 at [1, 2]; -5 to 4 are expected");
    set_number(&index, DIMS(1, 2), 20);
    assert_failure(CALL("aclnnTake", TENSOR(&self), TENSOR(&index), TENSOR(&small)), FAULT,
                   "aclnnTake: index holds 20 at [1, 2]; -20 to 19 are expected");
    set_number(&index, DIMS(1, 2), -1);
    assert_failure(CALL("aclnnEmbedding", TENSOR(&self), TENSOR(&index), TENSOR(&deep)), FAULT,
                   "aclnnEmbedding: indices holds -1 at [1, 2]; 0 to 4 are expected");
    assert_failure(CALL("aclnnEmbeddingDenseBackward", TENSOR(&grad), TENSOR(&index), NUMBER(5), NUMBER(-1),
                        {.argument = argument_of_bool(false)}, TENSOR(&out)),
                   FAULT, "indices holds -1 at [1, 2]; 0 to 4 are expected");
    assert_failure(CALL("aclnnScatter", TENSOR(&self), NUMBER(0), TENSOR(&index), TENSOR(&source), NUMBER(0),
                        TENSOR(&out)),
                   FAULT, "aclnnScatter: index holds -1 at [1, 2]; 0 to 4 are expected");
    set_number(&index, DIMS(1, 2), 5);
    assert_failure(
        CALL("aclnnScatterAdd", TENSOR(&self), NUMBER(0), TENSOR(&index), TENSOR(&source), TENSOR(&out)),
        FAULT, "aclnnScatterAdd: index holds 5 at [1, 2]; 0 to 4 are expected");
    struct view line = plain_view(3, ACL_INT64, 1, DIMS(6)), rows = plain_view(2, ACL_FLOAT, 2, DIMS(6, 4));
    double one = 1;
    aclScalar *alpha = aclCreateScalar(&one, ACL_DOUBLE);
    assert_failure(CALL("aclnnIndexAdd", TENSOR(&self), NUMBER(0), TENSOR(&line), TENSOR(&rows),
                        HANDLE(alpha), TENSOR(&out)),
                   FAULT, "aclnnIndexAdd: index holds 5 at [5]; 0 to 4 are expected");
    assert_int_equal(aclDestroyScalar(alpha), 0);
    assert_true(is_run);
    assert_expected(&out);
}

static void rules_of_their_own(void **state)
{
    (void)state;
    struct view self = plain_view(0, ACL_FLOAT, 2, DIMS(5, 4)), out = plain_view(1, ACL_FLOAT, 2, DIMS(5, 4));
    struct view index = plain_view(3, ACL_INT64, 2, DIMS(2, 3)),
                small = plain_view(1, ACL_FLOAT, 2, DIMS(2, 3));
    struct view source = plain_view(2, ACL_FLOAT, 2, DIMS(2, 3)), line = plain_view(3, ACL_INT64, 1, DIMS(3));
    struct view wide = plain_view(3, ACL_INT64, 2, DIMS(2, 5)),
                none = plain_view(0, ACL_FLOAT, 2, DIMS(0, 4));
    struct view empty = plain_view(3, ACL_FLOAT16, 2, DIMS(0, 3)), scalar = plain_view(0, ACL_FLOAT, 0, NULL);
    fill_strictly(&index, 4);
    ASSERT_REFUSED(CALL("aclnnGather", TENSOR(&self), NUMBER(2), TENSOR(&index), TENSOR(&small)),
                   "dim is 2; -2 to 1 are expected");
    ASSERT_REFUSED(CALL("aclnnGather", TENSOR(&self), NUMBER(0), TENSOR(&line), TENSOR(&small)),
                   "index has 1 dims; 2, as self has");
    ASSERT_REFUSED(CALL("aclnnGather", TENSOR(&self), NUMBER(0), TENSOR(&wide), TENSOR(&small)),
                   "index has size 5 in dim 1; at most 4");
    ASSERT_REFUSED(CALL("aclnnGather", TENSOR(&none), NUMBER(0), TENSOR(&index), TENSOR(&small)),
                   "index has 6 elements; none is expected");
    ASSERT_REFUSED(CALL("aclnnGather", TENSOR(&self), NUMBER(0), TENSOR(&index), TENSOR(&out)),
                   "out has shape [5, 4]; [2, 3]");
    ASSERT_REFUSED(CALL("aclnnTake", TENSOR(&none), TENSOR(&index), TENSOR(&small)), "index has 6 elements");
    ASSERT_REFUSED(CALL("aclnnEmbedding", TENSOR(&scalar), TENSOR(&line), TENSOR(&small)),
                   "weight has 0 dims; 2 are expected");
    ASSERT_REFUSED(CALL("aclnnEmbedding", TENSOR(&none), TENSOR(&line), TENSOR(&small)),
                   "indices has 3 elements; none is expected");
    ASSERT_REFUSED(CALL("aclnnEmbeddingDenseBackward", TENSOR(&self), TENSOR(&line), NUMBER(5), NUMBER(-1),
                        {.argument = argument_of_bool(false)}, TENSOR(&out)),
                   "grad has 20 elements in rows of 4; a row for each of the 3 elements");
    ASSERT_REFUSED(
        CALL("aclnnScatterAdd", TENSOR(&self), NUMBER(0), TENSOR(&wide), TENSOR(&source), TENSOR(&out)),
        "index has size 5 in dim 1; at most 4, the size of self");
    wide = plain_view(3, ACL_INT64, 2, DIMS(3, 3));
    ASSERT_REFUSED(
        CALL("aclnnScatterAdd", TENSOR(&self), NUMBER(0), TENSOR(&wide), TENSOR(&source), TENSOR(&out)),
        "index has size 3 in dim 0; at most 2, the size of src");
    ASSERT_REFUSED(
        CALL("aclnnInplaceScatter", TENSOR(&self), NUMBER(0), TENSOR(&index), TENSOR(&source), NUMBER(6)),
        "reduce is 6");
    struct view pairs = plain_view(0, ACL_COMPLEX64, 2, DIMS(5, 4)),
                more = plain_view(2, ACL_COMPLEX64, 2, DIMS(2, 3));
    ASSERT_REFUSED(
        CALL("aclnnInplaceScatter", TENSOR(&pairs), NUMBER(0), TENSOR(&index), TENSOR(&more), NUMBER(3)),
        "self is complex");
    const float parts[] = {1, 2};
    aclScalar *value = aclCreateScalar((void *)(uintptr_t)parts, ACL_COMPLEX64);
    ASSERT_REFUSED(
        CALL("aclnnInplaceScatterValue", TENSOR(&self), NUMBER(0), TENSOR(&index), HANDLE(value), NUMBER(0)),
        "value is complex; a real one");
    assert_int_equal(aclDestroyScalar(value), 0);
    /* Without indices, whatever their dtype, out is self. */
    fill_at_random(0, bytes_of(&self));
    ASSERT_DONE("aclnnScatterAdd", TENSOR(&self), NUMBER(0), TENSOR(&empty), TENSOR(&source), TENSOR(&out));
    assert_memory_equal(arena[1], arena[0], bytes_of(&self));
    /* Nor does their shape matter. */
    struct view many = plain_view(3, ACL_INT64, 3, DIMS(0, 9, 2)), few = plain_view(3, ACL_INT64, 1, DIMS(0)),
                nowhere = plain_view(1, ACL_FLOAT, 3, DIMS(0, 9, 2)),
                no_line = plain_view(1, ACL_FLOAT, 1, DIMS(0)),
                no_source = plain_view(2, ACL_FLOAT, 1, DIMS(0));
    ASSERT_DONE("aclnnGather", TENSOR(&self), NUMBER(0), TENSOR(&many), TENSOR(&nowhere));
    ASSERT_DONE("aclnnGather", TENSOR(&self), NUMBER(1), TENSOR(&few), TENSOR(&no_line));
    ASSERT_DONE("aclnnGather", TENSOR(&scalar), NUMBER(0), TENSOR(&many), TENSOR(&nowhere));
    value = aclCreateScalar((void *)(uintptr_t)parts, ACL_FLOAT);
    for (int i = 0; i < 4; i++) {
        struct view *index_of_none = i % 2 == 0 ? &many : &few, *from = i < 2 ? &source : &no_source;
        memset(arena[1], 0x5a, (size_t)bytes_of(&self));
        ASSERT_DONE("aclnnScatterAdd", TENSOR(&self), NUMBER(0), TENSOR(index_of_none), TENSOR(from),
                    TENSOR(&out));
        assert_memory_equal(arena[1], arena[0], bytes_of(&self));
        memset(arena[1], 0x5a, (size_t)bytes_of(&self));
        ASSERT_DONE("aclnnScatter", TENSOR(&self), NUMBER(-1), TENSOR(index_of_none), TENSOR(from), NUMBER(0),
                    TENSOR(&out));
        assert_memory_equal(arena[1], arena[0], bytes_of(&self));
        memset(arena[1], 0x5a, (size_t)bytes_of(&self));
        ASSERT_DONE("aclnnScatterValue", TENSOR(&self), NUMBER(1), TENSOR(index_of_none), HANDLE(value),
                    NUMBER(1), TENSOR(&out));
        assert_memory_equal(arena[1], arena[0], bytes_of(&self));
        memset(arena[1], 0x5a, (size_t)bytes_of(&self));
        ASSERT_DONE("aclnnScatterReduce", TENSOR(&self), NUMBER(1), TENSOR(index_of_none), TENSOR(from),
                    NUMBER(3), NUMBER(i % 2), TENSOR(&out));
        assert_memory_equal(arena[1], arena[0], bytes_of(&self));
        ASSERT_DONE("aclnnInplaceScatter", TENSOR(&out), NUMBER(0), TENSOR(index_of_none), TENSOR(from),
                    NUMBER(0));
        assert_memory_equal(arena[1], arena[0], bytes_of(&self));
    }
    assert_int_equal(aclDestroyScalar(value), 0);
    /* Rank 0 counts as 1. */
    struct view one = plain_view(3, ACL_INT64, 1, DIMS(1)), single = plain_view(1, ACL_FLOAT, 1, DIMS(1));
    set_number(&one, DIMS(0), 0);
    ASSERT_DONE("aclnnGather", TENSOR(&scalar), NUMBER(-1), TENSOR(&one), TENSOR(&single));
    assert_memory_equal(arena[1], arena[0], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gather_and_take),
        cmocka_unit_test(embedding),
        cmocka_unit_test(embedding_dense_backward),
        cmocka_unit_test(embedding_indices_of_any_dtype),
        cmocka_unit_test(indices_out_of_range_fail_the_work),
        cmocka_unit_test(rules_of_their_own),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
