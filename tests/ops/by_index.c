/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gather, Take, Embedding and its gradient, Scatter in all its forms, ScatterAdd, IndexAdd: whole tensors in
 * random layouts against loops over indices, indices out of range, and their rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/find_operator.h"
#include "ops/index_numbers.h"
#include "support/effort.h"

/* A call: tensors are made of views, and destroyed behind it. */
struct given {
    const struct view *view; /* NULL: the argument */
    union argument argument;
};

#define TENSOR(view_)   \
    {                   \
        .view = (view_) \
    }
#define NUMBER(number)                            \
    {                                             \
        .argument = {.int64 = (int64_t)(number) } \
    }
#define HANDLE(pointer)                    \
    {                                      \
        .argument = {.handle = (pointer) } \
    }

/* is_run tells statuses of phase 1 from those of the work. */
static bool is_run;

static aclnnStatus call(const char *name, unsigned count, const struct given *given)
{
    const struct function *function = find(name);
    union argument argument[8] = {{.int64 = 0}};
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(function->parameter_count, count);
    for (unsigned i = 0; i < count; i++)
        if (given[i].view != NULL)
            argument[i].tensor = tensor_of(given[i].view);
        else
            argument[i] = given[i].argument;
    aclnnStatus status = function_plan_anew(function, argument, &workspace, &executor);
    is_run = status == 0;
    if (is_run)
        status = finish(function->launch, status, workspace, executor);
    for (unsigned i = 0; i < count; i++)
        if (given[i].view != NULL)
            assert_int_equal(aclDestroyTensor(argument[i].tensor), 0);
    return status;
}

#define CALL(name, ...)                                                            \
    call(name, sizeof((const struct given[]){__VA_ARGS__}) / sizeof(struct given), \
         (const struct given[]){__VA_ARGS__})

#define ASSERT_DONE(name, ...)                              \
    do {                                                    \
        if (CALL(name, __VA_ARGS__) != 0)                   \
            fail_msg("%s: %s", name, aclGetRecentErrMsg()); \
    } while (0)

#define ASSERT_REFUSED(call_, sentence)                           \
    do {                                                          \
        assert_failure(call_, ACLNN_ERR_PARAM_INVALID, sentence); \
        assert_false(is_run);                                     \
    } while (0)

/* Elements in what they are summed in. */
struct number {
    double real[2];
    int64_t integer;
};

static bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

static bool is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

static struct number number_from(const unsigned char *element, aclDataType dtype)
{
    struct number number = {.integer = 0};
    if (is_complex(dtype))
        conversion_reference(element, dtype, number.real, ACL_COMPLEX128);
    else if (is_float(dtype))
        conversion_reference(element, dtype, number.real, ACL_DOUBLE);
    else
        conversion_reference(element, dtype, &number.integer, ACL_INT64);
    return number;
}

static void store_number(struct number number, unsigned char *element, aclDataType dtype)
{
    static const uint64_t canonical = UINT64_C(0x7FF8000000000000);
    for (int i = 0; i < 2; i++)
        if (number.real[i] != number.real[i])
            memcpy(&number.real[i], &canonical, sizeof canonical);
    if (is_complex(dtype))
        conversion_reference(number.real, ACL_COMPLEX128, element, dtype);
    else if (is_float(dtype))
        conversion_reference(number.real, ACL_DOUBLE, element, dtype);
    else
        conversion_reference(&number.integer, ACL_INT64, element, dtype);
}

enum { REPLACE, ADD, MULTIPLY, MAXIMUM, MINIMUM, MEAN, REDUCTIONS };

static double chosen(double a, double b, bool is_b)
{
    return a != a ? a : b != b || is_b ? b : a;
}

static struct number reduced(struct number a, struct number b, int reduce, bool is_pair)
{
    struct number out = a;
    switch (reduce) {
    case MULTIPLY:
        out.real[0] = is_pair ? a.real[0] * b.real[0] - a.real[1] * b.real[1] : a.real[0] * b.real[0];
        out.real[1] = is_pair ? a.real[0] * b.real[1] + a.real[1] * b.real[0] : 0;
        out.integer = (int64_t)((uint64_t)a.integer * (uint64_t)b.integer);
        return out;
    case MAXIMUM:
        out.real[0] = chosen(a.real[0], b.real[0], b.real[0] > a.real[0]);
        out.integer = b.integer > a.integer ? b.integer : a.integer;
        return out;
    case MINIMUM:
        out.real[0] = chosen(a.real[0], b.real[0], b.real[0] < a.real[0]);
        out.integer = b.integer < a.integer ? b.integer : a.integer;
        return out;
    default:
        out.real[0] += b.real[0];
        out.real[1] += b.real[1];
        out.integer = (int64_t)((uint64_t)a.integer + (uint64_t)b.integer);
        return out;
    }
}

static void divide(struct number *number, int64_t count)
{
    number->real[0] /= (double)count;
    number->real[1] /= (double)count;
    const int64_t rest = number->integer % count;
    number->integer = number->integer / count - (rest != 0 && rest < 0);
}

/* Numbers by the row-major number of their place, and how many came to it. */
enum { NUMBERS = 1 << 18 };
static struct number numbers[NUMBERS];
static int64_t hits[NUMBERS];

static int64_t row_major(const struct view *view, const int64_t *index)
{
    int64_t number = 0;
    for (uint32_t i = 0; i < view->rank; i++)
        number = number * view->shape[i] + index[i];
    return number;
}

static void fill_with_numbers(const struct view *view)
{
    const size_t bytes = conversion_bytes(view->dtype);
    fill_at_random(view->arena, bytes_of(view) + 64);
    for (size_t i = 0; (is_float(view->dtype) || is_complex(view->dtype)) && i <= (size_t)last_of(view);
         i++) {
        const double value[2] = {(double)(random_below(1 << 20) - (1 << 19)) / 4096,
                                 (double)(random_below(1 << 20) - (1 << 19)) / 4096};
        unsigned char *element = arena[view->arena] + i * bytes;
        if (random_below(50) != 0) /* the others: any bits, NaN and infinities too */
            conversion_reference(value, is_complex(view->dtype) ? ACL_COMPLEX128 : ACL_DOUBLE, element,
                                 view->dtype);
    }
}

static void fill_strictly(const struct view *view, int64_t size)
{
    int64_t index[OPERAND_RANK_MAX] = {0};
    if (count_of(view) == 0)
        return;
    do
        set_number(view, index, random_below(size));
    while (next_index(view->rank, view->shape, index));
}

static struct view draw_index(uint32_t rank, const int64_t *shape)
{
    struct view index = plain_view(3, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, rank, shape);
    lay_out(&index, random_below(2) == 0, random_below(2) == 0);
    index.offset = random_below(5);
    return index;
}

/* A tensor of about this shape in any layout. */
static struct view draw_like(unsigned in, aclDataType dtype, uint32_t rank, const int64_t *shape)
{
    struct view view = plain_view(in, dtype, rank, shape);
    lay_out(&view, random_below(2) == 0, random_below(2) == 0);
    view.offset = random_below(30);
    return view;
}

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

/* Stores what `numbers` has at each place of a view as what is expected there. */
static void expect_numbers(const struct view *out)
{
    int64_t index[OPERAND_RANK_MAX] = {0};
    do
        store_number(numbers[row_major(out, index)], expected + place_of(out, index), out->dtype);
    while (next_index(out->rank, out->shape, index));
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

struct scatter {
    struct view self, index, source, out;
    uint32_t dim;
    int reduce;
    bool is_of_value, is_in_place, is_add;
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
            divide(&numbers[place], hits[place] + 1);
        store_number(numbers[place], expected + place_of(out, at), dtype);
    } while (next_index(self->rank, self->shape, at));
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
                       dim = NUMBER(scatter->dim), reduce = NUMBER(scatter->reduce), scalar = HANDLE(value);
    if (scatter->is_add)
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
        fill_with_numbers(&scatter.self);
        fill_with_numbers(&scatter.source);
        if (dtype == ACL_BOOL)
            for (size_t i = 0; i < bytes_of(&scatter.self) + bytes_of(&scatter.source); i++)
                arena[i % 2 * 2][i / 2] &= 1;
        fill_strictly(&scatter.index, shape[scatter.dim]);
        expect_scattered(&scatter);
        call_scatter(&scatter);
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
        ASSERT_DONE("aclnnIndexAdd", TENSOR(&self), NUMBER(dim), TENSOR(&index), TENSOR(&source),
                    HANDLE(alpha), TENSOR(&out));
        assert_int_equal(aclDestroyScalar(alpha), 0);
        assert_expected(&out);
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
        cmocka_unit_test(scatter),
        cmocka_unit_test(index_add),
        cmocka_unit_test(indices_out_of_range_fail_the_work),
        cmocka_unit_test(rules_of_their_own),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
