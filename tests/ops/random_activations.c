/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Exponential numbers and RReLU, in layouts and dtypes drawn at random, against a generator of one block at a
 * time; known answers, which are frozen, and what is refused.
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
#include "ops/made.h"
#include "ops/random_reference.h"

enum { ROUNDS = 200 };

static long double exponential_of(uint64_t seed, uint64_t offset, int64_t i)
{
    return -logl(((long double)(word_of(seed, offset, (uint64_t)i) >> 8) + 0.5L) * 0x1p-24L);
}

/* Seed and offset in tensors, in arena 3, for the second form. */
static void set_tensors(union argument *argument, uint64_t seed, uint64_t offset, uint64_t more)
{
    const uint64_t part = offset - more;
    struct view first = view_of(3, ACL_INT64, 1, DIMS(1)), second = view_of(3, ACL_INT64, 1, DIMS(1));
    second.offset = 1;
    memcpy(arena[3], &seed, sizeof seed);
    memcpy(arena[3] + 8, &part, sizeof part);
    argument[2] = argument_of_pointer(create_placed(&first));
    argument[3] = argument_of_pointer(create_placed(&second));
    argument[4] = argument_of_integer((int64_t)more);
}

static void exponential_numbers_have_their_rate(void **state)
{
    (void)state;
    static const double rates[] = {1, 2, 0.5, 3.25, 1e-3, 1e30};
    for (int round = 0; round < ROUNDS; round++) {
        const bool has_tensors = round % 2 != 0;
        const char *name = has_tensors ? "aclnnStatelessExponentialTensor" : "aclnnSimThreadExponential";
        const uint64_t seed = random_bits(), offset = random_bits();
        const double rate = rates[random_below(6)];
        int64_t shape[OPERAND_RANK_MAX];
        const uint32_t rank = draw_shape(shape, 0, 4);
        struct view out = drawn_view(0, draw_dtype_of(name, 0), rank, shape);
        union argument argument[5] = {
            argument_of_pointer(create_placed(&out)), argument_of_integer(count_of(&out)),
            argument_of_fp64(rate), argument_of_integer((int64_t)seed), argument_of_integer((int64_t)offset)};
        if (has_tensors) {
            argument[1] = argument_of_fp64(rate);
            set_tensors(argument, seed, offset, random_bits());
        }
        call_placed(find(name), argument);
        for (int64_t i = 0; i < count_of(&out); i++) {
            const long double exact = exponential_of(seed, offset, i) / (long double)rate;
            bool is_right = false;
            for (int side = -1; side <= 1; side++) {
                const double value = (double)(exact * (1 + side * 0x1p-48L));
                unsigned char wanted[4];
                conversion_reference(&value, ACL_DOUBLE, wanted, out.dtype);
                is_right =
                    is_right || memcmp(wanted, element_of(arena[0], &out, i), dtype_bytes(out.dtype)) == 0;
            }
            if (!is_right)
                fail_msg("%s of %s: element %lld", name, dtype_name(out.dtype), (long long)i);
        }
    }
}

struct rrelu {
    uint64_t seed, offset;
    struct view self, written;
    double lower, upper;
    bool training, is_noise;
};

static void expect_rrelu(const void *context, int64_t i, unsigned char *element)
{
    const struct rrelu *call = context;
    const uint32_t word = word_of(call->seed, call->offset, (uint64_t)i);
    double x, factor = 1;
    conversion_reference(element_of(arena[1], &call->self, i), call->self.dtype, &x, ACL_DOUBLE);
    if (x <= 0 && call->training) {
        unsigned char rounded[4];
        factor = call->lower + (double)(word >> 8) * 0x1p-24 * (call->upper - call->lower);
        conversion_reference(&factor, ACL_DOUBLE, rounded, call->self.dtype);
        conversion_reference(rounded, call->self.dtype, &factor, ACL_DOUBLE);
    } else if (x <= 0)
        factor = (call->lower + call->upper) / 2;
    x = call->is_noise ? factor : x * factor;
    conversion_reference(&x, ACL_DOUBLE, element, call->written.dtype);
}

/* Both outputs, also in place; noise that nothing is written to stays as it is. */
static void what_is_below_0_is_multiplied(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const bool is_in_place = round % 2 != 0;
        const char *name = is_in_place ? "aclnnInplaceRReluWithNoise" : "aclnnRReluWithNoise";
        int64_t shape[OPERAND_RANK_MAX];
        const uint32_t rank = draw_shape(shape, 0, 4);
        struct rrelu call = {.seed = random_bits(),
                             .offset = random_bits(),
                             .lower = 0.125 * (double)random_below(5) - 0.25, /* below 0: signs change */
                             .upper = 0x1.3334p-2 + (double)random_below(3),  /* exact in FLOAT */
                             .training = random_below(3) != 0};
        call.self = drawn_view(1, draw_dtype_of(name, 0), rank, shape);
        struct view noise = drawn_view(2, call.self.dtype, rank, shape);
        struct view out = drawn_view(0, call.self.dtype, rank, shape);
        static unsigned char wanted[2][PLACED_BYTES];
        for (int64_t i = 0; i < count_of(&call.self); i++) {
            const double value = random_below(40) == 0 ? (double)NAN : (double)random_below(100) / 8 - 6;
            conversion_reference(&value, ACL_DOUBLE, element_of(arena[1], &call.self, i), call.self.dtype);
        }
        if (is_in_place)
            out = call.self;
        fill_bytes(2, bytes_of(&noise) + 64);
        memcpy(wanted[0], arena[out.arena], bytes_of(&out));
        memcpy(wanted[1], arena[2], bytes_of(&noise));
        for (int is_noise = 0; is_noise < (call.training ? 2 : 1); is_noise++) {
            call.written = is_noise ? noise : out;
            call.is_noise = is_noise;
            for (int64_t i = 0; i < count_of(&out); i++)
                expect_rrelu(&call, i, element_of(wanted[is_noise], &call.written, i));
        }
        const union argument argument[] = {argument_of_pointer(create_placed(&call.self)),
                                           argument_of_pointer(create_placed(&noise)),
                                           real_scalar(call.lower),
                                           real_scalar(call.upper),
                                           argument_of_bool(call.training),
                                           argument_of_integer((int64_t)call.seed),
                                           argument_of_integer((int64_t)call.offset),
                                           argument_of_pointer(is_in_place ? NULL : create_placed(&out))};
        call_placed(find(name), argument);
        assert_memory_equal(wanted[0], arena[out.arena], bytes_of(&out));
        assert_memory_equal(wanted[1], arena[2], bytes_of(&noise));
        destroy_arguments(find(name), argument);
    }
}

/* Results are frozen: programs may have stored what they computed from them. */
static void known_answers(void **state)
{
    (void)state;
    struct view out = view_of(0, ACL_FLOAT, 1, DIMS(4));
    const union argument argument[] = {argument_of_pointer(create_placed(&out)), argument_of_integer(4),
                                       argument_of_fp64(2), argument_of_integer(1234),
                                       argument_of_integer(0)};
    static const float known[] = {1.03096601F, 0.0792230733F, 0.662789937F, 0.11404332F};
    call_placed(find("aclnnSimThreadExponential"), argument);
    for (int i = 0; i < 4; i++) {
        float found;
        memcpy(&found, element_of(arena[0], &out, i), sizeof found);
        if (fabsf(found - known[i]) > 2e-6F * found)
            fail_msg("element %d is %.9g", i, (double)found);
    }
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    static const double rates[] = {0, -1, (double)NAN};
    struct attempt attempt = accepted(find("aclnnSimThreadExponential"));
    attempt.argument[1].int64 = 5;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "count is 5; 6, the elements of selfRef, is expected");
    attempt.argument[1].int64 = 6;
    for (int i = 0; i < 3; i++) {
        attempt.argument[2].fp64 = rates[i];
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "lambd is");
    }
    release(&attempt);
    attempt = accepted(find("aclnnStatelessExponentialTensor"));
    replace(&attempt, 2, tensor_with(ACL_INT64, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "seedTensor has 2 elements; one is expected");
    release(&attempt);
    attempt = accepted(find("aclnnRReluWithNoise"));
    assert_int_equal(aclDestroyScalar(attempt.argument[2].scalar), 0);
    attempt.argument[2] = real_scalar(2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "lower is 2 and upper is 1; lower is expected not");
    replace(&attempt, 1, plain(ACL_FLOAT16));
    release(&attempt);
    attempt = accepted(find("aclnnRReluWithNoise"));
    replace(&attempt, 1, plain(ACL_FLOAT16));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "noise has dtype FLOAT16");
    attempt.argument[4] = argument_of_bool(false); /* it is left alone then */
    assert_accepted(&attempt);
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_numbers_have_their_rate),
        cmocka_unit_test(what_is_below_0_is_multiplied),
        cmocka_unit_test(known_answers),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
