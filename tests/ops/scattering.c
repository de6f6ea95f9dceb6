/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scatter in all its forms, ScatterReduce, ScatterAdd and IndexAdd: whole tensors in random layouts against
 * loops over indices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/by_index.h"

struct scatter {
    struct view self, index, source, out;
    uint32_t dim;
    int reduce;
    bool is_of_value, is_in_place, is_add, is_reduce, skips_self;
    struct number value;
};

static void expect_scattered(const struct scatter *scatter)
{
    const struct view *self = &scatter->self, *out = &scatter->out, *index = &scatter->index;
    const aclDataType dtype = self->dtype;
    int64_t at[OPERAND_RANK_MAX] = {0}, to[OPERAND_RANK_MAX];
    memset(hits, 0, sizeof hits[0] * (size_t)count_of(self));
    begin_expecting(out);
    do {
        memcpy(expected + place_of(out, at), arena[self->arena] + place_of(self, at),
               conversion_bytes(dtype));
        numbers[row_major(self, at)] = number_from(arena[self->arena] + place_of(self, at), dtype);
    } while (next_index(self->rank, self->shape, at));
    do {
        memcpy(to, at, sizeof to);
        to[scatter->dim] = number_at(index, at);
        const int64_t place = row_major(self, to);
        unsigned char value[16];
        store_number(scatter->value, value, dtype);
        const unsigned char *source =
            scatter->is_of_value ? value : arena[scatter->source.arena] + place_of(&scatter->source, at);
        if (scatter->reduce == REPLACE)
            memcpy(expected + place_of(out, to), source, conversion_bytes(dtype));
        else if (scatter->skips_self && hits[place] == 0)
            numbers[place] = number_from(source, dtype);
        else
            numbers[place] =
                reduced(numbers[place], number_from(source, dtype), scatter->reduce, is_complex(dtype));
        hits[place]++;
    } while (next_index(index->rank, index->shape, at));
    do {
        const int64_t place = row_major(self, at);
        if (scatter->reduce == REPLACE || hits[place] == 0)
            continue;
        if (scatter->reduce == MEAN)
            divide(&numbers[place], hits[place] + !scatter->skips_self);
        store_number(numbers[place], expected + place_of(out, at), dtype);
    } while (next_index(self->rank, self->shape, at));
}

/* Elements that nothing goes to become a NaN that is not the canonical one: they are to keep their bits. */
static void mark_the_rest(const struct scatter *scatter)
{
    const uint32_t bits = 0x7fc01234;
    const struct view *self = &scatter->self;
    int64_t at[OPERAND_RANK_MAX] = {0};
    do
        if (hits[row_major(self, at)] == 0)
            memcpy(arena[self->arena] + place_of(self, at), &bits, sizeof bits);
    while (next_index(self->rank, self->shape, at));
}

static void call_scatter(const struct scatter *scatter)
{
    const double *real = scatter->value.real;
    aclScalar *value = aclCreateScalar((void *)(uintptr_t)(is_float(scatter->self.dtype)
                                                               ? (const void *)real
                                                               : (const void *)&scatter->value.integer),
                                       is_float(scatter->self.dtype) ? ACL_DOUBLE : ACL_INT64);
    const struct given self = TENSOR(&scatter->self), index = TENSOR(&scatter->index),
                       source = TENSOR(&scatter->source), out = TENSOR(&scatter->out),
                       dim = NUMBER(scatter->dim), reduce = NUMBER(scatter->reduce), scalar = HANDLE(value),
                       includes = NUMBER(!scatter->skips_self);
    if (scatter->is_reduce && scatter->is_in_place)
        ASSERT_DONE("aclnnInplaceScatterReduce", self, dim, index, source, reduce, includes);
    else if (scatter->is_reduce)
        ASSERT_DONE("aclnnScatterReduce", self, dim, index, source, reduce, includes, out);
    else if (scatter->is_add)
        ASSERT_DONE("aclnnScatterAdd", self, dim, index, source, out);
    else if (scatter->is_in_place && scatter->is_of_value)
        ASSERT_DONE("aclnnInplaceScatterValue", self, dim, index, scalar, reduce);
    else if (scatter->is_in_place)
        ASSERT_DONE("aclnnInplaceScatter", self, dim, index, source, reduce);
    else if (scatter->is_of_value)
        ASSERT_DONE("aclnnScatterValue", self, dim, index, scalar, reduce, out);
    else
        ASSERT_DONE("aclnnScatter", self, dim, index, source, reduce, out);
    assert_int_equal(aclDestroyScalar(value), 0);
}

/* Draws the operands, indices of a dim of that size, and compares what the function makes of them with a loop's. */
static void assert_scattered(struct scatter *scatter, int64_t size)
{
    const aclDataType dtype = scatter->self.dtype;
    fill_with_numbers(&scatter->self);
    fill_with_numbers(&scatter->source);
    for (size_t i = 0; dtype == ACL_BOOL && i < bytes_of(&scatter->self) + bytes_of(&scatter->source); i++)
        arena[i % 2 * 2][i / 2] &= 1;
    fill_strictly(&scatter->index, size);
    expect_scattered(scatter);
    if (dtype == ACL_FLOAT) {
        mark_the_rest(scatter);
        expect_scattered(scatter);
    }
    call_scatter(scatter);
    assert_expected(&scatter->out);
}

static void scatter(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE,    ACL_INT8,
                                         ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8,     ACL_BOOL,
                                         ACL_FLOAT, ACL_INT64,   ACL_FLOAT, ACL_COMPLEX64, ACL_COMPLEX128};
    (void)state;
    for (int round = 0; round < times_effort(600); round++) {
        struct scatter scatter = {.index =
                                      draw_output(1 + (uint32_t)random_below(4), round % 20 == 0 ? 90 : 7)};
        const uint32_t rank = scatter.index.rank;
        const aclDataType dtype = dtypes[random_below(15)];
        int64_t shape[OPERAND_RANK_MAX], wide[OPERAND_RANK_MAX];
        scatter.dim = (uint32_t)random_below(rank);
        for (uint32_t i = 0; i < rank; i++) {
            shape[i] = i == scatter.dim ? 1 + random_below(9) : scatter.index.shape[i] + random_below(2);
            wide[i] = scatter.index.shape[i] + random_below(2);
        }
        scatter.reduce = (int)random_below(REDUCTIONS);
        if (is_complex(dtype) && (scatter.reduce == MAXIMUM || scatter.reduce == MINIMUM))
            scatter.reduce = ADD;
        scatter.is_add = scatter.reduce == ADD && random_below(2) == 0;
        scatter.is_of_value = !scatter.is_add && !is_complex(dtype) && random_below(3) == 0;
        scatter.is_in_place = !scatter.is_add && random_below(2) == 0;
        scatter.is_reduce = !scatter.is_add && !scatter.is_of_value && random_below(2) == 0;
        scatter.skips_self = scatter.is_reduce && random_below(3) > 0;
        scatter.value.real[0] = 2.5;
        scatter.value.integer = dtype == ACL_BOOL ? 1 : 3;
        scatter.index.dtype = random_below(2) == 0 ? ACL_INT32 : ACL_INT64;
        scatter.index.arena = 3;
        scatter.self = draw_like(0, dtype, rank, shape);
        scatter.source = draw_like(2, dtype, rank, wide);
        scatter.out =
            scatter.is_in_place || random_below(3) == 0 ? scatter.self : draw_like(1, dtype, rank, shape);
        if (!scatter.is_in_place && random_below(4) == 0)
            scatter.out.arena = scatter.self.arena; /* in self's memory, elsewhere in it */
        if (is_too_large(&scatter.self) || is_too_large(&scatter.source) || count_of(&scatter.self) > NUMBERS)
            continue;
        assert_scattered(&scatter, shape[scatter.dim]);
    }
}

/* Tensors that lie in one piece, as they most often do, of which some lines along the dim are done at a time. */
static void lines_side_by_side(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                         ACL_INT32, ACL_INT64,   ACL_FLOAT, ACL_BOOL};
    static const int64_t lines[] = {1, 5, 16, 70, 150}, sizes[] = {1, 3, 40, 100, 900, 1800};
    (void)state;
    for (int round = 0; round < times_effort(120); round++) {
        const aclDataType dtype = dtypes[round % 9];
        const int64_t size = sizes[random_below(6)], line = lines[random_below(size > 900 ? 4 : 5)],
                      shape[] = {1 + random_below(size > 100 ? 1 : 3), size, line},
                      own[] = {shape[0], 1 + size / 2 + random_below(size), line};
        struct scatter scatter = {.dim = 1,
                                  .reduce = round % 2 == 0 ? ADD : REPLACE,
                                  .is_add = round % 4 == 0,
                                  .is_in_place = round % 4 != 0 && random_below(2) == 0,
                                  .self = plain_view(0, dtype, 3, shape),
                                  .index = plain_view(3, ACL_INT64, 3, own),
                                  .source = plain_view(2, dtype, 3, own)};
        scatter.out =
            scatter.is_in_place || random_below(3) == 0 ? scatter.self : plain_view(1, dtype, 3, shape);
        assert_scattered(&scatter, size);
        const int64_t last[] = {own[0] - 1, own[1] - 1, own[2] - 1};
        const struct given self = TENSOR(&scatter.self), index = TENSOR(&scatter.index),
                           source = TENSOR(&scatter.source), out = TENSOR(&scatter.out), dim = NUMBER(1),
                           reduce = NUMBER(scatter.reduce);
        set_number(&scatter.index, last, random_below(2) == 0 ? size : -1);
        begin_expecting(&scatter.out);
        assert_failure(CALL("aclnnScatter", self, dim, index, source, reduce, out), FAULT,
                       "aclnnScatter: index holds");
        assert_expected(&scatter.out);
    }
}

static void index_add(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_INT64};
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        struct view source = draw_output(1 + (uint32_t)random_below(4), round % 20 == 0 ? 90 : 7);
        const uint32_t rank = source.rank, dim = (uint32_t)random_below(rank);
        const aclDataType dtype = dtypes[random_below(6)];
        int64_t shape[OPERAND_RANK_MAX], at[OPERAND_RANK_MAX] = {0}, to[OPERAND_RANK_MAX];
        memcpy(shape, source.shape, sizeof shape);
        shape[dim] = 1 + random_below(9);
        source.dtype = dtype;
        source.arena = 2;
        struct view self = draw_like(0, dtype, rank, shape), index = draw_index(1, &source.shape[dim]);
        struct view out = random_below(2) == 0 ? self : draw_like(1, dtype, rank, shape);
        if (is_too_large(&self) || is_too_large(&source) || count_of(&self) > NUMBERS)
            continue;
        fill_with_numbers(&self);
        fill_with_numbers(&source);
        fill_strictly(&index, shape[dim]);
        memset(hits, 0, sizeof hits[0] * (size_t)count_of(&self));
        double factor = is_float(dtype) ? -1.5 : 3;
        begin_expecting(&out);
        do {
            memcpy(expected + place_of(&out, at), arena[0] + place_of(&self, at), conversion_bytes(dtype));
            numbers[row_major(&self, at)] = number_from(arena[0] + place_of(&self, at), dtype);
        } while (next_index(rank, shape, at));
        do {
            memcpy(to, at, sizeof to);
            to[dim] = number_at(&index, &at[dim]);
            struct number more = number_from(arena[2] + place_of(&source, at), dtype);
            more.real[0] *= factor;
            more.integer = (int64_t)((uint64_t)more.integer * 3);
            const int64_t place = row_major(&self, to);
            numbers[place] = reduced(numbers[place], more, ADD, false);
            hits[place]++;
        } while (next_index(rank, source.shape, at));
        do {
            const int64_t place = row_major(&self, at);
            if (hits[place] > 0)
                store_number(numbers[place], expected + place_of(&out, at), dtype);
        } while (next_index(rank, shape, at));
        aclScalar *alpha = aclCreateScalar(&factor, ACL_DOUBLE);
        if (random_below(2) == 0)
            ASSERT_DONE("aclnnIndexAdd", TENSOR(&self), NUMBER(dim), TENSOR(&index), TENSOR(&source),
                        HANDLE(alpha), TENSOR(&out));
        else
            ASSERT_DONE("aclnnIndexAddV2", TENSOR(&self), NUMBER(dim), TENSOR(&index), TENSOR(&source),
                        HANDLE(alpha), NUMBER(random_below(2)), TENSOR(&out));
        assert_int_equal(aclDestroyScalar(alpha), 0);
        assert_expected(&out);
    }
}

/* Sums that their order decides, of few rows and of many, in whole registers and beside them. */
static void rows_are_added_in_order(void **state)
{
    enum { PLACES = 3, ROWS = 40, COLUMNS = 75 };
    static const float kinds[] = {1e30F, -1e30F, 1, 3, 0.1F};
    (void)state;
    for (int round = 0; round < 20; round++) {
        const int64_t rows = 1 + random_below(ROWS), columns = 1 + random_below(COLUMNS);
        const struct view self = plain_view(0, ACL_FLOAT, 2, DIMS(PLACES, columns)),
                          source = plain_view(2, ACL_FLOAT, 2, DIMS(rows, columns)),
                          index = plain_view(3, ACL_INT64, 1, &rows),
                          out = plain_view(1, ACL_FLOAT, 2, self.shape);
        float *const from = (float *)(void *)arena[0], *const more = (float *)(void *)arena[2],
                     *const wanted = (float *)(void *)expected;
        const double factor = round % 2 == 0 ? 1 : -1.5;
        double sum[PLACES * COLUMNS];
        for (int64_t i = 0; i < rows * columns; i++)
            more[i] = kinds[random_below(5)];
        for (int64_t i = 0; i < PLACES * columns; i++)
            sum[i] = (double)(from[i] = kinds[random_below(5)]);
        fill_strictly(&index, PLACES);
        for (int64_t k = 0; k < rows; k++)
            for (int64_t i = 0; i < columns; i++)
                sum[number_at(&index, &k) * columns + i] += factor * (double)more[k * columns + i];
        begin_expecting(&out);
        for (int64_t i = 0; i < PLACES * columns; i++)
            wanted[i] = (float)sum[i];
        aclScalar *alpha = aclCreateScalar((void *)(uintptr_t)&factor, ACL_DOUBLE);
        ASSERT_DONE("aclnnIndexAdd", TENSOR(&self), NUMBER(0), TENSOR(&index), TENSOR(&source), HANDLE(alpha),
                    TENSOR(&out));
        assert_int_equal(aclDestroyScalar(alpha), 0);
        assert_expected(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scatter),
        cmocka_unit_test(lines_side_by_side),
        cmocka_unit_test(index_add),
        cmocka_unit_test(rows_are_added_in_order),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
