/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pooling with a mask against a loop over all places of every window, padding included: dtypes, kernels,
 * strides, layouts and overlaps drawn at random. The results are single elements and bits, so that runs with
 * several numbers of threads and levels prove equal bits.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/attempt.h"
#include "ops/placed.h"
#include "support/conversion.h"

enum { SELF, KERNEL_SIZE, STRIDE, PADDING, DILATION, CEIL_MODE, OUT, INDICES };

struct pool_case {
    struct view self, out, mask;
    int64_t kernel[2], stride[2], padding[2];
    bool rounds_up, has_stride;
};

static const struct function *pool(void)
{
    return find("aclnnMaxPool2dWithMask");
}

/* Windows are counted one by one. */
static int64_t count_windows(const struct pool_case *drawn, int axis, int64_t in)
{
    int64_t count = 0, behind = in + 2 * drawn->padding[axis];
    for (int64_t begin = 0;; begin += drawn->stride[axis], count++) {
        bool is_whole = begin + drawn->kernel[axis] <= behind;
        bool is_begun = begin + 1 <= behind && begin < in + drawn->padding[axis];
        bool follows_whole = begin == 0 || begin - drawn->stride[axis] + drawn->kernel[axis] < behind;
        if (!is_whole && !(drawn->rounds_up && is_begun && follows_whole))
            return count;
    }
}

static double number_at(const unsigned char *base, const struct view *view, int64_t number)
{
    double value;
    conversion_reference(element_of((unsigned char *)(uintptr_t)base, view, number), view->dtype, &value,
                         ACL_DOUBLE);
    return value;
}

static void run(const struct pool_case *drawn)
{
    union argument argument[8];
    argument[SELF] = argument_of_pointer(create_placed(&drawn->self));
    bool is_square = drawn->kernel[0] == drawn->kernel[1];
    argument[KERNEL_SIZE] = argument_of_pointer(aclCreateIntArray(drawn->kernel, is_square ? 1 : 2));
    argument[STRIDE] = argument_of_pointer(drawn->has_stride      ? aclCreateIntArray(drawn->stride, 2)
                                           : random_below(2) == 0 ? aclCreateIntArray(drawn->stride, 0)
                                                                  : NULL);
    argument[PADDING] = argument_of_pointer(aclCreateIntArray(drawn->padding, 2));
    argument[DILATION] = argument_of_pointer(aclCreateIntArray(DIMS(1), 1));
    argument[CEIL_MODE] = argument_of_bool(drawn->rounds_up);
    argument[OUT] = argument_of_pointer(create_placed(&drawn->out));
    argument[INDICES] = argument_of_pointer(create_placed(&drawn->mask));
    call_placed(pool(), argument);
    for (int i = KERNEL_SIZE; i <= DILATION; i++)
        if (argument[i].ints != NULL)
            assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
}

static void expect_plane(const struct pool_case *drawn, int64_t plane, const unsigned char *before,
                         unsigned char *const *expected)
{
    const uint32_t rank = drawn->self.rank, bytes = dtype_bytes(drawn->self.dtype);
    const int64_t height = drawn->self.shape[rank - 2], width = drawn->self.shape[rank - 1];
    const int64_t out_width = drawn->out.shape[rank - 1], windows = drawn->out.shape[rank - 2] * out_width;
    const int64_t places = drawn->kernel[0] * drawn->kernel[1], row = drawn->mask.shape[rank - 1];
    for (int64_t i = 0; i < places * row; i++)
        *element_of(expected[drawn->mask.arena], &drawn->mask, plane * places * row + i) = 0;
    for (int64_t o = 0; o < windows; o++) {
        double greatest = 0;
        int64_t found = -1, place = -1;
        for (int64_t p = 0; p < places; p++) {
            int64_t h = o / out_width * drawn->stride[0] - drawn->padding[0] + p / drawn->kernel[1];
            int64_t w = o % out_width * drawn->stride[1] - drawn->padding[1] + p % drawn->kernel[1];
            if (h < 0 || h >= height || w < 0 || w >= width)
                continue;
            double value = number_at(before, &drawn->self, (plane * height + h) * width + w);
            if (found < 0 || value > greatest || value != value) {
                greatest = value;
                found = (plane * height + h) * width + w;
                place = p;
            }
        }
        memcpy(element_of(expected[drawn->out.arena], &drawn->out, plane * windows + o),
               element_of((unsigned char *)(uintptr_t)before, &drawn->self, found), bytes);
        unsigned char *byte =
            element_of(expected[drawn->mask.arena], &drawn->mask, (plane * places + place) * row + o / 8);
        *byte = (unsigned char)(*byte | 1u << o % 8);
    }
}

static void check_case(const struct pool_case *drawn)
{
    static unsigned char *before, *expected[PLACED_ARENAS];
    size_t used = bytes_of(&drawn->self);
    used = used > bytes_of(&drawn->out) ? used : bytes_of(&drawn->out);
    used = (used > bytes_of(&drawn->mask) ? used : bytes_of(&drawn->mask)) + 64;
    assert_true(used < PLACED_BYTES);
    before = (unsigned char *)realloc(before, used);
    memcpy(before, arena[drawn->self.arena], used);
    for (unsigned i = 0; i < PLACED_ARENAS; i++) {
        expected[i] = (unsigned char *)realloc(expected[i], used);
        memcpy(expected[i], arena[i], used);
    }
    const uint32_t rank = drawn->self.rank;
    int64_t planes = rank == 4 ? drawn->self.shape[0] * drawn->self.shape[1] : drawn->self.shape[0];
    for (int64_t plane = 0; plane < planes; plane++)
        expect_plane(drawn, plane, before, expected);
    run(drawn);
    for (unsigned i = 0; i < PLACED_ARENAS; i++)
        if (memcmp(arena[i], expected[i], used) != 0)
            fail_msg("%s, rank %u, plane %lldx%lld, kernel %lldx%lld: arena %u differs",
                     dtype_name(drawn->self.dtype), rank, (long long)drawn->self.shape[rank - 2],
                     (long long)drawn->self.shape[rank - 1], (long long)drawn->kernel[0],
                     (long long)drawn->kernel[1], i);
}

/* Any bits, or few different numbers: ties, zeros of both signs, infinities, NaNs with payloads. */
static void fill_self(const struct view *view)
{
    const unsigned bytes = dtype_bytes(view->dtype);
    const unsigned mantissa = view->dtype == ACL_FLOAT ? 23 : view->dtype == ACL_FLOAT16 ? 10 : 7;
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1), infinity = (sign - 1) >> mantissa << mantissa;
    const uint64_t few[] = {0, sign,     infinity | sign, infinity | sign,
                            1, infinity, infinity + 1,    (infinity + 2) | sign};
    const int kind = (int)random_below(3), kinds = 4 + (int)random_below(5);
    for (size_t at = 0; at < bytes_of(view); at += bytes) {
        uint64_t raw = kind == 0 ? random_bits() : few[random_below(kind == 1 ? kinds : 2)];
        memcpy(arena[view->arena] + at, &raw, bytes);
    }
}

static struct pool_case draw_case(uint32_t rank, const int64_t *shape, int64_t largest_kernel)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    struct pool_case drawn = {.rounds_up = random_below(2) == 0, .has_stride = random_below(3) > 0};
    int64_t out[4], mask[4];
    for (int axis = 0; axis < 2; axis++) {
        int64_t in = shape[rank - 2 + (uint32_t)axis];
        do {
            drawn.kernel[axis] = 1 + random_below(largest_kernel);
            drawn.padding[axis] = random_below(drawn.kernel[axis] / 2 + 1);
        } while (drawn.kernel[axis] > in + 2 * drawn.padding[axis]);
        drawn.stride[axis] = drawn.has_stride ? 1 + random_below(4) : drawn.kernel[axis];
    }
    memcpy(out, shape, rank * sizeof *out);
    memcpy(mask, shape, rank * sizeof *mask);
    for (int axis = 0; axis < 2; axis++)
        out[rank - 2 + (uint32_t)axis] = count_windows(&drawn, axis, shape[rank - 2 + (uint32_t)axis]);
    mask[rank - 2] = drawn.kernel[0] * drawn.kernel[1];
    mask[rank - 1] = ((out[rank - 2] * out[rank - 1] + 15) / 16 + 1) * 32;
    drawn.self = view_of(0, dtypes[random_below(3)], rank, shape);
    drawn.out = view_of(1, drawn.self.dtype, rank, out);
    drawn.mask = view_of(2, random_below(2) == 0 ? ACL_INT8 : ACL_UINT8, rank, mask);
    if (random_below(3) > 0) {
        lay_out(&drawn.self, true, true);
        if (random_below(4) == 0)
            drawn.self.stride[random_below(rank)] = random_below(2);
        lay_out(&drawn.out, true, true);
        if (random_below(2) == 0)
            lay_out(&drawn.mask, true, true);
        drawn.self.offset = random_below(5);
        drawn.mask.offset = random_below(5);
    }
    return drawn;
}

static void random_windows_give_what_a_loop_over_all_places_gives(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        const int64_t shape[] = {1 + random_below(3), 1 + random_below(3), 1 + random_below(14),
                                 1 + random_below(14)};
        uint32_t rank = 3 + (uint32_t)random_below(2);
        struct pool_case drawn = draw_case(rank, shape + 4 - rank, round % 4 == 0 ? 12 : 5);
        fill_bytes(2, 8192);
        fill_self(&drawn.self);
        check_case(&drawn);
    }
}

static void large_planes_are_shared_out_in_blocks_and_complete(void **state)
{
    (void)state;
    static const int64_t shapes[][4] = {{1, 1, 200, 200}, {1, 2, 64, 64}, {1, 3, 33, 95}, {2, 40, 20, 21}};
    for (int round = 0; round < 12; round++) {
        struct pool_case drawn = draw_case(4, shapes[round % 4], 3);
        if (bytes_of(&drawn.mask) + 64 > PLACED_BYTES)
            continue;
        fill_bytes(2, 1 << 20);
        fill_self(&drawn.self);
        check_case(&drawn);
    }
}

static void outputs_on_the_input_give_what_a_copied_input_gives(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        struct pool_case drawn = draw_case(3, DIMS(2, 1 + random_below(12), 1 + random_below(12)), 3);
        if (round % 2 == 0)
            drawn.out.arena = 0;
        else
            drawn.mask.arena = 0;
        fill_self(&drawn.self);
        check_case(&drawn);
    }
}

/* One window along an axis, which begins on the padding: its stride leads nowhere, however great it is. */
static void strides_may_be_of_any_size(void **state)
{
    (void)state;
    static const int64_t strides[][2] = {{INT64_MAX, INT64_MAX}, {1, INT64_MAX}, {INT64_MAX, 1}};
    for (int i = 0; i < 3; i++) {
        struct pool_case drawn = {.kernel = {4, 4}, .padding = {2, 2}, .has_stride = true};
        const int64_t high = strides[i][0] == 1 ? 4 : 1, wide = strides[i][1] == 1 ? 4 : 1;
        memcpy(drawn.stride, strides[i], sizeof drawn.stride);
        drawn.self = view_of(0, ACL_FLOAT, 3, DIMS(1, 3, 3));
        drawn.out = view_of(1, ACL_FLOAT, 3, DIMS(1, high, wide));
        drawn.mask = view_of(2, ACL_INT8, 3, DIMS(1, 16, 64));
        drawn.self.offset = 32; /* behind what is greater */
        for (int64_t k = 0; k < 41; k++)
            memcpy(arena[0] + 4 * k, &(float){k < 32 ? 1 : -(float)(k % 5) - 1}, sizeof(float));
        check_case(&drawn);

        /* Backward only the bits of places on the plane count, here those of window 0. */
        const float grad[16] = {5};
        memcpy(arena[1], grad, sizeof grad);
        memset(arena[2], 0, 16 * 64);
        for (int place = 0; place < 16; place++)
            arena[2][place * 64] = 1;
        union argument argument[9] = {argument_of_pointer(create_placed(&drawn.out)),
                                      argument_of_pointer(create_placed(&drawn.self)),
                                      argument_of_pointer(create_placed(&drawn.mask)),
                                      argument_of_pointer(aclCreateIntArray(drawn.kernel, 2)),
                                      argument_of_pointer(aclCreateIntArray(drawn.stride, 2)),
                                      argument_of_pointer(aclCreateIntArray(drawn.padding, 2)),
                                      argument_of_pointer(aclCreateIntArray(DIMS(1), 1)),
                                      argument_of_bool(false)};
        const struct view result = view_of(3, ACL_FLOAT, 3, DIMS(1, 3, 3));
        argument[8] = argument_of_pointer(create_placed(&result));
        call_placed(find("aclnnMaxPool2dWithMaskBackward"), argument);
        for (int k = 3; k <= 6; k++)
            assert_int_equal(aclDestroyIntArray(argument[k].ints), 0);
        for (int64_t k = 0; k < 9; k++)
            assert_true(number_at(arena[3], &result, k) == (k / 3 < 2 && k % 3 < 2 ? 5 : 0));
    }
}

/* By hand, so that the layout of the bits is stated once: 3 x 3, windows of 2 x 2, stride 1. */
static void the_bits_lie_where_the_contract_says(void **state)
{
    (void)state;
    static const float plane[] = {1, 5, 2, 0, 3, 9, 4, 4, 4}, greatest[] = {5, 9, 4, 9};
    struct pool_case drawn = {.kernel = {2, 2}, .stride = {1, 1}, .has_stride = true};
    drawn.self = view_of(0, ACL_FLOAT, 3, DIMS(1, 3, 3));
    drawn.out = view_of(1, ACL_FLOAT, 3, DIMS(1, 2, 2));
    drawn.mask = view_of(2, ACL_INT8, 3, DIMS(1, 4, 64));
    memcpy(arena[0], plane, sizeof plane);
    memset(arena[2], 0xff, 256);
    run(&drawn);
    assert_memory_equal(arena[1], greatest, sizeof greatest);
    /* window 0: 5 at (0, 1); 1: 9 at (1, 1); 2: the first 4 at (1, 0); 3: 9 at (0, 1) */
    static const unsigned char first[] = {0x00, 0x09, 0x04, 0x02};
    for (int i = 0; i < 256; i++)
        assert_int_equal(arena[2][i], i % 64 == 0 ? first[i / 64] : 0);
}

static void set_numbers(struct attempt *attempt, unsigned parameter, const int64_t *numbers, uint64_t count)
{
    assert_int_equal(aclDestroyIntArray(attempt->argument[parameter].ints), 0);
    attempt->argument[parameter].ints = aclCreateIntArray(numbers, count);
}

static void arrays_shapes_and_dtypes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(pool()); /* 2 x 3 x 4 x 5, windows of 2 x 2: 2 x 2 of them */
    assert_accepted(&attempt);
    static const struct {
        unsigned parameter;
        int64_t wrong[3];
        uint64_t count;
        const char *sentence;
    } rows[] = {
        {KERNEL_SIZE, {0, 2}, 2, "kernelSize has 0; 1 or more is expected"},
        {KERNEL_SIZE, {2, 2, 2}, 3, "kernelSize has 3 numbers; 1 or 2 are expected"},
        {KERNEL_SIZE, {2}, 0, "kernelSize has 0 numbers; 1 or 2 are expected"},
        {KERNEL_SIZE, {2, 6}, 2, "a kernel of 6 with padding 0 finds no window on 5 elements"},
        {STRIDE, {2, 0}, 2, "stride has 0; 1 or more is expected"},
        {PADDING, {0, 2}, 2, "padding has 2; 0 to 1 are expected"},
        {PADDING, {-1}, 1, "padding has -1; 0 to 1 are expected"},
        {PADDING, {1, 0}, 2, "out has shape [2, 3, 2, 2]; [2, 3, 3, 2]"},
        {DILATION, {0}, 1, "dilation has 0; 1 or more is expected"},
        {DILATION, {1, 2}, 2, "dilation has 2; 1 is expected"},
        {KERNEL_SIZE, {INT64_MAX, 1}, 2, "a kernel of 9223372036854775807 with padding 0 finds no window"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        release(&attempt);
        attempt = accepted(pool());
        set_numbers(&attempt, rows[i].parameter, rows[i].wrong, rows[i].count);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, rows[i].sentence);
    }
    release(&attempt);

    attempt = accepted(pool());
    replace_dtype(&attempt, INDICES, ACL_UINT8);
    assert_accepted(&attempt);
    replace_dtype(&attempt, INDICES, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indices has dtype INT32");
    replace(&attempt, INDICES, tensor_with(ACL_INT8, 4, DIMS(2, 3, 4, 32), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indices has shape [2, 3, 4, 32]; [2, 3, 4, 64]");
    replace_dtype(&attempt, OUT, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype FLOAT16");
    replace(&attempt, SELF, plain(ACL_FLOAT));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 2 dims; 3 or 4 are expected");
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 3, DIMS(3, 0, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "a kernel of 2 with padding 0 finds no window on 0");
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 4, DIMS(0, 3, 4, 5), NULL));
    replace(&attempt, OUT, tensor_with(ACL_FLOAT, 4, DIMS(0, 3, 2, 2), NULL));
    replace(&attempt, INDICES, tensor_with(ACL_INT8, 4, DIMS(0, 3, 4, 64), NULL));
    assert_accepted(&attempt);
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_lie_where_the_contract_says),
        cmocka_unit_test(random_windows_give_what_a_loop_over_all_places_gives),
        cmocka_unit_test(large_planes_are_shared_out_in_blocks_and_complete),
        cmocka_unit_test(outputs_on_the_input_give_what_a_copied_input_gives),
        cmocka_unit_test(strides_may_be_of_any_size),
        cmocka_unit_test(arrays_shapes_and_dtypes_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
