/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that write one value, into views whose indices share elements: expanded ones, windows that slide,
 * and any strides. Every element that an index names has the value, and no other one changes.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"

enum { ROOM = 4096, RANK = 4 };

static float *room;
static float expected[ROOM];

struct drawn_view {
    uint32_t rank;
    int64_t shape[RANK], stride[RANK], reach;
};

static void draw_view(struct drawn_view *view, uint32_t rank)
{
    do {
        view->rank = rank;
        view->reach = 0;
        for (uint32_t i = 0; i < rank; i++) {
            view->shape[i] = 1 + random_below(rank > 2 ? 5 : 30);
            view->stride[i] = random_below(3) == 0 ? 0 : random_below(9);
            view->reach += (view->shape[i] - 1) * view->stride[i];
        }
    } while (view->reach >= ROOM);
}

/* Sets what the indices of some of dim 0 name, or all, and only a diagonal where it is asked for. */
static void expect_places(const struct drawn_view *view, int64_t first, int64_t behind, bool is_diagonal,
                          float value)
{
    int64_t index[RANK] = {0};
    for (int64_t left = 1; left > 0;) {
        int64_t place = 0;
        bool is_one = true;
        for (uint32_t i = 0; i < view->rank; i++) {
            place += index[i] * view->stride[i];
            is_one = is_one && index[i] == index[0];
        }
        if ((view->rank == 0 || (index[0] >= first && index[0] < behind)) && (!is_diagonal || is_one))
            expected[place] = value;
        left = 0;
        for (uint32_t i = view->rank; i-- > 0 && left == 0;) {
            left = ++index[i] < view->shape[i];
            index[i] = left != 0 ? index[i] : 0;
        }
    }
}

static void fill_room(void)
{
    for (int i = 0; i < ROOM; i++)
        room[i] = expected[i] = (float)(i % 7) + 2;
}

static const aclTensor *tensor_of(const struct drawn_view *view)
{
    const int64_t storage = ROOM;
    return aclCreateTensor(view->shape, view->rank, ACL_FLOAT, view->stride, 0, ACL_FORMAT_ND, &storage, 1,
                           room);
}

static void assert_call(const char *name, union argument *argument)
{
    assert_int_equal(call_function(find(name), argument), 0);
    for (int i = 0; i < ROOM; i++)
        if (room[i] != expected[i])
            fail_msg("%s: element %d is %g and not %g", name, i, (double)room[i], (double)expected[i]);
    assert_int_equal(aclDestroyTensor(argument[0].tensor), 0);
}

static void one_value_goes_to_every_place(void **state)
{
    const float seven = 7;
    float *value;
    (void)state;
    assert_int_equal(aclrtMalloc((void **)&value, sizeof *value, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    *value = seven;
    for (int round = 0; round < times_effort(600); round++) {
        static const char *const names[] = {"aclnnInplaceFillScalar", "aclnnInplaceFillTensor",
                                            "aclnnInplaceZero", "aclnnInplaceOne", "aclnnInplaceCopy"};
        const int which = round % 5;
        struct drawn_view view;
        draw_view(&view, (uint32_t)random_below(RANK + 1));
        fill_room();
        expect_places(&view, 0, INT64_MAX, false, which == 2 ? 0 : which == 3 ? 1 : 7);
        union argument argument[2] = {{.tensor = tensor_of(&view)}};
        if (which == 0)
            argument[1].scalar = aclCreateScalar((void *)(uintptr_t)&seven, ACL_FLOAT);
        else if (which == 1 || which == 4)
            argument[1].tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, value);
        assert_call(names[which], argument);
        if (which < 2 || which == 4)
            release_argument(&find(names[which])->parameter[1], argument[1]);
    }
    assert_int_equal(aclrtFree(value), 0);
}

static void indices_and_diagonals_are_filled(void **state)
{
    const float seven = 7;
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        struct drawn_view view;
        draw_view(&view, 2);
        fill_room();
        union argument argument[4] = {{.tensor = tensor_of(&view)}};
        if (round % 2 == 0) {
            const int64_t at = random_below(view.shape[0]);
            expect_places(&view, at, at + 1, false, 7);
            argument[2].ints = aclCreateIntArray(&at, 1);
            argument[3].scalar = aclCreateScalar((void *)(uintptr_t)&seven, ACL_FLOAT);
            assert_call("aclnnInplaceIndexFillTensor", argument);
        } else {
            expect_places(&view, 0, INT64_MAX, true, 7);
            argument[1].scalar = aclCreateScalar((void *)(uintptr_t)&seven, ACL_FLOAT);
            argument[2] = argument_of_bool(false);
            assert_call("aclnnInplaceFillDiagonal", argument);
        }
    }
}

/* Of dim 0 an element, and of both a random half by a mask: a place has the value where any index says so. */
static void masks_and_indices_are_filled(void **state)
{
    const float seven = 7;
    unsigned char *masks;
    int64_t *indices;
    float *value;
    (void)state;
    assert_int_equal(aclrtMalloc((void **)&masks, ROOM, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMalloc((void **)&indices, ROOM * sizeof *indices, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMalloc((void **)&value, sizeof *value, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    *value = seven;
    aclScalar *scalar = aclCreateScalar((void *)(uintptr_t)&seven, ACL_FLOAT);
    for (int round = 0; round < times_effort(600); round++) {
        struct drawn_view view;
        draw_view(&view, 2);
        fill_room();
        union argument argument[5] = {{.tensor = tensor_of(&view)}};
        const aclTensor *one = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, value);
        const int64_t at = random_below(view.shape[0]);
        if (round % 4 < 2) { /* the mask's rows are one row, or are all there are */
            const bool is_row = random_below(2) == 0;
            const int64_t shape[2] = {is_row ? 1 : view.shape[0], view.shape[1]};
            for (int64_t i = 0; i < view.shape[0] * view.shape[1]; i++) {
                const int64_t from = is_row ? i % view.shape[1] : i;
                if (from == i)
                    masks[i] = random_below(3) == 0;
                if (masks[from] != 0)
                    expected[i / view.shape[1] * view.stride[0] + i % view.shape[1] * view.stride[1]] = 7;
            }
            argument[1].tensor = aclCreateTensor(shape, 2, ACL_BOOL, NULL, 0, ACL_FORMAT_ND, shape, 2, masks);
            if (round % 4 == 0)
                argument[2].scalar = scalar;
            else
                argument[2].tensor = one;
            assert_call(round % 4 == 0 ? "aclnnInplaceMaskedFillScalar" : "aclnnInplaceMaskedFillTensor",
                        argument);
            assert_int_equal(aclDestroyTensor(argument[1].tensor), 0);
        } else if (round % 4 == 2) {
            const int64_t shape[2] = {1, view.shape[1]};
            expect_places(&view, at, at + 1, false, 7);
            for (int64_t i = 0; i < view.shape[1]; i++)
                indices[i] = at;
            argument[1] = argument_of_integer(0);
            argument[2].tensor =
                aclCreateTensor(shape, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, shape, 2, indices);
            argument[3].scalar = scalar;
            argument[4] = argument_of_integer(0);
            assert_call("aclnnInplaceScatterValue", argument);
            assert_int_equal(aclDestroyTensor(argument[2].tensor), 0);
        } else {
            const int64_t shape = 1;
            const aclTensor *index =
                aclCreateTensor(&shape, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, &shape, 1, indices);
            expect_places(&view, at, at + 1, false, 7);
            indices[0] = at;
            argument[1].tensors = aclCreateTensorList(&index, 1);
            argument[2].tensor = one;
            argument[3] = argument[4] = argument_of_bool(false);
            assert_call("aclnnIndexPutImpl", argument);
            assert_int_equal(aclDestroyTensorList(argument[1].tensors), 0);
        }
        assert_int_equal(aclDestroyTensor(one), 0);
    }
    assert_int_equal(aclDestroyScalar(scalar), 0);
    assert_int_equal(aclrtFree(masks), 0);
    assert_int_equal(aclrtFree(indices), 0);
    assert_int_equal(aclrtFree(value), 0);
}

/* A list of them, and what is no fill: several values, or one that is added. */
static void lists_are_zeroed_and_other_writes_refused(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        struct drawn_view view;
        draw_view(&view, (uint32_t)random_below(RANK + 1));
        fill_room();
        expect_places(&view, 0, INT64_MAX, false, 0);
        const aclTensor *pair[] = {tensor_of(&view), tensor_of(&view)};
        const union argument list[] = {argument_of_pointer(aclCreateTensorList(pair, 2))};
        assert_int_equal(call_function(find("aclnnForeachZeroInplace"), list), 0);
        assert_memory_equal(room, expected, sizeof expected);
        assert_int_equal(aclDestroyTensorList(list[0].tensors), 0);
    }
    struct attempt attempt = accepted(find("aclnnInplaceCopy"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), DIMS(0, 1)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef overlaps itself");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 0, NULL, NULL));
    assert_accepted(&attempt);
    release(&attempt);
    attempt = accepted(find("aclnnIndexPutImpl"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), DIMS(0, 1)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef overlaps itself");
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 1, DIMS(1), NULL));
    assert_accepted(&attempt);
    attempt.argument[3] = argument_of_bool(true);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef overlaps itself");
    release(&attempt);
    attempt = accepted(find("aclnnInplaceScatterValue"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), DIMS(0, 1)));
    assert_accepted(&attempt);
    attempt.argument[4] = argument_of_integer(1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef overlaps itself");
    release(&attempt);
}

static int set_up(void **state)
{
    (void)state;
    return aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 ||
           aclrtMalloc((void **)&room, ROOM * sizeof *room, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_goes_to_every_place),
        cmocka_unit_test(indices_and_diagonals_are_filled),
        cmocka_unit_test(masks_and_indices_are_filled),
        cmocka_unit_test(lists_are_zeroed_and_other_writes_refused),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
