/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pooling with indices, averages, adaptive windows and the gradients of all of them, in any layout and dtype,
 * against loops over all places of every window, padding included, bit by bit; indices that name no place;
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

enum { AXES = 3, FAULT = 507035 };

static const struct kind {
    const char *forward, *backward;
    unsigned axes;
    bool is_max, is_adaptive, has_mask;
} kinds[] = {
    {"aclnnMaxPool2dWithIndices", "aclnnMaxPool2dWithIndicesBackward", 2, true, false, false},
    {"aclnnMaxPool3dWithArgmax", "aclnnMaxPool3dWithArgmaxBackward", 3, true, false, false},
    {"aclnnMaxPool2dWithMask", "aclnnMaxPool2dWithMaskBackward", 2, true, false, true},
    {"aclnnAdaptiveMaxPool2d", "aclnnAdaptiveMaxPool2dBackward", 2, true, true, false},
    {"aclnnAdaptiveMaxPool3d", "aclnnAdaptiveMaxPool3dBackward", 3, true, true, false},
    {"aclnnAvgPool2d", "aclnnAvgPool2dBackward", 2, false, false, false},
    {"aclnnAvgPool3d", "aclnnAvgPool3dBackward", 3, false, false, false},
    {"aclnnAdaptiveAvgPool2d", "aclnnAdaptiveAvgPool2dBackward", 2, false, true, false},
    {"aclnnAdaptiveAvgPool3d", "aclnnAdaptiveAvgPool3dBackward", 3, false, true, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Leading axes that there are not have size 1. */
struct drawn {
    const struct kind *kind;
    bool has_batch, rounds_up, counts_padding, has_stride;
    int64_t batch, channels, divisor;
    int64_t in[AXES], out[AXES], kernel[AXES], stride[AXES], padding[AXES], dilation[AXES];
};

static int64_t product(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

/* The windows that begin on the tensor or the padding before it, one by one. */
static int64_t count_windows(const struct drawn *drawn, unsigned i)
{
    const int64_t behind = drawn->in[i] + 2 * drawn->padding[i],
                  covered = drawn->dilation[i] * (drawn->kernel[i] - 1) + 1;
    int64_t count = 0;
    for (int64_t begin = 0;; begin += drawn->stride[i], count++) {
        const bool is_whole = begin + covered <= behind;
        const bool is_begun = begin < drawn->in[i] + drawn->padding[i];
        /* Rounding up adds one that is not whole, if the one before would not reach the end. */
        const bool is_next = begin - drawn->stride[i] + covered < behind;
        if (!is_whole && !(drawn->rounds_up && is_begun && is_next))
            return count;
    }
}

static struct drawn draw(const struct kind *kind)
{
    struct drawn drawn;
    bool has_windows;
    do {
        has_windows = true;
        drawn = (struct drawn){.kind = kind,
                               .has_batch = random_below(3) > 0,
                               .rounds_up = random_below(2) == 0,
                               .counts_padding = random_below(2) == 0,
                               .has_stride = random_below(3) > 0,
                               .channels = 1 + random_below(4),
                               .divisor = random_below(3) == 0 ? random_below(9) - 4 : 0};
        drawn.batch = drawn.has_batch ? 1 + random_below(3) : 1;
        for (unsigned i = 0; i < AXES; i++) {
            const bool is_there = i >= AXES - kind->axes;
            drawn.in[i] = is_there ? 1 + random_below(kind->axes == 3 ? 8 : 14) : 1;
            drawn.kernel[i] = is_there ? 1 + random_below(4) : 1;
            drawn.stride[i] = is_there && drawn.has_stride ? 1 + random_below(4) : drawn.kernel[i];
            drawn.padding[i] = random_below(drawn.kernel[i] / 2 + 1);
            drawn.dilation[i] = is_there && kind->is_max && !kind->has_mask && random_below(3) == 0 ? 2 : 1;
            drawn.out[i] = !is_there ? 1 : kind->is_adaptive ? 1 + random_below(7) : count_windows(&drawn, i);
            has_windows = has_windows && drawn.out[i] > 0;
        }
    } while (!has_windows);
    return drawn;
}

/* Place i of window o along an axis; false behind the last place. */
static bool place_along(const struct drawn *drawn, unsigned axis, int64_t o, int64_t i, int64_t *place)
{
    if (drawn->kind->is_adaptive) {
        *place = o * drawn->in[axis] / drawn->out[axis] + i;
        return *place * drawn->out[axis] < (o + 1) * drawn->in[axis];
    }
    *place = o * drawn->stride[axis] - drawn->padding[axis] + i * drawn->dilation[axis];
    return i < drawn->kernel[axis];
}

/* The elements of a window in their order, and how many places of it count without a divisor. */
struct window {
    int64_t count, places, at[1000], place[1000];
};

static void find_window(const struct drawn *drawn, int64_t number, struct window *window)
{
    int64_t o[AXES], at[AXES];
    for (unsigned i = AXES; i-- > 0; number /= drawn->out[i])
        o[i] = number % drawn->out[i];
    window->count = window->places = 0;
    for (int64_t a = 0; place_along(drawn, 0, o[0], a, &at[0]); a++)
        for (int64_t b = 0; place_along(drawn, 1, o[1], b, &at[1]); b++)
            for (int64_t c = 0; place_along(drawn, 2, o[2], c, &at[2]); c++) {
                bool is_real = true, is_padded = true;
                for (unsigned i = 0; i < AXES; i++) {
                    is_real = is_real && at[i] >= 0 && at[i] < drawn->in[i];
                    is_padded = is_padded && at[i] < drawn->in[i] + drawn->padding[i];
                }
                window->places += drawn->counts_padding && !drawn->kind->is_adaptive ? is_padded : is_real;
                if (!is_real)
                    continue;
                window->place[window->count] = b * drawn->kernel[2] + c;
                window->at[window->count++] = (at[0] * drawn->in[1] + at[1]) * drawn->in[2] + at[2];
            }
}

static int64_t greatest_of(const struct window *window, const struct layout *self, int64_t first)
{
    int64_t found = 0;
    for (int64_t i = 1; i < window->count; i++) {
        const double value = element_of(self, first + window->at[i]),
                     best = element_of(self, first + window->at[found]);
        if (value > best || isnan(value))
            found = i;
    }
    return found;
}

static double divisor_of(const struct drawn *drawn, const struct window *window)
{
    const bool has_own = drawn->divisor != 0 && !drawn->kind->is_adaptive;
    return (double)(has_own ? drawn->divisor : window->places);
}

static void expect_number(const struct drawn *drawn, const struct layout *out, int64_t i, double number,
                          const char *api)
{
    unsigned char wanted[8];
    const double value = isnan(number) ? (double)NAN : number;
    conversion_reference(&value, ACL_DOUBLE, wanted, out->dtype);
    if (memcmp(layout_element(out, i), wanted, out->bytes) != 0)
        fail_msg("%s, %lldx%lldx%lld: element %lld is %.9g; %.9g is expected", api, (long long)drawn->in[0],
                 (long long)drawn->in[1], (long long)drawn->in[2], (long long)i, element_of(out, i), value);
}

/* Arguments in the order of the call. */
struct list {
    union argument argument[12];
    unsigned count;
};

static void push(struct list *list, union argument argument)
{
    list->argument[list->count++] = argument;
}

static void push_numbers(const struct drawn *drawn, struct list *list, const int64_t *number, bool may_be_one)
{
    const unsigned axes = drawn->kind->axes;
    const int64_t *first = number + AXES - axes;
    bool is_one = may_be_one && random_below(2) == 0;
    for (unsigned i = 1; i < axes; i++)
        is_one = is_one && first[i] == first[0];
    push(list, argument_of_pointer(aclCreateIntArray(first, is_one ? 1 : axes)));
}

static void push_windows(const struct drawn *drawn, struct list *list)
{
    push_numbers(drawn, list, drawn->kernel, true);
    if (drawn->has_stride)
        push_numbers(drawn, list, drawn->stride, true);
    else
        push(list, argument_of_pointer(random_below(2) == 0 ? NULL : aclCreateIntArray(drawn->stride, 0)));
    push_numbers(drawn, list, drawn->padding, true);
    if (drawn->kind->is_max)
        push_numbers(drawn, list, drawn->dilation, true);
    push(list, argument_of_bool(drawn->rounds_up));
    if (drawn->kind->is_max)
        return;
    push(list, argument_of_bool(drawn->counts_padding));
    push(list, argument_of_integer(drawn->divisor));
    if (drawn->kind->axes == 2)
        push(list, argument_of_integer(random_below(5)));
}

static void call_list(const char *api, struct list *list)
{
    const struct function *function = find(api);
    assert_int_equal(list->count, function->parameter_count);
    assert_int_equal(call_function(function, list->argument), 0);
    for (unsigned i = 0; i < list->count; i++)
        if (function->parameter[i].kind == PARAMETER_INT_ARRAY && list->argument[i].ints != NULL)
            assert_int_equal(aclDestroyIntArray(list->argument[i].ints), 0);
}

static struct layout planes(const struct drawn *drawn, aclDataType dtype, const int64_t *size,
                            enum layout_kind kind)
{
    int64_t shape[2 + AXES] = {drawn->batch, drawn->channels};
    const unsigned axes = drawn->kind->axes;
    memcpy(shape + 2, size + AXES - axes, axes * sizeof *size);
    return drawn->has_batch ? layout_create(dtype, axes + 2, shape, kind)
                            : layout_create(dtype, axes + 1, shape + 1, kind);
}

/* Bits for each place of a window. */
static void mask_size(const struct drawn *drawn, int64_t *size)
{
    size[0] = 1;
    size[1] = product(drawn->kernel);
    size[2] = ((product(drawn->out) + 15) / 16 + 1) * 32;
}

static struct layout draw_indices(const struct drawn *drawn)
{
    int64_t size[AXES];
    mask_size(drawn, size);
    return drawn->kind->has_mask
               ? planes(drawn, random_below(2) == 0 ? ACL_INT8 : ACL_UINT8, size, LAYOUT_GAPS)
               : planes(drawn, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, drawn->out,
                        (enum layout_kind)random_below(LAYOUT_REPEATED));
}

static void check_forward(const struct drawn *drawn, const struct layout *self, const struct layout *indices)
{
    const struct kind *kind = drawn->kind;
    struct layout out =
        planes(drawn, self->dtype, drawn->out, (enum layout_kind)random_below(LAYOUT_REPEATED));
    struct list list = {.count = 0};
    push(&list, argument_of_pointer(self->tensor));
    if (kind->is_adaptive)
        push_numbers(drawn, &list, drawn->out, false);
    else
        push_windows(drawn, &list);
    push(&list, argument_of_pointer(out.tensor));
    if (kind->is_max)
        push(&list, argument_of_pointer(indices->tensor));
    call_list(kind->forward, &list);
    static struct window window;
    const int64_t windows = product(drawn->out);
    for (int64_t i = 0; i < out.count; i++) {
        const int64_t first = i / windows * product(drawn->in);
        find_window(drawn, i % windows, &window);
        if (kind->is_max && window.count == 0) {
            assert_true(element_of(&out, i) == -(double)INFINITY && element_of(indices, i) == -1);
            continue;
        }
        if (kind->is_max) {
            const int64_t found = window.at[greatest_of(&window, self, first)];
            assert_memory_equal(layout_element(&out, i), layout_element(self, first + found), out.bytes);
            if (!kind->has_mask && element_of(indices, i) != (double)found)
                fail_msg("%s: index %lld is %g; %lld is expected", kind->forward, (long long)i,
                         element_of(indices, i), (long long)found);
            continue;
        }
        double sum = 0;
        for (int64_t k = 0; k < window.count; k++)
            sum += element_of(self, first + window.at[k]);
        expect_number(drawn, &out, i, sum / divisor_of(drawn, &window), kind->forward);
    }
    layout_destroy(&out);
}

/* What a window of a plane adds, in the order of its places. */
static void add_window(const struct drawn *drawn, const struct layout *indices, int64_t plane, int64_t number,
                       double grad, double *sum)
{
    static struct window window;
    const int64_t windows = product(drawn->out);
    int64_t size[AXES];
    find_window(drawn, number, &window);
    mask_size(drawn, size);
    if (drawn->kind->is_max && !drawn->kind->has_mask) {
        const int64_t index = (int64_t)element_of(indices, plane * windows + number);
        if (window.count > 0)
            sum[index] = (double)((float)sum[index] + (float)grad);
        return;
    }
    for (int64_t k = 0; k < window.count; k++) {
        double *to = &sum[window.at[k]];
        if (!drawn->kind->is_max) {
            *to += grad / divisor_of(drawn, &window);
            continue;
        }
        const int64_t byte = (plane * size[1] + window.place[k]) * size[2] + number / 8;
        if ((*layout_element(indices, byte) >> number % 8 & 1) != 0)
            *to = (double)((float)*to + (float)grad);
    }
}

static void check_backward(const struct drawn *drawn, const struct layout *self, const struct layout *indices)
{
    const struct kind *kind = drawn->kind;
    struct layout grad = planes(drawn, self->dtype, drawn->out, (enum layout_kind)random_below(LAYOUT_KINDS));
    struct layout input =
        planes(drawn, self->dtype, drawn->in, (enum layout_kind)random_below(LAYOUT_REPEATED));
    struct list list = {.count = 0};
    layout_fill(&grad, 2, random_below(4) == 0 ? FEW_SPECIALS : NO_SPECIALS);
    push(&list, argument_of_pointer(grad.tensor));
    push(&list, argument_of_pointer(self->tensor));
    if (kind->is_max)
        push(&list, argument_of_pointer(indices->tensor));
    if (!kind->is_adaptive)
        push_windows(drawn, &list);
    push(&list, argument_of_pointer(input.tensor));
    call_list(kind->backward, &list);
    const int64_t windows = product(drawn->out), elements = product(drawn->in);
    double *sum = malloc((size_t)elements * sizeof *sum);
    for (int64_t plane = 0; plane < drawn->batch * drawn->channels; plane++) {
        for (int64_t i = 0; i < elements; i++)
            sum[i] = 0;
        for (int64_t o = 0; o < windows; o++)
            add_window(drawn, indices, plane, o, element_of(&grad, plane * windows + o), sum);
        for (int64_t i = 0; i < elements; i++)
            expect_number(drawn, &input, plane * elements + i, sum[i], kind->backward);
    }
    free(sum);
    layout_destroy(&grad), layout_destroy(&input);
}

static void pools_and_their_gradients_are_as_loops_compute_them(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(40) * KINDS; i++) {
        const struct drawn drawn = draw(&kinds[i % KINDS]);
        struct layout self = planes(&drawn, short_dtypes[random_below(3)], drawn.in,
                                    (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout indices = draw_indices(&drawn);
        layout_fill(&self, 2, random_below(3) == 0 ? FEW_SPECIALS : NO_SPECIALS);
        for (int64_t k = 0; k < self.count && random_below(2) == 0; k++) /* ties */
            set_element(&self, k, (double)(random_below(5) - 2));
        check_forward(&drawn, &self, &indices);
        check_backward(&drawn, &self, &indices);
        if (drawn.kind->has_mask) { /* any bits */
            layout_fill(&indices, 1, false);
            check_backward(&drawn, &self, &indices);
        }
        layout_destroy(&self), layout_destroy(&indices);
    }
}

/* gradInput on gradOutput, and out on self, whose windows overlap. */
static void outputs_on_inputs_give_what_copied_inputs_give(void **state)
{
    (void)state;
    const int64_t ones[] = {1, 1}, threes[] = {3, 3};
    struct layout shared = layout_create(ACL_FLOAT, 3, DIMS(2, 5, 6), LAYOUT_CONTIGUOUS);
    struct layout copy = layout_create(ACL_FLOAT, 3, DIMS(2, 5, 6), LAYOUT_CONTIGUOUS);
    struct layout out = layout_create(ACL_FLOAT, 3, DIMS(2, 5, 6), LAYOUT_CONTIGUOUS);
    for (int is_back = 0; is_back < 2; is_back++) {
        layout_fill(&shared, 2, false);
        memcpy(copy.memory, shared.memory, (size_t)shared.count * sizeof(float));
        for (int on_itself = 0; on_itself < 2; on_itself++) {
            struct list list = {.count = 0};
            push(&list, argument_of_pointer(on_itself ? shared.tensor : copy.tensor));
            if (is_back)
                push(&list, argument_of_pointer(copy.tensor));
            push(&list, argument_of_pointer(aclCreateIntArray(threes, 2)));
            push(&list, argument_of_pointer(aclCreateIntArray(ones, 2)));
            push(&list, argument_of_pointer(aclCreateIntArray(ones, 2)));
            push(&list, argument_of_bool(false));
            push(&list, argument_of_bool(true));
            push(&list, argument_of_integer(0));
            push(&list, argument_of_integer(0));
            push(&list, argument_of_pointer(on_itself ? shared.tensor : out.tensor));
            call_list(is_back ? "aclnnAvgPool2dBackward" : "aclnnAvgPool2d", &list);
        }
        assert_memory_equal(shared.memory, out.memory, (size_t)out.count * sizeof(float));
    }
    layout_destroy(&shared), layout_destroy(&copy), layout_destroy(&out);
}

static void an_index_that_names_no_place_makes_the_task_fail(void **state)
{
    (void)state;
    static const double wrong[] = {20, -1, 1e6};
    for (unsigned i = 0; i < 3; i++) {
        struct layout grad = layout_create(ACL_FLOAT, 3, DIMS(40, 3, 2), LAYOUT_GAPS);
        struct layout self = layout_create(ACL_FLOAT, 3, DIMS(40, 4, 5), LAYOUT_GAPS);
        struct layout indices = layout_create(ACL_INT64, 3, DIMS(40, 3, 2), LAYOUT_GAPS);
        struct layout input = layout_create(ACL_FLOAT, 3, DIMS(40, 4, 5), LAYOUT_CONTIGUOUS);
        layout_fill(&grad, 2, false);
        for (int64_t k = 0; k < indices.count; k++)
            set_element(&indices, k, (double)(k % 20));
        set_element(&indices, 7 * 6 + 4, wrong[i]);
        set_element(&indices, 30 * 6 + 1, wrong[i]);
        const union argument argument[] = {{.tensor = grad.tensor},
                                           {.tensor = self.tensor},
                                           {.tensor = indices.tensor},
                                           {.tensor = input.tensor}};
        (void)aclGetRecentErrMsg();
        assert_int_equal(call_function(find("aclnnAdaptiveMaxPool2dBackward"), argument), FAULT);
        char sentence[128];
        snprintf(sentence, sizeof sentence,
                 "indices holds %.0f for window 4 of plane 7; 0 to 19 are expected", wrong[i]);
        assert_sentence(sentence);
        layout_destroy(&grad), layout_destroy(&self), layout_destroy(&indices), layout_destroy(&input);
    }
}

static void set_numbers(struct attempt *attempt, unsigned parameter, const int64_t *numbers, uint64_t count)
{
    assert_int_equal(aclDestroyIntArray(attempt->argument[parameter].ints), 0);
    attempt->argument[parameter].ints = aclCreateIntArray(numbers, count);
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *api;
        unsigned parameter;
        uint64_t count;
        int64_t wrong[4];
        const char *sentence;
    } rows[] = {
        {"aclnnMaxPool2dWithIndices", 1, 2, {0, 2}, "kernelSize has 0; 1 or more is expected"},
        {"aclnnMaxPool2dWithIndices", 3, 1, {2}, "padding has 2; 0 to 1 are expected"},
        {"aclnnMaxPool2dWithIndices",
         4,
         1,
         {7},
         "a kernel of 2 with padding 0 finds no window on 4 elements"},
        {"aclnnMaxPool3dWithArgmax", 1, 2, {2, 2}, "kernelSize has 2 numbers; 1 or 3 are expected"},
        {"aclnnAvgPool2d", 2, 2, {1, 0}, "strides has 0; 1 or more is expected"},
        {"aclnnAvgPool2dBackward", 2, 1, {3}, "gradOutput has shape [2, 3, 2, 2]; [2, 3, 1, 2]"},
        {"aclnnAvgPool3d", 1, 1, {9}, "a kernel of 9 with padding 0 finds no window on 4 elements"},
        {"aclnnAdaptiveAvgPool2d", 1, 1, {2}, "outputSize has 1 numbers; 2 are expected"},
        {"aclnnAdaptiveAvgPool2d", 1, 2, {2, -1}, "outputSize has -1; 0 or more is expected"},
        {"aclnnAdaptiveAvgPool2d", 1, 2, {2, 2}, "out has shape [2, 3, 3, 2]; [2, 3, 2, 2]"},
        {"aclnnAdaptiveMaxPool3d", 1, 3, {1, 1, 1}, "outputOut has shape [2, 3, 3, 2, 2]; [2, 3, 1, 1, 1]"},
        {"aclnnMaxPool2dWithMaskBackward", 6, 1, {2}, "gradOutput has shape [2, 3, 2, 2]; [2, 3, 1, 2]"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct attempt attempt = accepted(find(rows[i].api));
        assert_accepted(&attempt);
        set_numbers(&attempt, rows[i].parameter, rows[i].wrong, rows[i].count);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, rows[i].sentence);
        release(&attempt);
    }
}

static void tensors_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        struct attempt attempt = accepted(find(kinds[i].forward));
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(4, 5), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 2 dims");
        replace_dtype(&attempt, 0, ACL_INT32);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype INT32");
        release(&attempt);
        attempt = accepted(find(kinds[i].backward));
        replace_dtype(&attempt, 0, ACL_FLOAT16);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradOutput has dtype FLOAT16");
        release(&attempt);
        if (!kinds[i].is_max)
            continue;
        attempt = accepted(find(kinds[i].backward));
        replace_dtype(&attempt, 2, ACL_FLOAT);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indices has dtype FLOAT");
        replace(&attempt, 2, tensor_with(kinds[i].has_mask ? ACL_INT8 : ACL_INT32, 3, DIMS(1, 2, 3), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indices has shape [1, 2, 3]");
        release(&attempt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_and_their_gradients_are_as_loops_compute_them),
        cmocka_unit_test(outputs_on_inputs_give_what_copied_inputs_give),
        cmocka_unit_test(an_index_that_names_no_place_makes_the_task_fail),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
        cmocka_unit_test(tensors_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
