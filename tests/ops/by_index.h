/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of the functions that find elements by indices, and the numbers that their results are compared with,
 * place by place. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_BY_INDEX_H
#define BELAY_TESTS_OPS_BY_INDEX_H

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

static inline aclnnStatus call(const char *name, unsigned count, const struct given *given)
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

static inline bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

static inline bool is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

static inline struct number number_from(const unsigned char *element, aclDataType dtype)
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

static inline void store_number(struct number number, unsigned char *element, aclDataType dtype)
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

static inline double chosen(double a, double b, bool is_b)
{
    return a != a ? a : b != b || is_b ? b : a;
}

static inline struct number reduced(struct number a, struct number b, int reduce, bool is_pair)
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

static inline void divide(struct number *number, int64_t count)
{
    number->real[0] /= (double)count;
    number->real[1] /= (double)count;
    const int64_t rest = number->integer % count;
    number->integer = number->integer / count - (rest != 0 && rest < 0);
}

/* Numbers by the row-major number of their place, and how many came to it. */
enum { NUMBERS = 1 << 18 };
static struct number numbers[NUMBERS] __attribute__((unused));
static int64_t hits[NUMBERS] __attribute__((unused));

static inline int64_t row_major(const struct view *view, const int64_t *index)
{
    int64_t number = 0;
    for (uint32_t i = 0; i < view->rank; i++)
        number = number * view->shape[i] + index[i];
    return number;
}

static inline void fill_with_numbers(const struct view *view)
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

static inline void fill_strictly(const struct view *view, int64_t size)
{
    int64_t index[OPERAND_RANK_MAX] = {0};
    if (count_of(view) == 0)
        return;
    do
        set_number(view, index, random_below(size));
    while (next_index(view->rank, view->shape, index));
}

static inline struct view draw_index(uint32_t rank, const int64_t *shape)
{
    struct view index = plain_view(3, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, rank, shape);
    lay_out(&index, random_below(2) == 0, random_below(2) == 0);
    index.offset = random_below(5);
    return index;
}

/* A tensor of about this shape in any layout. */
static inline struct view draw_like(unsigned in, aclDataType dtype, uint32_t rank, const int64_t *shape)
{
    struct view view = plain_view(in, dtype, rank, shape);
    lay_out(&view, random_below(2) == 0, random_below(2) == 0);
    view.offset = random_below(30);
    return view;
}

/* Stores what `numbers` has at each place of a view as what is expected there. */
static inline void expect_numbers(const struct view *out)
{
    int64_t index[OPERAND_RANK_MAX] = {0};
    do
        store_number(numbers[row_major(out, index)], expected + place_of(out, index), out->dtype);
    while (next_index(out->rank, out->shape, index));
}

#endif
