/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors, slices and elements again and again, and tensors side by side: whole tensors in layouts, dtypes
 * and overlaps drawn at random, and the rules that are each one's own.
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
#include "ops/promote.h"

enum { TENSORS_MAX = 5 };

static int64_t repeated(const struct source *source, uint32_t k, int64_t index)
{
    return source->step[k] == 0 ? 0 : index % source->step[k];
}

static int64_t interleaved(const struct source *source, uint32_t k, int64_t index)
{
    return index / source->step[k];
}

static void tensors_are_repeated(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const bool expands = round % 2 == 0;
        const char *name = expands ? "aclnnExpand" : "aclnnRepeat";
        struct source source = draw_self(name, 0, 0, 4);
        int64_t sizes[OPERAND_RANK_MAX];
        const uint32_t added = (uint32_t)random_below(3), rank = source.self.rank + added;
        source.index = repeated;
        source.out.rank = rank;
        for (uint32_t k = 0; k < rank; k++) {
            int64_t own = k < added ? 1 : source.self.shape[k - added];
            if (k >= added && random_below(2) == 0)
                own = source.self.shape[k - added] = 1;
            const int64_t times = expands && own > 1 ? 1 : 1 + random_below(4);
            source.dim[k] = (int64_t)k - (int64_t)added;
            source.step[k] = own;
            source.out.shape[k] = own * times;
            sizes[k] = !expands ? times : times == 1 && k >= added && random_below(2) == 0 ? -1 : own * times;
        }
        if (count_of(&source.out) > 20000)
            continue;
        draw_layouts(&source);
        const union argument argument[] = {argument_of_pointer(create_placed(&source.self)),
                                           int_array(sizes, rank),
                                           argument_of_pointer(create_placed(&source.out))};
        assert_made(name, argument, &source.out, expect_moved, &source);
    }
}

static void slices_are_repeated(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = "aclnnRepeatInterleaveIntWithDim";
        struct source source = draw_self(name, 0, 1, 4);
        const int64_t dim = random_below(source.self.rank), times = 1 + random_below(4);
        source.index = interleaved;
        source.step[dim] = times;
        source.out.shape[dim] *= times;
        draw_layouts(&source);
        const union argument argument[] = {
            argument_of_pointer(create_placed(&source.self)), argument_of_integer(times),
            argument_of_integer(either_way(dim, source.self.rank)),
            argument_of_integer(source.out.shape[dim]), argument_of_pointer(create_placed(&source.out))};
        assert_made(name, argument, &source.out, expect_moved, &source);
    }
}

struct repeats {
    struct view self, out;
    int64_t from[40000]; /* for each number along what is repeated */
    int64_t inner;       /* elements behind the dim */
    bool is_flat, is_numbers;
};

static void expect_repeats(const void *context, int64_t i, unsigned char *element)
{
    const struct repeats *call = (const struct repeats *)context;
    if (call->is_numbers) {
        memcpy(element, &call->from[i], dtype_bytes(call->out.dtype));
        return;
    }
    int64_t number = call->from[i];
    if (!call->is_flat) {
        const int64_t along = i / call->inner % call->out.shape[1];
        number =
            (i / call->inner / call->out.shape[1] * call->self.shape[1] + call->from[along]) * call->inner +
            i % call->inner;
    }
    memcpy(element, element_of(arena[call->self.arena], &call->self, number), dtype_bytes(call->out.dtype));
}

static void each_is_repeated_as_a_tensor_says(void **state)
{
    (void)state;
    static const char *const names[] = {"aclnnRepeatInterleave", "aclnnRepeatInterleaveWithDim",
                                        "aclnnRepeatInterleaveTensor", "aclnnRepeatInterleaveInt"};
    static struct repeats call;
    for (int round = 0; round < ROUNDS; round++) {
        const int which = round % 4;
        const int64_t shape[] = {1 + random_below(5), 1 + random_below(6), 1 + random_below(5)};
        const int64_t all = which == 1 ? shape[1] : shape[0] * shape[1] * shape[2];
        const bool is_one = which == 3 || random_below(3) == 0;
        const int64_t given = is_one ? 1 : all;
        struct view repeats = drawn_view(2, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, 1, &given);
        int64_t count = 0, size = which == 2 ? given : all, times = 1;
        fill_bytes(2, bytes_of(&repeats));
        for (int64_t k = 0; k < size; k++) {
            times = k > 0 && is_one ? times : k == 0 ? 1 + random_below(4) : random_below(4);
            memcpy(element_of(arena[2], &repeats, is_one ? 0 : k), &times, dtype_bytes(repeats.dtype));
            for (int64_t n = 0; n < times; n++)
                call.from[count++] = k;
        }
        const aclDataType dtype = which == 2 ? repeats.dtype : draw_dtype_of(names[which], 0);
        call.inner = shape[2];
        call.is_flat = which != 1;
        call.is_numbers = which == 2;
        call.self = drawn_view((unsigned)random_below(2), dtype, 3, shape);
        call.out = which == 1 ? drawn_view(0, dtype, 3, DIMS(shape[0], count, shape[2]))
                              : drawn_view(0, dtype, 1, &count);
        fill_bytes(0, bytes_of(&call.out) + bytes_of(&call.self) + 64);
        fill_bytes(1, bytes_of(&call.self));
        union argument argument[5] = {{0}};
        unsigned n = 0;
        if (which != 2)
            argument[n++] = argument_of_pointer(create_placed(&call.self));
        argument[n++] =
            which == 3 ? argument_of_integer(times) : argument_of_pointer(create_placed(&repeats));
        if (which == 1)
            argument[n++] = argument_of_integer(random_below(2) == 0 ? 1 : -2);
        argument[n++] = argument_of_integer(count);
        argument[n] = argument_of_pointer(create_placed(&call.out));
        assert_made(names[which], argument, &call.out, expect_repeats, &call);
    }
}

static void assert_repeats_fault(int64_t second, int64_t size, const char *text)
{
    struct view self = view_of(1, ACL_FLOAT, 1, DIMS(2)), repeats = view_of(2, ACL_INT64, 1, DIMS(2)),
                out = view_of(0, ACL_FLOAT, 1, &size);
    const struct function *function = find("aclnnRepeatInterleave");
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    memcpy(arena[2], &(int64_t){1}, 8);
    memcpy(arena[2] + 8, &second, 8);
    memset(arena[0], 0x5a, 32);
    const union argument argument[] = {argument_of_pointer(create_placed(&self)),
                                       argument_of_pointer(create_placed(&repeats)),
                                       argument_of_integer(size), argument_of_pointer(create_placed(&out))};
    assert_int_equal(function_plan_anew(function, argument, &workspace_bytes, &executor), 0);
    assert_int_equal(function->launch(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_sentence(text);
    for (int i = 0; i < 32; i++)
        assert_int_equal(arena[0][i], 0x5a);
    for (int i = 0; i < 4; i++)
        if (i != 2)
            assert_int_equal(aclDestroyTensor(argument[i].tensor), 0);
}

static void repeats_that_do_not_add_up_fail_the_work(void **state)
{
    (void)state;
    assert_repeats_fault(-1, 3, "repeats holds -1 at [1]; 0 or more is expected");
    assert_repeats_fault(3, 3, "repeats adds up to more than outputSize, which is 3");
    assert_repeats_fault(INT64_MAX, 3, "repeats adds up to more than outputSize, which is 3");
    assert_repeats_fault(1, 3, "repeats adds up to less than outputSize, which is 3");
}

struct stack {
    struct view part[TENSORS_MAX], out;
    aclDataType promoted;
    int64_t inner;
    uint64_t count;
};

static void expect_stack(const void *context, int64_t i, unsigned char *element)
{
    const struct stack *call = (const struct stack *)context;
    const int64_t count = (int64_t)call->count, n = i / call->inner % count;
    const struct view *part = &call->part[n];
    unsigned char through[16];
    const int64_t number = i / call->inner / count * call->inner + i % call->inner;
    conversion_reference(element_of(arena[part->arena], part, number), part->dtype, through, call->promoted);
    conversion_reference(through, call->promoted, element, call->out.dtype);
}

static void tensors_are_stacked(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t shape[OPERAND_RANK_MAX], with[OPERAND_RANK_MAX];
        const uint32_t rank = draw_shape(shape, 0, 4), dim = (uint32_t)random_below(rank + 1);
        struct stack call = {.inner = 1, .count = 1 + (uint64_t)random_below(TENSORS_MAX)};
        const aclTensor *tensor[TENSORS_MAX];
        const bool is_mixed = random_below(3) == 0;
        for (uint64_t n = 0; n < call.count; n++) {
            aclDataType dtype = n > 0 && !is_mixed ? call.part[0].dtype : draw_dtype_of("aclnnStack", 0);
            aclDataType both = n > 0 ? promote(call.promoted, dtype) : dtype;
            if (both == ACL_DT_UNDEFINED || both == ACL_COMPLEX32) {
                dtype = call.part[0].dtype;
                both = call.promoted;
            }
            call.promoted = both;
            call.part[n] = drawn_view((unsigned)random_below(3), dtype, rank, shape);
            fill_bytes(call.part[n].arena, bytes_of(&call.part[n]) + 64);
        }
        for (uint32_t k = 0; k <= rank; k++) {
            with[k] = k == dim ? (int64_t)call.count : shape[k - (k > dim)];
            call.inner *= k > dim ? with[k] : 1;
        }
        call.out = drawn_view(0, call.promoted, rank + 1, with);
        for (uint64_t n = 0; n < call.count; n++)
            tensor[n] = create_placed(&call.part[n]);
        const union argument argument[] = {argument_of_pointer(aclCreateTensorList(tensor, call.count)),
                                           argument_of_integer(either_way(dim, rank + 1)),
                                           argument_of_pointer(create_placed(&call.out))};
        assert_made("aclnnStack", argument, &call.out, expect_stack, &call);
    }
}

static void repetitions_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnExpand"));
    static const int64_t refused[][3] = {{-1, 2, 3}, {4, 3, 3}, {4, 2, -2}};
    for (int i = 0; i < 3; i++) {
        set_ints(&attempt, 1, refused[i], 3);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "size holds");
    }
    set_ints(&attempt, 1, DIMS(3), 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "size has 1 elements; 2 to 8 are expected");
    set_ints(&attempt, 1, DIMS(4, -1, -1), 3);
    assert_accepted(&attempt);
    release(&attempt);

    attempt = accepted(find("aclnnRepeat"));
    set_ints(&attempt, 1, DIMS(2, -1), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "repeats holds -1");
    set_ints(&attempt, 1, DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1), 9);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "repeats has 9 elements; 2 to 8 are expected");
    set_ints(&attempt, 1, DIMS(INT64_MAX, 2), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out would have more than 2^63 - 1 elements");
    set_ints(&attempt, 1, DIMS(0, 2), 2);
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 2, DIMS(0, 6), NULL));
    assert_accepted(&attempt);
    release(&attempt);

    attempt = accepted(find("aclnnRepeatInterleaveInt"));
    attempt.argument[1].int64 = -2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "repeats is -2 and outputSize is 12");
    attempt.argument[1].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "repeats is 3 and outputSize is 12");
    release(&attempt);
    attempt = accepted(find("aclnnRepeatInterleaveWithDim"));
    replace(&attempt, 1, tensor_with(ACL_INT64, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "repeats has 1 dims and 3 elements; 1 dim at most and 2");
    replace(&attempt, 1, tensor_with(ACL_INT64, 2, DIMS(1, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "repeats has 2 dims and 2 elements");
    replace(&attempt, 1, tensor_with(ACL_INT64, 1, DIMS(1), NULL));
    attempt.argument[3].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "outputSize is -1; 0 or more is expected");
    release(&attempt);

    attempt = accepted(find("aclnnStack"));
    attempt.argument[1].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim is 3; -3 to 2 are expected");
    const aclTensor *other[] = {plain(ACL_FLOAT), tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL)};
    attempt.argument[1].int64 = 0;
    assert_int_equal(aclDestroyTensorList(attempt.argument[0].tensors), 0);
    attempt.argument[0] = argument_of_pointer(aclCreateTensorList(other, 2));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensor 1 of tensors has another shape than tensor 0");
    assert_int_equal(aclDestroyTensorList(attempt.argument[0].tensors), 0);
    attempt.argument[0] = argument_of_pointer(aclCreateTensorList(NULL, 0));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensors is an empty list; 1 tensor or more");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_repeated),
        cmocka_unit_test(slices_are_repeated),
        cmocka_unit_test(each_is_repeated_as_a_tensor_says),
        cmocka_unit_test(repeats_that_do_not_add_up_fail_the_work),
        cmocka_unit_test(tensors_are_stacked),
        cmocka_unit_test(repetitions_have_rules),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
