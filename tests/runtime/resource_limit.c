/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Limits of cores, and other settings that are kept and given back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "support/failure.h"
#include "support/thread.h"

enum { CORES = 3 }; /* of BELAY_THREADS */
static const aclrtDevResLimitType CUBE = ACL_RT_DEV_RES_CUBE_CORE, VECTOR = ACL_RT_DEV_RES_VECTOR_CORE;

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static uint32_t of_device(int32_t device, aclrtDevResLimitType type)
{
    uint32_t value = 0;
    assert_int_equal(aclrtGetDeviceResLimit(device, type, &value), 0);
    return value;
}

static uint32_t of_stream(aclrtStream stream, aclrtDevResLimitType type)
{
    uint32_t value = 0;
    assert_int_equal(aclrtGetStreamResLimit(stream, type, &value), 0);
    return value;
}

static uint32_t of_thread(aclrtDevResLimitType type)
{
    uint32_t value = 0;
    assert_int_equal(aclrtGetResInCurrentThread(type, &value), 0);
    return value;
}

static void *expect_the_device_alone(void *unused)
{
    uint32_t value;
    assert_failure(aclrtGetResInCurrentThread(VECTOR, &value), 107002, "context");
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(of_thread(CUBE), 9);
    assert_int_equal(of_thread(VECTOR), CORES);
    assert_int_equal(aclrtResetDevice(0), 0);
    return unused;
}

static void what_is_not_set_comes_from_the_next_larger_thing(void **state)
{
    (void)state;
    aclrtStream stream, fresh;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(of_device(0, CUBE), CORES);
    assert_int_equal(of_stream(stream, VECTOR), CORES);
    assert_int_equal(of_thread(CUBE), CORES);

    assert_int_equal(aclrtSetDeviceResLimit(0, CUBE, 9), 0);
    assert_int_equal(of_device(0, CUBE), 9);
    assert_int_equal(of_device(1, CUBE), CORES);
    assert_int_equal(of_device(0, VECTOR), CORES);
    assert_int_equal(of_stream(stream, CUBE), 9);
    assert_int_equal(of_stream(NULL, CUBE), 9);
    assert_int_equal(aclrtSetStreamResLimit(stream, VECTOR, 2), 0);
    assert_int_equal(of_stream(stream, VECTOR), 2);
    assert_int_equal(of_stream(NULL, VECTOR), CORES);
    assert_int_equal(of_thread(VECTOR), CORES);

    assert_int_equal(aclrtUseStreamResInCurrentThread(stream), 0);
    assert_int_equal(of_thread(VECTOR), 2);
    assert_int_equal(of_thread(CUBE), 9);
    run_in_thread(expect_the_device_alone, NULL);
    assert_int_equal(aclrtUnuseStreamResInCurrentThread(stream), 0);
    assert_int_equal(of_thread(VECTOR), CORES);

    assert_int_equal(aclrtResetStreamResLimit(stream), 0);
    assert_int_equal(of_stream(stream, VECTOR), CORES);
    assert_int_equal(aclrtSetStreamResLimit(stream, VECTOR, 2), 0);
    assert_int_equal(aclrtUseStreamResInCurrentThread(stream), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(of_thread(VECTOR), CORES);
    /* A stream in the place of that one begins without. */
    assert_int_equal(aclrtCreateStream(&fresh), 0);
    assert_int_equal(of_stream(fresh, VECTOR), CORES);
    assert_int_equal(aclrtDestroyStream(fresh), 0);
    assert_int_equal(aclrtResetDeviceResLimit(0), 0);
    assert_int_equal(of_device(0, CUBE), CORES);
}

static void bad_arguments_of_limits_are_refused(void **state)
{
    (void)state;
    uint32_t value = 77;
    const aclrtDevResLimitType none = (aclrtDevResLimitType)2, below = (aclrtDevResLimitType)-1;
    void *const foreign = &value;
    assert_failure(aclrtGetDeviceResLimit(9, none, NULL), 100000, "value is NULL");
    assert_failure(aclrtGetDeviceResLimit(9, none, &value), 107000, "type is 2");
    assert_failure(aclrtGetDeviceResLimit(9, below, &value), 107000, "type is -1");
    assert_failure(aclrtGetDeviceResLimit(9, CUBE, &value), 107001, "device 9");
    assert_failure(aclrtSetDeviceResLimit(9, none, 0), 107000, "type is 2");
    assert_failure(aclrtSetDeviceResLimit(9, CUBE, 0), 107000, "value is 0");
    assert_failure(aclrtSetDeviceResLimit(9, CUBE, 1), 107001, "device 9");
    assert_failure(aclrtResetDeviceResLimit(-1), 107001, "device -1");
    assert_failure(aclrtGetStreamResLimit(foreign, none, NULL), 100000, "value is NULL");
    assert_failure(aclrtGetStreamResLimit(foreign, none, &value), 107000, "type is 2");
    assert_failure(aclrtGetStreamResLimit(foreign, CUBE, &value), 107017, "stream");
    assert_failure(aclrtSetStreamResLimit(foreign, none, 0), 107000, "type is 2");
    assert_failure(aclrtSetStreamResLimit(foreign, CUBE, 0), 107000, "value is 0");
    assert_failure(aclrtSetStreamResLimit(foreign, CUBE, 1), 107017, "stream");
    assert_failure(aclrtResetStreamResLimit(foreign), 107017, "stream");
    assert_failure(aclrtUseStreamResInCurrentThread(foreign), 107017, "stream");
    assert_failure(aclrtUnuseStreamResInCurrentThread(foreign), 107017, "stream");
    assert_failure(aclrtGetResInCurrentThread(none, NULL), 100000, "value is NULL");
    assert_failure(aclrtGetResInCurrentThread(none, &value), 107000, "type is 2");
    assert_int_equal(value, 77);
}

static void the_number_of_a_device_is_what_the_user_says(void **state)
{
    (void)state;
    int32_t device = -1;
    assert_int_equal(aclrtGetLogicDevIdByUserDevId(1, &device), 0);
    assert_int_equal(device, 1);
    assert_failure(aclrtGetLogicDevIdByUserDevId(2, NULL), 100000, "logicDevId is NULL");
    assert_failure(aclrtGetLogicDevIdByUserDevId(2, &device), 107001, "device 2");
    assert_int_equal(device, 1);
}

static void a_time_limit_is_taken_as_it_is(void **state)
{
    (void)state;
    uint64_t actual = 0;
    assert_int_equal(aclrtSetOpExecuteTimeOutV2(123456789012, &actual), 0);
    assert_int_equal(actual, 123456789012);
    assert_failure(aclrtSetOpExecuteTimeOutV2(1, NULL), 100000, "actualTimeout is NULL");
}

static void dumps_and_warm_ups_are_taken_without_effect(void **state)
{
    (void)state;
    assert_int_equal(aclmdlInitDump(), 0);
    assert_int_equal(aclmdlSetDump("acl.json"), 0);
    assert_failure(aclmdlSetDump(NULL), 100000, "configPath is NULL");
    assert_int_equal(aclmdlFinalizeDump(), 0);
    assert_int_equal(aclprofWarmup(NULL), 0);
    assert_int_equal(aclprofRegisterDeviceCallback(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_set_comes_from_the_next_larger_thing),
        cmocka_unit_test(bad_arguments_of_limits_are_refused),
        cmocka_unit_test(the_number_of_a_device_is_what_the_user_says),
        cmocka_unit_test(a_time_limit_is_taken_as_it_is),
        cmocka_unit_test(dumps_and_warm_ups_are_taken_without_effect),
    };
    setenv("BELAY_THREADS", "3", 1);
    setenv("BELAY_DEVICES", "2", 1);
    return cmocka_run_group_tests(tests, set_up, NULL);
}
