/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Devices and contexts: what is current where, how long it lasts, and every status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/gate.h"
#include "support/thread.h"

#define FORGED ((void *)(uintptr_t)0x1234567890)
enum { DEVICES = 3 }; /* BELAY_DEVICES of this test */

static int see_no_device(void)
{
    uint32_t count = 7;
    CHILD_CHECK(aclrtGetDeviceCount(&count) == 207004 && count == 7);
    CHILD_CHECK(strstr(aclGetRecentErrMsg(), "ASCEND_RT_VISIBLE_DEVICES") != NULL);
    CHILD_CHECK(aclrtSetDevice(0) == 107001);
    CHILD_CHECK(strstr(aclGetRecentErrMsg(), "ASCEND_RT_VISIBLE_DEVICES names none") != NULL);
    return 0;
}

/* First, as the library must not have been used before. */
static void a_list_of_devices_that_is_none_hides_all(void **state)
{
    (void)state;
    static const char *const lists[] = {"", "1,0", "0,0", "0,2,1", "3", "-1", ",0", "none"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (run_in_child("ASCEND_RT_VISIBLE_DEVICES", lists[i], see_no_device) != 0)
            fail_msg("ASCEND_RT_VISIBLE_DEVICES=%s", lists[i]);
}

static void there_is_no_context_before_a_device_is_set(void **state)
{
    (void)state;
    int32_t device;
    aclrtContext context;
    aclrtStream stream;
    assert_failure(aclrtGetDevice(&device), 107002, "aclrtGetDevice");
    assert_failure(aclrtGetCurrentContext(&context), 107002, "aclrtGetCurrentContext");
    assert_failure(aclrtCtxGetCurrentDefaultStream(&stream), 107002, "aclrtCtxGetCurrentDefaultStream");
    assert_failure(aclrtSynchronizeDevice(), 107002, "aclrtSynchronizeDevice");
    assert_failure(aclrtSynchronizeDeviceWithTimeout(5), 107002, "aclrtSynchronizeDeviceWithTimeout");
    assert_failure(aclrtSynchronizeStream(NULL), 107002, "aclrtSynchronizeStream");
    assert_failure(aclrtCreateStream(&stream), 107002, "aclrtCreateStream");
    assert_failure(aclrtGetDevice(NULL), 100000, "deviceId is NULL");
    assert_failure(aclrtGetCurrentContext(NULL), 100000, "context is NULL");
    assert_failure(aclrtCtxGetCurrentDefaultStream(NULL), 100000, "stream is NULL");
}

static void devices_are_counted_and_checked(void **state)
{
    (void)state;
    uint32_t count = 0;
    aclrtRunMode mode = ACL_DEVICE;
    assert_int_equal(aclrtGetDeviceCount(&count), 0);
    assert_int_equal(count, DEVICES);
    assert_failure(aclrtGetDeviceCount(NULL), 100000, "count is NULL");
    assert_int_equal(aclrtGetRunMode(&mode), 0);
    assert_int_equal(mode, ACL_HOST);
    assert_failure(aclrtGetRunMode(NULL), 100000, "runMode is NULL");
    assert_failure(aclrtSetDevice(-1), 107001, "device -1");
    assert_failure(aclrtSetDevice(DEVICES), 107001, "device 3");
    assert_failure(aclrtResetDevice(-1), 107001, "device -1");
    assert_failure(aclrtResetDeviceForce(DEVICES), 107001, "device 3");
    assert_failure(aclrtResetDevice(0), 507007, "has not been set");
    assert_failure(aclrtResetDeviceForce(0), 507007, "has not been set");
}

static void a_device_lasts_until_it_is_reset_as_often_as_set(void **state)
{
    (void)state;
    aclrtContext first, second;
    int32_t device = -1, active = -1;
    uint32_t flags = 1;
    assert_int_equal(aclrtGetPrimaryCtxState(1, &flags, &active), 0);
    assert_int_equal(active, 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtGetCurrentContext(&first), 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtGetCurrentContext(&second), 0);
    assert_ptr_equal(first, second);
    assert_int_equal(aclrtGetDevice(&device), 0);
    assert_int_equal(device, 1);
    assert_int_equal(aclrtGetPrimaryCtxState(1, &flags, &active), 0);
    assert_true(active == 1 && flags == 0);
    assert_int_equal(aclrtGetPrimaryCtxState(1, NULL, NULL), 0);
    assert_failure(aclrtGetPrimaryCtxState(7, &flags, &active), 107001, "device 7");
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_int_equal(aclrtGetDevice(&device), 0);
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_failure(aclrtGetDevice(&device), 107002, "was destroyed");
    assert_failure(aclrtResetDevice(1), 507007, "has not been set");
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtGetCurrentContext(&second), 0);
    assert_ptr_not_equal(first, second);
    assert_failure(aclrtSetCurrentContext(first), 107000, "was destroyed");
    assert_int_equal(aclrtResetDeviceForce(1), 0);
    assert_failure(aclrtResetDeviceForce(1), 507007, "has not been set");
}

static const char *complaint;

static void *look_from_another_thread(void *argument)
{
    int32_t device;
    aclrtContext context = NULL;
    if (aclrtGetDevice(&device) != 107002)
        complaint = "context without being set";
    if (aclrtSetDevice(0) != 0 || aclrtGetCurrentContext(&context) != 0 || context != argument)
        complaint = "another primary context";
    if (aclrtResetDevice(0) != 0 || aclrtGetDevice(&device) != 0)
        complaint = "context gone although another thread has set it";
    return NULL;
}

static void threads_share_the_primary_context_and_nothing_else(void **state)
{
    (void)state;
    aclrtContext context;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtGetCurrentContext(&context), 0);
    run_in_thread(look_from_another_thread, context);
    assert_null(complaint);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void contexts_are_made_current_and_destroyed(void **state)
{
    (void)state;
    aclrtContext primary, own, current;
    aclrtStream of_primary, of_own, created;
    int32_t device;
    assert_failure(aclrtCreateContext(NULL, 0), 100000, "context is NULL");
    assert_failure(aclrtCreateContext(&own, -1), 107001, "device -1");
    assert_failure(aclrtDestroyContext(NULL), 100000, "context is NULL");
    assert_failure(aclrtSetCurrentContext(NULL), 100000, "context is NULL");
    assert_failure(aclrtSetCurrentContext(FORGED), 107000, "not a handle");
    assert_failure(aclrtDestroyContext(FORGED), 107002, "not a handle");
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtGetCurrentContext(&primary), 0);
    assert_int_equal(aclrtCtxGetCurrentDefaultStream(&of_primary), 0);
    assert_int_equal(aclrtCreateContext(&own, 2), 0);
    assert_int_equal(aclrtGetCurrentContext(&current), 0);
    assert_ptr_equal(current, own);
    assert_int_equal(aclrtGetDevice(&device), 0);
    assert_int_equal(device, 2);
    assert_int_equal(aclrtCtxGetCurrentDefaultStream(&of_own), 0);
    assert_ptr_not_equal(of_own, of_primary);
    assert_int_equal(aclrtCreateStream(&created), 0);
    assert_failure(aclrtSetCurrentContext(created), 107000, "is a stream");
    assert_int_equal(aclrtSetCurrentContext(primary), 0);
    assert_int_equal(aclrtGetDevice(&device), 0);
    assert_int_equal(device, 0);
    assert_int_equal(aclrtSynchronizeStream(created), 0); /* of another context: allowed */
    assert_failure(aclrtDestroyStream(created), 107003, "another context");
    assert_failure(aclrtDestroyContext(primary), 107002, "primary context");
    assert_int_equal(aclrtDestroyContext(own), 0);
    assert_failure(aclrtDestroyContext(own), 107002, "was destroyed");
    assert_failure(aclrtSynchronizeStream(created), 107017, "was destroyed");
    assert_failure(aclrtSynchronizeStream(of_own), 107017, "was destroyed");
    assert_int_equal(aclrtResetDevice(0), 0);
}

static _Atomic int order;

static void note(void *place)
{
    *(int *)place = atomic_fetch_add(&order, 1) + 1;
}

static void a_reset_waits_for_the_work_of_the_device(void **state)
{
    (void)state;
    aclrtStream stream;
    struct gate gate;
    int runs = 0;
    atomic_store(&order, 0);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(launch_gate(stream, &gate), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, note, &runs), 0);
    assert_failure(aclrtSynchronizeDeviceWithTimeout(10), 507046, "time was over");
    assert_failure(aclrtSynchronizeDeviceWithTimeout(0), 107000, "timeout is 0");
    assert_failure(aclrtSynchronizeDeviceWithTimeout(-2), 107000, "timeout is -2");
    open_gate(&gate);
    assert_int_equal(aclrtResetDevice(0), 0);
    assert_int_equal(runs, 1);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_failure(aclrtSynchronizeStream(stream), 107017, "was destroyed");
    assert_int_equal(aclrtSynchronizeDeviceWithTimeout(-1), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static _Atomic int codes[5];

static aclrtContext own; /* the context of the caller's stream */

static void call_what_waits_for_the_caller(void *argument)
{
    aclrtSetCurrentContext(own);
    codes[0] = aclrtSynchronizeDevice();
    codes[1] = aclrtResetDeviceForce(0);
    codes[2] = aclrtSynchronizeStream(argument);
    codes[3] = aclrtDestroyStream(argument);
    codes[4] = aclrtDestroyContext(own);
}

static void a_callback_that_waits_for_itself_is_told_so(void **state)
{
    (void)state;
    aclrtStream stream;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateContext(&own, 0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, call_what_waits_for_the_caller, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(codes[i], 107000);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtDestroyContext(own), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void a_device_has_room_for_1984_streams_and_gives_it_back(void **state)
{
    (void)state;
    static aclrtStream streams[1985];
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int repeat = 0; repeat < 2; repeat++) {
        for (int i = 0; i < 1984; i++)
            assert_int_equal(aclrtCreateStream(&streams[i]), 0);
        assert_failure(aclrtCreateStream(&streams[1984]), 207008, "1984 streams");
        for (int i = 0; i < 1984; i++)
            assert_int_equal(aclrtDestroyStream(streams[i]), 0);
    }
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void a_device_has_room_for_1024_contexts_and_gives_it_back(void **state)
{
    (void)state;
    static aclrtContext contexts[1025];
    for (int repeat = 0; repeat < 2; repeat++) {
        for (int i = 0; i < 1024; i++)
            assert_int_equal(aclrtCreateContext(&contexts[i], 1), 0);
        assert_failure(aclrtCreateContext(&contexts[1024], 1), 207008, "1024 contexts");
        assert_failure(aclrtSetDevice(1), 207008, "1024 contexts");
        assert_failure(aclrtResetDevice(1), 507007, "has not been set");
        for (int i = 0; i < 1024; i++)
            assert_int_equal(aclrtDestroyContext(contexts[i]), 0);
    }
}

int main(void)
{
    setenv("BELAY_DEVICES", "3", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_devices_that_is_none_hides_all),
        cmocka_unit_test(there_is_no_context_before_a_device_is_set),
        cmocka_unit_test(devices_are_counted_and_checked),
        cmocka_unit_test(a_device_lasts_until_it_is_reset_as_often_as_set),
        cmocka_unit_test(threads_share_the_primary_context_and_nothing_else),
        cmocka_unit_test(contexts_are_made_current_and_destroyed),
        cmocka_unit_test(a_reset_waits_for_the_work_of_the_device),
        cmocka_unit_test(a_callback_that_waits_for_itself_is_told_so),
        cmocka_unit_test(a_device_has_room_for_1984_streams_and_gives_it_back),
        cmocka_unit_test(a_device_has_room_for_1024_contexts_and_gives_it_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
