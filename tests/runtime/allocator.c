/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Descriptions of allocators and their registrations: kept, given back, and every status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

static void *allocate(aclrtAllocator object, size_t size)
{
    (void)object, (void)size;
    return NULL;
}

static void *allocate_at(aclrtAllocator object, size_t size, aclrtAllocatorAddr address)
{
    (void)object, (void)size, (void)address;
    return NULL;
}

static void give_back(aclrtAllocator object, aclrtAllocatorBlock block)
{
    (void)object, (void)block;
}

static void *address_of(aclrtAllocatorBlock block)
{
    return block;
}

struct found {
    aclrtAllocatorDesc description;
    aclrtAllocator object;
    aclrtAllocatorAllocFunc allocate;
    aclrtAllocatorFreeFunc free;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address_of;
};

static int get(aclrtStream stream, struct found *found)
{
    return aclrtAllocatorGetByStream(stream, &found->description, &found->object, &found->allocate,
                                     &found->free, &found->advise, &found->address_of);
}

static aclrtAllocatorDesc describe(int *object)
{
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    assert_non_null(description);
    assert_int_equal(aclrtAllocatorSetObjToDesc(description, object), 0);
    assert_int_equal(aclrtAllocatorSetAllocFuncToDesc(description, allocate), 0);
    assert_int_equal(aclrtAllocatorSetFreeFuncToDesc(description, give_back), 0);
    assert_int_equal(aclrtAllocatorSetAllocAdviseFuncToDesc(description, allocate_at), 0);
    assert_int_equal(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, address_of), 0);
    return description;
}

static void a_registration_is_the_streams(void **state)
{
    (void)state;
    int objects[2];
    struct found found;
    aclrtStream stream, other;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    aclrtAllocatorDesc first = describe(&objects[0]), second = describe(&objects[1]);
    assert_failure(get(stream, &found), 100000, "stream has no allocator");
    assert_int_equal(aclrtAllocatorRegister(stream, first), 0);
    assert_int_equal(aclrtAllocatorRegister(NULL, second), 0);
    assert_int_equal(aclrtAllocatorDestroyDesc(first), 0); /* the registration has a copy */
    assert_int_equal(get(stream, &found), 0);
    assert_ptr_equal(found.description, first);
    assert_ptr_equal(found.object, &objects[0]);
    assert_true(found.allocate == allocate && found.free == give_back && found.advise == allocate_at &&
                found.address_of == address_of);
    assert_int_equal(get(NULL, &found), 0);
    assert_ptr_equal(found.object, &objects[1]);
    assert_failure(get(other, &found), 100000, "stream has no allocator");
    assert_int_equal(aclrtAllocatorRegister(stream, second), 0); /* in its place */
    assert_int_equal(get(stream, &found), 0);
    assert_ptr_equal(found.object, &objects[1]);
    assert_int_equal(aclrtAllocatorUnregister(stream), 0);
    assert_int_equal(aclrtAllocatorUnregister(stream), 0);
    assert_failure(get(stream, &found), 100000, "stream has no allocator");

    /* Another stream in the same place has none. */
    assert_int_equal(aclrtAllocatorRegister(other, second), 0);
    assert_int_equal(aclrtDestroyStream(other), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_failure(get(other, &found), 100000, "stream has no allocator");
    assert_int_equal(aclrtAllocatorUnregister(NULL), 0);
    assert_int_equal(aclrtAllocatorDestroyDesc(second), 0);
    assert_int_equal(aclrtDestroyStream(other), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    struct found found;
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    assert_failure(aclrtAllocatorRegister(NULL, description), 107002, "aclrtAllocatorRegister");
    assert_failure(aclrtAllocatorUnregister(NULL), 107002, "aclrtAllocatorUnregister");
    assert_failure(get(NULL, &found), 107002, "aclrtAllocatorGetByStream");
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_failure(aclrtAllocatorRegister(NULL, description), 100000, "no function that allocates");
    assert_int_equal(aclrtAllocatorSetAllocFuncToDesc(description, allocate), 0);
    assert_failure(aclrtAllocatorRegister(NULL, description), 100000, "no function that frees");
    assert_int_equal(aclrtAllocatorSetFreeFuncToDesc(description, give_back), 0);
    assert_failure(aclrtAllocatorRegister(description, description), 107017, "stream");
    assert_failure(aclrtAllocatorUnregister(description), 107017, "stream");
    assert_failure(get(description, &found), 107017, "stream");
    assert_int_equal(aclrtAllocatorRegister(NULL, description), 0);
    for (int i = 0; i < 6; i++)
        assert_failure(
            aclrtAllocatorGetByStream(NULL, i == 0 ? NULL : &found.description, i == 1 ? NULL : &found.object,
                                      i == 2 ? NULL : &found.allocate, i == 3 ? NULL : &found.free,
                                      i == 4 ? NULL : &found.advise, i == 5 ? NULL : &found.address_of),
            100000, "is NULL");
    assert_int_equal(aclrtAllocatorDestroyDesc(description), 0);
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);
    void *const others[] = {NULL, description, buffer};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_failure(aclrtAllocatorDestroyDesc(others[i]), 100000, "argument allocatorDesc");
        assert_failure(aclrtAllocatorSetObjToDesc(others[i], NULL), 100000, "argument allocatorDesc");
        assert_failure(aclrtAllocatorSetAllocFuncToDesc(others[i], NULL), 100000, "argument allocatorDesc");
        assert_failure(aclrtAllocatorSetFreeFuncToDesc(others[i], NULL), 100000, "argument allocatorDesc");
        assert_failure(aclrtAllocatorSetAllocAdviseFuncToDesc(others[i], NULL), 100000,
                       "argument allocatorDesc");
        assert_failure(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(others[i], NULL), 100000,
                       "argument allocatorDesc");
        assert_failure(aclrtAllocatorRegister(NULL, others[i]), 100000, "argument allocatorDesc");
    }
    assert_int_equal(aclDestroyDataBuffer(buffer), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registration_is_the_streams),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
