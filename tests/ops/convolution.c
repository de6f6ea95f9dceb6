/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolutions along one to three axes, plain and transposed, in any layout and dtype, against loops in the
 * order that is promised, bit by bit; and what they refuse.
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

enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS, OUTPUT, CUBE };

static aclDataType draw_dtype(bool is_float)
{
    return is_float ? ACL_FLOAT : short_dtypes[random_below(3)];
}

static enum layout_kind draw_kind(bool is_plain, bool may_repeat)
{
    return is_plain ? LAYOUT_CONTIGUOUS
                    : (enum layout_kind)random_below(may_repeat ? LAYOUT_KINDS : LAYOUT_REPEATED);
}

static void check_convolution(const struct convolving *drawn, bool is_float, bool is_plain, bool has_special)
{
    struct layout input = side_layout(drawn, draw_dtype(is_float), input_channels(drawn), input_size(drawn),
                                      draw_kind(is_plain, true));
    struct layout weight = weight_layout(drawn, draw_dtype(is_float), draw_kind(is_plain, true));
    struct layout output = side_layout(drawn, draw_dtype(is_float), output_channels(drawn),
                                       output_size(drawn), draw_kind(is_plain, false));
    const int64_t halves = output_channels(drawn) % 2 == 0 ? 2 : 1;
    struct layout bias = layout_create(draw_dtype(is_float), 2 + (unsigned)random_below(2),
                                       DIMS(output_channels(drawn) / halves, halves, 1), LAYOUT_GAPS);
    layout_fill(&input, 2, has_special);
    layout_fill(&weight, 2, false);
    layout_fill(&bias, 2, false);
    const bool has_bias = random_below(2) == 0;
    union argument argument[] = {
        [INPUT] = {.tensor = input.tensor},
        [WEIGHT] = {.tensor = weight.tensor},
        [BIAS] = {.tensor = has_bias ? bias.tensor : NULL},
        [STRIDE] = along_axes(drawn, drawn->stride),
        [PADDING] = paddings(drawn),
        [DILATION] = along_axes(drawn, drawn->dilation),
        [TRANSPOSED] = argument_of_bool(drawn->is_transposed),
        [OUTPUT_PADDING] = along_axes(drawn, drawn->more),
        [GROUPS] = argument_of_integer(drawn->groups),
        [OUTPUT] = {.tensor = output.tensor},
        [CUBE] = argument_of_integer(random_below(5)),
    };
    assert_int_equal(call_function(find("aclnnConvolution"), argument), 0);
    double *in = numbers_of(&input), *factor = numbers_of(&weight);
    const struct numbers from = {input_channels(drawn), input_size(drawn), in};
    chains_take_pairs = are_pairs(&input, &weight);
    const int64_t plane = product_of(output_size(drawn));
    for (int64_t i = 0; i < output.count; i++) {
        const double sum = element_from(drawn, false, &from, factor, i);
        const int64_t channel = i / plane % output_channels(drawn);
        expect_element(&output, i, has_bias ? with_bias(sum, element_of(&bias, channel)) : sum, "output");
    }
    free(in), free(factor);
    for (int i = STRIDE; i <= DILATION; i++)
        assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
    assert_int_equal(aclDestroyIntArray(argument[OUTPUT_PADDING].ints), 0);
    layout_destroy(&input), layout_destroy(&weight), layout_destroy(&bias), layout_destroy(&output);
}

static void convolutions_of_any_layout_and_dtype_are_as_loops_compute_them(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(150); i++) {
        const struct convolving drawn = draw_convolving(12, 6);
        check_convolution(&drawn, i % 4 == 0, i % 4 == 0, i % 5 == 0);
    }
}

/* Sums of several blocks, more channels and positions than are computed together, tiles and threads. */
static void large_convolutions_are_as_loops_compute_them(void **state)
{
    static const struct convolving rows[] = {
        {2, false, false, 3, 1, 30, 40, {1, 0, 0}, {1, 17, 19}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 2, 1, 20, 5, {1, 0, 0}, {1, 70, 60}, {1, 3, 5}, {1, 2, 2}, {1, 1, 1}, PADS(1, 2)},
        {2, true, false, 3, 1, 40, 17, {1, 9, 11}, {1, 0, 0}, {1, 4, 4}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 4, 24, 2, 1, {1, 0, 0}, {1, 15, 40}, {1, 3, 3}, {1, 1, 1}, {1, 2, 2}, PADS(2, 2)},
        {1, false, false, 2, 1, 33, 20, {1, 1, 0}, {1, 1, 700}, {1, 1, 5}, {1, 1, 1}, {1, 1, 1}, PADS(0, 2)},
        {2, false, false, 9, 1, 50, 70, {1, 0, 0}, {1, 8, 8}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0}, {0}, {0}},
        /* So many tiles for each thread that several of the last ones are parted. */
        {2, false, false, 27, 1, 20, 18, {1, 0, 0}, {1, 16, 20}, {1, 1, 3}, {1, 1, 1}, {1, 1, 1}, PADS(0, 1)},
        /* Parts of a tile begin within rows whose elements do not follow one another in the output. */
        {3, true, false, 1, 1, 3, 20, {2, 30, 40}, {0, 0, 0}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        {3,
         false,
         false,
         1,
         1,
         9,
         12,
         {0, 0, 0},
         {6, 10, 12},
         {3, 3, 3},
         {1, 1, 1},
         {1, 1, 1},
         {1, 1, 1},
         {1, 1, 1},
         {0}},
        {2, false, false, 2, 1, 5, 2, {1, 0, 0}, {1, 300, 200}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        /* One channel, whose rows are finished together. */
        {2, true, false, 2, 3, 1, 1, {1, 40, 33}, {1, 0, 0}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 2, 3, 1, 1, {1, 0, 0}, {1, 70, 60}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 3, 2, 1, 1, {1, 0, 0}, {1, 3, 2300}, {1, 3, 3}, {1, 1, 1}, {1, 2, 2}, PADS(2, 0)},
        {3, false, false, 2, 2, 2, 1, {0, 0, 0}, {3, 20, 21}, {2, 3, 2}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        /* Several planes of a tile, within which parts of it begin. */
        {3, false, false, 8, 1, 1, 1, {0, 0, 0}, {9, 20, 25}, {2, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct convolving drawn = rows[i];
        assert_true(find_sizes(&drawn));
        check_convolution(&drawn, i % 2 == 0, i % 2 == 0, i % 3 == 0);
    }
}

/* Few positions by FLOAT weights of any layout, which are not packed: also several passes and groups, kernels that
 * are larger than the input, and channels of which the last block has less. */
static void weights_of_any_layout_are_read_where_they_lie(void **state)
{
    static const struct convolving rows[] = {
        {2, false, false, 1, 1, 36, 40, {1, 0, 0}, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0}, {0}, {0}},
        {2, true, false, 3, 2, 17, 40, {1, 3, 2}, {1, 0, 0}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0}, {0}, {0}},
        {2, false, false, 2, 3, 31, 5, {1, 0, 0}, {1, 4, 3}, {1, 5, 4}, {1, 1, 1}, {1, 2, 1}, PADS(4, 2)},
        {3, true, false, 1, 2, 5, 43, {1, 2, 2}, {0, 0, 0}, {2, 1, 5}, {3, 2, 1}, {1, 1, 2}, PADS(0, 2)},
    };
    (void)state;
    for (unsigned i = 0; i < 4 * sizeof rows / sizeof rows[0]; i++) {
        struct convolving drawn = rows[i / 4];
        assert_true(find_sizes(&drawn));
        check_convolution(&drawn, true, false, i % 4 == 3);
    }
}

/* One group, without a bias. */
static void convolve(const struct convolving *drawn, aclTensor *input, aclTensor *weight, aclTensor *output)
{
    union argument argument[] = {
        [INPUT] = {.tensor = input},
        [WEIGHT] = {.tensor = weight},
        [STRIDE] = along_axes(drawn, drawn->stride),
        [PADDING] = along_axes(drawn, drawn->padding),
        [DILATION] = along_axes(drawn, drawn->dilation),
        [TRANSPOSED] = argument_of_bool(false),
        [GROUPS] = argument_of_integer(1),
        [OUTPUT] = {.tensor = output},
        [CUBE] = argument_of_integer(0),
    };
    assert_int_equal(call_function(find("aclnnConvolution"), argument), 0);
    for (int i = STRIDE; i <= DILATION; i++)
        assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
}

static void an_output_on_the_input_gives_what_a_copied_input_gives(void **state)
{
    (void)state;
    const int64_t size[] = {2, 3, 6, 7}, count = 252;
    struct convolving drawn = {.axes = 2,
                               .batch = 2,
                               .groups = 1,
                               .small_channels = 3,
                               .large_channels = 3,
                               .large = {1, 6, 7},
                               .kernel = {1, 3, 3},
                               .stride = {1, 1, 1},
                               .dilation = {1, 1, 1},
                               .padding = {0, 1, 1},
                               .behind = {0, 1, 1}};
    assert_true(find_sizes(&drawn));
    struct layout shared = layout_create(ACL_FLOAT, 4, size, LAYOUT_CONTIGUOUS);
    struct layout weight = weight_layout(&drawn, ACL_FLOAT, LAYOUT_CONTIGUOUS);
    layout_fill(&shared, 2, false);
    layout_fill(&weight, 2, false);
    double *in = numbers_of(&shared), *factor = numbers_of(&weight);
    convolve(&drawn, shared.tensor, weight.tensor, shared.tensor);
    const struct numbers from = {3, drawn.large, in};
    chains_take_pairs = are_pairs(&shared, &weight);
    for (int64_t i = 0; i < count; i++)
        expect_element(&shared, i, element_from(&drawn, false, &from, factor, i), "in place");
    free(in), free(factor);
    layout_destroy(&shared), layout_destroy(&weight);
}

/* 2 ** 30 + 0 + 1 - 2 ** 30: 1 is lost in FLOAT where it does not come last. */
static void a_single_channel_in_bfloat16_takes_the_second_of_two_terms_first(void **state)
{
    (void)state;
    static const uint16_t factor[] = {0x4e80, 0, 0x3f80, 0xce80}, one = 0x3f80;
    struct convolving drawn = {.axes = 1,
                               .batch = 1,
                               .groups = 1,
                               .small_channels = 1,
                               .large_channels = 1,
                               .large = {1, 1, 163},
                               .kernel = {1, 1, 4},
                               .stride = {1, 1, 1},
                               .dilation = {1, 1, 1}};
    assert_true(find_sizes(&drawn));
    struct layout input = side_layout(&drawn, ACL_BF16, 1, drawn.large, LAYOUT_CONTIGUOUS);
    struct layout weight = weight_layout(&drawn, ACL_BF16, LAYOUT_CONTIGUOUS);
    struct layout output = side_layout(&drawn, ACL_BF16, 1, drawn.small, LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < input.count; i++)
        memcpy(layout_element(&input, i), &one, sizeof one);
    for (int64_t i = 0; i < weight.count; i++)
        memcpy(layout_element(&weight, i), &factor[i], sizeof factor[i]);
    convolve(&drawn, input.tensor, weight.tensor, output.tensor);
    for (int64_t i = 0; i < output.count; i++)
        expect_element(&output, i, 1, "output");
    layout_destroy(&input), layout_destroy(&weight), layout_destroy(&output);
}

static void set_numbers(struct attempt *attempt, unsigned parameter, const int64_t *numbers, uint64_t count)
{
    assert_int_equal(aclDestroyIntArray(attempt->argument[parameter].ints), 0);
    attempt->argument[parameter].ints = aclCreateIntArray(numbers, count);
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        unsigned parameter;
        uint64_t count;
        int64_t wrong[5];
        const char *sentence;
    } rows[] = {
        {STRIDE, 1, {0}, "stride has 0; 1 or more is expected"},
        {STRIDE, 3, {1, 1, 1}, "stride has 3 numbers; 1 or 2 are expected"},
        {STRIDE, 0, {0}, "stride has 0 numbers"},
        {PADDING, 1, {-1}, "padding has -1; 0 or more is expected"},
        {PADDING, 4, {0, 0, 0, -2}, "padding has -2"},
        {PADDING, 4, {0, 1, 0, 0}, "output has shape [1, 2, 3, 4]; [1, 2, 4, 4]"},
        {PADDING, 5, {0}, "padding has 5 numbers"},
        {DILATION, 2, {1, 0}, "dilation has 0; 1 or more is expected"},
        {DILATION, 2, {1, 3}, "a kernel of 3 with dilation 3 and padding 0 gives nothing on 6 elements"},
        {DILATION, 1, {INT64_MAX}, "a kernel of 3 with dilation 9223372036854775807"},
    };
    (void)state;
    struct attempt attempt = accepted(find("aclnnConvolution")); /* 1 x 4 x 5 x 6, weight 2 x 4 x 3 x 3 */
    assert_accepted(&attempt);
    release(&attempt);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        attempt = accepted(find("aclnnConvolution"));
        set_numbers(&attempt, rows[i].parameter, rows[i].wrong, rows[i].count);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, rows[i].sentence);
        release(&attempt);
    }
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        unsigned parameter, rank;
        int64_t shape[5];
        const char *sentence;
    } rows[] = {
        {INPUT, 3, {4, 5, 6}, "weight has 4 dims; 3 are expected, as input has"},
        {INPUT, 2, {4, 5}, "input has 2 dims; 3 to 5 are expected"},
        {WEIGHT, 4, {2, 3, 3, 3}, "dim 1 of weight has size 3; 4 is expected"},
        {WEIGHT, 4, {2, 4, 0, 3}, "weight has a kernel of 0 elements"},
        {WEIGHT, 4, {2, 4, 6, 3}, "a kernel of 6 with dilation 1 and padding 0 gives nothing on 5 elements"},
        {BIAS, 1, {3}, "bias has 3 elements; 2 are expected"},
        {OUTPUT, 4, {1, 2, 4, 3}, "output has shape [1, 2, 4, 3]; [1, 2, 3, 4]"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct attempt attempt = accepted(find("aclnnConvolution"));
        replace(&attempt, rows[i].parameter, tensor_with(ACL_FLOAT, rows[i].rank, rows[i].shape, NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, rows[i].sentence);
        release(&attempt);
    }
    struct attempt attempt = accepted(find("aclnnConvolution"));
    attempt.argument[GROUPS] = argument_of_integer(3);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "groups is 3; a divisor of the 4 channels");
    attempt.argument[GROUPS] = argument_of_integer(0);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "groups is 0");
    attempt.argument[GROUPS] = argument_of_integer(1);
    attempt.argument[CUBE] = argument_of_integer(5);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "cubeMathType is 5");
    attempt.argument[CUBE] = argument_of_integer(4);
    replace_dtype(&attempt, OUTPUT, ACL_BF16);
    assert_accepted(&attempt);
    attempt.argument[TRANSPOSED] = argument_of_bool(true);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim 0 of weight has size 2; 4 is expected");
    replace(&attempt, WEIGHT, tensor_with(ACL_FLOAT, 4, DIMS(4, 2, 3, 3), NULL));
    set_numbers(&attempt, OUTPUT_PADDING, DIMS(0, 1), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "outputPadding has 1; less than stride or dilation, 1");
    set_numbers(&attempt, STRIDE, DIMS(1, 2), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "output has shape [1, 2, 3, 4]; [1, 2, 7, 14]");
    release(&attempt);
}

/* One element that stands for 2^61 channels, or for a picture of 2^62: planes and tables of more bytes than can
 * be counted. */
static void more_than_all_memory_is_refused(void **state)
{
    static const struct {
        int64_t input[4], weight[4], output[4], dilation;
    } rows[] = {
        {{1, INT64_C(1) << 61, 1, 2}, {1, INT64_C(1) << 61, 1, 1}, {1, 1, 1, 2}, 1},
        {{1, 2, INT64_C(1) << 30, INT64_C(1) << 30}, {1, 2, 2, 2}, {1, 1, 1, 1}, (INT64_C(1) << 30) - 1},
        {{1, 1, INT64_C(1) << 31, INT64_C(1) << 31}, {1, 1, 2, 2}, {1, 1, 1, 1}, (INT64_C(1) << 31) - 1},
    };
    static const int64_t stride[] = {0, 0, 0, 0}, one = 1;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct attempt attempt = accepted(find("aclnnConvolution"));
        const struct layout input = layout_create(ACL_FLOAT, 1, &one, LAYOUT_CONTIGUOUS);
        const struct layout output = layout_create(ACL_FLOAT, 4, rows[i].output, LAYOUT_CONTIGUOUS);
        void *const element = memory_known_as(input.memory);
        aclOpExecutor *executor;
        uint64_t bytes;
        replace(&attempt, INPUT,
                aclCreateTensor(rows[i].input, 4, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, &one, 1, element));
        replace(&attempt, WEIGHT,
                aclCreateTensor(rows[i].weight, 4, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, &one, 1, element));
        replace(&attempt, OUTPUT,
                aclCreateTensor(rows[i].output, 4, ACL_FLOAT, output.stride, 0, ACL_FORMAT_ND, rows[i].output,
                                4, memory_known_as(output.memory)));
        replace(&attempt, BIAS, NULL);
        set_numbers(&attempt, STRIDE, &one, 1);
        set_numbers(&attempt, PADDING, &stride[0], 1);
        set_numbers(&attempt, DILATION, &rows[i].dilation, 1);
        assert_int_equal(function_plan_anew(attempt.function, attempt.argument, &bytes, &executor), 0);
        assert_failure(attempt.function->launch(NULL, 0, executor, NULL), ACLNN_ERR_RUNTIME_ERROR,
                       "there is no memory for");
        release(&attempt);
        struct layout held[] = {input, output};
        layout_destroy(&held[0]), layout_destroy(&held[1]);
    }
}

/* A dim of one element has any stride, which is no distance. */
static void strides_that_nothing_is_apart_by_may_be_anything(void **state)
{
    static const int64_t ones[] = {1, 1, 1, 1}, two[] = {1, 2, 1, 1},
                         far[] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
                         next[] = {INT64_MAX, 1, INT64_MAX, INT64_MAX}, stride = 2, none = 0;
    (void)state;
    for (int is_transposed = 0; is_transposed < 2; is_transposed++) {
        struct attempt attempt = accepted(find("aclnnConvolution"));
        struct layout layout = layout_create(ACL_FLOAT, 1, (const int64_t[]){5}, LAYOUT_CONTIGUOUS);
        const float values[] = {2, 3, 5, 7, 0};
        memcpy(layout.memory, values, sizeof values);
        float *const first = memory_known_as(layout.memory);
        replace(&attempt, INPUT, aclCreateTensor(two, 4, ACL_FLOAT, next, 0, ACL_FORMAT_ND, two, 4, first));
        replace(&attempt, WEIGHT,
                aclCreateTensor(is_transposed ? (const int64_t[]){2, 1, 1, 1} : two, 4, ACL_FLOAT,
                                is_transposed ? (const int64_t[]){1, INT64_MAX, INT64_MAX, INT64_MAX} : next,
                                0, ACL_FORMAT_ND, two, 4, first + 2));
        replace(&attempt, OUTPUT,
                aclCreateTensor(ones, 4, ACL_FLOAT, far, 0, ACL_FORMAT_ND, ones, 4, first + 4));
        replace(&attempt, BIAS, NULL);
        set_numbers(&attempt, STRIDE, &stride, 1);
        set_numbers(&attempt, PADDING, &none, 1);
        attempt.argument[TRANSPOSED] = argument_of_bool(is_transposed == 1);
        assert_int_equal(call_function(attempt.function, attempt.argument), 0);
        assert_true(*(const float *)(const void *)layout_element(&layout, 4) == 2 * 5 + 3 * 7);
        release(&attempt);
        layout_destroy(&layout);
    }
}

static void nothing_is_computed_of_nothing_and_the_bias_of_no_channels(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnConvolution"));
    replace(&attempt, INPUT, tensor_with(ACL_FLOAT, 4, DIMS(0, 4, 5, 6), NULL));
    replace(&attempt, OUTPUT, tensor_with(ACL_FLOAT, 4, DIMS(0, 2, 3, 4), NULL));
    assert_accepted(&attempt);
    release(&attempt);
    struct convolving drawn = {.axes = 1,
                               .batch = 2,
                               .groups = 1,
                               .small_channels = 3,
                               .large = {1, 1, 4},
                               .kernel = {1, 1, 2},
                               .stride = {1, 1, 1},
                               .dilation = {1, 1, 1}};
    assert_true(find_sizes(&drawn));
    check_convolution(&drawn, true, true, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_of_any_layout_and_dtype_are_as_loops_compute_them),
        cmocka_unit_test(large_convolutions_are_as_loops_compute_them),
        cmocka_unit_test(weights_of_any_layout_are_read_where_they_lie),
        cmocka_unit_test(a_single_channel_in_bfloat16_takes_the_second_of_two_terms_first),
        cmocka_unit_test(an_output_on_the_input_gives_what_a_copied_input_gives),
        cmocka_unit_test(nothing_is_computed_of_nothing_and_the_bias_of_no_channels),
        cmocka_unit_test(more_than_all_memory_is_refused),
        cmocka_unit_test(strides_that_nothing_is_apart_by_may_be_anything),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
