/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Im2col and its sums, in any layout and dtype, against loops over all places of every window, bit by bit;
 * and calls that are refused.
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
    bool has_batch;
    int64_t batch, channels, in[AXES], kernel[AXES], dilation[AXES], padding[AXES], stride[AXES],
        windows[AXES];
};

static struct drawn draw(void)
{
    struct drawn drawn;
    bool fits;
    do {
        fits = true;
        drawn = (struct drawn){.has_batch = random_below(3) > 0, .channels = 1 + random_below(4)};
        drawn.batch = drawn.has_batch ? 1 + random_below(3) : 1;
        for (int i = 0; i < AXES; i++) {
            drawn.in[i] = 1 + random_below(40);
            drawn.kernel[i] = 1 + random_below(4);
            drawn.dilation[i] = 1 + random_below(3);
            drawn.padding[i] = random_below(5);
            drawn.stride[i] = 1 + random_below(3);
            const int64_t last =
                drawn.in[i] + 2 * drawn.padding[i] - drawn.dilation[i] * (drawn.kernel[i] - 1) - 1;
            drawn.windows[i] = last < 0 ? 0 : last / drawn.stride[i] + 1;
            fits = fits && last >= 0;
        }
    } while (!fits);
    return drawn;
}

static struct layout large(const struct drawn *drawn, aclDataType dtype, enum layout_kind kind)
{
    const int64_t shape[] = {drawn->batch, drawn->channels, drawn->in[0], drawn->in[1]};
    return layout_create(dtype, drawn->has_batch ? 4 : 3, shape + !drawn->has_batch, kind);
}

static struct layout columns(const struct drawn *drawn, aclDataType dtype, enum layout_kind kind)
{
    const int64_t shape[] = {drawn->batch, drawn->channels * drawn->kernel[0] * drawn->kernel[1],
                             drawn->windows[0] * drawn->windows[1]};
    return layout_create(dtype, drawn->has_batch ? 3 : 2, shape + !drawn->has_batch, kind);
}

/* The number of the large tensor's element that one of the columns is, or -1. */
static int64_t place_of(const struct drawn *drawn, int64_t number)
{
    const int64_t x = number % drawn->windows[1], y = number / drawn->windows[1] % drawn->windows[0];
    const int64_t row = number / drawn->windows[1] / drawn->windows[0];
    const int64_t j = row % drawn->kernel[1], i = row / drawn->kernel[1] % drawn->kernel[0];
    const int64_t plane = row / drawn->kernel[1] / drawn->kernel[0];
    const int64_t high = y * drawn->stride[0] - drawn->padding[0] + i * drawn->dilation[0];
    const int64_t wide = x * drawn->stride[1] - drawn->padding[1] + j * drawn->dilation[1];
    return high < 0 || wide < 0 || high >= drawn->in[0] || wide >= drawn->in[1]
               ? -1
               : (plane * drawn->in[0] + high) * drawn->in[1] + wide;
}

static void call_with(const char *api, const struct drawn *drawn, const struct layout *from,
                      const struct layout *to)
{
    const struct function *function = find(api);
    const int64_t *const numbers[] = {drawn->in, drawn->kernel, drawn->dilation, drawn->padding,
                                      drawn->stride};
    const bool sums = function->parameter_count == 7;
    union argument argument[7];
    unsigned count = 0;
    argument[count++] = argument_of_pointer(from->tensor);
    for (int i = sums ? 0 : 1; i < 5; i++)
        argument[count++] = argument_of_pointer(
            aclCreateIntArray(numbers[i], i > 0 && numbers[i][0] == numbers[i][1] ? 1 : 2));
    argument[count++] = argument_of_pointer(to->tensor);
    assert_int_equal(call_function(function, argument), 0);
    for (unsigned i = 1; i + 1 < count; i++)
        assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
}

static void columns_are_what_windows_have(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,
                                         ACL_BOOL,  ACL_INT64,   ACL_COMPLEX128};
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        const struct drawn drawn = draw();
        const aclDataType dtype = dtypes[random_below(6)];
        struct layout self = large(&drawn, dtype, (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout out = columns(&drawn, dtype, (enum layout_kind)random_below(LAYOUT_REPEATED));
        static const unsigned char zero[16];
        layout_fill(&self, 2, false);
        call_with("aclnnIm2col", &drawn, &self, &out);
        for (int64_t i = 0; i < out.count; i++) {
            const int64_t place = place_of(&drawn, i);
            assert_memory_equal(layout_element(&out, i), place < 0 ? zero : layout_element(&self, place),
                                out.bytes);
        }
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

/* In the order of the kernel's places, which is that of the columns' rows. */
static void sums_are_of_all_windows(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const struct drawn drawn = draw();
        const aclDataType dtype = short_dtypes[random_below(3)];
        struct layout grad = columns(&drawn, dtype, (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout out = large(&drawn, dtype, (enum layout_kind)random_below(LAYOUT_REPEATED));
        double *sum = calloc((size_t)out.count, sizeof *sum);
        layout_fill(&grad, 2, false);
        call_with("aclnnIm2colBackward", &drawn, &grad, &out);
        for (int64_t i = 0; i < grad.count; i++)
            if (place_of(&drawn, i) >= 0)
                sum[place_of(&drawn, i)] += element_of(&grad, i);
        for (int64_t i = 0; i < out.count; i++) {
            unsigned char wanted[8];
            conversion_reference(&sum[i], ACL_DOUBLE, wanted, dtype);
            assert_memory_equal(layout_element(&out, i), wanted, out.bytes);
        }
        free(sum);
        layout_destroy(&grad);
        layout_destroy(&out);
    }
}

/* Of an accepted call one array is another one. */
static void refuse_numbers(const char *api, unsigned parameter, uint64_t count, int64_t number,
                           const char *sentence)
{
    const int64_t numbers[] = {number, number, number};
    struct attempt attempt = accepted(find(api));
    assert_int_equal(aclDestroyIntArray(attempt.argument[parameter].ints), 0);
    attempt.argument[parameter].ints = aclCreateIntArray(numbers, count);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
    release(&attempt);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    for (int backward = 0; backward < 2; backward++) {
        const char *api = backward ? "aclnnIm2colBackward" : "aclnnIm2col";
        const unsigned first = backward ? 2 : 1;
        refuse_numbers(api, first, 3, 1, "kernelSize has 3 numbers; 1 or 2 are expected");
        refuse_numbers(api, first, 1, 0, "kernelSize has 0; 1 or more is expected");
        refuse_numbers(api, first + 1, 2, 0, "dilation has 0; 1 or more is expected");
        refuse_numbers(api, first + 2, 1, -1, "padding has -1; 0 or more is expected");
        refuse_numbers(api, first + 3, 0, 1, "stride has 0 numbers; 1 or 2 are expected");
        refuse_numbers(api, first, 1, 9, "a kernel of 9 with padding 0 finds no window on 4 elements");
        refuse_numbers(api, first + 1, 1, INT64_MAX, "a kernel of 2 with padding 0 finds no window");
        struct attempt attempt = accepted(find(api));
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(4), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       backward ? "gradOutput has 1 dims" : "self has 1 dims");
        release(&attempt);
    }
    refuse_numbers("aclnnIm2colBackward", 1, 2, 0,
                   "inputSize has 2 numbers; 2 that are positive are expected");
    refuse_numbers("aclnnIm2colBackward", 1, 2, 5,
                   "gradOutput has 12 columns; 16, the windows, are expected");
    refuse_numbers("aclnnIm2colBackward", 2, 1, 1, "gradOutput has 12 columns; 20, the windows");
    refuse_numbers("aclnnIm2colBackward", 2, 2, 3, "gradOutput has 12 rows; a multiple of 9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_what_windows_have),
        cmocka_unit_test(sums_are_of_all_windows),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
