/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What programs ask of and set on devices and contexts besides their work: every status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <unistd.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/gate.h"

static int ask_how_full_a_tiny_device_is(void)
{
    aclrtUtilizationInfo rate = {.memoryUtilization = -1};
    CHILD_CHECK(aclrtGetDeviceUtilizationRate(0, &rate) == 0 && rate.memoryUtilization == 0);
    return 0;
}

/* Of less than a hundred bytes, a percent is none. */
static void a_tiny_device_is_empty(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_MEMORY", "64", ask_how_full_a_tiny_device_is), 0);
}

static void without_a_context_they_say_so(void **state)
{
    (void)state;
    int64_t value;
    assert_failure(aclrtDeviceEnablePeerAccess(1, 0), 107002, "aclrtDeviceEnablePeerAccess");
    assert_failure(aclrtDeviceDisablePeerAccess(1), 107002, "aclrtDeviceDisablePeerAccess");
    assert_failure(aclrtSetTsDevice(ACL_TS_ID_AICORE), 107002, "aclrtSetTsDevice");
    assert_failure(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 107002, "aclrtCtxSetSysParamOpt");
    assert_failure(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 107002, "aclrtCtxGetSysParamOpt");
}

static void devices_reach_each_other(void **state)
{
    (void)state;
    int32_t can = 0;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtDeviceCanAccessPeer(&can, 0, 1), 0);
    assert_int_equal(can, 1);
    assert_failure(aclrtDeviceCanAccessPeer(&can, 1, 1), 100000, "both devices are 1");
    assert_failure(aclrtDeviceCanAccessPeer(NULL, 0, 1), 107000, "canAccessPeer is NULL");
    assert_failure(aclrtDeviceCanAccessPeer(&can, 0, 2), 107001, "device 2");
    assert_failure(aclrtDeviceCanAccessPeer(&can, -1, 0), 107001, "device -1");
    assert_int_equal(aclrtDeviceEnablePeerAccess(1, 0), 0);
    assert_failure(aclrtDeviceEnablePeerAccess(1, 1), 200006, "flags is 1");
    assert_failure(aclrtDeviceEnablePeerAccess(0, 0), 100000, "the current device");
    assert_failure(aclrtDeviceEnablePeerAccess(2, 0), 107001, "device 2");
    assert_failure(aclrtDeviceDisablePeerAccess(0), 100000, "the current device");
    assert_failure(aclrtDeviceDisablePeerAccess(-1), 107001, "device -1");
    assert_int_equal(aclrtDeviceDisablePeerAccess(1), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void a_device_tells_how_it_is(void **state)
{
    (void)state;
    aclrtUtilizationInfo rate = {.vectorUtilization = -1};
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
    int32_t pid = 0;
    aclrtStream stream;
    struct gate gate;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtGetDeviceUtilizationRate(0, &rate), 0);
    assert_int_equal(rate.vectorUtilization, 0);
    assert_int_equal(launch_gate(stream, &gate), 0);
    assert_int_equal(aclrtGetDeviceUtilizationRate(0, &rate), 0);
    assert_int_equal(rate.vectorUtilization, 100);
    open_gate(&gate);
    assert_failure(aclrtGetDeviceUtilizationRate(0, NULL), 100000, "utilizationInfo is NULL");
    assert_failure(aclrtGetDeviceUtilizationRate(2, &rate), 107001, "device 2");
    rate.utilizationExtend = (aclrtUtilizationExtendInfo *)(void *)&rate;
    assert_failure(aclrtGetDeviceUtilizationRate(0, &rate), 100000, "utilizationExtend");
    assert_int_equal(aclrtQueryDeviceStatus(1, &status), 0);
    assert_int_equal(status, ACL_RT_DEVICE_STATUS_NORMAL);
    assert_failure(aclrtQueryDeviceStatus(1, NULL), 100000, "deviceStatus is NULL");
    assert_failure(aclrtQueryDeviceStatus(-1, &status), 107001, "device -1");
    assert_int_equal(aclrtDeviceGetBareTgid(&pid), 0);
    assert_int_equal(pid, getpid());
    assert_failure(aclrtDeviceGetBareTgid(NULL), 100000, "pid is NULL");
    assert_int_equal(aclrtResetDevice(0), 0);
}

/* As some programs do it: the mode first, the device afterwards. */
static void the_overflow_mode_needs_no_device(void **state)
{
    (void)state;
    aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
    assert_int_equal(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), 0);
    assert_int_equal(aclrtGetDeviceSatMode(&mode), 0);
    assert_int_equal(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    assert_failure(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), 207000, "SATURATION");
    assert_failure(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), 100000, "mode is 2");
    assert_failure(aclrtGetDeviceSatMode(NULL), 100000, "mode is NULL");
}

static void modes_and_limits_are_checked(void **state)
{
    (void)state;
    aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_SATURATION;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR), 0);
    assert_failure(aclrtSetTsDevice(ACL_TS_ID_RESERVED), 100000, "tsId is 2");
    assert_int_equal(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), 0);
    assert_failure(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), 207000, "SATURATION");
    assert_failure(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), 100000, "mode is 2");
    assert_int_equal(aclrtGetDeviceSatMode(&mode), 0);
    assert_int_equal(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    assert_failure(aclrtGetDeviceSatMode(NULL), 100000, "mode is NULL");
    assert_int_equal(aclrtSetOpWaitTimeout(3), 0);
    assert_int_equal(aclrtSetOpExecuteTimeOut(3), 0);
    assert_int_equal(aclrtSetOpExecuteTimeOutWithMs(3), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void options_belong_to_their_context(void **state)
{
    (void)state;
    int64_t value = -1;
    aclrtContext own;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 0);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
    assert_int_equal(value, 1);
    assert_failure(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2), 107000, "value is 2");
    assert_failure(aclrtCtxSetSysParamOpt((aclSysParamOpt)4, 0), 107000, "opt is 4");
    assert_failure(aclrtCtxGetSysParamOpt((aclSysParamOpt)-1, &value), 107000, "opt is -1");
    assert_failure(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), 100000, "value is NULL");
    assert_int_equal(aclrtCreateContext(&own, 0), 0);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(aclrtDestroyContext(own), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void groups_of_cores_are_not_supported(void **state)
{
    (void)state;
    uint32_t count;
    size_t bytes;
    assert_failure(aclrtSetGroup(0), 200001, "aclrtSetGroup");
    assert_failure(aclrtGetGroupCount(&count), 200001, "aclrtGetGroupCount");
    assert_null(aclrtCreateGroupInfo());
    assert_sentence("aclrtCreateGroupInfo");
    assert_failure(aclrtDestroyGroupInfo(NULL), 200001, "aclrtDestroyGroupInfo");
    assert_failure(aclrtGetAllGroupInfo(NULL), 200001, "aclrtGetAllGroupInfo");
    assert_failure(aclrtGetGroupInfoDetail(NULL, 0, ACL_GROUP_AICORE_INT, &count, 4, &bytes), 200001,
                   "aclrtGetGroupInfoDetail");
    assert_failure(aclrtGetOverflowStatus(&count, 4, NULL), 200001, "aclrtGetOverflowStatus");
    assert_failure(aclrtResetOverflowStatus(NULL), 200001, "aclrtResetOverflowStatus");
}

int main(void)
{
    setenv("BELAY_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tiny_device_is_empty),
        cmocka_unit_test(without_a_context_they_say_so),
        cmocka_unit_test(devices_reach_each_other),
        cmocka_unit_test(a_device_tells_how_it_is),
        cmocka_unit_test(the_overflow_mode_needs_no_device),
        cmocka_unit_test(modes_and_limits_are_checked),
        cmocka_unit_test(options_belong_to_their_context),
        cmocka_unit_test(groups_of_cores_are_not_supported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
