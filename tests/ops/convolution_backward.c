/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of convolutions along one to three axes, plain and transposed, in any layout and dtype and
 * with every mask, against loops in the order that is promised, bit by bit; and what they refuse.
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

enum {
    GRAD_OUTPUT,
    INPUT,
    WEIGHT,
    BIAS_SIZES,
    STRIDE,
    PADDING,
    DILATION,
    TRANSPOSED,
    OUTPUT_PADDING,
    GROUPS,
    OUTPUT_MASK,
    CUBE,
    GRAD_INPUT,
    GRAD_WEIGHT,
    GRAD_BIAS
};

/* Of the contract, written down a second time. */
enum { TILE_POSITIONS = 1024, RUNS = 32, PARTIAL_NUMBERS = 1 << 24, PIECE = 1024 };

static aclDataType draw_dtype(bool is_float)
{
    return is_float ? ACL_FLOAT : short_dtypes[random_below(3)];
}

static enum layout_kind draw_kind(bool is_plain, bool may_repeat)
{
    return is_plain ? LAYOUT_CONTIGUOUS
                    : (enum layout_kind)random_below(may_repeat ? LAYOUT_KINDS : LAYOUT_REPEATED);
}

/* How positions are cut: tiles of images, or of rows along the first axis that has several. */
struct cut {
    int64_t images, rows, tiles_of_image, tiles, of_run, positions, row;
};

static struct cut cut_positions(const struct convolving *drawn)
{
    int axis = 0;
    while (axis < AXES - 1 && drawn->small[axis] == 1)
        axis++;
    struct cut cut = {.positions = product_of(drawn->small), .rows = drawn->small[axis]};
    cut.row = cut.positions / drawn->small[axis];
    cut.images = TILE_POSITIONS / cut.positions;
    if (cut.images == 0) {
        cut.images = 1;
        cut.rows = (TILE_POSITIONS + cut.row - 1) / cut.row;
    }
    cut.tiles_of_image = (drawn->small[axis] + cut.rows - 1) / cut.rows;
    cut.images = cut.images < drawn->batch ? cut.images : drawn->batch;
    cut.tiles = (drawn->batch + cut.images - 1) / cut.images * cut.tiles_of_image;
    const int64_t numbers =
        drawn->groups * drawn->small_channels * drawn->large_channels * product_of(drawn->kernel);
    const int64_t most =
        1 + PARTIAL_NUMBERS / (numbers + 1) < RUNS ? 1 + PARTIAL_NUMBERS / (numbers + 1) : RUNS;
    cut.of_run = (cut.tiles + most - 1) / most;
    return cut;
}

/* One element of the weight's gradient: step k of the kernel between two channels of a group. */
static double weight_gradient(const struct convolving *drawn, const struct cut *cut,
                              const struct numbers *small, const struct numbers *large, int64_t row,
                              int64_t channel, int64_t k)
{
    int64_t step[AXES];
    const bool is_single = drawn->small_channels == 1 && drawn->large_channels == 1;
    double total = 0, lane[8] = {0}; /* of groups of one channel on each side */
    struct chain chain = {0};
    split_index(k, drawn->kernel, step);
    for (int64_t tile = 0; tile < cut->tiles; tile++) {
        const int64_t image = tile / cut->tiles_of_image * cut->images,
                      begin = tile % cut->tiles_of_image * cut->rows * cut->row;
        int64_t end = begin + cut->rows * cut->row;
        end = end < cut->positions ? end : cut->positions;
        for (int64_t n = image; n < image + cut->images && n < drawn->batch; n++)
            for (int64_t p = begin; p < end; p++) {
                int64_t j[AXES], at[AXES];
                split_index(p, drawn->small, j);
                for (int i = 0; i < AXES; i++)
                    at[i] = j[i] * drawn->stride[i] - drawn->padding[i] + step[i] * drawn->dilation[i];
                const double left = number_in(small, n, row, j), right = number_in(large, n, channel, at);
                const bool is_cut = cut->row == 1 && drawn->small[AXES - 1] > 1; /* the last axis */
                if (is_single)
                    lane[(is_cut ? p - begin : j[AXES - 1]) % 8] += left * right;
                else
                    chain_add(&chain, left, right);
            }
        if (chain.terms > 0) /* blocks end with their tile */
            chain_close(&chain);
        if ((tile + 1) % cut->of_run == 0 || tile + 1 == cut->tiles) {
            const double sum = is_single ? ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
                                               ((lane[1] + lane[5]) + (lane[3] + lane[7]))
                                         : chain.total;
            total = tile < cut->of_run ? sum : total + sum;
            chain = (struct chain){0};
            memset(lane, 0, sizeof lane);
        }
    }
    return total;
}

static void expect_weight(const struct convolving *drawn, const struct numbers *small,
                          const struct numbers *large, const struct layout *gradient)
{
    const struct cut cut = cut_positions(drawn);
    const int64_t steps = product_of(drawn->kernel);
    for (int64_t i = 0; i < gradient->count; i++) {
        const int64_t k = i % steps, own = i / steps % drawn->large_channels,
                      row = i / steps / drawn->large_channels, group = row / drawn->small_channels;
        expect_element(
            gradient, i,
            weight_gradient(drawn, &cut, small, large, row, group * drawn->large_channels + own, k),
            "gradWeight");
    }
}

static void expect_bias(const struct convolving *drawn, const double *grad, const struct layout *gradient)
{
    const int64_t positions = product_of(output_size(drawn)), channels = output_channels(drawn);
    for (int64_t c = 0; c < channels; c++) {
        double total = 0;
        for (int64_t n = 0; n < drawn->batch; n++)
            for (int64_t first = 0; first < positions; first += PIECE) {
                double sum[8] = {0};
                for (int64_t p = first; p < positions && p < first + PIECE; p++)
                    sum[(p - first) % 8] += grad[(n * channels + c) * positions + p];
                total += ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
            }
        expect_element(gradient, c, total, "gradBias");
    }
}

/* The tensors of a call. */
struct tensors {
    struct layout grad, input, weight, gradient[3];
};

static void check_gradients(const struct convolving *drawn, const struct tensors *tensors, const bool *mask)
{
    double *grad = numbers_of(&tensors->grad), *in = numbers_of(&tensors->input),
           *factor = numbers_of(&tensors->weight);
    const int64_t channels = output_channels(drawn);
    union argument argument[GRAD_BIAS + 1] = {
        [GRAD_OUTPUT] = {.tensor = tensors->grad.tensor},
        [INPUT] = {.tensor = tensors->input.tensor},
        [WEIGHT] = {.tensor = tensors->weight.tensor},
        [BIAS_SIZES] = argument_of_pointer(mask[2] ? aclCreateIntArray(&channels, 1) : NULL),
        [STRIDE] = along_axes(drawn, drawn->stride),
        [PADDING] = paddings(drawn),
        [DILATION] = along_axes(drawn, drawn->dilation),
        [TRANSPOSED] = argument_of_bool(drawn->is_transposed),
        [OUTPUT_PADDING] = along_axes(drawn, drawn->more),
        [GROUPS] = argument_of_integer(drawn->groups),
        [OUTPUT_MASK] = argument_of_pointer(aclCreateBoolArray(mask, 3)),
        [CUBE] = argument_of_integer(random_below(5)),
    };
    for (int i = 0; i < 3; i++)
        argument[GRAD_INPUT + i].tensor = mask[i] ? tensors->gradient[i].tensor : NULL;
    assert_int_equal(call_function(find("aclnnConvolutionBackward"), argument), 0);
    const struct numbers of_grad = {channels, output_size(drawn), grad};
    const struct numbers of_in = {input_channels(drawn), input_size(drawn), in};
    chains_take_pairs = are_pairs(&tensors->grad, &tensors->weight);
    for (int64_t i = 0; i < tensors->gradient[0].count && mask[0]; i++)
        expect_element(&tensors->gradient[0], i, element_from(drawn, true, &of_grad, factor, i), "gradInput");
    chains_take_pairs = are_pairs(&tensors->grad, &tensors->input);
    if (mask[1])
        expect_weight(drawn, drawn->is_transposed ? &of_in : &of_grad,
                      drawn->is_transposed ? &of_grad : &of_in, &tensors->gradient[1]);
    if (mask[2])
        expect_bias(drawn, grad, &tensors->gradient[2]);
    free(grad), free(in), free(factor);
    for (int i = STRIDE; i <= DILATION; i++)
        assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
    assert_int_equal(aclDestroyIntArray(argument[OUTPUT_PADDING].ints), 0);
    assert_int_equal(aclDestroyBoolArray(argument[OUTPUT_MASK].bools), 0);
    if (mask[2])
        assert_int_equal(aclDestroyIntArray(argument[BIAS_SIZES].ints), 0);
}

static void check_backward(const struct convolving *drawn, bool is_plain, bool has_special, unsigned asked)
{
    struct tensors tensors = {
        .grad = side_layout(drawn, draw_dtype(is_plain), output_channels(drawn), output_size(drawn),
                            draw_kind(is_plain, true)),
        .input = side_layout(drawn, draw_dtype(is_plain), input_channels(drawn), input_size(drawn),
                             draw_kind(is_plain, true)),
        .weight = weight_layout(drawn, draw_dtype(is_plain), draw_kind(is_plain, true)),
        .gradient = {side_layout(drawn, draw_dtype(is_plain), input_channels(drawn), input_size(drawn),
                                 draw_kind(is_plain, false)),
                     weight_layout(drawn, draw_dtype(is_plain), draw_kind(is_plain, false)),
                     layout_create(draw_dtype(is_plain), 1, DIMS(output_channels(drawn)), LAYOUT_GAPS)},
    };
    const bool mask[] = {(asked & 1) != 0, (asked & 2) != 0, (asked & 4) != 0};
    layout_fill(&tensors.grad, 2, has_special);
    layout_fill(&tensors.input, 2, has_special);
    layout_fill(&tensors.weight, 2, false);
    check_gradients(drawn, &tensors, mask);
    layout_destroy(&tensors.grad), layout_destroy(&tensors.input), layout_destroy(&tensors.weight);
    for (int i = 0; i < 3; i++)
        layout_destroy(&tensors.gradient[i]);
}

static void gradients_of_any_layout_and_dtype_are_as_loops_compute_them(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(160); i++) {
        const struct convolving drawn = draw_convolving(12, 6);
        check_backward(&drawn, i % 4 == 0, i % 5 == 0, i % 2 == 0 ? 7 : (unsigned)i / 2 % 8);
    }
}

/* More channels, lanes, blocks, tiles and runs of tiles than are taken together. */
static void large_gradients_are_as_loops_compute_them(void **state)
{
    static const struct convolving rows[] = {
        {2, false, false, 3, 1, 30, 35, {1, 0, 0}, {1, 17, 19}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 1, 1, 3, 2, {1, 0, 0}, {1, 90, 70}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        {2, true, false, 3, 1, 40, 17, {1, 9, 11}, {1, 0, 0}, {1, 4, 4}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 40, 6, 1, 1, {1, 0, 0}, {1, 36, 31}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        {1, false, false, 2, 1, 5, 4, {1, 1, 0}, {1, 1, 3000}, {1, 1, 5}, {1, 1, 1}, {1, 1, 1}, PADS(0, 2)},
        {2, false, false, 9, 1, 50, 300, {1, 0, 0}, {1, 4, 4}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, PADS(0, 0)},
        {2, false, false, 2, 1, 3, 2, {1, 0, 0}, {1, 40, 40}, {1, 17, 17}, {1, 4, 4}, {1, 1, 1}, PADS(8, 8)},
        {2, false, false, 1, 1, 3, 64, {1, 0, 0}, {1, 36, 34}, {1, 1, 2}, {1, 1, 1}, {1, 1, 1}, PADS(0, 1)},
        /* So many tiles for each thread that several of the last ones are parted. */
        {2, false, false, 27, 1, 20, 18, {1, 0, 0}, {1, 16, 20}, {1, 1, 3}, {1, 1, 1}, {1, 1, 1}, PADS(0, 1)},
        {2, false, false, 2, 1, 3, 64, {1, 0, 0}, {1, 36, 34}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 5, 1, 3, 32, {1, 0, 0}, {1, 45, 43}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 1, 1, 40, 35, {1, 0, 0}, {1, 37, 35}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 1, 1, 16, 20, {1, 0, 0}, {1, 8, 1}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        /* Few positions, for which weights are not packed: an odd number of vectors; several passes. */
        {2, false, false, 1, 1, 40, 36, {1, 0, 0}, {1, 7, 5}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 2, 2, 66, 17, {1, 0, 0}, {1, 7, 5}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        /* One channel on each side: steps of the kernel side by side, and apart; several planes. */
        {2, false, false, 3, 3, 1, 1, {1, 0, 0}, {1, 40, 61}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
        {2, false, false, 3, 3, 1, 1, {1, 0, 0}, {1, 40, 29}, {1, 3, 3}, {1, 1, 1}, {1, 2, 2}, PADS(2, 2)},
        {2, false, false, 3, 2, 1, 1, {1, 0, 0}, {1, 40, 61}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, PADS(1, 1)},
        {3, false, false, 2, 2, 1, 1, {0, 0, 0}, {5, 20, 25}, {2, 3, 3}, {1, 1, 1}, {1, 1, 1}, PADS(1, 1)},
    };
    enum { ANY_DTYPES = 8 }; /* of these first rows every other one is plain, and all behind them */
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct convolving drawn = rows[i];
        assert_true(find_sizes(&drawn));
        check_backward(&drawn, i % 2 == 0 || i >= ANY_DTYPES, false, 7);
    }
}

/* gradInput on gradOutput and gradWeight on input. */
static void outputs_on_inputs_give_what_copied_inputs_give(void **state)
{
    (void)state;
    struct convolving drawn = {.axes = 2,
                               .batch = 3,
                               .groups = 1,
                               .small_channels = 3,
                               .large_channels = 3,
                               .large = {1, 5, 6},
                               .kernel = {1, 3, 3},
                               .stride = {1, 1, 1},
                               .dilation = {1, 1, 1},
                               .padding = {0, 1, 1},
                               .behind = {0, 1, 1}};
    const bool mask[] = {true, true, true};
    assert_true(find_sizes(&drawn));
    struct layout bias = layout_create(ACL_FLOAT, 1, DIMS(3), LAYOUT_CONTIGUOUS);
    struct tensors tensors = {
        .grad = side_layout(&drawn, ACL_FLOAT, 3, drawn.small, LAYOUT_CONTIGUOUS),
        .input = side_layout(&drawn, ACL_FLOAT, 3, drawn.large, LAYOUT_CONTIGUOUS),
        .weight = weight_layout(&drawn, ACL_FLOAT, LAYOUT_CONTIGUOUS),
    };
    layout_fill(&tensors.grad, 2, false);
    layout_fill(&tensors.input, 2, false);
    layout_fill(&tensors.weight, 2, false);
    tensors.gradient[0] = tensors.grad;
    tensors.gradient[1] = tensors.weight;
    tensors.gradient[1].memory = tensors.input.memory;
    tensors.gradient[1].tensor =
        aclCreateTensor(tensors.weight.shape, 4, ACL_FLOAT, tensors.weight.stride, 0, ACL_FORMAT_ND,
                        tensors.weight.shape, 4, memory_known_as(tensors.input.memory));
    tensors.gradient[2] = bias;
    check_gradients(&drawn, &tensors, mask);
    assert_int_equal(aclDestroyTensor(tensors.gradient[1].tensor), 0);
    layout_destroy(&tensors.grad), layout_destroy(&tensors.input), layout_destroy(&tensors.weight);
    layout_destroy(&bias);
}

static void sums_over_nothing_are_0(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnConvolutionBackward"));
    replace(&attempt, GRAD_OUTPUT, tensor_with(ACL_FLOAT, 4, DIMS(0, 2, 3, 4), NULL));
    replace(&attempt, INPUT, tensor_with(ACL_FLOAT, 4, DIMS(0, 4, 5, 6), NULL));
    struct layout weight = layout_create(ACL_FLOAT, 4, DIMS(2, 4, 3, 3), LAYOUT_GAPS);
    struct layout gradient = layout_create(ACL_BF16, 4, DIMS(2, 4, 3, 3), LAYOUT_GAPS);
    struct layout bias = layout_create(ACL_FLOAT16, 1, DIMS(2), LAYOUT_GAPS);
    layout_fill(&weight, 1, false);
    replace(&attempt, GRAD_INPUT, tensor_with(ACL_FLOAT, 4, DIMS(0, 4, 5, 6), NULL));
    const union argument kept[] = {attempt.argument[WEIGHT], attempt.argument[GRAD_WEIGHT],
                                   attempt.argument[GRAD_BIAS]};
    attempt.argument[WEIGHT].tensor = weight.tensor;
    attempt.argument[GRAD_WEIGHT].tensor = gradient.tensor;
    attempt.argument[GRAD_BIAS].tensor = bias.tensor;
    assert_int_equal(call_function(attempt.function, attempt.argument), 0);
    for (int64_t i = 0; i < gradient.count; i++)
        expect_element(&gradient, i, 0, "gradWeight");
    for (int64_t i = 0; i < bias.count; i++)
        expect_element(&bias, i, 0, "gradBias");
    attempt.argument[WEIGHT] = kept[0];
    attempt.argument[GRAD_WEIGHT] = kept[1];
    attempt.argument[GRAD_BIAS] = kept[2];
    release(&attempt);
    layout_destroy(&weight), layout_destroy(&gradient), layout_destroy(&bias);
}

static void set_mask(struct attempt *attempt, bool input, bool weight, bool bias, uint64_t count)
{
    const bool mask[] = {input, weight, bias};
    assert_int_equal(aclDestroyBoolArray(attempt->argument[OUTPUT_MASK].bools), 0);
    attempt->argument[OUTPUT_MASK].bools = aclCreateBoolArray(mask, count);
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnConvolutionBackward"));
    assert_accepted(&attempt);
    set_mask(&attempt, true, true, true, 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "outputMask has 2 values; 3 are expected");
    for (unsigned i = 0; i < 3; i++) {
        static const char *const sentence[] = {"gradInput is NULL", "gradWeight is NULL", "gradBias is NULL"};
        const aclTensor *kept = attempt.argument[GRAD_INPUT + i].tensor;
        attempt.argument[GRAD_INPUT + i].tensor = NULL;
        set_mask(&attempt, true, true, true, 3);
        assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, sentence[i]);
        set_mask(&attempt, i != 0, i != 1, i != 2, 3);
        assert_accepted(&attempt);
        attempt.argument[GRAD_INPUT + i].tensor = kept;
    }
    set_mask(&attempt, true, true, true, 3);
    replace(&attempt, GRAD_BIAS, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradBias has shape [3]; [2]");
    set_mask(&attempt, true, true, false, 3); /* what is not asked for may have any shape */
    assert_accepted(&attempt);
    set_mask(&attempt, true, true, true, 3);
    const aclIntArray *sizes = attempt.argument[BIAS_SIZES].ints;
    attempt.argument[BIAS_SIZES].ints = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "biasSizes is expected to have the number of channels, 2");
    attempt.argument[BIAS_SIZES].ints = sizes;
    replace(&attempt, GRAD_OUTPUT, tensor_with(ACL_FLOAT, 4, DIMS(1, 2, 3, 5), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "gradOutput has shape [1, 2, 3, 5]; that of the output, [1, 2, 3, 4], is expected");
    replace_dtype(&attempt, GRAD_OUTPUT, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradOutput has dtype DOUBLE");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_any_layout_and_dtype_are_as_loops_compute_them),
        cmocka_unit_test(large_gradients_are_as_loops_compute_them),
        cmocka_unit_test(outputs_on_inputs_give_what_copied_inputs_give),
        cmocka_unit_test(sums_over_nothing_are_0),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
