/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The libraries below and beside acl that clients are linked with: found and called as they do, by their
 * names. The functions of libruntime.so share their state with acl's, and those of the log write into its
 * lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/failure.h"

typedef int any_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static void *open_library(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lib%s.so", LIBRARIES, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *find(const char *library, const char *name)
{
    void *handle = open_library(library);
    return handle != NULL ? dlsym(handle, name) : NULL;
}

static int call(const char *name, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                uintptr_t f)
{
    any_function *function;
    void *address = find("runtime", name);
    assert_non_null(address);
    memcpy(&function, &address, sizeof function);
    return function(a, b, c, d, e, f);
}

static void the_libraries_are_there(void **state)
{
    (void)state;
    static const char *const names[] = {"runtime",       "ascendalog",     "unified_dlog", "mmpa",
                                        "error_manager", "ge_common_base", "op_common",    "register",
                                        "tiling_api",    "graph_base"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (open_library(names[i]) == NULL)
            fail_msg("%s", dlerror());
    assert_null(open_library("ops_base")); /* whose absence clients take as a reason to look elsewhere */
}

static void the_runtime_below_acl_is_acl_s(void **state)
{
    (void)state;
    void *device_memory = NULL, *host = NULL, *stream = NULL;
    int32_t device = -1;
    uint32_t cores = 0;
    char name[64] = "", text[] = "some text", back[sizeof text] = "";
    assert_int_equal(call("rtSetDevice", 0, 0, 0, 0, 0, 0), 0);
    assert_int_equal(aclrtGetDevice(&device), 0);
    assert_int_equal(device, 0);
    device = -1;
    assert_int_equal(call("rtGetDevice", (uintptr_t)&device, 0, 0, 0, 0, 0), 0);
    assert_int_equal(device, 0);
    assert_failure(call("rtSetDevice", 77, 0, 0, 0, 0, 0), 107001, "device 77");
    assert_int_equal(call("rtDeviceSetLimit", 0, 1, 4096, 0, 0, 0), 0);
    assert_failure(call("rtDeviceSetLimit", 77, 1, 4096, 0, 0, 0), 107001, "device 77");

    assert_int_equal(call("rtGetSocVersion", (uintptr_t)name, sizeof name, 0, 0, 0, 0), 0);
    assert_string_equal(name, aclrtGetSocName());
    assert_failure(call("rtGetSocVersion", (uintptr_t)name, 3, 0, 0, 0, 0), 107000, "maxLen is 3");
    assert_failure(call("rtGetSocVersion", 0, 64, 0, 0, 0, 0), 100000, "version is NULL");
    assert_int_equal(call("rtGetAiCoreCount", (uintptr_t)&cores, 0, 0, 0, 0, 0), 0);
    assert_in_range(cores, 20, 32); /* tools/triton_driver knows the number of each product */
    assert_failure(call("rtGetAiCoreCount", 0, 0, 0, 0, 0, 0), 100000, "aiCoreCnt is NULL");

    assert_int_equal(call("rtStreamCreate", (uintptr_t)&stream, 0, 0, 0, 0, 0), 0);
    assert_int_equal(call("rtMalloc", (uintptr_t)&device_memory, 64, 2, 33, 0, 0), 0);
    assert_int_equal(call("rtMallocHost", (uintptr_t)&host, 64, 33, 0, 0, 0), 0);
    memcpy(host, text, sizeof text);
    assert_int_equal(call("rtMemcpy", (uintptr_t)device_memory, 64, (uintptr_t)host, sizeof text, 1, 0), 0);
    memset(host, 0, 64);
    assert_int_equal(call("rtMemcpyAsync", (uintptr_t)host, 64, (uintptr_t)device_memory, sizeof text, 2,
                          (uintptr_t)stream),
                     0);
    assert_int_equal(call("rtStreamSynchronize", (uintptr_t)stream, 0, 0, 0, 0, 0), 0);
    assert_memory_equal(host, text, sizeof text);
    assert_int_equal(
        call("rtMemcpy", (uintptr_t)back, sizeof back, (uintptr_t)device_memory, sizeof text, 7, 0), 0);
    assert_memory_equal(back, text, sizeof text);
    assert_failure(call("rtMemcpy", (uintptr_t)back, 3, (uintptr_t)device_memory, sizeof text, 2, 0), 107000,
                   "destMax");
    assert_int_equal(call("rtFree", (uintptr_t)device_memory, 0, 0, 0, 0, 0), 0);
    assert_int_equal(call("rtFreeHost", (uintptr_t)host, 0, 0, 0, 0, 0), 0);
    assert_int_equal(call("rtStreamDestroy", (uintptr_t)stream, 0, 0, 0, 0, 0), 0);
    assert_int_equal(call("rtDeviceReset", 0, 0, 0, 0, 0, 0), 0);
}

static void kernels_that_nobody_registered_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"rtKernelLaunch", "rtLaunch", "rtFunctionGetMetaInfo",
                                        "rtFunctionGetMetaInfoSize"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_failure(call(names[i], 0, 0, 0, 0, 0, 0), 0x17, names[i]);
}

/* In a process of its own, as the log reads its variables once: what it writes to standard output. */
static int write_lines(void)
{
    static const char *const libraries[] = {"ascendalog", "unified_dlog"};
    for (int i = 0; i < 2; i++) {
        void *record = find(libraries[i], "DlogRecord"), *check = find(libraries[i], "CheckLogLevel");
        void *level = find(libraries[i], "dlog_getlevel"), *set = find(libraries[i], "dlog_setlevel");
        void *warn = find(libraries[i], "DlogWarnInner"), *event = find(libraries[i], "DlogEventInner");
        void (*write_line)(int32_t, int32_t, const char *, ...);
        void (*write_as)(int32_t, const char *, ...);
        int32_t (*ask)(int32_t, int32_t), (*get)(int32_t, int32_t *), (*change)(int32_t, int32_t, int32_t),
            events = -1;
        CHILD_CHECK(record != NULL && check != NULL && level != NULL && set != NULL && warn != NULL &&
                    event != NULL);
        memcpy(&write_line, &record, sizeof write_line);
        memcpy(&ask, &check, sizeof ask);
        memcpy(&get, &level, sizeof get);
        memcpy(&change, &set, sizeof change);
        CHILD_CHECK(ask(63, 3) == 1 && ask(63, 2) == 1 && ask(63, 1) == 0 && ask(63, 0x10) == 0 &&
                    ask(63, 99) == 0);
        CHILD_CHECK(get(63, &events) == 2 && events == 0 && get(63, NULL) == 2 && change(63, 0, 1) == -1);
        write_line(63, 3, "an error of %s, %d", libraries[i], i);
        write_line(63, 1, "what nobody asks for");
        write_line(63, 99, "no level");
        write_line(63, 3, NULL);
        memcpy(&write_as, &warn, sizeof write_as);
        write_as(7, "a warning");
        memcpy(&write_as, &event, sizeof write_as);
        write_as(7, "an event");
    }
    return 0;
}

static int write_lines_to_a_pipe(void)
{
    int ends[2];
    char text[4096];
    CHILD_CHECK(pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
    CHILD_CHECK(setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1) == 0);
    int status = write_lines();
    close(ends[1]);
    close(STDOUT_FILENO);
    ssize_t length = read(ends[0], text, sizeof text - 1);
    CHILD_CHECK(status == 0 && length > 0);
    text[length] = '\0';
    CHILD_CHECK(strstr(text, "[ERROR] OP(") != NULL &&
                strstr(text, "module 63: an error of ascendalog, 0\n") != NULL);
    CHILD_CHECK(strstr(text, "module 63: an error of unified_dlog, 1\n") != NULL);
    CHILD_CHECK(strstr(text, "[WARNING] OP(") != NULL && strstr(text, "module 7: a warning\n") != NULL);
    CHILD_CHECK(strstr(text, "nobody") == NULL && strstr(text, "event") == NULL &&
                strstr(text, "no level") == NULL);
    return 0;
}

static void lines_go_into_the_log(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("ASCEND_GLOBAL_LOG_LEVEL", "2", write_lines_to_a_pipe), 0);
}

static void the_layer_over_the_system_answers(void **state)
{
    (void)state;
    void *address = find("mmpa", "mmGetTid");
    int (*number)(void);
    char *(*message)(int32_t, char *, size_t);
    int32_t (*real_path)(const char *, char *, int32_t);
    assert_non_null(address);
    memcpy(&number, &address, sizeof number);
    assert_int_equal(number(), gettid());
    address = find("mmpa", "mmGetPid");
    memcpy(&number, &address, sizeof number);
    assert_int_equal(number(), getpid());
    address = find("mmpa", "mmGetErrorCode");
    memcpy(&number, &address, sizeof number);
    errno = ENOENT;
    assert_int_equal(number(), ENOENT);
    address = find("mmpa", "mmGetErrorFormatMessage");
    memcpy(&message, &address, sizeof message);
    char text[PATH_MAX] = "";
    assert_ptr_equal(message(ENOENT, text, sizeof text), text);
    assert_string_equal(text, "No such file or directory");
    assert_string_equal(message(ENOENT, text, 3), "No");
    assert_null(message(ENOENT, NULL, 3));
    assert_null(message(ENOENT, text, 0));
    address = find("mmpa", "mmRealPath");
    memcpy(&real_path, &address, sizeof real_path);
    assert_int_equal(real_path("/../tmp/.", text, sizeof text), 0);
    assert_string_equal(text, "/tmp");
    assert_int_equal(real_path("/no such folder/x", text, sizeof text), -1);
    assert_int_equal(real_path(NULL, text, sizeof text), -2);
    assert_int_equal(real_path("/", text, 10), -2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_go_into_the_log), /* the log reads its variables once */
        cmocka_unit_test(the_libraries_are_there),
        cmocka_unit_test(the_runtime_below_acl_is_acl_s),
        cmocka_unit_test(kernels_that_nobody_registered_are_refused_by_name),
        cmocka_unit_test(the_layer_over_the_system_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
