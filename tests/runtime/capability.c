/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What can be asked about a device: each status code, and answers that follow the settings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/failure.h"

static void device_capabilities_follow_the_settings(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_int_equal(aclGetDeviceCapability(1, ACL_DEVICE_INFO_AI_CORE_NUM, &value), 0);
    assert_int_equal(value, 3);
    assert_int_equal(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value), 0);
    assert_int_equal(value, 3);
    assert_int_equal(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value), 0);
    assert_true(value > 0);
    assert_failure(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, NULL), 100000, "value is NULL");
    assert_failure(aclGetDeviceCapability(2, ACL_DEVICE_INFO_AI_CORE_NUM, &value), 100000,
                   "device 2 does not exist");
    assert_failure(aclGetDeviceCapability(UINT32_MAX, ACL_DEVICE_INFO_L2_SIZE, &value), 100000,
                   "device 4294967295 does not exist");
    assert_failure(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value), 100000, "deviceInfo is -1");
    assert_failure(aclGetDeviceCapability(0, (aclDeviceInfo)3, &value), 100000, "deviceInfo is 3");
}

static void every_listed_attribute_has_a_value(void **state)
{
    (void)state;
    const aclCannAttr *list = NULL;
    size_t count = 0;
    assert_int_equal(aclGetCannAttributeList(&list, &count), 0);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        int32_t value = -1;
        assert_int_equal(aclGetCannAttribute(list[i], &value), 0);
        assert_true(value == 0 || value == 1);
    }
    assert_failure(aclGetCannAttributeList(NULL, &count), 100000, "cannAttrList is NULL");
    assert_failure(aclGetCannAttributeList(&list, NULL), 100000, "num is NULL");
}

static void unknown_attributes_are_refused(void **state)
{
    (void)state;
    int32_t value;
    assert_failure(aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &value), 100000, "cannAttr is -1");
    assert_failure(aclGetCannAttribute((aclCannAttr)3, &value), 100000, "cannAttr is 3");
    assert_failure(aclGetCannAttribute(ACL_CANN_ATTR_BF16, NULL), 100000, "value is NULL");
}

static int bf16_attribute(void)
{
    int32_t value = -1;
    return aclGetCannAttribute(ACL_CANN_ATTR_BF16, &value) == 0 ? value : 99;
}

static void device_information_follows_the_settings(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_int_equal(aclrtGetDeviceInfo(1, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value), 0);
    assert_int_equal(value, 3);
    assert_int_equal(aclrtGetDeviceInfo(1, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value), 0);
    assert_int_equal(value, 64 << 20);
    assert_int_equal(aclrtGetDeviceInfo(1, ACL_DEV_ATTR_L2_CACHE_SIZE, &value), 0);
    assert_true(value > 0);
    assert_int_equal(aclrtGetDeviceInfo(1, ACL_DEV_ATTR_PHY_CHIP_ID, &value), 0);
    assert_int_equal(value, 1);
    assert_int_equal(aclrtGetDeviceInfo(1, ACL_DEV_ATTR_IS_VIRTUAL, &value), 0);
    assert_int_equal(value, 1);
    static const aclrtDevAttr core_numbers[] = {ACL_DEV_ATTR_AICPU_CORE_NUM, ACL_DEV_ATTR_AICORE_CORE_NUM,
                                                ACL_DEV_ATTR_CUBE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM};
    for (size_t i = 0; i < sizeof core_numbers / sizeof core_numbers[0]; i++) {
        value = 0;
        assert_int_equal(aclrtGetDeviceInfo(0, core_numbers[i], &value), 0);
        assert_int_equal(value, 3);
    }
    assert_failure(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_IS_VIRTUAL, NULL), 100000, "value is NULL");
    assert_failure(aclrtGetDeviceInfo(2, ACL_DEV_ATTR_IS_VIRTUAL, &value), 107001, "device 2 does not exist");
    static const aclrtDevAttr without[] = {
        ACL_DEV_ATTR_WARP_SIZE,
        ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE,
        ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE,
        ACL_DEV_ATTR_MAX_GRID_DIM_X,
        ACL_DEV_ATTR_MAX_GRID_DIM_Y,
        ACL_DEV_ATTR_MAX_GRID_DIM_Z,
        ACL_DEV_ATTR_MAX_BLOCK_PER_GRID,
        ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK,
        ACL_DEV_ATTR_MAX_BLOCK_DIM_X,
        ACL_DEV_ATTR_MAX_BLOCK_DIM_Y,
        ACL_DEV_ATTR_MAX_BLOCK_DIM_Z,
        ACL_DEV_ATTR_SMP_ID,
        ACL_DEV_ATTR_SUPER_POD_DEVICE_ID,
        ACL_DEV_ATTR_SUPER_POD_SERVER_ID,
        ACL_DEV_ATTR_SUPER_POD_ID,
        ACL_DEV_ATTR_CUST_OP_PRIVILEGE,
        ACL_DEV_ATTR_MAINBOARD_ID,
        ACL_DEV_ATTR_HD_CONNECT_TYPE,
        ACL_DEV_ATTR_DEVICE_FORM_FACTOR,
        ACL_DEV_ATTR_NPU_ARCH,
    };
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        char sentence[64];
        snprintf(sentence, sizeof sentence, "attr is %d, which has no counterpart", (int)without[i]);
        value = 77;
        assert_failure(aclrtGetDeviceInfo(0, without[i], &value), 207000, sentence);
        assert_int_equal(value, 77);
    }
    assert_failure(aclrtGetDeviceInfo(0, (aclrtDevAttr)7, &value), 107000, "attr is 7");
}

static void devices_have_ids_of_their_own(void **state)
{
    (void)state;
    aclrtUuid first, second, again;
    assert_int_equal(aclrtDeviceGetUuid(0, &first), 0);
    assert_int_equal(aclrtDeviceGetUuid(1, &second), 0);
    assert_int_equal(aclrtDeviceGetUuid(0, &again), 0);
    assert_memory_not_equal(&first, &second, sizeof first);
    assert_memory_equal(&first, &again, sizeof first);
    assert_failure(aclrtDeviceGetUuid(0, NULL), 100000, "uuid is NULL");
    assert_failure(aclrtDeviceGetUuid(2, &first), 107001, "device 2 does not exist");
    assert_failure(aclrtDeviceGetUuid(-1, &first), 107001, "device -1 does not exist");
}

int main(void)
{
    setenv("BELAY_DEVICES", "2", 1);
    setenv("BELAY_THREADS", "3", 1);
    setenv("BELAY_MEMORY", "64M", 1);
    /* Before the first use here, which a forked child would see. */
    if (run_in_child("BELAY_SOC", "Ascend910A", bf16_attribute) != 0 ||
        run_in_child("BELAY_SOC", "Ascend910B4", bf16_attribute) != 1)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_capabilities_follow_the_settings),
        cmocka_unit_test(every_listed_attribute_has_a_value),
        cmocka_unit_test(unknown_attributes_are_refused),
        cmocka_unit_test(device_information_follows_the_settings),
        cmocka_unit_test(devices_have_ids_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
