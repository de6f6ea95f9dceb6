/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolutions by other names, ConvDepthwise2d, ConvTbc and its gradients, give the bits that Convolution and
 * ConvolutionBackward give of the same elements; and what they refuse.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/convolving.h"
#include "support/effort.h"
#include "support/open_device.h"

static enum layout_kind any_kind(void)
{
    return (enum layout_kind)random_below(LAYOUT_REPEATED);
}

static struct layout draw_layout(unsigned rank, const int64_t *shape)
{
    struct layout layout = layout_create(short_dtypes[random_below(3)], rank, shape, any_kind());
    layout_fill(&layout, 2, false);
    return layout;
}

static union argument numbers(int64_t a, int64_t b)
{
    return argument_of_pointer(aclCreateIntArray(DIMS(a, b), 2));
}

static union argument tensor(const struct layout *layout)
{
    return argument_of_pointer(layout->tensor);
}

static void call_and_release(const char *api, union argument *argument)
{
    const struct function *function = find(api);
    assert_int_equal(call_function(function, argument), 0);
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_INT_ARRAY && argument[i].ints != NULL)
            assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
}

static void expect_same(const struct layout *a, const struct layout *b, const char *api)
{
    for (int64_t i = 0; i < a->count; i++)
        if (memcmp(layout_element(a, i), layout_element(b, i), a->bytes) != 0)
            fail_msg("%s: element %lld is %g; %g is expected", api, (long long)i, element_of(a, i),
                     element_of(b, i));
}

static void depthwise_convolutions_are_those_of_a_group_for_each_channel(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(20); round++) {
        const int64_t channels = 1 + random_below(7), more = 1 + random_below(3);
        const int64_t high = 3 + random_below(9), wide = 3 + random_below(9);
        const int64_t stride = 1 + random_below(2), pad = random_below(3);
        const int64_t out_high = (high + 2 * pad - 3) / stride + 1,
                      out_wide = (wide + 2 * pad - 2) / stride + 1;
        struct layout self = draw_layout(4, DIMS(2, channels, high, wide));
        struct layout weight = draw_layout(4, DIMS(channels * more, 1, 3, 2));
        struct layout bias = draw_layout(1, DIMS(channels * more));
        struct layout out = draw_layout(4, DIMS(2, channels * more, out_high, out_wide));
        struct layout wanted =
            layout_create(out.dtype, 4, DIMS(2, channels * more, out_high, out_wide), any_kind());
        const union argument of_bias = {.tensor = round % 2 == 0 ? bias.tensor : NULL};
        union argument depthwise[] = {tensor(&self),           tensor(&weight),   numbers(3, 2), of_bias,
                                      numbers(stride, stride), numbers(pad, pad), numbers(1, 1), tensor(&out),
                                      argument_of_integer(3)};
        union argument grouped[] = {
            tensor(&self),           tensor(&weight),       of_bias,
            numbers(stride, stride), numbers(pad, pad),     numbers(1, 1),
            argument_of_bool(false), {.ints = NULL},        argument_of_integer(channels),
            tensor(&wanted),         argument_of_integer(0)};
        call_and_release("aclnnConvDepthwise2d", depthwise);
        call_and_release("aclnnConvolution", grouped);
        expect_same(&out, &wanted, "aclnnConvDepthwise2d");
        layout_destroy(&self), layout_destroy(&weight), layout_destroy(&bias);
        layout_destroy(&out), layout_destroy(&wanted);
    }
}

/* The same memory with its dims in another order. */
static struct layout turned(const struct layout *layout, unsigned first, unsigned second, unsigned third)
{
    const unsigned order[] = {first, second, third};
    struct layout view = *layout;
    const int64_t storage = layout->reach + 1;
    for (unsigned i = 0; i < 3; i++) {
        view.shape[i] = layout->shape[order[i]];
        view.stride[i] = layout->stride[order[i]];
    }
    view.tensor = aclCreateTensor(view.shape, 3, view.dtype, view.stride, view.offset, ACL_FORMAT_ND,
                                  &storage, 1, memory_known_as(view.memory));
    return view;
}

static void release_view(const struct layout *view)
{
    assert_int_equal(aclDestroyTensor(view->tensor), 0);
}

static void convolutions_along_time_are_those_of_turned_tensors(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(20); round++) {
        const int64_t time = 3 + random_below(20), batch = 1 + random_below(4), in = 1 + random_below(9),
                      out_channels = 1 + random_below(9), kernel = 1 + random_below(3), pad = random_below(3);
        const int64_t out_time = time + 2 * pad - kernel + 1;
        struct layout self = draw_layout(3, DIMS(time, batch, in));
        struct layout weight = draw_layout(3, DIMS(kernel, in, out_channels));
        struct layout bias = draw_layout(1, DIMS(out_channels));
        struct layout out = draw_layout(3, DIMS(out_time, batch, out_channels));
        struct layout wanted = layout_create(out.dtype, 3, DIMS(batch, out_channels, out_time), any_kind());
        struct layout turned_self = turned(&self, 1, 2, 0), turned_weight = turned(&weight, 2, 1, 0),
                      turned_out = turned(&out, 1, 2, 0);
        union argument along_time[] = {tensor(&self), tensor(&weight),
                                       tensor(&bias), argument_of_integer(pad),
                                       tensor(&out),  argument_of_integer(0)};
        const union argument one = argument_of_pointer(aclCreateIntArray(DIMS(1), 1));
        const union argument pads = argument_of_pointer(aclCreateIntArray(&pad, 1));
        const union argument plain[] = {tensor(&turned_self),
                                        tensor(&turned_weight),
                                        tensor(&bias),
                                        one,
                                        pads,
                                        one,
                                        argument_of_bool(false),
                                        {.ints = NULL},
                                        argument_of_integer(1),
                                        tensor(&wanted),
                                        argument_of_integer(0)};
        call_and_release("aclnnConvTbc", along_time);
        assert_int_equal(call_function(find("aclnnConvolution"), plain), 0);
        expect_same(&turned_out, &wanted, "aclnnConvTbc");

        struct layout grad_input = draw_layout(3, DIMS(time, batch, in));
        struct layout grad_weight = draw_layout(3, DIMS(kernel, in, out_channels));
        struct layout grad_bias = draw_layout(1, DIMS(out_channels));
        struct layout turned_input = turned(&grad_input, 1, 2, 0),
                      turned_gradient = turned(&grad_weight, 2, 1, 0);
        struct layout input = layout_create(grad_input.dtype, 3, DIMS(batch, in, time), any_kind());
        struct layout gradient =
            layout_create(grad_weight.dtype, 3, DIMS(out_channels, in, kernel), any_kind());
        struct layout sums = layout_create(grad_bias.dtype, 1, DIMS(out_channels), any_kind());
        const bool all[] = {true, true, true};
        union argument back_along_time[] = {tensor(&out),
                                            tensor(&self),
                                            tensor(&weight),
                                            tensor(&bias),
                                            argument_of_integer(pad),
                                            argument_of_integer(0),
                                            tensor(&grad_input),
                                            tensor(&grad_weight),
                                            tensor(&grad_bias)};
        const union argument channels = argument_of_pointer(aclCreateIntArray(&out_channels, 1));
        const union argument mask = argument_of_pointer(aclCreateBoolArray(all, 3));
        const union argument back[] = {tensor(&turned_out),
                                       tensor(&turned_self),
                                       tensor(&turned_weight),
                                       channels,
                                       one,
                                       pads,
                                       one,
                                       argument_of_bool(false),
                                       {.ints = NULL},
                                       argument_of_integer(1),
                                       mask,
                                       argument_of_integer(0),
                                       tensor(&input),
                                       tensor(&gradient),
                                       tensor(&sums)};
        call_and_release("aclnnConvTbcBackward", back_along_time);
        assert_int_equal(call_function(find("aclnnConvolutionBackward"), back), 0);
        expect_same(&turned_input, &input, "gradInput");
        expect_same(&turned_gradient, &gradient, "gradWeight");
        expect_same(&grad_bias, &sums, "gradBias");
        assert_int_equal(aclDestroyIntArray(one.ints) | aclDestroyIntArray(pads.ints) |
                             aclDestroyIntArray(channels.ints) | aclDestroyBoolArray(mask.bools),
                         0);
        release_view(&turned_self), release_view(&turned_weight), release_view(&turned_out);
        release_view(&turned_input), release_view(&turned_gradient);
        layout_destroy(&self), layout_destroy(&weight), layout_destroy(&bias), layout_destroy(&out);
        layout_destroy(&wanted), layout_destroy(&grad_input), layout_destroy(&grad_weight);
        layout_destroy(&grad_bias), layout_destroy(&input), layout_destroy(&gradient), layout_destroy(&sums);
    }
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnConvDepthwise2d")); /* 1 x 2 x 5 x 6, weight 4 x 1 x 3 x 3 */
    assert_accepted(&attempt);
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 4, DIMS(4, 2, 3, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim 1 of weight has size 2; 1 is expected");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 4, DIMS(3, 1, 3, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim 0 of weight has size 3; a multiple of groups, 2");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 4, DIMS(4, 1, 3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "kernelSize is expected to have the last two sizes of weight, 3 and 2");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 5, 6), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims; 4 are expected");
    release(&attempt);

    attempt = accepted(find("aclnnConvTbc")); /* 5 x 2 x 3, weight 2 x 3 x 4 */
    assert_accepted(&attempt);
    attempt.argument[3] = argument_of_integer(1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "output has shape [4, 2, 4]; [6, 2, 4]");
    attempt.argument[3] = argument_of_integer(-1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "pad is -1; 0 or more is expected");
    attempt.argument[3] = argument_of_integer(0);
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "bias has 3 elements; 4 are expected");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(3, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "weight has 2 dims; 3 are expected");
    release(&attempt);

    attempt = accepted(find("aclnnConvTbcBackward"));
    assert_accepted(&attempt);
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(5), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "bias has 5 elements; 4 are expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(5, 2, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has shape");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depthwise_convolutions_are_those_of_a_group_for_each_channel),
        cmocka_unit_test(convolutions_along_time_are_those_of_turned_tensors),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
