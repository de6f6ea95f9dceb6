/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dims backwards, turned, in slices and in parts: whole tensors in layouts, dtypes and overlaps drawn at
 * random, and the rules that are each one's own.
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

static void dims_are_flipped(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct source source = draw_self("aclnnFlip", 0, 0, 5);
        int64_t dims[OPERAND_RANK_MAX] = {0};
        uint64_t count = 0;
        for (uint32_t k = 0; k < source.self.rank; k++) {
            if (random_below(2) == 0)
                continue;
            dims[count++] = either_way(k, source.self.rank);
            source.begin[k] = source.self.shape[k] - 1;
            source.step[k] = -1;
        }
        draw_layouts(&source);
        const union argument argument[] = {argument_of_pointer(create_placed(&source.self)),
                                           int_array(dims, count),
                                           argument_of_pointer(create_placed(&source.out))};
        assert_made("aclnnFlip", argument, &source.out, expect_moved, &source);
    }
}

static int64_t turned(const struct source *source, uint32_t k, int64_t index)
{
    return modulo(index - source->begin[k], source->out.shape[k]);
}

static void expect_flat(const void *context, int64_t i, unsigned char *element)
{
    const struct source *source = (const struct source *)context;
    const int64_t from = modulo(i - source->begin[0], count_of(&source->out));
    memcpy(element, element_of(arena[source->self.arena], &source->self, from),
           dtype_bytes(source->out.dtype));
}

static void dims_are_rolled(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct source source = draw_self("aclnnRoll", 0, 0, 5);
        int64_t dims[OPERAND_RANK_MAX], shifts[OPERAND_RANK_MAX] = {random_below(4000) - 2000};
        const bool is_flat = source.self.rank == 0 || random_below(3) == 0;
        const uint64_t count = is_flat ? 0 : 1 + (uint64_t)random_below(4);
        source.index = turned;
        if (is_flat)
            source.begin[0] = modulo(shifts[0], count_of(&source.self));
        for (uint64_t n = 0; n < count; n++) {
            const int64_t dim = random_below(source.self.rank), size = source.self.shape[dim];
            dims[n] = either_way(dim, source.self.rank);
            shifts[n] = random_below(8) == 0 ? INT64_MIN : random_below(40) - 20;
            source.begin[dim] = modulo(source.begin[dim] + modulo(shifts[n], size), size);
        }
        draw_layouts(&source);
        const union argument argument[] = {argument_of_pointer(create_placed(&source.self)),
                                           int_array(shifts, is_flat ? 1 : count), int_array(dims, count),
                                           argument_of_pointer(create_placed(&source.out))};
        assert_made("aclnnRoll", argument, &source.out, is_flat ? expect_flat : expect_moved, &source);
    }
}

/* A bound of a slice, as a program may write it. */
static int64_t draw_bound(int64_t size)
{
    return random_below(10) == 0   ? INT64_MAX
           : random_below(10) == 0 ? INT64_MIN
                                   : random_below(3 * size + 2) - size - 1;
}

/* What Python makes of a bound. */
static int64_t clipped(int64_t bound, int64_t size, int64_t low, int64_t high)
{
    bound += bound < 0 ? size : 0;
    return bound < low ? low : bound > high ? high : bound;
}

static bool slice(struct source *source, int64_t dim, int64_t start, int64_t end, int64_t step)
{
    const int64_t size = source->self.shape[dim];
    start = clipped(start, size, 0, size);
    end = clipped(end, size, 0, size);
    source->out.shape[dim] = 0;
    for (int64_t i = start; i < end; i += step)
        source->out.shape[dim]++;
    source->begin[dim] = start;
    source->step[dim] = step;
    return source->out.shape[dim] > 0;
}

static void slices_follow_python(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const bool is_v2 = round % 2 == 1;
        const char *name = is_v2 ? "aclnnSliceV2" : "aclnnSlice";
        struct source source = draw_self(name, 0, 1, 5);
        int64_t start[OPERAND_RANK_MAX], end[OPERAND_RANK_MAX], step[OPERAND_RANK_MAX],
            axis[OPERAND_RANK_MAX];
        uint64_t count = 0;
        bool is_some = true;
        for (uint32_t k = 0; k < source.self.rank && (is_v2 || count == 0); k++) {
            if (random_below(2) == 0 && (is_v2 || k + 1 < source.self.rank))
                continue;
            start[count] = draw_bound(source.self.shape[k]);
            end[count] = draw_bound(source.self.shape[k]);
            step[count] = 1 + random_below(4);
            is_some = slice(&source, k, start[count], end[count], step[count]) && is_some;
            axis[count++] = either_way(k, source.self.rank);
        }
        if (!is_some)
            continue;
        draw_layouts(&source);
        union argument argument[6] = {argument_of_pointer(create_placed(&source.self))};
        if (is_v2) {
            argument[1] = int_array(start, count);
            argument[2] = int_array(end, count);
            argument[3] = int_array(axis, count);
            argument[4] = int_array(step, count);
        } else {
            argument[1] = argument_of_integer(axis[0]);
            argument[2] = argument_of_integer(start[0]);
            argument[3] = argument_of_integer(end[0]);
            argument[4] = argument_of_integer(step[0]);
        }
        argument[5] = argument_of_pointer(create_placed(&source.out));
        assert_made(name, argument, &source.out, expect_moved, &source);
    }
}

/* Entries one by one, each with what it does to out; false where out is empty. */
struct entries {
    int64_t begin[16], end[16], stride[16], mask[5];
    uint64_t count;
};

enum { BEGIN_MASK, END_MASK, ELLIPSIS_MASK, NEW_AXIS_MASK, SHRINK_MASK };

static void add_out_dim(struct source *source, int64_t dim, int64_t size, int64_t begin, int64_t step)
{
    source->dim[source->out.rank] = dim;
    source->begin[source->out.rank] = begin;
    source->step[source->out.rank] = step;
    source->out.shape[source->out.rank++] = size;
}

static bool draw_entry(struct source *source, int64_t dim, struct entries *entries)
{
    const int64_t size = source->self.shape[dim], bit = INT64_C(1) << entries->count;
    const uint64_t n = entries->count++;
    int64_t stride = 1 + random_below(3), count = 0;
    entries->begin[n] = draw_bound(size);
    entries->end[n] = draw_bound(size);
    if (random_below(4) == 0) {
        const int64_t index = random_below(size);
        entries->begin[n] = index - (random_below(2) == 0 ? size : 0);
        entries->stride[n] = stride;
        entries->mask[SHRINK_MASK] |= bit;
        source->fixed[dim] = index;
        return true;
    }
    stride = random_below(2) == 0 ? stride : -stride;
    entries->stride[n] = stride;
    int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
    int64_t begin = clipped(entries->begin[n], size, low, high),
            end = clipped(entries->end[n], size, low, high);
    if (random_below(2) == 0) {
        entries->mask[BEGIN_MASK] |= bit;
        begin = stride > 0 ? 0 : size - 1;
    }
    if (random_below(2) == 0) {
        entries->mask[END_MASK] |= bit;
        end = stride > 0 ? size : -1;
    }
    for (int64_t i = begin; stride > 0 ? i < end : i > end; i += stride)
        count++;
    add_out_dim(source, dim, count, begin, stride);
    return count > 0;
}

static void strided_slices_follow_their_masks(void **state)
{
    (void)state;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        struct source source = draw_self("aclnnStridedSlice", 0, 0, 5);
        struct entries entries = {.count = 0};
        int64_t dim = 0, rank = source.self.rank;
        bool is_some = true, has_ellipsis = false;
        source.out.rank = 0;
        while (dim < rank && is_some && source.out.rank + rank - dim < OPERAND_RANK_MAX) {
            const int64_t what = random_below(6), bit = INT64_C(1) << entries.count;
            if (what < 2) {
                entries.stride[entries.count] = 1;
                entries.begin[entries.count] = entries.end[entries.count] = 7; /* not looked at */
                entries.mask[what == 0 && !has_ellipsis ? ELLIPSIS_MASK : NEW_AXIS_MASK] |= bit;
                entries.count++;
            }
            if (what == 0 && !has_ellipsis) {
                has_ellipsis = true;
                for (int64_t left = random_below(rank - dim + 1); left > 0; left--, dim++)
                    add_out_dim(&source, dim, source.self.shape[dim], 0, 1);
            } else if (what < 2) {
                add_out_dim(&source, -1, 1, 0, 1);
            } else {
                is_some = draw_entry(&source, dim++, &entries);
            }
            if (!has_ellipsis && random_below(5) == 0)
                break;
        }
        if (!is_some || (has_ellipsis && dim < rank))
            continue;
        for (; dim < rank; dim++)
            add_out_dim(&source, dim, source.self.shape[dim], 0, 1);
        draw_layouts(&source);
        union argument argument[10] = {
            argument_of_pointer(create_placed(&source.self)), int_array(entries.begin, entries.count),
            int_array(entries.end, entries.count), int_array(entries.stride, entries.count)};
        for (int k = 0; k < 5; k++)
            argument[4 + k] = argument_of_integer(entries.mask[k]);
        argument[9] = argument_of_pointer(create_placed(&source.out));
        assert_made("aclnnStridedSlice", argument, &source.out, expect_moved, &source);
    }
}

enum { PARTS_MAX = 40 };

/* A view for each part; what comes from self is expected in all of them. */
static void assert_split(const char *name, union argument *argument, const struct view *self, uint32_t dim,
                         const int64_t *size, uint64_t count)
{
    static unsigned char wanted[PLACED_BYTES];
    const struct function *function = find(name);
    const aclTensor *tensor[PARTS_MAX];
    int64_t at = 0, place = 0, inner = 1;
    for (uint32_t k = dim + 1; k < self->rank; k++)
        inner *= self->shape[k];
    struct view part[PARTS_MAX];
    for (uint64_t n = 0; n < count; n++) {
        part[n] = *self;
        part[n].shape[dim] = size[n];
        part[n] = drawn_view(0, self->dtype, self->rank, part[n].shape);
        part[n].offset += place;
        place = size[n] > 0 ? last_of(&part[n]) + 1 : place;
        tensor[n] = create_placed(&part[n]);
    }
    const size_t used = (size_t)(place + 8) * dtype_bytes(self->dtype);
    assert_true(used < PLACED_BYTES);
    fill_bytes(0, used);
    memcpy(wanted, arena[0], used);
    for (uint64_t n = 0; n < count; at += size[n++])
        for (int64_t i = 0; i < count_of(&part[n]); i++) {
            const int64_t rows = inner * size[n];
            const int64_t from = i / rows * inner * self->shape[dim] + at * inner + i % rows;
            memcpy(element_of(wanted, &part[n], i), element_of(arena[1], self, from),
                   dtype_bytes(self->dtype));
        }
    argument[0] = argument_of_pointer(create_placed(self));
    argument[2] = argument_of_integer(either_way(dim, self->rank));
    argument[3] = argument_of_pointer(aclCreateTensorList(tensor, count));
    call_placed(function, argument);
    assert_memory_equal(arena[0], wanted, used);
    destroy_arguments(function, argument);
}

static void tensors_are_split(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = round % 2 == 0 ? "aclnnSplitTensor" : "aclnnSplitWithSize";
        struct source source = draw_self(name, 0, 1, 4);
        const uint32_t dim = (uint32_t)random_below(source.self.rank);
        const int64_t each = source.self.shape[dim] / PARTS_MAX + 1 + random_below(4);
        int64_t size[PARTS_MAX], left = source.self.shape[dim];
        uint64_t count = 0;
        union argument argument[4] = {{0}};
        while (left > 0) {
            size[count] = round % 2 == 0 || count + 1 == PARTS_MAX ? each : random_below(left + 1);
            if (size[count] > left || (round % 2 == 1 && count + 1 == PARTS_MAX))
                size[count] = left;
            left -= size[count++];
        }
        draw_layouts(&source);
        source.self.arena = 1;
        fill_bytes(1, bytes_of(&source.self));
        argument[1] = round % 2 == 0 ? argument_of_integer(each) : int_array(size, count);
        assert_split(name, argument, &source.self, dim, size, count);
    }
}

static void parts_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnSplitTensor"));
    attempt.argument[1].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has 2 tensors; 1 are expected");
    attempt.argument[1].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "splitSections is 0; 1 to 2^63 - 1 are expected");
    attempt.argument[1].int64 = 1;
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "tensor 0 of out has another dtype than self, or another");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 0, NULL, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 0 dims; 1 or more are expected");
    release(&attempt);

    attempt = accepted(find("aclnnSplitWithSize"));
    set_ints(&attempt, 1, DIMS(1), 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "splitSize adds up to 1; 2 is expected");
    set_ints(&attempt, 1, DIMS(3, -1), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "splitSize holds 3; sizes of 0 or more are expected");
    set_ints(&attempt, 1, DIMS(2, 0), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "tensor 0 of out has another dtype than self, or another");
    release(&attempt);
}

static void flip_and_roll_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnFlip"));
    set_ints(&attempt, 1, DIMS(0, -2), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dims names dim 0 twice; once at most is expected");
    set_ints(&attempt, 1, DIMS(2), 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dims is 2; -2 to 1 are expected");
    release(&attempt);

    attempt = accepted(find("aclnnRoll"));
    set_ints(&attempt, 1, DIMS(1, 2), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "shifts has 2 elements and dims has 1");
    set_ints(&attempt, 2, NULL, 0);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "shifts has 2 elements and dims has 0");
    set_ints(&attempt, 1, DIMS(1), 1);
    assert_accepted(&attempt);
    set_ints(&attempt, 2, DIMS(7), 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dims is 7; -2 to 1 are expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(0, 3), NULL));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 2, DIMS(0, 3), NULL));
    assert_accepted(&attempt); /* dims of nothing are not looked at */
    release(&attempt);
}

static void slices_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnSlice"));
    attempt.argument[4].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "step is 0; 1 or more is expected");
    attempt.argument[4].int64 = 1;
    attempt.argument[1].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim is 2; -2 to 1 are expected");
    attempt.argument[1].int64 = 0;
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 0, NULL, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 0 dims; 1 or more are expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(5, 3), NULL));
    attempt.argument[3].int64 = -9; /* before the beginning: nothing */
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2, 3]; [0, 3]");
    release(&attempt);

    attempt = accepted(find("aclnnSliceV2"));
    set_ints(&attempt, 3, DIMS(0, -2), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "axes names dim 0 twice");
    set_ints(&attempt, 3, DIMS(0), 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "axes has 1 elements; 2, as many as starts");
    release(&attempt);

    attempt = accepted(find("aclnnStridedSlice"));
    set_ints(&attempt, 3, DIMS(1, 0), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "strides holds 0; another number is expected");
    set_ints(&attempt, 3, DIMS(1), 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "strides has 1 elements; 2, as many as begin");
    set_ints(&attempt, 3, DIMS(1, -1), 2);
    attempt.argument[6].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "ellipsisMask has more than one bit");
    attempt.argument[6].int64 = 0;
    attempt.argument[8].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "begin holds 2 for dim 1, which vanishes");
    attempt.argument[8].int64 = 0;
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "begin has elements for 2 dims; 1, as many as self has");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dims_are_flipped),         cmocka_unit_test(dims_are_rolled),
        cmocka_unit_test(slices_follow_python),     cmocka_unit_test(strided_slices_follow_their_masks),
        cmocka_unit_test(tensors_are_split),        cmocka_unit_test(parts_have_rules),
        cmocka_unit_test(flip_and_roll_have_rules), cmocka_unit_test(slices_have_rules),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
