/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * When the environment is read: once, at the first use, whichever thread that is, and never again in a child.
 * Every look at it is in a process of its own.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "base/settings.h"
#include "support/child.h"
#include "support/failure.h"

static int later_changes_do_not_count(void)
{
    const struct settings *settings, *again;
    CHILD_CHECK(settings_get(&settings) == 0);
    setenv("BELAY_DEVICES", "rubbish", 1);
    CHILD_CHECK(settings_get(&again) == 0);
    CHILD_CHECK(again == settings && settings->device_count == 1);
    return 0;
}

static int a_refusal_stays(void)
{
    const struct settings *settings;
    CHILD_CHECK(settings_get(&settings) == 100000);
    setenv("BELAY_DEVICES", "2", 1);
    CHILD_CHECK(settings_get(&settings) == 100000);
    return 0;
}

static void the_environment_is_read_once(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, later_changes_do_not_count), 0);
    assert_int_equal(run_in_child("BELAY_DEVICES", "rubbish", a_refusal_stays), 0);
}

static int refuse_everything_after_fork(void)
{
    const struct settings *settings;
    CHILD_CHECK(settings_get(&settings) == 107002);
    CHILD_CHECK(settings == NULL);
    CHILD_CHECK(sentence_has("a child of one that had used the library") &&
                settings_get(&settings) == 107002);
    CHILD_CHECK(sentence_has("spawn"));
    CHILD_CHECK(aclInit(NULL) == 107002);
    CHILD_CHECK(aclFinalize() == 107002);
    CHILD_CHECK(aclCreateDataBuffer(NULL, 0) == NULL);
    CHILD_CHECK(aclrtGetSocName() == NULL);
    return 0;
}

static int use_and_fork(void)
{
    const struct settings *settings;
    CHILD_CHECK(settings_get(&settings) == 0);
    CHILD_CHECK(run_in_child(NULL, NULL, refuse_everything_after_fork) == 0);
    CHILD_CHECK(settings_get(&settings) == 0);
    return 0;
}

static void a_child_of_a_process_that_used_the_library_gets_107002(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, use_and_fork), 0);
}

static int use_what_the_parent_asked_for(void)
{
    uint32_t count = 0;
    CHILD_CHECK(strcmp(aclrtGetSocName(), "Ascend910B4") == 0);
    CHILD_CHECK(aclrtGetDeviceCount(&count) == 0 && count == 1);
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(run_in_child(NULL, NULL, refuse_everything_after_fork) == 0);
    CHILD_CHECK(aclrtResetDevice(0) == 0);
    return 0;
}

/* Versions, names, numbers, whether there is a context: what frameworks ask while they are loaded. */
static int ask_for_all_that_is_no_use(void)
{
    int32_t major, minor, patch, number, flag;
    int64_t value;
    size_t count;
    uint32_t flags;
    char text[ACL_PKG_VERSION_MAX_SIZE], package[] = "runtime";
    aclCANNPackageVersion version;
    const aclCannAttr *attributes;
    aclrtRunMode mode;
    aclrtDeviceStatus status;
    aclrtUuid uuid;
    aclrtContext context;
    aclrtStream stream;
    CHILD_CHECK(aclrtGetVersion(&major, &minor, &patch) == 0);
    CHILD_CHECK(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version) == 100003);
    CHILD_CHECK(aclsysGetVersionStr(package, text) == 100003);
    CHILD_CHECK(aclsysGetVersionNum(package, &number) == 100003);
    CHILD_CHECK(aclGetCannAttributeList(&attributes, &count) == 0);
    CHILD_CHECK(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &flag) == 0);
    CHILD_CHECK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value) == 0);
    CHILD_CHECK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value) == 0);
    CHILD_CHECK(aclrtDeviceGetUuid(0, &uuid) == 0);
    CHILD_CHECK(aclrtGetRunMode(&mode) == 0);
    CHILD_CHECK(aclrtQueryDeviceStatus(0, &status) == 0);
    CHILD_CHECK(aclrtGetLogicDevIdByUserDevId(0, &number) == 0);
    CHILD_CHECK(aclrtDeviceCanAccessPeer(&flag, 0, 7) == 107001);
    CHILD_CHECK(aclrtGetPrimaryCtxState(0, &flags, &flag) == 0 && flag == 0);
    CHILD_CHECK(aclrtDeviceGetBareTgid(&number) == 0);
    CHILD_CHECK(aclrtGetDevice(&number) == 107002);
    CHILD_CHECK(aclrtGetCurrentContext(&context) == 107002);
    CHILD_CHECK(aclrtCtxGetCurrentDefaultStream(&stream) == 107002);
    CHILD_CHECK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 107001);
    CHILD_CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == 107001);
    CHILD_CHECK(sentence_has("device 7 does not exist"));
    return 0;
}

static int ask_and_fork(void)
{
    uint32_t count = 0;
    CHILD_CHECK(ask_for_all_that_is_no_use() == 0);
    CHILD_CHECK(strcmp(aclrtGetSocName(), "Ascend910B4") == 0);
    CHILD_CHECK(aclrtGetDeviceCount(&count) == 0 && count == 1);
    setenv("BELAY_SOC", "rubbish", 1); /* too late, for the child too */
    CHILD_CHECK(strcmp(aclrtGetSocName(), "Ascend910B4") == 0);
    CHILD_CHECK(run_in_child(NULL, NULL, use_what_the_parent_asked_for) == 0);
    CHILD_CHECK(use_what_the_parent_asked_for() == 0);
    return 0;
}

static void asking_for_the_product_is_no_use_yet(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_SOC", "Ascend910B4", ask_and_fork), 0);
}

static int ask_in_vain_and_fork(void)
{
    const struct settings *settings;
    uint32_t count;
    CHILD_CHECK(aclrtGetSocName() == NULL && sentence_has("rubbish"));
    CHILD_CHECK(aclrtGetDeviceCount(&count) == 100000);
    CHILD_CHECK(run_in_child(NULL, NULL, a_refusal_stays) == 0);
    CHILD_CHECK(settings_get(&settings) == 100000);
    return 0;
}

static void a_refusal_is_one_in_the_child_too(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_DEVICES", "rubbish", ask_in_vain_and_fork), 0);
}

static int fail_and_fork(void)
{
    const struct settings *settings;
    CHILD_CHECK(settings_get(&settings) == 100000);
    CHILD_CHECK(run_in_child(NULL, NULL, refuse_everything_after_fork) == 0);
    return 0;
}

static void so_does_a_child_of_one_that_was_refused(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_DEVICES", "rubbish", fail_and_fork), 0);
}

static void *first_use(void *unused)
{
    (void)unused;
    const struct settings *settings;
    return settings_get(&settings) == 0 ? (void *)(uintptr_t)settings : NULL;
}

static int many_threads_begin_at_once(void)
{
    pthread_t threads[16];
    void *first = NULL;
    for (int i = 0; i < 16; i++)
        CHILD_CHECK(pthread_create(&threads[i], NULL, first_use, NULL) == 0);
    for (int i = 0; i < 16; i++) {
        void *found;
        CHILD_CHECK(pthread_join(threads[i], &found) == 0);
        CHILD_CHECK(found != NULL && (first == NULL || found == first));
        first = found;
    }
    return 0;
}

static void many_threads_may_be_first(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, many_threads_begin_at_once), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_is_read_once),
        cmocka_unit_test(a_child_of_a_process_that_used_the_library_gets_107002),
        cmocka_unit_test(asking_for_the_product_is_no_use_yet),
        cmocka_unit_test(a_refusal_is_one_in_the_child_too),
        cmocka_unit_test(so_does_a_child_of_one_that_was_refused),
        cmocka_unit_test(many_threads_may_be_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
