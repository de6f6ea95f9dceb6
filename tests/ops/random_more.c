/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The random functions that make elements by their numbers, against a generator of one block at a time: every
 * function in layouts and dtypes drawn at random, known answers, what is refused, and sums that are frozen.
 * Runs with several numbers of threads and on each level prove equal bits.
 */
#include "ops/check.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/attempt.h"
#include "ops/placed.h"
#include "ops/made.h"
#include "ops/random_source.h"

__extension__ typedef unsigned __int128 product;

enum { ROUNDS = 250 };

struct bernoulli {
    struct source source;
    struct view out, probs;
    double prob;
    bool has_probs, is_one;
};

static void expect_bernoulli(const void *context, int64_t i, unsigned char *element)
{
    const struct bernoulli *call = (const struct bernoulli *)context;
    const double prob = call->has_probs ? real_at(&call->probs, call->is_one ? 0 : i) : call->prob;
    const long double word = word_of(call->source.seed, call->source.offset, (uint64_t)i);
    const unsigned char bit = word + 0.5L < (long double)prob * 0x1p32L;
    conversion_reference(&bit, ACL_BOOL, element, call->out.dtype);
}

static void run_bernoulli(const char *name, struct bernoulli *call)
{
    union argument argument[5] = {{0}};
    const bool has_out = find(name)->parameter_count == 5;
    struct view self = call->out;
    self.arena = has_out ? 2 : 0;
    argument[0] = argument_of_pointer(create_placed(&self));
    argument[1] =
        call->has_probs ? argument_of_pointer(create_placed(&call->probs)) : real_scalar(call->prob);
    set_source(find(name), 2, &call->source, argument);
    if (has_out)
        argument[4] = argument_of_pointer(create_placed(&call->out));
    assert_made(name, argument, &call->out, expect_bernoulli, call);
}

static void ones_come_with_their_probability(void **state)
{
    (void)state;
    static const double probs[] = {0, 1, 0.5, 0.1, 0x1p-33, 0x1.8p-33, 0x1p-32, 1 - 0x1p-53, 1e-300};
    static const char *const names[] = {"aclnnBernoulli", "aclnnInplaceBernoulli", "aclnnBernoulliTensor",
                                        "aclnnInplaceBernoulliTensor"};
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = names[round % 4];
        int64_t shape[OPERAND_RANK_MAX];
        const uint32_t rank = draw_shape(shape, 0, 4);
        struct bernoulli call = {.source = draw_source(), .prob = probs[random_below(9)]};
        if (random_below(2) == 0) /* next to the word of the first element, and at it */
            call.prob =
                (word_of(call.source.seed, call.source.offset, 0) + 0.25 * (double)random_below(4)) * 0x1p-32;
        call.has_probs = strstr(name, "Tensor") != NULL;
        call.is_one = random_below(3) == 0;
        call.out = drawn_view(0, draw_dtype_of(name, 0), rank, shape);
        call.probs = drawn_view(random_below(4) == 0 ? 0 : 1, draw_dtype_of("aclnnBernoulliTensor", 1),
                                call.is_one ? 0 : rank, shape);
        fill_bytes(0, bytes_of(&call.out) + 64);
        fill_reals(&call.probs, -0.1, 1.1);
        run_bernoulli(name, &call);
    }
}

struct integers {
    struct source source;
    aclDataType dtype;
    int64_t from;
    uint64_t range;
    bool has_range;
};

/* The bits of a float dtype as one number that has their order. */
static int64_t order_of(const unsigned char *element, size_t bytes)
{
    uint64_t raw = 0, sign = UINT64_C(1) << (8 * bytes - 1);
    memcpy(&raw, element, bytes);
    return (raw & sign) != 0 ? -(int64_t)(raw & ~sign) : (int64_t)raw;
}

static long double element_value(const unsigned char *element, aclDataType dtype)
{
    double value;
    conversion_reference(element, dtype, &value, ACL_DOUBLE);
    return (long double)value;
}

/* Whether the element lies below the range, -1, in it, 0, or above it, 1. */
static int side_of(const struct integers *call, const unsigned char *element, aclDataType part)
{
    const long double value = element_value(element, part), end = (long double)call->from + call->range;
    return value < (long double)call->from ? -1 : value >= end;
}

/* The element one step towards the range: false where it then lies on the other side of it. */
static bool step_inside(const struct integers *call, unsigned char *element, aclDataType part)
{
    const size_t bytes = dtype_bytes(part);
    const int side = side_of(call, element, part);
    const int64_t order = order_of(element, bytes) - side;
    const uint64_t raw = order < 0 ? (UINT64_C(1) << (8 * bytes - 1)) | (uint64_t)-order : (uint64_t)order;
    memcpy(element, &raw, bytes);
    return side_of(call, element, part) == 0;
}

/* A number that was rounded out of the range becomes its neighbour in it; false where there is none. */
static bool keep_inside(const struct integers *call, unsigned char *element)
{
    const aclDataType part = call->dtype == ACL_COMPLEX64    ? ACL_FLOAT
                             : call->dtype == ACL_COMPLEX128 ? ACL_DOUBLE
                                                             : call->dtype;
    if ((part != ACL_FLOAT && part != ACL_FLOAT16 && part != ACL_BF16 && part != ACL_DOUBLE) ||
        !call->has_range)
        return true;
    return side_of(call, element, part) == 0 || step_inside(call, element, part);
}

/* Whether the dtype has a number in the range; it is refused where not. */
static bool has_number(const struct integers *call)
{
    unsigned char element[16];
    conversion_reference(&call->from, ACL_INT64, element, call->dtype);
    return keep_inside(call, element);
}

static void expect_integer(const void *context, int64_t i, unsigned char *element)
{
    const struct integers *call = (const struct integers *)context;
    const uint64_t drawn = long_of(call->source.seed, call->source.offset, (uint64_t)i);
    const int64_t value = (int64_t)((uint64_t)call->from + (uint64_t)((product)drawn * call->range >> 64));
    if (call->dtype == ACL_INT64)
        memcpy(element, &value, sizeof value);
    else
        conversion_reference(&value, ACL_INT64, element, call->dtype);
    assert_true(keep_inside(call, element));
}

static void whole_numbers_lie_in_their_range(void **state)
{
    (void)state;
    static const char *const names[] = {"aclnnInplaceRandom", "aclnnInplaceRandomTensor",
                                        "aclnnInplaceRandomWithoutFromTo",
                                        "aclnnInplaceRandomWithoutFromToTensor"};
    static const int64_t ranges[][2] = {{0, 1},
                                        {-5, 9},
                                        {INT64_MIN, INT64_MAX},
                                        {-1, INT64_MAX},
                                        {100, 200},
                                        {0, 32752},
                                        {250, 2048},
                                        {-9000, -4097},
                                        {257, 300},
                                        {-4099, -2049},
                                        {2049, 2050},
                                        {60000, 70000},
                                        {16777210, 16777221},
                                        {(INT64_C(1) << 62) - 9, 1 + (INT64_C(1) << 62)}};
    static const struct {
        aclDataType dtype;
        uint64_t numbers;
    } numbers[] = {{ACL_BOOL, 2},
                   {ACL_UINT8, 256},
                   {ACL_INT8, 128},
                   {ACL_INT16, 32768},
                   {ACL_INT32, 1u << 31},
                   {ACL_INT64, UINT64_C(1) << 63},
                   {ACL_FLOAT16, 2049},
                   {ACL_BF16, 257},
                   {ACL_FLOAT, (1 << 24) + 1},
                   {ACL_DOUBLE, (UINT64_C(1) << 53) + 1}};
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = names[round % 4];
        const bool has_range = round % 4 < 2;
        int64_t shape[OPERAND_RANK_MAX];
        const uint32_t rank = draw_shape(shape, 0, 4);
        const int64_t *range = ranges[random_below(sizeof ranges / sizeof ranges[0])];
        struct view out = drawn_view(0, draw_dtype_of(name, 0), rank, shape);
        struct integers call = {draw_source(), out.dtype, has_range ? range[0] : 0,
                                (uint64_t)range[1] - (uint64_t)range[0], has_range};
        for (unsigned i = 0; i < 10 && !has_range; i++)
            if (numbers[i].dtype == out.dtype)
                call.range = numbers[i].numbers;
        union argument argument[6] = {argument_of_pointer(create_placed(&out)), argument_of_integer(range[0]),
                                      argument_of_integer(range[1])};
        set_source(find(name), has_range ? 3 : 1, &call.source, argument);
        fill_bytes(0, bytes_of(&out) + 64);
        if (has_number(&call))
            assert_made(name, argument, &out, expect_integer, &call);
    }
}

struct normal {
    struct source source;
    struct view out, operand[2];
    double number[2];
    bool has_tensor[2];
};

/* Within an ulp of what the formula gives; the element that was found is what is expected then. */
static bool is_normal_right(const struct normal *call, int64_t i)
{
    const bool is_long = call->out.dtype == ACL_DOUBLE;
    const long double z = normal_of(is_long, call->source.seed, call->source.offset, (uint64_t)i);
    const double mean = call->has_tensor[0] ? real_at(&call->operand[0], i) : call->number[0];
    const double std = call->has_tensor[1] ? real_at(&call->operand[1], i) : call->number[1];
    const unsigned char *found = element_of(arena[0], &call->out, i);
    if (is_long) {
        double got;
        memcpy(&got, found, sizeof got);
        return fabsl((long double)got - ((long double)mean + (long double)std * z)) <=
               fabsl((long double)std * z) * 0x1p-49L + fabsl((long double)got) * 0x1p-53L;
    }
    for (int side = -1; side <= 1; side++) {
        const double drawn = (double)(z * (1 + side * 0x1p-49L)), value = mean + std * drawn;
        unsigned char expected[8];
        conversion_reference(&value, ACL_DOUBLE, expected, call->out.dtype);
        if (memcmp(expected, found, dtype_bytes(call->out.dtype)) == 0)
            return true;
    }
    return false;
}

static void normal_numbers_have_their_means_and_deviations(void **state)
{
    (void)state;
    static const char *const names[] = {"aclnnNormalFloatFloat", "aclnnNormalFloatTensor",
                                        "aclnnNormalTensorFloat", "aclnnNormalTensorTensor"};
    for (int round = 0; round < ROUNDS; round++) {
        const struct function *function = find(names[round % 4]);
        int64_t shape[OPERAND_RANK_MAX];
        const uint32_t rank = draw_shape(shape, 0, 4);
        struct normal call = {.source = draw_source(), .number = {-2.5, 3}};
        union argument argument[5] = {argument_of_fp32(-2.5F), argument_of_fp32(3)};
        call.out = drawn_view(0, draw_dtype_of(function->operation.name, 4), rank, shape);
        for (unsigned k = 0; k < 2; k++) {
            call.has_tensor[k] = function->parameter[k].kind == PARAMETER_TENSOR;
            if (!call.has_tensor[k])
                continue;
            call.operand[k] = drawn_view(1 + k, draw_dtype_of(function->operation.name, k), rank, shape);
            if (round % 4 == 3 &&
                call.out.dtype != ACL_DOUBLE) /* they promote to what out may be cast from */
                call.operand[k].dtype = call.out.dtype;
            fill_reals(&call.operand[k], -4, 4);
            argument[k] = argument_of_pointer(create_placed(&call.operand[k]));
        }
        set_source(function, 2, &call.source, argument);
        argument[4] = argument_of_pointer(create_placed(&call.out));
        call_placed(function, argument);
        for (int64_t i = 0; i < count_of(&call.out); i++)
            if (!is_normal_right(&call, i))
                fail_msg("%s of %s: element %lld", function->operation.name, dtype_name(call.out.dtype),
                         (long long)i);
    }
}

enum { SEED, FROM = 1, TO = 2 };

static void a_range_without_a_number_of_the_dtype_is_refused(void **state)
{
    (void)state;
    static const struct {
        aclDataType dtype;
        int64_t from, to;
        bool has_number;
    } rows[] = {{ACL_BF16, 299, 300, false},
                {ACL_BF16, 299, 301, true},
                {ACL_BF16, 298, 299, true},
                {ACL_BF16, -299, -298, false},
                {ACL_FLOAT16, 2049, 2050, false},
                {ACL_FLOAT16, 65505, 70000, false},
                {ACL_FLOAT16, INT64_MIN, -65504, false},
                {ACL_FLOAT16, INT64_MIN, -65503, true},
                {ACL_BF16, INT64_MIN, INT64_MIN + 1, true},
                {ACL_BF16, INT64_MAX - 1, INT64_MAX, false},
                {ACL_FLOAT, 16777217, 16777218, false},
                {ACL_DOUBLE, (INT64_C(1) << 53) + 1, (INT64_C(1) << 53) + 2, false},
                {ACL_INT32, 299, 300, true},
                {ACL_BOOL, 299, 300, true}};
    static const char *const names[] = {"aclnnInplaceRandom", "aclnnInplaceRandomTensor"};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        char sentence[128];
        snprintf(sentence, sizeof sentence,
                 "from is %" PRId64 " and to is %" PRId64 "; %s has no number between them", rows[i / 2].from,
                 rows[i / 2].to, dtype_name(rows[i / 2].dtype));
        struct attempt attempt = accepted(find(names[i % 2]));
        replace(&attempt, 0, tensor_with(rows[i / 2].dtype, 1, DIMS(2), NULL));
        attempt.argument[FROM].int64 = rows[i / 2].from;
        attempt.argument[TO].int64 = rows[i / 2].to;
        if (rows[i / 2].has_number)
            assert_accepted(&attempt);
        else
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
        release(&attempt);
    }
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnInplaceRandom"));
    attempt.argument[FROM].int64 = 10;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "from is 10 and to is 10; from is expected to be less");
    release(&attempt);

    attempt = accepted(find("aclnnInplaceRandomWithoutFromToTensor"));
    replace(&attempt, 1, tensor_with(ACL_INT64, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "seedTensor has 2 elements; one is expected");
    release(&attempt);

    attempt = accepted(find("aclnnBernoulli"));
    static const double outside[] = {-0x1p-1074, 1.0000000000000002, (double)NAN};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(aclDestroyScalar(attempt.argument[1].scalar), 0);
        attempt.argument[1] = real_scalar(outside[i]);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "prob is");
    }
    release(&attempt);
    attempt = accepted(find("aclnnBernoulliTensor"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 3, DIMS(4, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "prob has shape [4, 2, 3]");
    release(&attempt);

    attempt = accepted(find("aclnnNormalFloatFloat"));
    attempt.argument[1] = argument_of_fp32(-1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "std is -1; 0 or more is expected");
    attempt.argument[1] = argument_of_fp32(NAN);
    assert_accepted(&attempt);
    release(&attempt);
    attempt = accepted(find("aclnnNormalFloatTensor"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(0, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "");
    release(&attempt);
}

/* Results are frozen: programs may have stored what they computed from them. */
static void many_bits_are_what_they_were(void **state)
{
    (void)state;
    struct view out = view_of(0, ACL_INT32, 1, DIMS(1000000));
    const struct source source = {.seed = 99, .offset = 7};
    union argument argument[5] = {argument_of_pointer(create_placed(&out)), argument_of_integer(-1000),
                                  argument_of_integer(1000)};
    set_source(find("aclnnInplaceRandom"), 3, &source, argument);
    call_placed(find("aclnnInplaceRandom"), argument);
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < bytes_of(&out); k++)
        sum = (sum ^ arena[0][k]) * UINT64_C(0x100000001b3);
    if (sum != UINT64_C(0x2817a543d75f2ef6))
        fail_msg("0x%016llx", (unsigned long long)sum);
    int64_t first[2];
    struct view two = view_of(0, ACL_INT64, 1, DIMS(2));
    argument[0] = argument_of_pointer(create_placed(&two));
    argument[1] = argument_of_integer(0);
    argument[2] = argument_of_integer(100);
    set_source(find("aclnnInplaceRandom"), 3, &(struct source){.seed = 1234}, argument);
    call_placed(find("aclnnInplaceRandom"), argument);
    memcpy(first, arena[0], sizeof first);
    assert_int_equal(first[0], 85);
    assert_int_equal(first[1], 79);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ones_come_with_their_probability),
        cmocka_unit_test(whole_numbers_lie_in_their_range),
        cmocka_unit_test(normal_numbers_have_their_means_and_deviations),
        cmocka_unit_test(a_range_without_a_number_of_the_dtype_is_refused),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
        cmocka_unit_test(many_bits_are_what_they_were),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
