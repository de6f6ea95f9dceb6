/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors with something around them, and sums over windows: whole tensors in layouts, dtypes and overlaps
 * drawn at random, and the rules that are each one's own.
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
#include "ops/made.h"
#include "ops/moved.h"

static int64_t mirrored(const struct source *source, uint32_t k, int64_t index)
{
    const int64_t size = source->self.shape[k];
    index -= source->begin[k];
    return index < 0 ? -index : index >= size ? 2 * (size - 1) - index : index;
}

static int64_t continued(const struct source *source, uint32_t k, int64_t index)
{
    index -= source->begin[k];
    return index < 0 ? 0 : index >= source->self.shape[k] ? source->self.shape[k] - 1 : index;
}

static int64_t around(const struct source *source, uint32_t k, int64_t index)
{
    return modulo(index - source->begin[k], source->self.shape[k]);
}

static int64_t shifted(const struct source *source, uint32_t k, int64_t index)
{
    return index - source->begin[k];
}

/* What may be added to a side, and what is left: crops now and then. */
static int64_t draw_pad(int64_t size, int64_t most, int64_t *left)
{
    int64_t pad = random_below(most + 1);
    if (random_below(4) == 0 && *left > 1)
        pad = -random_below(*left);
    *left += pad < 0 ? pad : 0;
    return pad < -size ? -size : pad;
}

/* One side crops more than there is, of what the other one adds. */
static void draw_crossed_pads(int64_t size, int64_t most, int64_t *padding)
{
    const int64_t beyond = random_below(most), added = beyond + 1 + random_below(most - beyond);
    const int cropped = (int)random_below(2);
    padding[cropped] = -size - beyond;
    padding[1 - cropped] = added;
}

static void draw_padding(struct source *source, uint32_t dims, int64_t most_more, bool crosses,
                         int64_t *padding)
{
    for (uint32_t n = 0; n < dims; n++) {
        const uint32_t k = source->self.rank - 1 - n;
        const int64_t size = source->self.shape[k], most = most_more == 99 ? 6 : size - 1 + most_more;
        int64_t left = size;
        padding[2 * n] = draw_pad(size, most, &left);
        padding[2 * n + 1] = draw_pad(size, most, &left);
        if (crosses && most > 0 && random_below(5) == 0)
            draw_crossed_pads(size, most, padding + 2 * (ptrdiff_t)n);
        source->begin[k] = padding[2 * n];
        source->out.shape[k] = size + padding[2 * n] + padding[2 * n + 1];
    }
}

static void edges_are_continued(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t dims;
        int64_t most_more; /* beyond size - 1; 99: any number */
        int64_t (*index)(const struct source *source, uint32_t out_dim, int64_t index);
    } pads[] = {
        {"aclnnReflectionPad1d", 1, 0, mirrored},    {"aclnnReflectionPad2d", 2, 0, mirrored},
        {"aclnnReflectionPad3d", 3, 0, mirrored},    {"aclnnReplicationPad1d", 1, 99, continued},
        {"aclnnReplicationPad2d", 2, 99, continued}, {"aclnnReplicationPad3d", 3, 99, continued},
        {"aclnnCircularPad2d", 2, 1, around},        {"aclnnCircularPad3d", 3, 1, around},
    };
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const unsigned which = (unsigned)round % 8;
        struct source source = draw_self(pads[which].name, 0, pads[which].dims + 1, pads[which].dims + 2);
        int64_t padding[6];
        source.index = pads[which].index;
        for (uint32_t k = 0; k < source.self.rank - pads[which].dims; k++)
            source.begin[k] = 0;
        draw_padding(&source, pads[which].dims, pads[which].most_more, true, padding);
        draw_layouts(&source);
        const union argument argument[] = {argument_of_pointer(create_placed(&source.self)),
                                           int_array(padding, 2 * pads[which].dims),
                                           argument_of_pointer(create_placed(&source.out))};
        assert_made(pads[which].name, argument, &source.out, expect_moved, &source);
    }
}

static void values_lie_around(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = "aclnnConstantPadNd";
        struct source source = draw_self(name, 0, 0, 4);
        const uint32_t dims = (uint32_t)random_below(source.self.rank + 1);
        const double value = round % 3 == 0 ? 0 : 3.75;
        int64_t padding[OPERAND_RANK_MAX * 2];
        source.index = shifted;
        draw_padding(&source, dims, 99, false, padding);
        draw_layouts(&source);
        conversion_reference(&value, ACL_DOUBLE, source.value, source.out.dtype);
        const union argument argument[] = {argument_of_pointer(create_placed(&source.self)),
                                           int_array(padding, 2 * dims), real_scalar(value),
                                           argument_of_pointer(create_placed(&source.out))};
        assert_made(name, argument, &source.out, expect_moved, &source);
    }
}

static void expect_the_value(const void *context, int64_t i, unsigned char *element)
{
    (void)i;
    memcpy(element, context, sizeof(float));
}

struct unfolded {
    struct view grad, out;
    uint32_t dim;
    int64_t size, step, count;
};

static void expect_unfolded(const void *context, int64_t i, unsigned char *element)
{
    const struct unfolded *call = (const struct unfolded *)context;
    int64_t index[OPERAND_RANK_MAX] = {0};
    double sum = 0;
    for (uint32_t k = call->out.rank; k-- > 0; i /= call->out.shape[k])
        index[k] = i % call->out.shape[k];
    const int64_t along = index[call->dim];
    for (int64_t w = 0; w < call->count; w++) {
        double value;
        int64_t number = 0;
        if (along < w * call->step || along >= w * call->step + call->size)
            continue;
        index[call->dim] = w;
        index[call->out.rank] = along - w * call->step;
        for (uint32_t k = 0; k < call->grad.rank; k++)
            number = number * call->grad.shape[k] + index[k];
        conversion_reference(element_of(arena[call->grad.arena], &call->grad, number), call->grad.dtype,
                             &value, ACL_DOUBLE);
        sum += value;
    }
    conversion_reference(&sum, ACL_DOUBLE, element, call->out.dtype);
}

static void windows_are_added_up(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t shape[OPERAND_RANK_MAX];
        struct unfolded call = {.step = 1 + random_below(4)};
        const uint32_t rank = draw_shape(shape, 1, 4);
        call.dim = (uint32_t)random_below(rank);
        call.size = 1 + random_below(shape[call.dim] < 7 ? shape[call.dim] : 7);
        call.count = (shape[call.dim] - call.size) / call.step + 1;
        call.out = drawn_view(0, draw_dtype_of("aclnnUnfoldGrad", 0), rank, shape);
        const union argument sizes = int_array(shape, rank);
        shape[call.dim] = call.count;
        shape[rank] = call.size;
        call.grad = drawn_view((unsigned)random_below(2), call.out.dtype, rank + 1, shape);
        fill_bytes(0, bytes_of(&call.grad) + bytes_of(&call.out) + 64);
        for (int64_t i = 0; i < count_of(&call.grad); i++) {
            const double value = (double)(random_below(2000) - 1000) / 16;
            conversion_reference(&value, ACL_DOUBLE, element_of(arena[call.grad.arena], &call.grad, i),
                                 call.grad.dtype);
        }
        const union argument argument[] = {argument_of_pointer(create_placed(&call.grad)),
                                           sizes,
                                           argument_of_integer(either_way(call.dim, rank)),
                                           argument_of_integer(call.size),
                                           argument_of_integer(call.step),
                                           argument_of_pointer(create_placed(&call.out))};
        assert_made("aclnnUnfoldGrad", argument, &call.out, expect_unfolded, &call);
    }
}

/* The only element of a tensor without dims is its only window; windows of size 0 add nothing. */
static void windows_without_dims_or_elements(void **state)
{
    (void)state;
    static const struct {
        uint32_t rank;
        int64_t shape, size, windows;
    } calls[] = {{0, 1, 1, 1}, {0, 1, 0, 1}, {1, 3, 0, 4}};
    for (int i = 0; i < 6; i++) {
        const uint32_t rank = calls[i / 2].rank;
        const float value = 2.5F, wanted = calls[i / 2].size > 0 ? 2.5F : 0;
        const int64_t grad_shape[] = {rank == 0 ? calls[i / 2].size : calls[i / 2].windows,
                                      calls[i / 2].size};
        struct view out = view_of(0, ACL_FLOAT, rank, &calls[i / 2].shape),
                    grad = view_of(1, ACL_FLOAT, rank + 1, grad_shape);
        fill_bytes(0, 64);
        memcpy(arena[1], &value, sizeof value);
        const union argument argument[] = {argument_of_pointer(create_placed(&grad)),
                                           int_array(&calls[i / 2].shape, rank),
                                           argument_of_integer(i % 2 - 1),
                                           argument_of_integer(calls[i / 2].size),
                                           argument_of_integer(1),
                                           argument_of_pointer(create_placed(&out))};
        assert_made("aclnnUnfoldGrad", argument, &out, expect_the_value, &wanted);
    }
    struct attempt attempt = accepted(find("aclnnUnfoldGrad"));
    set_ints(&attempt, 1, DIMS(0), 0);
    attempt.argument[3].int64 = 1;
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim 0 of gradOut has size 2; 1 is expected");
    release(&attempt);
}

static void windows_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnUnfoldGrad"));
    attempt.argument[3].int64 = 5;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "size is 5 and step is 1; 0 or more and 1 or more are expected, and a size of 4 at most");
    attempt.argument[3].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "size is -1 and step is 1; 0 or more and 1 or more");
    attempt.argument[3].int64 = 2;
    attempt.argument[4].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "size is 2 and step is 0; 0 or more and 1 or more");
    attempt.argument[4].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim 1 of gradOut has size 3; 2 is expected");
    set_ints(&attempt, 1, DIMS(4), 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "inputSizes has 1 elements and gradOut has 3 dims");
    release(&attempt);
}

static void edges_have_rules(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t accepted, refused;
    } most[] = {
        {"aclnnReflectionPad2d", 2, 3}, {"aclnnCircularPad2d", 3, 4}, {"aclnnReplicationPad2d", 9, -4}};
    for (int i = 0; i < 3; i++) { /* rows of 4 elements, columns of 3 */
        struct attempt attempt = accepted(find(most[i].name));
        set_ints(&attempt, 1, DIMS(0, 0, most[i].refused, 0), 4);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "padding holds");
        set_ints(&attempt, 1, DIMS(0, 0, 0, most[i].refused), 4);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "padding holds");
        set_ints(&attempt, 1, DIMS(0, 0, 0, most[i].accepted), 4);
        replace(&attempt, 2, tensor_with(ACL_FLOAT, 3, DIMS(2, 3 + most[i].accepted, 4), NULL));
        assert_accepted(&attempt);
        set_ints(&attempt, 1, DIMS(0, 0), 2);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "padding has 2 elements; 4 are expected");
        set_ints(&attempt, 1, DIMS(0, 0, -2, -2), 4);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "padding holds -2 and -2 for dim 1");
        set_ints(&attempt, 1, DIMS(0, 0, 0, 0), 4);
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(3, 4), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 2 dims; 3 or 4 are expected");
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(0, 3, 4), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim 0 of self has size 0");
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 4, DIMS(0, 2, 3, 4), NULL));
        replace(&attempt, 2, tensor_with(ACL_FLOAT, 4, DIMS(0, 2, 3, 4), NULL));
        assert_accepted(&attempt);
        release(&attempt);
    }
}

static void values_around_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnConstantPadNd"));
    set_ints(&attempt, 1, DIMS(1, 1, 1), 3);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "pad has 3 elements; pairs are expected");
    set_ints(&attempt, 1, DIMS(0, 0, 0, 0, 0, 0), 6);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "pad has 6 elements; pairs are expected");
    static const int64_t refused[][2] = {{-4, 0}, {0, -4}, {-2, -2}, {INT64_MAX, 1}};
    for (int i = 0; i < 4; i++) {
        set_ints(&attempt, 1, refused[i], 2);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "pad holds");
    }
    set_ints(&attempt, 1, DIMS(-3, 0), 2);
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 2, DIMS(2, 0), NULL));
    assert_accepted(&attempt);
    set_ints(&attempt, 1, DIMS(-1, -2, 1, 1), 4); /* nothing is left of one dim, and another one grows */
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 2, DIMS(4, 0), NULL));
    assert_accepted(&attempt);
    release(&attempt);
}

static void nothing_becomes_the_value(void **state)
{
    (void)state;
    const float value = 2.5F;
    struct view self = view_of(1, ACL_FLOAT, 2, DIMS(0, 3)), out = view_of(0, ACL_FLOAT, 2, DIMS(2, 4));
    const union argument argument[] = {argument_of_pointer(create_placed(&self)),
                                       int_array(DIMS(1, 0, 2, 0), 4), real_scalar(2.5),
                                       argument_of_pointer(create_placed(&out))};
    assert_made("aclnnConstantPadNd", argument, &out, expect_the_value, &value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_continued),       cmocka_unit_test(values_lie_around),
        cmocka_unit_test(nothing_becomes_the_value), cmocka_unit_test(windows_are_added_up),
        cmocka_unit_test(windows_have_rules),        cmocka_unit_test(edges_have_rules),
        cmocka_unit_test(values_around_have_rules),  cmocka_unit_test(windows_without_dims_or_elements),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
