/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * BELAY_HANDLES=grace: a tensor that was destroyed can be read until its slot has another one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl_rt.h"
#include "aclnn/acl_meta.h"
#include "support/child.h"
#include "tensor/tensor.h"

static aclTensor *tensor_of(int64_t first, int64_t second)
{
    const int64_t shape[] = {first, second};
    return aclCreateTensor(shape, 2, ACL_FLOAT16, NULL, first, ACL_FORMAT_ND, shape, 2, (void *)&shape);
}

/* Whether the tensor can be read, by operators and by getters, and is as it was made. */
static bool is_readable(const aclTensor *tensor, int64_t first, int64_t second)
{
    struct tensor_view view;
    int64_t offset = -1;
    aclDataType dtype = ACL_DT_UNDEFINED;
    return tensor_read(tensor, &view) && aclGetViewOffset(tensor, &offset) == 0 &&
           aclGetDataType(tensor, &dtype) == 0 && view.rank == 2 && view.shape[0] == first &&
           view.shape[1] == second && view.stride[0] == second && view.offset == first &&
           view.dtype == ACL_FLOAT16 && offset == first && dtype == ACL_FLOAT16;
}

static int read_after_destroy(void)
{
    aclTensor *tensor = tensor_of(3, 5);
    CHILD_CHECK(is_readable(tensor, 3, 5));
    CHILD_CHECK(aclDestroyTensor(tensor) == 0);
    CHILD_CHECK(is_readable(tensor, 3, 5));
    CHILD_CHECK(is_readable(tensor, 3, 5));
    CHILD_CHECK(aclDestroyTensor(tensor) == 161002); /* reading is all that is allowed */
    CHILD_CHECK(aclSetRawTensorAddr(tensor, &tensor) == 161002);
    CHILD_CHECK(is_readable(tensor, 3, 5));
    aclTensor *other = tensor_of(7, 2); /* takes the slot that was given back last */
    struct tensor_view view;
    CHILD_CHECK(!tensor_read(tensor, &view));
    CHILD_CHECK(is_readable(other, 7, 2));
    CHILD_CHECK(aclDestroyTensor(other) == 0);
    CHILD_CHECK(is_readable(other, 7, 2));
    CHILD_CHECK(!tensor_read(tensor, &view));
    CHILD_CHECK(!tensor_read(NULL, &view));
    CHILD_CHECK(!tensor_read((const aclTensor *)(const void *)&view, &view));
    CHILD_CHECK(!tensor_read((const aclTensor *)((uintptr_t)other + 1), &view));
    CHILD_CHECK(!tensor_read((const aclTensor *)((uintptr_t)other + ((uintptr_t)1 << 24)), &view));
    return 0;
}

static int refuse_after_destroy(void)
{
    struct tensor_view view;
    aclTensor *tensor = tensor_of(3, 5);
    CHILD_CHECK(aclDestroyTensor(tensor) == 0);
    CHILD_CHECK(!tensor_read(tensor, &view));
    return 0;
}

static void with_grace_a_destroyed_tensor_is_readable_until_its_slot_is_used_again(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_HANDLES", "grace", read_after_destroy), 0);
}

static void without_it_is_not(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_HANDLES", "strict", refuse_after_destroy), 0);
    assert_int_equal(run_in_child(NULL, NULL, refuse_after_destroy), 0);
}

/* What the child prints for those who ask for reports is read from a pipe. */
static int report_reads(void)
{
    int ends[2];
    char text[4096] = {0};
    CHILD_CHECK(setenv("BELAY_CHECK", "report", 1) == 0);
    CHILD_CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    aclTensor *tensor = tensor_of(3, 5);
    struct tensor_view view;
    CHILD_CHECK(aclDestroyTensor(tensor) == 0);
    CHILD_CHECK(tensor_read(tensor, &view));
    CHILD_CHECK(read(ends[0], text, sizeof text - 1) > 0);
    CHILD_CHECK(strstr(text, "DC-002: a tensor that was destroyed is read") != NULL);
    return 0;
}

static void every_such_reading_is_reported(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_HANDLES", "grace", report_reads), 0);
}

enum { ROUNDS = 200000 };
static _Atomic(aclTensor *) newest;
static _Atomic bool is_over, is_seen;

static void *create_and_destroy(void *unused)
{
    /* Until one has been read, but not for ever. */
    for (int64_t i = 1; i <= ROUNDS || (i <= 100 * ROUNDS && !atomic_load(&is_seen)); i++) {
        aclTensor *tensor = tensor_of(i, i);
        atomic_store(&newest, tensor);
        if (aclDestroyTensor(tensor) != 0)
            abort();
    }
    atomic_store(&is_over, true);
    return unused;
}

/* Another thread makes new tensors in the slot meanwhile: what is read is one tensor, or nothing. */
static int read_while_the_slot_changes(void)
{
    pthread_t thread;
    uint64_t good = 0;
    CHILD_CHECK(pthread_create(&thread, NULL, create_and_destroy, NULL) == 0);
    while (!atomic_load(&is_over)) {
        struct tensor_view view;
        if (tensor_read(atomic_load(&newest), &view)) {
            good++;
            atomic_store(&is_seen, true);
            CHILD_CHECK(view.rank == 2 && view.shape[0] == view.shape[1] && view.offset == view.shape[0] &&
                        view.stride[0] == view.shape[1] && view.count == view.shape[0] * view.shape[0]);
        }
    }
    CHILD_CHECK(pthread_join(thread, NULL) == 0);
    CHILD_CHECK(good > 0);
    return 0;
}

static void what_is_read_is_always_one_tensor(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_HANDLES", "grace", read_while_the_slot_changes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_grace_a_destroyed_tensor_is_readable_until_its_slot_is_used_again),
        cmocka_unit_test(without_it_is_not),
        cmocka_unit_test(every_such_reading_is_reported),
        cmocka_unit_test(what_is_read_is_always_one_tensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
