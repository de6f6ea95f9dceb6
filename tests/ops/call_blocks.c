/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every function of the list with tensors in blocks: one after the other of its tensors is stored so, then
 * all of them, and what comes out must be, bit by bit, what comes out of plain ones; and every function
 * refuses a tensor in a format that it cannot read, by that format's name.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/attempt.h"
#include "ops/sample_group.h"
#include "ops/blocks_reference.h"
#include "support/open_stream.h"
#include "tensor/array.h"

enum { TENSORS_MAX = 64, ALL = TENSORS_MAX, ROOM = 1 << 16 };

/* A tensor of a call: what it has before, and where. */
struct subject {
    unsigned parameter, element;
    struct tensor_view view;
    bool is_written;
    bool is_blocked;
    struct blocked blocked;
    void *block; /* of a plain one */
    aclTensor *tensor;
    unsigned char before[ROOM], after[ROOM];
};

struct subjects {
    unsigned count;
    struct subject subject[TENSORS_MAX];
};

/* Small numbers, so that what selects and counts is mostly in range; floats of many kinds. */
static void draw_contents(struct subject *subject, unsigned seed)
{
    const size_t bytes = dtype_bytes(subject->view.dtype);
    for (int64_t i = 0; i < subject->view.count; i++) {
        const unsigned number = (unsigned)i * 7 + seed * 5;
        const float single = (float)(number % 11) / 8 + 0.125F;
        const double wide = (double)single;
        const uint16_t half = (uint16_t)(0x3000 + number % 0x500),
                       brain = (uint16_t)(0x3e80 + number % 0x100);
        const uint64_t whole = number % 2;
        unsigned char *to = subject->before + (size_t)i * bytes;
        memset(to, 0, bytes);
        switch (subject->view.dtype) {
        case ACL_FLOAT:
        case ACL_COMPLEX64:
            memcpy(to, &single, sizeof single);
            break;
        case ACL_DOUBLE:
        case ACL_COMPLEX128:
            memcpy(to, &wide, sizeof wide);
            break;
        case ACL_FLOAT16:
            memcpy(to, &half, sizeof half);
            break;
        case ACL_BF16:
            memcpy(to, &brain, sizeof brain);
            break;
        default:
            memcpy(to, &whole, bytes < sizeof whole ? bytes : sizeof whole);
        }
    }
}

static void add_subject(struct subjects *all, unsigned parameter, unsigned element, const aclTensor *tensor,
                        bool is_written)
{
    assert_true(all->count < TENSORS_MAX);
    struct subject *subject = &all->subject[all->count++];
    memset(subject, 0, offsetof(struct subject, before));
    subject->parameter = parameter;
    subject->element = element;
    subject->is_written = is_written;
    assert_true(tensor_read(tensor, &subject->view));
    assert_true((size_t)subject->view.count * dtype_bytes(subject->view.dtype) <= ROOM);
    draw_contents(subject, all->count);
}

static void find_subjects(const struct attempt *attempt, struct subjects *all)
{
    all->count = 0;
    for (unsigned i = 0; i < attempt->function->parameter_count; i++) {
        const struct parameter *parameter = &attempt->function->parameter[i];
        const union argument *argument = &attempt->argument[i];
        if (!parameter_is_tensor(parameter) || argument->handle == NULL)
            continue;
        if (parameter->kind == PARAMETER_TENSOR) {
            add_subject(all, i, 0, argument->tensor, parameter_is_written(parameter));
            continue;
        }
        uint64_t count;
        const aclTensor *tensor[LIST_LENGTH];
        assert_true(array_read(HANDLE_TENSOR_LIST, argument->handle, 0, LIST_LENGTH, tensor, &count));
        for (unsigned k = 0; k < count; k++)
            add_subject(all, i, k, tensor[k], parameter_is_written(parameter));
    }
}

/* A format that tensors of the shape may be in; one with neither is not stored in blocks. */
static bool choose_format(const struct subject *subject, unsigned turn, aclFormat *format)
{
    const uint32_t rank = subject->view.rank;
    static const aclFormat of_four[] = {ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_NC1HWC0, ACL_FORMAT_FRACTAL_Z};
    static const aclFormat of_five[] = {ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_NDC1HWC0, ACL_FRACTAL_Z_3D};
    if (rank == 0 || rank > BLOCKED_RANK_MAX || subject->view.count == 0 ||
        dtype_bytes(subject->view.dtype) == 0)
        return false;
    *format = rank == 1   ? ACL_FORMAT_NC1HWC0
              : rank == 4 ? of_four[turn % 3]
              : rank == 5 ? of_five[turn % 3]
                          : ACL_FORMAT_FRACTAL_NZ;
    return true;
}

static void make_subject(struct subject *subject, bool wants_blocks, unsigned turn)
{
    const struct tensor_view *view = &subject->view;
    const size_t bytes = (size_t)view->count * dtype_bytes(view->dtype);
    aclFormat format;
    subject->is_blocked = wants_blocks && choose_format(subject, turn, &format);
    if (subject->is_blocked) {
        subject->blocked =
            blocked_create(format, view->dtype, view->rank, view->shape, turn % 2 == 0 ? 16 : 8);
        blocked_fill(&subject->blocked, subject->before);
        subject->tensor = subject->blocked.tensor;
        return;
    }
    assert_int_equal(aclrtMalloc(&subject->block, bytes + 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    memcpy(host_side(subject->block, bytes + 64), subject->before, bytes);
    subject->tensor = aclCreateTensor(view->shape, view->rank, view->dtype, NULL, 0, ACL_FORMAT_ND,
                                      view->shape, view->rank, subject->block);
    assert_non_null(subject->tensor);
}

/* What it has after the call; what is stored around it must still be zeros. */
static void end_subject(const char *name, struct subject *subject, bool is_destroyed)
{
    const size_t bytes = (size_t)subject->view.count * dtype_bytes(subject->view.dtype);
    struct blocked *blocked = &subject->blocked;
    if (subject->is_blocked) {
        for (int64_t i = 0; i < blocked->count; i++)
            memcpy(subject->after + (size_t)i * blocked->bytes,
                   blocked->memory + (size_t)place_in_blocks(blocked, i) * blocked->bytes, blocked->bytes);
        if (!blocked_is(blocked, subject->after))
            fail_msg("%s: what surrounds a tensor in format %d is not zeros", name, blocked->format);
        assert_int_equal(aclrtFree(blocked->block), 0);
    } else {
        memcpy(subject->after, memory_reach(subject->block), bytes);
        assert_int_equal(aclrtFree(subject->block), 0);
    }
    if (!is_destroyed)
        assert_int_equal(aclDestroyTensor(subject->tensor), 0);
}

/* The call on new tensors, the one numbered `blocked` in blocks, or all of them, or none. */
static int run_call(const struct attempt *attempt, struct subjects *all, unsigned blocked, unsigned turn)
{
    const struct function *function = attempt->function;
    union argument argument[PARAMETERS_MAX];
    const aclTensor *element[LIST_LENGTH];
    uint64_t bytes;
    aclOpExecutor *executor;
    memcpy(argument, attempt->argument, sizeof argument);
    for (unsigned i = 0; i < all->count; i++) {
        struct subject *subject = &all->subject[i];
        make_subject(subject, blocked == ALL || blocked == i, turn);
        if (function->parameter[subject->parameter].kind == PARAMETER_TENSOR) {
            argument[subject->parameter].tensor = subject->tensor;
            continue;
        }
        element[subject->element] = subject->tensor;
        if (i + 1 == all->count || all->subject[i + 1].parameter != subject->parameter)
            argument[subject->parameter].handle = aclCreateTensorList(element, subject->element + 1);
    }
    if (function_plan_anew(function, argument, &bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    int status = function->launch(NULL, 0, executor, stream);
    if (status != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    status = aclrtSynchronizeStream(stream);
    for (unsigned i = 0; i < all->count; i++) {
        const bool is_of_list = function->parameter[all->subject[i].parameter].kind == PARAMETER_TENSOR_LIST;
        end_subject(function->operation.name, &all->subject[i], is_of_list);
        if (is_of_list && all->subject[i].element == 0) /* its tensors, too */
            assert_int_equal(aclDestroyTensorList(argument[all->subject[i].parameter].handle), 0);
    }
    return status;
}

/* Functions that draw from a state that goes on: two calls differ. */
static bool repeats(const struct attempt *attempt, struct subjects *all, unsigned char (*kept)[ROOM])
{
    bool is_same = true;
    for (unsigned round = 0; round < 2; round++) {
        (void)run_call(attempt, all, ALL + 1, 0);
        for (unsigned i = 0; i < all->count; i++) {
            is_same &= round == 0 || memcmp(kept[i], all->subject[i].after, ROOM) == 0;
            memcpy(kept[i], all->subject[i].after, ROOM);
        }
    }
    return is_same;
}

static unsigned tried, in_blocks;

static void try_function(const struct function *function)
{
    static struct subjects all;
    static unsigned char kept[TENSORS_MAX][ROOM];
    struct attempt attempt = accepted(function);
    find_subjects(&attempt, &all);
    for (unsigned i = 0; i < all.count; i++)
        memset(all.subject[i].after, 0, ROOM);
    if (!repeats(&attempt, &all, kept))
        fail_msg("%s: two calls differ", function->operation.name);
    const int wanted = run_call(&attempt, &all, ALL + 1, 0);
    for (unsigned blocked = 0; blocked <= all.count; blocked++)
        for (unsigned turn = 0; turn < 3; turn++) {
            const int status = run_call(&attempt, &all, blocked == all.count ? ALL : blocked, turn);
            if (status != wanted)
                fail_msg("%s: %d with tensor %u in blocks, %d without", function->operation.name, status,
                         blocked, wanted);
            for (unsigned i = 0; status == 0 && i < all.count; i++) {
                in_blocks += all.subject[i].is_blocked;
                if (memcmp(kept[i], all.subject[i].after, ROOM) != 0)
                    fail_msg("%s: tensor %u is another one with tensor %u in blocks (turn %u)",
                             function->operation.name, i, blocked, turn);
            }
        }
    tried += wanted == 0;
    release(&attempt);
}

static void every_function_takes_tensors_in_blocks_for_what_they_stand_for(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++)
        if (is_on_this_product(list[i]))
            try_function(list[i]);
    print_message("%u of %zu functions, %u tensors in blocks\n", tried, count, in_blocks);
    assert_true(tried > count * 9 / 10 && in_blocks > 3 * count);
}

/* A storage that no view of the sample's shape has. */
static aclTensor *unreadable(const struct tensor_view *view)
{
    static const int64_t storage[] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 16, 16};
    return aclCreateTensor(view->shape, view->rank, view->dtype, NULL, 0, ACL_FORMAT_FRACTAL_NZ, storage, 14,
                           memory);
}

static void try_refused(const struct function *function)
{
    for (unsigned i = 0; i < function->parameter_count; i++) {
        if (!is_tensor(&function->parameter[i]))
            continue;
        struct attempt attempt = accepted(function);
        struct tensor_view view;
        char expected[256];
        assert_true(tensor_read(attempt.argument[i].tensor, &view));
        if (view.count > 0) {
            replace(&attempt, i, unreadable(&view));
            snprintf(expected, sizeof expected, "%s has format FRACTAL_NZ (29), shape",
                     function->parameter[i].name);
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
        }
        release(&attempt);
    }
}

static void every_function_refuses_what_it_cannot_read_by_its_format(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++)
        if (is_on_this_product(list[i]))
            try_refused(list[i]);
}

static int open_group(void **state)
{
    return open_stream(state) != 0 || open_sample_group() != 0;
}

static int close_group(void **state)
{
    (void)state;
    return close_sample_group() != 0 || close_stream(state) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_takes_tensors_in_blocks_for_what_they_stand_for),
        cmocka_unit_test(every_function_refuses_what_it_cannot_read_by_its_format),
    };
    return cmocka_run_group_tests(tests, open_group, close_group);
}
