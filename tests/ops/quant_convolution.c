/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolutions of INT8, FLOAT8 and HIFLOAT8 with scales, under Ascend950, against loops in long double over
 * every element of the input that a place of the kernel meets; and what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ops/small_floats.h"
#include "support/effort.h"

enum { AXES = 3 };

struct sizes {
    int64_t images, groups, channels, outs, in[AXES], kernel[AXES], made[AXES]; /* of a group */
    int64_t stride[AXES], padding[AXES], dilation[AXES];
    unsigned axes;
    bool is_float, has_scales, has_bits;
};

static struct sizes draw_sizes(int round)
{
    struct sizes s = {.images = 1 + random_below(2),
                      .groups = 1 + random_below(2),
                      .channels = 1 + random_below(3),
                      .outs = 1 + random_below(3),
                      .axes = 1 + (unsigned)round % AXES,
                      .is_float = round % 2 == 0,
                      .has_scales = random_below(3) > 0};
    s.has_bits = random_below(3) == 0;
    for (unsigned i = 0; i < AXES; i++) {
        const bool is_there = i >= AXES - s.axes;
        s.stride[i] = is_there ? 1 + random_below(2) : 1, s.padding[i] = is_there ? random_below(2) : 0;
        s.dilation[i] = is_there ? 1 + random_below(2) : 1, s.kernel[i] = is_there ? 1 + random_below(3) : 1;
        s.in[i] = is_there ? 1 + (s.kernel[i] - 1) * s.dilation[i] + random_below(4) : 1;
        s.made[i] = (s.in[i] + 2 * s.padding[i] - (s.kernel[i] - 1) * s.dilation[i] - 1) / s.stride[i] + 1;
    }
    return s;
}

/* n, c and the axes that there are. */
static unsigned shape_of_sizes(const struct sizes *s, int64_t n, int64_t c, const int64_t *size,
                               int64_t *shape)
{
    shape[0] = n, shape[1] = c;
    for (unsigned i = 0; i < s->axes; i++)
        shape[2 + i] = size[AXES - s->axes + i];
    return 2 + s->axes;
}

static int64_t product_of(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

/* The sum for an element; size: of what it adds. */
static long double convolved(const struct sizes *s, const struct small *x, const struct small *w,
                             int64_t element, long double *size)
{
    const int64_t made = product_of(s->made), o = element / made % (s->groups * s->outs),
                  image = element / made / (s->groups * s->outs), taps = product_of(s->kernel);
    const int64_t at[AXES] = {element % made / (s->made[1] * s->made[2]), element / s->made[2] % s->made[1],
                              element % s->made[2]};
    long double sum = 0;
    *size = 0;
    for (int64_t c = 0; c < s->channels; c++)
        for (int64_t i = 0; i < product_of(s->in); i++) {
            const int64_t place[AXES] = {i / (s->in[1] * s->in[2]), i / s->in[2] % s->in[1], i % s->in[2]};
            int64_t tap = 0;
            bool meets = true;
            for (int axis = 0; axis < AXES; axis++) {
                const int64_t apart = place[axis] + s->padding[axis] - at[axis] * s->stride[axis];
                meets = meets && apart >= 0 && apart % s->dilation[axis] == 0 &&
                        apart / s->dilation[axis] < s->kernel[axis];
                tap = tap * s->kernel[axis] + apart / s->dilation[axis];
            }
            if (!meets)
                continue;
            const int64_t from =
                ((image * s->groups + o / s->outs) * s->channels + c) * product_of(s->in) + i;
            const long double term = (long double)small_value(x, from) *
                                     (long double)small_value(w, (o * s->channels + c) * taps + tap);
            sum += term, *size += fabsl(term);
        }
    return sum;
}

/* Whole numbers as small_value reads them. */
static struct small give_small_numbers(struct named_call *call, const char *name, aclDataType dtype,
                                       unsigned rank, const int64_t *shape)
{
    struct small small = {.dtype = dtype};
    if (dtype != ACL_INT8)
        return give_small(call, name, dtype, rank, shape);
    small.layout = *give_tensor(call, name, dtype, rank, shape);
    for (int64_t i = 0; i < small.layout.count; i++)
        set_whole(&small.layout, i, random_below(256) - 128);
    return small;
}

static void sums_have_scales(void **state)
{
    static const aclDataType floats[] = {ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_HIFLOAT8},
                             outs[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    (void)state;
    for (int round = 0; round < times_effort(36); round++) {
        struct named_call call = call_begin_named("aclnnQuantConvolution");
        const struct sizes s = draw_sizes(round);
        const aclDataType dtype = s.is_float ? floats[random_below(3)] : ACL_INT8,
                          bias_dtype = s.is_float || random_below(2) == 0 ? outs[random_below(3)] : ACL_INT32;
        const int64_t channels = s.groups * s.outs;
        int64_t shape[2 + AXES];
        const unsigned rank = shape_of_sizes(&s, s.images, s.groups * s.channels, s.in, shape);
        const struct small x = give_small_numbers(&call, "input", dtype, rank, shape);
        (void)shape_of_sizes(&s, channels, s.channels, s.kernel, shape);
        const struct small w = give_small_numbers(&call, "weight", dtype, rank, shape);
        const struct layout *bias = random_below(2) == 0 ? GIVE(&call, "biasOptional", bias_dtype, channels)
                                                         : NULL,
                            *scale = GIVE(&call, "scale", s.has_bits ? ACL_INT64 : ACL_FLOAT,
                                          s.has_scales ? channels : 1);
        for (int64_t i = 0; i < scale->count; i++) {
            const float value = (float)(1 + random_below(8)) / 16;
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            s.has_bits ? set_whole(scale, i, (int64_t)bits | INT64_C(1) << 46)
                       : set_element(scale, i, (double)value);
        }
        for (int64_t i = 0; bias != NULL && bias_dtype == ACL_INT32 && i < channels; i++)
            set_whole(bias, i, random_below(20001) - 10000);
        give_array(&call, "stride", s.stride + AXES - s.axes, s.axes);
        give_array(&call, "padding", s.padding + AXES - s.axes, s.axes);
        give_array(&call, "dilation", s.dilation + AXES - s.axes, s.axes);
        give_number(&call, "groups", (double)s.groups);
        (void)shape_of_sizes(&s, s.images, channels, s.made, shape);
        const struct layout *out = give_tensor(&call, "output", outs[round % 3], rank, shape);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            const int64_t o = i / product_of(s.made) % channels;
            long double size, value = convolved(&s, &x, &w, i, &size);
            const int64_t at = s.has_scales ? o : 0;
            const uint32_t bits = s.has_bits ? (uint32_t)whole_of(scale, at) : 0;
            float packed;
            memcpy(&packed, &bits, sizeof packed);
            const long double factor = s.has_bits ? (long double)packed : (long double)element_of(scale, at);
            if (bias != NULL && bias_dtype == ACL_INT32)
                value = (value + (long double)whole_of(bias, o)) * factor;
            else
                value = value * factor + (bias != NULL ? (long double)element_of(bias, o) : 0);
            assert_near("output", out, i, value, out->dtype, (size + 1) * 0x1p-48L);
        }
        end_named(&call);
    }
}

static struct named_call begin_refused(aclDataType input, aclDataType weight, aclDataType bias,
                                       int64_t scales)
{
    struct named_call call = call_begin_named("aclnnQuantConvolution");
    GIVE(&call, "input", input, 1, 2, 4, 4);
    GIVE(&call, "weight", weight, 3, 2, 2, 2);
    GIVE(&call, "biasOptional", bias, 3);
    GIVE(&call, "scale", ACL_FLOAT, scales);
    GIVE(&call, "output", ACL_FLOAT16, 1, 3, 3, 3);
    give_array(&call, "stride", (const int64_t[]){1}, 1);
    give_array(&call, "padding", (const int64_t[]){0}, 1);
    give_array(&call, "dilation", (const int64_t[]){1}, 1);
    return call;
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct named_call call = begin_refused(ACL_INT8, ACL_INT8, ACL_INT32, 3);
    REFUSED(call, "transposed", 1, "transposed is true; false is expected");
    give_number(&call, "transposed", 0);
    REFUSED(call, "offsetx", 1, "NULL and 0 are expected");
    give_number(&call, "offsetx", 0);
    give_text(&call, "roundMode", "floor");
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "roundMode is \"floor\"; \"rint\" is expected");
    give_text(&call, "roundMode", "rint");
    REFUSED(call, "groups", 2, "weight");
    end_named(&call);
    call = begin_refused(ACL_INT8, ACL_INT8, ACL_INT32, 2);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "scale has shape [2]; [3] is expected");
    end_named(&call);
    call = begin_refused(ACL_INT8, ACL_HIFLOAT8, ACL_INT32, 3);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID,
                         "weight is HIFLOAT8; INT8, as input is, is expected");
    end_named(&call);
    call = begin_refused(ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_INT32, 3);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "biasOptional is INT32; floats are expected");
    end_named(&call);
}

/* One element that stands for 2^61, which have 2^64 bytes as doubles. */
static void planes_beyond_all_memory_are_refused(void **state)
{
    static const int64_t size = INT64_C(1) << 61, shape[] = {1, 1, INT64_C(1) << 61}, stride[] = {0, 0, 0};
    (void)state;
    struct named_call call = call_begin_named("aclnnQuantConvolution");
    uint64_t bytes;
    aclOpExecutor *executor;
    const struct layout *weight = GIVE(&call, "weight", ACL_INT8, 1, 1, 1);
    GIVE(&call, "scale", ACL_FLOAT, 1), GIVE(&call, "output", ACL_FLOAT, 1, 1, 1);
    aclTensor *input = aclCreateTensor(shape, 3, ACL_INT8, stride, 0, ACL_FORMAT_ND, shape, 1,
                                       memory_known_as(weight->memory));
    call.argument[place_named(&call, "input")].tensor = input;
    give_array(&call, "stride", &size, 1);
    give_array(&call, "padding", (const int64_t[]){0}, 1);
    give_array(&call, "dilation", (const int64_t[]){1}, 1);
    assert_int_equal(function_plan_anew(call.function, call.argument, &bytes, &executor), 0);
    assert_failure(call.function->launch(NULL, 0, executor, NULL), ACLNN_ERR_RUNTIME_ERROR,
                   "there is no memory for");
    assert_int_equal(aclDestroyTensor(input), 0);
    end_named(&call);
}

/* Channels of no elements have kernels of any size. */
static void kernels_without_channels_leave_the_bias(void **state)
{
    static const int64_t shape[] = {1, 0, INT64_C(1) << 40, INT64_C(1) << 40},
                         kernel[] = {1, 0, INT64_C(1) << 40, INT64_C(1) << 40};
    (void)state;
    struct named_call call = call_begin_named("aclnnQuantConvolution");
    GIVE(&call, "scale", ACL_FLOAT, 1);
    const struct layout *bias = GIVE(&call, "biasOptional", ACL_FLOAT, 1),
                        *out = GIVE(&call, "output", ACL_FLOAT, 1, 1, 1, 1);
    aclTensor *input = aclCreateTensor(shape, 4, ACL_INT8, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL),
              *weight = aclCreateTensor(kernel, 4, ACL_INT8, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    call.argument[place_named(&call, "input")].tensor = input;
    call.argument[place_named(&call, "weight")].tensor = weight;
    give_array(&call, "stride", (const int64_t[]){1}, 1);
    give_array(&call, "padding", (const int64_t[]){0}, 1);
    give_array(&call, "dilation", (const int64_t[]){1}, 1);
    if (run_named(&call) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_true(element_of(out, 0) == element_of(bias, 0));
    assert_int_equal(aclDestroyTensor(input) | aclDestroyTensor(weight), 0);
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_scales),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(planes_beyond_all_memory_are_refused),
        cmocka_unit_test(kernels_without_channels_leave_the_bias),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
