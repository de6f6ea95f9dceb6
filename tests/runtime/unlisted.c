/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that no header declares, found as frameworks find them: by their names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

typedef int64_t any_function(const void *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static any_function *find(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW);
    void *address = handle != NULL ? dlsym(handle, name) : NULL;
    any_function *function;
    assert_non_null(address);
    memcpy(&function, &address, sizeof function);
    return function;
}

static void the_profiler_takes_what_it_is_told(void **state)
{
    (void)state;
    static const char *const names[] = {"MsprofRegisterCallback", "MsprofReportApi",
                                        "MsprofReportCompactInfo", "MsprofReportAdditionalInfo"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal((int32_t)find(ASCENDCL, names[i])(NULL, 0, 1000000, 0, 0, 0), 0);
    any_function *hash = find(ASCENDCL, "MsprofGetHashId"), *clock = find(ASCENDCL, "MsprofSysCycleTime");
    assert_int_equal(hash("", 0, 0, 0, 0, 0), (int64_t)UINT64_C(0xcbf29ce484222325));
    assert_int_equal(hash("a", 1, 0, 0, 0, 0), (int64_t)UINT64_C(0xaf63dc4c8601ec8c)); /* of FNV's authors */
    assert_int_equal(hash("foobar", 6, 0, 0, 0, 0), (int64_t)UINT64_C(0x85944171f73967e8));
    assert_int_equal(hash(NULL, 6, 0, 0, 0, 0), (int64_t)UINT64_C(0xcbf29ce484222325));
    int64_t first = clock(NULL, 0, 0, 0, 0, 0), second = clock(NULL, 0, 0, 0, 0, 0);
    assert_true(first > 0 && second >= first);
}

static void the_driver_has_a_version_and_no_clocks(void **state)
{
    (void)state;
    int32_t version = -1;
    int64_t frequency = -1;
    any_function *get_version = find(ASCENDCL, "halGetAPIVersion"), *get = find(ASCENDCL, "halGetDeviceInfo");
    assert_int_equal((int32_t)get_version(&version, 0, 0, 0, 0, 0), 0);
    assert_int_equal(version, 0x070000);
    assert_failure((int32_t)get_version(NULL, 0, 0, 0, 0, 0), 3, "halGetAPIVersion: version is NULL");
    assert_failure((int32_t)get(NULL, 0, 30, (uintptr_t)&frequency, 0, 0), 0xfffe, "halGetDeviceInfo");
    assert_int_equal(frequency, 0); /* by which nobody divides */
    assert_failure((int32_t)get(NULL, 0, 30, 0, 0, 0), 0xfffe, "halGetDeviceInfo");
}

static void device_code_is_refused_with_the_name(void **state)
{
    (void)state;
    assert_failure((int32_t)find(ASCENDCL, "rtKernelLaunch")(NULL, 0, 0, 0, 0, 0), 0x17, "rtKernelLaunch");
    assert_failure((int32_t)find(ASCENDCL, "aclmdlRIAddCondTask")(NULL, 0, 0, 0, 0, 0), 200001,
                   "aclmdlRIAddCondTask");
}

/* Who launches may look at no status: the stream has it, once. */
static void a_launch_of_what_nobody_loaded_fails_in_its_stream(void **state)
{
    (void)state;
    aclrtStream stream;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    const uint64_t at = (uintptr_t)stream;
    assert_failure((int32_t)find(ASCENDCL, "rtKernelLaunch")(NULL, 1, 0, 0, 0, at), 0x17, "rtKernelLaunch");
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_non_null(
        strstr(aclGetRecentErrMsg(), "rtKernelLaunch: a kernel was launched that nobody could load"));
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_failure((int32_t)find(ASCENDCL, "aclrtLaunchKernelWithHostArgs")(NULL, 1, at, 0, 0, 0), 200001,
                   "aclrtLaunchKernelWithHostArgs");
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_int_equal(aclrtLaunchKernel(NULL, 1, NULL, 0, stream), 200001);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_int_equal(aclrtLaunchKernelWithConfig(NULL, 1, stream, NULL, NULL, NULL), 200001);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

/* Libraries offer their code when they are loaded; nobody asked, and the next failure stands alone. */
static void offered_code_is_forgotten_with_the_next_failure(void **state)
{
    (void)state;
    aclGetRecentErrMsg();
    assert_failure((int32_t)find(ASCENDCL, "aclrtBinaryLoadFromData")(NULL, 1, 0, 0, 0, 0), 200001,
                   "aclrtBinaryLoadFromData");
    assert_int_equal(aclrtBinaryLoadFromData("", 1, NULL, NULL), 200001);
    assert_int_equal(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    const char *message = aclGetRecentErrMsg();
    assert_non_null(strstr(message, "aclrtFree"));
    assert_null(strstr(message, "aclrtBinaryLoadFromData"));
}

static void collectives_keep_whether_they_are_deterministic(void **state)
{
    (void)state;
    any_function *set = find(HCCL, "HcclSetConfig");
    any_function *get = find(HCCL, "HcclGetConfig");
    int32_t value = -1;
    const uint64_t place = (uintptr_t)&value;
    void *const deterministic = NULL, *const accelerator = (void *)1; /* the numbers 0 and 1 */
    assert_int_equal((int32_t)get(deterministic, place, 0, 0, 0, 0), 0);
    assert_int_equal(value, 0);
    for (uint64_t i = 0; i <= 2; i++) {
        assert_int_equal((int32_t)set(deterministic, i, 0, 0, 0, 0), 0);
        assert_int_equal((int32_t)get(deterministic, place, 0, 0, 0, 0), 0);
        assert_int_equal(value, i);
    }
    assert_int_equal((int32_t)set(deterministic, 3, 0, 0, 0, 0), 1);
    assert_int_equal((int32_t)set(deterministic, UINT32_MAX, 0, 0, 0, 0), 1);
    assert_int_equal((int32_t)set(accelerator, 0, 0, 0, 0, 0), 1);
    assert_int_equal((int32_t)get(accelerator, place, 0, 0, 0, 0), 1);
    assert_int_equal((int32_t)get(deterministic, 0, 0, 0, 0, 0), 2);
    assert_int_equal(value, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_profiler_takes_what_it_is_told),
        cmocka_unit_test(the_driver_has_a_version_and_no_clocks),
        cmocka_unit_test(device_code_is_refused_with_the_name),
        cmocka_unit_test(a_launch_of_what_nobody_loaded_fails_in_its_stream),
        cmocka_unit_test(offered_code_is_forgotten_with_the_next_failure),
        cmocka_unit_test(collectives_keep_whether_they_are_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
