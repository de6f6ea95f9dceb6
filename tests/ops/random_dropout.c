/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dropout: masks against a generator of one block at a time, known answers, and what masks make of tensors in
 * layouts and dtypes drawn at random.
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

static const double probs[] = {0, 1, 0.5, 0.1, 0.9, 0x1p-33, 0x1.8p-33, 1 - 0x1p-33, 1 - 0x1.8p-33};

struct masked {
    uint64_t seed, offset;
    double number; /* a probability, or the scale */
    struct view self, mask, out;
    bool is_scale, is_product, draws;
    int64_t kept; /* of all: 1 and 0; otherwise -1 */
};

/* w + 1/2 < (1 - prob) 2^32: 64 bits are enough for 1 - prob of these. */
static bool is_kept(const struct masked *call, int64_t i)
{
    const long double word = word_of(call->seed, call->offset, (uint64_t)i);
    return word + 0.5L < (1 - (long double)call->number) * 0x1p32L;
}

static void expect_mask(const void *context, int64_t i, unsigned char *element)
{
    const struct masked *call = (const struct masked *)context;
    *element = 0;
    for (int k = 0; k < 8; k++)
        *element = (unsigned char)(*element | (is_kept(call, 8 * i + k) ? 1 << k : 0));
}

static int64_t mask_bytes(int64_t elements)
{
    return (elements + 127) / 128 * 16;
}

/* Seed and offset in tensors, and a part of the offset behind them: the place of what follows. */
static unsigned place_seed(const struct masked *call, union argument *argument, unsigned at)
{
    struct view seed = view_of(3, ACL_INT64, 1, DIMS(1)), offset = seed;
    const uint64_t part = call->offset - 12;
    offset.offset = 1;
    memcpy(arena[3], &call->seed, 8);
    memcpy(arena[3] + 8, &part, 8);
    argument[at++] = argument_of_pointer(create_placed(&seed));
    argument[at++] = argument_of_pointer(create_placed(&offset));
    argument[at++] = argument_of_integer(12);
    return at;
}

static void run_mask(const char *name, const struct masked *call, uint32_t rank, const int64_t *shape)
{
    const struct function *function = find(name);
    union argument argument[7] = {int_array(shape, rank), argument_of_fp64(call->number),
                                  argument_of_integer((int64_t)call->seed),
                                  argument_of_integer((int64_t)call->offset)};
    unsigned last = 4;
    if (function->parameter[2].kind == PARAMETER_TENSOR)
        last = place_seed(call, argument, 2);
    if (function->parameter[last].kind == PARAMETER_DTYPE)
        argument[last++] = argument_of_integer(ACL_FLOAT16);
    argument[last] = argument_of_pointer(create_placed(&call->mask));
    fill_bytes(0, bytes_of(&call->mask) + 64);
    assert_made(name, argument, &call->mask, expect_mask, call);
}

/* A probability by which the first element is kept, or dropped, or just so. */
static double draw_prob(uint64_t seed, uint64_t offset)
{
    const double word = word_of(seed, offset, 0) + 0.25 * (double)random_below(4);
    return random_below(2) == 0 ? probs[random_below(9)] : 1 - word * 0x1p-32;
}

static const char *const masks[] = {"aclnnDropoutGenMask", "aclnnDropoutGenMaskV2",
                                    "aclnnDropoutGenMaskV2Tensor"};

static void masks_have_the_bits_of_the_generator(void **state)
{
    (void)state;
    static const struct {
        double prob;
        const char *bytes;
    } known[] = {{0.5, "\xa5\x61\x25\x20\x3a\x69\x91\x6e\x57\xcb\x80\xd4\x58\xbf\xfc\x71"},
                 {0.1, "\xbf\x7d\xf5\xfe\xff\xff\xd7\xef\xff\xfb\xfe\xfd\xff\xbf\xfd\x7f"},
                 {0, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
                 {1, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"}};
    for (int i = 0; i < 4; i++) {
        struct masked call = {
            .seed = 1234, .number = known[i].prob, .mask = view_of(0, ACL_UINT8, 1, DIMS(16))};
        run_mask(masks[1], &call, 1, DIMS(100));
        assert_memory_equal(arena[0], known[i].bytes, 16);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int64_t shape[OPERAND_RANK_MAX], count = 1;
        const uint32_t rank = draw_shape(shape, 0, 4);
        struct masked call = {
            .seed = random_bits(), .offset = random_bits(), .number = probs[random_below(9)]};
        for (uint32_t i = 0; i < rank; i++)
            count *= shape[i];
        const int64_t bytes = mask_bytes(count);
        call.number = draw_prob(call.seed, call.offset);
        call.mask = random_below(2) == 0 ? drawn_view(0, ACL_UINT8, 1, &bytes)
                                         : drawn_view(0, ACL_UINT8, 2, DIMS(bytes / 16, 16));
        run_mask(masks[round % 3], &call, rank, shape);
    }
}

/* One rounding to the dtype of self, then the cast to out's. */
static void expect_masked(const void *context, int64_t i, unsigned char *element)
{
    const struct masked *call = (const struct masked *)context;
    const unsigned char *self = element_of(arena[call->self.arena], &call->self, i);
    unsigned char through[8];
    bool bit = call->kept != 0;
    if (call->kept < 0 && call->draws)
        bit = is_kept(call, i);
    else if (call->kept < 0)
        bit = (*element_of(arena[2], &call->mask, i / 8) >> i % 8 & 1) != 0;
    const double scale = (double)(float)(call->is_scale ? call->number : 1 / (1 - call->number));
    double value;
    conversion_reference(self, call->self.dtype, &value, ACL_DOUBLE);
    value = call->is_product ? value * bit * scale : bit ? value * scale : 0;
    if (call->kept == 1)
        memcpy(through, self, dtype_bytes(call->self.dtype));
    else
        conversion_reference(&value, ACL_DOUBLE, through, call->self.dtype);
    conversion_reference(through, call->self.dtype, element, call->out.dtype);
}

static struct masked draw_masked(void)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    int64_t shape[OPERAND_RANK_MAX];
    const uint32_t rank = draw_shape(shape, 0, 4);
    struct masked call = {
        .seed = random_bits(), .offset = random_bits(), .number = probs[random_below(9)], .kept = -1};
    call.number = draw_prob(call.seed, call.offset);
    call.self = drawn_view(random_below(2) == 0 ? 0 : 1, dtypes[random_below(3)], rank, shape);
    call.out = drawn_view(0, dtypes[random_below(3)], rank, shape);
    if (random_below(3) == 0)
        call.out = call.self; /* in place */
    call.out.arena = 0;
    const int64_t bytes = mask_bytes(count_of(&call.self));
    call.mask = drawn_view(2, ACL_UINT8, 1, &bytes);
    fill_bytes(0, bytes_of(&call.self) + bytes_of(&call.out) + 64);
    fill_bytes(1, bytes_of(&call.self));
    fill_bytes(2, bytes_of(&call.mask) + 64);
    return call;
}

static void masks_decide_what_is_kept(void **state)
{
    (void)state;
    static const char *const names[] = {"aclnnDropoutDoMask", "aclnnDropoutBackward", "aclnnDropoutV3Grad"};
    static const double scales[] = {0, 1, 2, 1.1111111, 10};
    for (int round = 0; round < 3 * ROUNDS; round++) {
        const int which = round % 3;
        struct masked call = draw_masked();
        call.is_scale = which > 0;
        call.is_product = which == 2;
        if (which > 0) {
            call.number = scales[random_below(5)];
            call.out.dtype = call.self.dtype;
        }
        if (which == 0 && (call.number == 0 || call.number == 1))
            call.kept = call.number == 0;
        if (which == 1 && call.number <= 1)
            call.kept = call.number == 1;
        const union argument argument[] = {
            argument_of_pointer(create_placed(&call.self)), argument_of_pointer(create_placed(&call.mask)),
            argument_of_fp64(call.number), argument_of_pointer(create_placed(&call.out))};
        assert_made(names[which], argument, &call.out, expect_masked, &call);
    }
}

static void dropout_draws_what_its_mask_says(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        static const char *const names[] = {"aclnnDropout", "aclnnDropoutV3", "aclnnDropoutV3Tensor"};
        const bool is_v3 = round % 3 > 0, trains = is_v3 || random_below(4) > 0;
        struct masked call = draw_masked();
        call.draws = true;
        call.out.dtype = call.self.dtype;
        const double prob = call.number;
        if (!trains || prob == 0)
            call.kept = 1;
        else if (prob == 1)
            call.kept = 0;
        union argument argument[8] = {argument_of_pointer(create_placed(&call.self)),
                                      is_v3 ? argument_of_pointer(NULL) : argument_of_fp64(prob),
                                      is_v3 ? argument_of_fp64(prob) : argument_of_bool(trains),
                                      argument_of_integer((int64_t)call.seed),
                                      argument_of_integer((int64_t)call.offset)};
        const unsigned last = round % 3 == 2 ? place_seed(&call, argument, 3) : 5;
        argument[last] = argument_of_pointer(create_placed(&call.out));
        argument[last + 1] = argument_of_pointer(create_placed(&call.mask));
        static unsigned char before[1 << 16];
        assert_true(bytes_of(&call.mask) + 64 <= sizeof before);
        memcpy(before, arena[2], bytes_of(&call.mask) + 64);
        assert_made(names[round % 3], argument, &call.out, expect_masked, &call);
        for (int64_t i = 0; i < count_of(&call.mask) && call.kept < 0; i++)
            expect_mask(&call, i, element_of(before, &call.mask, i));
        assert_memory_equal(arena[2], before, bytes_of(&call.mask) + 64);
    }
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    static const double outside[] = {-0x1p-1074, 1.0000000000000002, (double)NAN};
    struct attempt attempt = accepted(find(masks[1]));
    for (int i = 0; i < 3; i++) {
        attempt.argument[1] = argument_of_fp64(outside[i]);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "prob is");
    }
    attempt.argument[1] = argument_of_fp64(1);
    attempt.argument[4].int64 = ACL_DOUBLE;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "probDataType is DOUBLE");
    attempt.argument[4].int64 = ACL_BF16;
    replace(&attempt, 5, tensor_with(ACL_UINT8, 2, DIMS(1, 16), NULL));
    assert_accepted(&attempt);
    replace(&attempt, 5, tensor_with(ACL_UINT8, 1, DIMS(17), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [17]");
    release(&attempt);

    attempt = accepted(find("aclnnDropoutDoMask"));
    replace(&attempt, 1, tensor_with(ACL_UINT8, 1, DIMS(99), NULL));
    assert_accepted(&attempt);
    replace(&attempt, 1, tensor_with(ACL_UINT8, 1, DIMS(15), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mask has 15 elements; 16 or more are expected");
    replace(&attempt, 1, tensor_with(ACL_UINT8, 1, DIMS(0), NULL));
    assert_accepted(&attempt);
    replace(&attempt, 1, tensor_with(ACL_UINT8, 1, DIMS(16), NULL));
    attempt.argument[2] = argument_of_fp64(-1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "prob is -1; 0 to 1 are expected");
    release(&attempt);

    attempt = accepted(find("aclnnDropoutBackward"));
    attempt.argument[2] = argument_of_fp64(0.5);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "scale is 0.5; 0, 1 or more is expected");
    attempt.argument[2] = argument_of_fp64((double)NAN);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "scale is nan");
    attempt.argument[2] = argument_of_fp64(2);
    replace(&attempt, 1, tensor_with(ACL_UINT8, 1, DIMS(32), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mask has 32 elements; 16 are expected");
    release(&attempt);

    attempt = accepted(find("aclnnDropoutV3"));
    attempt.argument[1] = argument_of_pointer(plain(ACL_FLOAT));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "optionalNoiseShape is a tensor; NULL is expected");
    release(&attempt);

    attempt = accepted(find("aclnnDropoutV3Tensor"));
    replace(&attempt, 3, tensor_with(ACL_INT64, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "seedTensor has 2 elements; one is expected");
    replace(&attempt, 3, tensor_with(ACL_INT32, 1, DIMS(1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "seedTensor");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_have_the_bits_of_the_generator),
        cmocka_unit_test(masks_decide_what_is_kept),
        cmocka_unit_test(dropout_draws_what_its_mask_says),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
