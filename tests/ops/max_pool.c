/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * MaxPool in any layout and dtype against loops over all places of every window, pads included; calls that
 * are refused; and which NaN gradients of windows add up to.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_stream.h"

enum { AXES = 2 };

struct drawn {
    bool rounds_up;
    int64_t planes, in[AXES], kernel[AXES], stride[AXES], before[AXES], behind[AXES], out[AXES];
};

static struct drawn draw(void)
{
    struct drawn drawn = {.rounds_up = random_below(2) == 0, .planes = 1 + random_below(4)};
    for (int i = 0; i < AXES; i++) {
        drawn.in[i] = 3 + random_below(12);
        drawn.kernel[i] = 1 + random_below(3);
        drawn.stride[i] = 1 + random_below(4);
        drawn.before[i] = random_below(drawn.kernel[i] + 1);
        drawn.behind[i] = random_below(drawn.kernel[i] - drawn.before[i] + 1);
        const int64_t all = drawn.in[i] + drawn.before[i] + drawn.behind[i];
        for (int64_t begin = 0;; begin += drawn.stride[i], drawn.out[i]++) {
            const bool is_whole = begin + drawn.kernel[i] <= all;
            const bool is_next = begin - drawn.stride[i] + drawn.kernel[i] < all;
            if (!is_whole && !(drawn.rounds_up && is_next && begin < drawn.in[i] + drawn.before[i]))
                break;
        }
    }
    return drawn;
}

static bool is_integer(aclDataType dtype)
{
    return !is_float_dtype(dtype);
}

static int64_t integer_of(const struct layout *layout, int64_t index)
{
    int64_t value = 0;
    memcpy(&value, layout_element(layout, index), layout->bytes);
    const unsigned unused = 64 - 8 * (unsigned)layout->bytes;
    return layout->dtype == ACL_UINT8 ? value : (int64_t)((uint64_t)value << unused) >> unused;
}

/* -1 where the window has nothing of the plane. */
static int64_t greatest_of(const struct drawn *drawn, const struct layout *self, int64_t number)
{
    const int64_t c = number % drawn->out[1], b = number / drawn->out[1] % drawn->out[0];
    const int64_t plane = number / drawn->out[1] / drawn->out[0];
    int64_t found = -1;
    for (int64_t i = 0; i < drawn->kernel[0]; i++)
        for (int64_t j = 0; j < drawn->kernel[1]; j++) {
            const int64_t y = b * drawn->stride[0] - drawn->before[0] + i,
                          x = c * drawn->stride[1] - drawn->before[1] + j;
            if (y < 0 || x < 0 || y >= drawn->in[0] || x >= drawn->in[1])
                continue;
            const int64_t at = (plane * drawn->in[0] + y) * drawn->in[1] + x;
            if (found < 0 || (is_integer(self->dtype) ? integer_of(self, at) > integer_of(self, found)
                                                      : element_of(self, at) > element_of(self, found) ||
                                                            isnan(element_of(self, at))))
                found = at;
        }
    return found;
}

static void assert_least(const struct layout *out, int64_t i)
{
    if (!is_integer(out->dtype))
        assert_true(element_of(out, i) == -(double)INFINITY);
    else
        assert_int_equal(integer_of(out, i),
                         out->dtype == ACL_UINT8 ? 0 : -(INT64_C(1) << (8 * out->bytes - 2)) * 2);
}

static void the_greatest_of_windows(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_INT8,
                                         ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8};
    (void)state;
    for (int round = 0; round < times_effort(500); round++) {
        const struct drawn drawn = draw();
        const int64_t in[] = {1, drawn.planes, drawn.in[0], drawn.in[1]},
                      to[] = {1, drawn.planes, drawn.out[0], drawn.out[1]};
        const int64_t pads[] = {drawn.before[0], drawn.before[1], drawn.behind[0], drawn.behind[1]};
        const int first = (int)random_below(2);
        const aclDataType dtype = dtypes[random_below(8)];
        struct layout self = layout_create(dtype, (unsigned)(4 - first), in + first,
                                           (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout out = layout_create(dtype, (unsigned)(4 - first), to + first,
                                          (enum layout_kind)random_below(LAYOUT_REPEATED));
        layout_fill(&self, 2, random_below(4) == 0 ? FEW_SPECIALS : NO_SPECIALS);
        const bool is_one = drawn.stride[0] == 1 && drawn.stride[1] == 1;
        const union argument argument[] = {
            {.tensor = self.tensor},
            {.ints = aclCreateIntArray(drawn.kernel, drawn.kernel[0] == drawn.kernel[1] ? 1 : 2)},
            {.ints = aclCreateIntArray(drawn.stride, is_one ? 0 : 2)},
            {.int64 = 0},
            {.ints = aclCreateIntArray(pads, pads[0] == pads[2] && pads[1] == pads[3] ? 2 : 4)},
            {.ints = aclCreateIntArray(DIMS(1, 1), (uint64_t)random_below(3))},
            {.int64 = drawn.rounds_up},
            {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnMaxPool"), argument), 0);
        for (int64_t i = 0; i < out.count; i++) {
            const int64_t found = greatest_of(&drawn, &self, i);
            if (found < 0)
                assert_least(&out, i);
            else
                assert_memory_equal(layout_element(&out, i), layout_element(&self, found), out.bytes);
        }
        for (int i = 1; i < 6; i++)
            if (i != 3)
                assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void refuse_numbers(unsigned parameter, uint64_t count, int64_t number, const char *sentence)
{
    const int64_t numbers[] = {number, number, number, number, number};
    struct attempt attempt = accepted(find("aclnnMaxPool"));
    assert_int_equal(aclDestroyIntArray(attempt.argument[parameter].ints), 0);
    attempt.argument[parameter].ints = aclCreateIntArray(numbers, count);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
    release(&attempt);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    refuse_numbers(1, 0, 1, "kernelShape has 0 numbers; 1 or 2 are expected");
    refuse_numbers(1, 1, 0, "kernelShape has 0; 1 or more is expected");
    refuse_numbers(1, 1, INT64_MAX, "a kernel of 9223372036854775807 with pads 0 and 0 finds no window");
    refuse_numbers(2, 3, 1, "strides has 3 numbers; 0, 1 or 2 are expected");
    refuse_numbers(4, 3, 1, "pads has 3 numbers; 0, 1, 2 or 4 are expected");
    refuse_numbers(4, 4, -1, "pads has -1 and -1 for a kernel of 2");
    refuse_numbers(4, 2, 2, "pads has 2 and 2 for a kernel of 2");
    refuse_numbers(5, 1, 2, "dilations has 1 numbers, one of them 2");
    refuse_numbers(5, 3, 1, "dilations has 3 numbers, one of them 1");
    struct attempt attempt = accepted(find("aclnnMaxPool"));
    attempt.argument[3] = argument_of_integer(1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "autoPad is 1; 0 is expected");
    attempt.argument[3] = argument_of_integer(0);
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(4, 5), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 2 dims; 3 or 4 are expected");
    release(&attempt);
}

/* Infinities of both signs make a NaN, one with other bits comes alone: the result has the canonical one. */
static void gradients_have_the_canonical_nan(void **state)
{
    (void)state;
    static const int64_t kernel[] = {1, 2}, ones[] = {1, 1}, none[] = {0, 0}, place[] = {1, 1, 2, 4};
    static const uint32_t gradients[] = {0x7f800000, 0xff800000, 0xffc00001, 0x40000000};
    static const uint32_t wanted[] = {0, 0x7fc00000, 0x7fc00000, 0, 0x40000000};
    struct layout grad = layout_create(ACL_FLOAT, 3, DIMS(1, 1, 4), LAYOUT_CONTIGUOUS);
    struct layout self = layout_create(ACL_FLOAT, 3, DIMS(1, 1, 5), LAYOUT_CONTIGUOUS);
    struct layout indices = layout_create(ACL_INT64, 3, DIMS(1, 1, 4), LAYOUT_CONTIGUOUS);
    struct layout mask = layout_create(ACL_UINT8, 3, DIMS(1, 2, 64), LAYOUT_CONTIGUOUS);
    struct layout input = layout_create(ACL_FLOAT, 3, DIMS(1, 1, 5), LAYOUT_CONTIGUOUS);
    memcpy(grad.memory, gradients, sizeof gradients);
    memcpy(indices.memory, place, sizeof place);
    memset(mask.memory, 0, 128);
    mask.memory[0] = 1 << 1 | 1 << 2; /* windows whose first element is greatest; the others' second one is */
    mask.memory[64] = 1 << 0 | 1 << 3;
    const union argument by_index[] = {{.tensor = grad.tensor},
                                       {.tensor = self.tensor},
                                       {.tensor = indices.tensor},
                                       {.tensor = input.tensor}};
    assert_int_equal(call_function(find("aclnnAdaptiveMaxPool2dBackward"), by_index), 0);
    assert_memory_equal(input.memory, wanted, sizeof wanted);
    const union argument by_mask[] = {{.tensor = grad.tensor},
                                      {.tensor = self.tensor},
                                      {.tensor = mask.tensor},
                                      {.ints = aclCreateIntArray(kernel, 2)},
                                      {.ints = aclCreateIntArray(ones, 2)},
                                      {.ints = aclCreateIntArray(none, 2)},
                                      {.ints = aclCreateIntArray(ones, 2)},
                                      argument_of_bool(false),
                                      {.tensor = input.tensor}};
    memset(input.memory, 0, sizeof wanted);
    assert_int_equal(call_function(find("aclnnMaxPool2dWithMaskBackward"), by_mask), 0);
    assert_memory_equal(input.memory, wanted, sizeof wanted);
    for (int i = 3; i < 7; i++)
        assert_int_equal(aclDestroyIntArray(by_mask[i].ints), 0);
    layout_destroy(&grad), layout_destroy(&self), layout_destroy(&indices), layout_destroy(&mask);
    layout_destroy(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_greatest_of_windows),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(gradients_have_the_canonical_nan),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
