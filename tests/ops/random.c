/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions that fill with random numbers, against a generator of one block at a time: published answers,
 * every dtype, layouts drawn at random, counts around those of the loop's pieces. Runs with several numbers
 * of threads and levels prove equal bits by the frozen sums at the end.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/attempt.h"
#include "ops/placed.h"
#include "ops/random_reference.h"
#include "support/conversion.h"

static void the_reference_gives_the_published_answers(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, offset, block;
        uint32_t word[4];
    } answers[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {1234, 0, 0, {0x2090b348, 0xda7cf0ab, 0x4401906f, 0xcbca470e}},
        {1234, 12, 0, {0xc2014d49, 0x3fc4c36e, 0x3b575420, 0x95d8791c}},
    };
    for (unsigned i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        uint32_t word[4];
        philox(answers[i].seed, answers[i].offset, answers[i].block, word);
        assert_memory_equal(word, answers[i].word, sizeof word);
    }
}

/* A call on a view: numbers in the arguments, or in tensors behind one another in arena 1. */
struct fill_call {
    const char *name;
    struct view out;
    double first, second;
    uint64_t seed, offset, more;
};

static void run(const struct fill_call *call)
{
    const struct function *function = find(call->name);
    bool is_normal = strstr(call->name, "Normal") != NULL, has_tensors = function->parameter_count == 6;
    union argument argument[6] = {argument_of_pointer(create_placed(&call->out))};
    argument[1] = is_normal ? argument_of_fp32((float)call->first) : argument_of_fp64(call->first);
    argument[2] = is_normal ? argument_of_fp32((float)call->second) : argument_of_fp64(call->second);
    argument[3] = argument_of_integer((int64_t)call->seed);
    argument[4] = argument_of_integer((int64_t)call->offset);
    if (has_tensors) {
        const uint64_t part = call->offset - call->more;
        struct view seed = view_of(1, ACL_INT64, 1, DIMS(1)), offset = view_of(1, ACL_INT64, 1, DIMS(1));
        offset.offset = 1;
        memcpy(arena[1], &call->seed, sizeof call->seed);
        memcpy(arena[1] + 8, &part, sizeof part);
        argument[3] = argument_of_pointer(create_placed(&seed));
        argument[4] = argument_of_pointer(create_placed(&offset));
        argument[5] = argument_of_integer((int64_t)call->more);
    }
    call_placed(function, argument);
}

/* The largest number below end among those of the dtype around it. */
static double clamp(double value, double from, double to, aclDataType dtype)
{
    unsigned char raw[8] = {0};
    double rounded;
    bool is_integer = dtype != ACL_FLOAT && dtype != ACL_FLOAT16 && dtype != ACL_BF16;
    if (!(from < to))
        return value;
    if (is_integer)
        return value >= to ? nextafter(to, -HUGE_VAL) : value;
    /* Halves of the way down from to until the rounded number is below it, then up again. */
    conversion_reference(&value, ACL_DOUBLE, raw, dtype);
    conversion_reference(raw, dtype, &rounded, ACL_DOUBLE);
    for (double step = 0x1p-1074; rounded >= to;
         step = step < fabs(to) * 0x1p-53 ? fabs(to) * 0x1p-53 : 2 * step) {
        double lower = to - step;
        conversion_reference(&lower, ACL_DOUBLE, raw, dtype);
        conversion_reference(raw, dtype, &rounded, ACL_DOUBLE);
        value = lower;
    }
    return value;
}

/* The bytes that an element may be: two candidates where the normal distribution is in doubt. */
static bool is_right(const struct fill_call *call, uint64_t i, const unsigned char *found)
{
    aclDataType dtype = call->out.dtype;
    const bool is_long = dtype == ACL_DOUBLE;
    unsigned char expected[8];
    if (strstr(call->name, "Uniform") != NULL) {
        double value =
            call->first + uniform_of(is_long, call->seed, call->offset, i) * (call->second - call->first);
        value = clamp(value, call->first, call->second, dtype);
        conversion_reference(&value, ACL_DOUBLE, expected, dtype);
        return memcmp(expected, found, dtype_bytes(dtype)) == 0;
    }
    long double z = normal_of(is_long, call->seed, call->offset, i);
    const double mean = (double)(float)call->first, std = (double)(float)call->second;
    for (int side = -1; side <= 1; side++) {
        double drawn = (double)(z * (1 + side * 0x1p-49L)), value = mean + std * drawn;
        if (is_long) {
            double got;
            memcpy(&got, found, sizeof got);
            return fabsl((long double)got - ((long double)mean + (long double)std * z)) <=
                   fabsl((long double)std * z) * 0x1p-49L + fabsl((long double)got) * 0x1p-53L;
        }
        conversion_reference(&value, ACL_DOUBLE, expected, dtype);
        if (memcmp(expected, found, dtype_bytes(dtype)) == 0)
            return true;
    }
    return false;
}

/* Runs and judges every element and everything between elements. */
static void check_call(const struct fill_call *call)
{
    static unsigned char *before;
    const size_t used = bytes_of(&call->out) + 64;
    assert_true(used < PLACED_BYTES);
    before = (unsigned char *)realloc(before, used);
    fill_bytes(0, used);
    memcpy(before, arena[0], used);
    run(call);
    for (int64_t i = 0; i < count_of(&call->out); i++) {
        if (!is_right(call, (uint64_t)i, element_of(arena[0], &call->out, i)))
            fail_msg("%s of %s from %g to %g: element %lld of %lld", call->name, dtype_name(call->out.dtype),
                     call->first, call->second, (long long)i, (long long)count_of(&call->out));
        memcpy(element_of(before, &call->out, i), element_of(arena[0], &call->out, i),
               dtype_bytes(call->out.dtype));
    }
    assert_memory_equal(arena[0], before, used);
}

static const char *const names[] = {"aclnnInplaceUniform", "aclnnInplaceUniformTensor", "aclnnInplaceNormal",
                                    "aclnnInplaceNormalTensor"};

static struct fill_call draw_call(const char *name, uint32_t rank, const int64_t *shape)
{
    static const double ranges[][2] = {{0, 1},     {-3, 5},     {0.5, 0.5},
                                       {-1e-3, 0}, {-100, 100}, {1, 1.0009765625}};
    uint64_t set = find(name)->parameter[0].dtypes->on[PRODUCT_910B];
    struct fill_call call = {
        .name = name, .seed = random_bits(), .offset = random_bits(), .more = random_bits()};
    unsigned dtype;
    do
        dtype = (unsigned)random_below(32);
    while ((set >> dtype & 1) == 0);
    const double *range = ranges[random_below(6)];
    call.first = range[0];
    call.second = strstr(name, "Normal") != NULL ? fabs(range[1]) : range[1];
    call.out = view_of(0, (aclDataType)dtype, rank, shape);
    lay_out(&call.out, random_below(2) == 0, random_below(2) == 0);
    call.out.offset = random_below(7);
    return call;
}

static void random_views_hold_what_single_blocks_give(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        int64_t shape[OPERAND_RANK_MAX];
        uint32_t rank = (uint32_t)random_below(5);
        for (uint32_t i = 0; i < rank; i++)
            shape[i] = 1 + random_below(rank > 2 ? 8 : 60);
        struct fill_call call = draw_call(names[round % 4], rank, shape);
        check_call(&call);
    }
}

static void pieces_of_every_length_are_complete(void **state)
{
    (void)state;
    static const int64_t counts[] = {31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 2048, 60001};
    for (unsigned i = 0; i < 11; i++)
        for (unsigned n = 0; n < 4; n++) {
            struct fill_call call = draw_call(names[n], 1, &counts[i]);
            check_call(&call);
        }
}

static void what_would_reach_the_end_stays_below(void **state)
{
    (void)state;
    static const double ends[] = {0, -0.0, 1, -1, 1e6, -1e6, 0.3, 65504, 1e-45};
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8};
    for (unsigned i = 0; i < 9; i++)
        for (unsigned d = 0; d < 5; d++) {
            struct fill_call call = {.name = names[0], .seed = i, .second = ends[i]};
            call.first = nextafter(ends[i], -HUGE_VAL); /* rounds to the end in narrower dtypes */
            call.out = view_of(0, dtypes[d], 1, DIMS(70));
            run(&call);
            for (int k = 0; k < 70 && d < 4; k++) {
                double value;
                conversion_reference(element_of(arena[0], &call.out, k), dtypes[d], &value, ACL_DOUBLE);
                assert_true(value < ends[i]);
            }
        }
}

static void samples_are_those_of_the_contract(void **state)
{
    (void)state;
    static const float uniform[] = {0.127207935F, 0.853468895F, 0.265648842F, 0.796055257F};
    static const float normal[] = {1.2291553F, -1.61649048F, 0.464621127F, -1.56054056F};
    static const double uniform_64[] = {0.853468934802154, 0.7960552606418843};
    static const double normal_64[] = {0.16063376147797614, -0.5395267040038274};
    struct fill_call call = {.name = names[0], .second = 1, .seed = 1234};
    call.out = view_of(0, ACL_FLOAT, 1, DIMS(4));
    run(&call);
    assert_memory_equal(arena[0], uniform, sizeof uniform);
    call.name = names[2];
    run(&call);
    assert_memory_equal(arena[0], normal, sizeof normal);
    call.out = view_of(0, ACL_DOUBLE, 1, DIMS(2));
    run(&call);
    for (int i = 0; i < 2; i++) {
        double value;
        memcpy(&value, arena[0] + 8 * i, sizeof value);
        assert_true(fabs(value - normal_64[i]) <=
                    fabs(normal_64[i]) * 0x1p-45); /* they are rounded themselves */
    }
    call.name = names[0];
    run(&call);
    assert_memory_equal(arena[0], uniform_64, sizeof uniform_64);
}

static void a_nan_or_no_deviation_gives_itself_everywhere(void **state)
{
    (void)state;
    struct fill_call call = {.name = names[2], .first = 2.5, .second = 0, .seed = 5};
    call.out = view_of(0, ACL_FLOAT, 1, DIMS(5));
    run(&call);
    for (int i = 0; i < 5; i++)
        assert_memory_equal(arena[0] + 4 * i, &(float){2.5F}, 4);
    call.second = (double)NAN;
    run(&call);
    for (int i = 0; i < 5; i++)
        assert_memory_equal(arena[0] + 4 * i, &(uint32_t){0x7fc00000}, 4);
}

/* Results are frozen: programs may have stored what they computed from them. */
static void a_million_bits_are_what_they_were(void **state)
{
    (void)state;
    static const struct {
        unsigned name;
        aclDataType dtype;
        uint64_t sum;
    } frozen[] = {
        {0, ACL_FLOAT, UINT64_C(0x997c2d1dc6c51436)},
        {0, ACL_DOUBLE, UINT64_C(0xa6de7689a55c3d48)},
        {2, ACL_FLOAT, UINT64_C(0xdc1d9b664fd7076f)},
        {2, ACL_DOUBLE, UINT64_C(0xddbd8e1f2540113c)},
    };
    for (unsigned i = 0; i < 4; i++) {
        struct fill_call call = {.name = names[frozen[i].name], .second = 1, .seed = 99, .offset = 7};
        uint64_t sum = UINT64_C(0xcbf29ce484222325);
        call.out = view_of(0, frozen[i].dtype, 1, DIMS(1000000));
        run(&call);
        for (size_t k = 0; k < bytes_of(&call.out); k++)
            sum = (sum ^ arena[0][k]) * UINT64_C(0x100000001b3);
        if (sum != frozen[i].sum)
            fail_msg("%s of %s: 0x%016llx", call.name, dtype_name(frozen[i].dtype), (unsigned long long)sum);
    }
}

enum { SELF, FROM, TO, SEED, OFFSET };

static void ranges_and_tensors_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find(names[0]));
    attempt.argument[FROM].fp64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "from is 2 and to is 1; from is expected not to be");
    attempt.argument[FROM].fp64 = (double)NAN;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "from is nan");
    attempt.argument[FROM].fp64 = 1;
    assert_accepted(&attempt);
    attempt.argument[TO].fp64 = (double)NAN;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "from is 1 and to is nan");
    replace_dtype(&attempt, SELF, ACL_BOOL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef has dtype BOOL");
    release(&attempt);

    attempt = accepted(find(names[2]));
    attempt.argument[TO] = argument_of_fp32(-0x1p-149F);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "std is -1.4013e-45; 0 or more is expected");
    attempt.argument[TO] = argument_of_fp32(NAN);
    assert_accepted(&attempt);
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 2, DIMS(0, 3), NULL));
    assert_accepted(&attempt);
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 9, DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef has 9 dims");
    release(&attempt);

    attempt = accepted(find(names[1]));
    replace_dtype(&attempt, SEED, ACL_UINT64);
    assert_accepted(&attempt);
    replace(&attempt, OFFSET, tensor_with(ACL_INT64, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "offsetTensor has 2 elements; one is expected");
    release(&attempt);
    attempt = accepted(find(names[3]));
    replace_dtype(&attempt, SEED, ACL_UINT64);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "seedTensor has dtype UINT64");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_gives_the_published_answers),
        cmocka_unit_test(samples_are_those_of_the_contract),
        cmocka_unit_test(random_views_hold_what_single_blocks_give),
        cmocka_unit_test(pieces_of_every_length_are_complete),
        cmocka_unit_test(what_would_reach_the_end_stays_below),
        cmocka_unit_test(a_nan_or_no_deviation_gives_itself_everywhere),
        cmocka_unit_test(a_million_bits_are_what_they_were),
        cmocka_unit_test(ranges_and_tensors_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
