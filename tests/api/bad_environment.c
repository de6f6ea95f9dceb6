/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every declared function, in a process whose environment is not understood and in the child of a process
 * that has used the library: it says so, in a sentence and with the code that there is for it. All of their
 * arguments are integers and pointers, so that one type with more than any of them has will do for the calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "hccl/hccl_types.h"
#include "support/child.h"

typedef int64_t any_function(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                             int64_t, int64_t, int64_t);

/* The names in the list that declared.cmake made of the headers, one at a time, as the calls find them. */
static int for_each_function(int (*body)(const char *name, any_function *function))
{
    int wrong = 0, count = 0;
    char name[128];
    FILE *list = fopen(FUNCTIONS, "r");
    if (list == NULL)
        return 200;
    while (fscanf(list, "%127s", name) == 1) {
        void *address = dlsym(RTLD_DEFAULT, name);
        any_function *function;
        memcpy(&function, &address, sizeof function);
        if (address == NULL)
            printf("%s is not in the libraries\n", name);
        wrong += address == NULL || body(name, function) != 0;
        count++;
    }
    fclose(list);
    printf("%d functions, %d wrong\n", count, wrong);
    fflush(stdout);
    return wrong > 0 || count < 300;
}

/* What a call says, but for those below. */
static const char *expected_sentence;
static int32_t expected_code, expected_code_of_collectives;

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static int expect_the_sentence(const char *name, any_function *function)
{
    /* These need nothing of the library, or were given nothing to do. */
    static const char *const silent[] = {"aclDataTypeSize",
                                         "aclDestroyTensorDesc",
                                         "aclFloat16ToFloat",
                                         "aclFloatToFloat16",
                                         "aclGetRecentErrMsg",
                                         "aclDestroyBoolArray",
                                         "aclDestroyFloatArray",
                                         "aclDestroyIntArray",
                                         "aclDestroyScalar",
                                         "aclDestroyScalarList",
                                         "aclDestroyTensor",
                                         "aclDestroyTensorList",
                                         "HcclGetCommConfigCapability",
                                         "HcclGetErrorString",
                                         NULL};
    (void)aclGetRecentErrMsg();
    int32_t result = (int32_t)function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const char *message = aclGetRecentErrMsg();
    if (is_one_of(name, silent))
        return message != NULL;
    if (message == NULL) {
        printf("%s says nothing\n", name);
        return 1;
    }
    if (strstr(message, expected_sentence) == NULL) {
        printf("%s says %s", name, message);
        return 1;
    }
    /* Codes of the runtime and of the operators; NULL, no elements, or no id where no code is returned. What
     * returns nothing leaves anything in the register. */
    static const char *const without_result[] = {
        "aclAppLog",          "aclSetTensorDescName", "aclGetTensorDescName",   "aclopDestroyAttr",
        "aclopDestroyHandle", "aclprofDestroyStamp",  "aclprofDestroyStepInfo", NULL};
    bool is_right = strncmp(name, "Hccl", 4) == 0
                        ? result == expected_code_of_collectives
                        : result == expected_code || result == 361001 || result == 0 || result == -1 ||
                              is_one_of(name, without_result);
    if (!is_right)
        printf("%s returns %d\n", name, (int)result);
    return !is_right;
}

static int call_all(void)
{
    return for_each_function(expect_the_sentence);
}

static void every_function_names_the_variable_that_is_not_understood(void **state)
{
    (void)state;
    expected_sentence = "BELAY_THREADS: the value 'none'";
    expected_code = 100000;
    expected_code_of_collectives = HCCL_E_RUNTIME;
    assert_int_equal(run_in_child("BELAY_THREADS", "none", call_all), 0);
}

static int use_and_fork(void)
{
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    return run_in_child(NULL, NULL, call_all);
}

static void every_function_tells_the_child_of_a_fork_that_it_is_one(void **state)
{
    (void)state;
    expected_sentence = "this process is a child";
    expected_code = 107002;
    expected_code_of_collectives = HCCL_E_UNAVAIL;
    assert_int_equal(run_in_child(NULL, NULL, use_and_fork), 0);
}

int main(void)
{
    /* With the libraries that it needs. */
    if (dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL) == NULL ||
        dlopen(COLLECTIVES, RTLD_NOW | RTLD_GLOBAL) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_names_the_variable_that_is_not_understood),
        cmocka_unit_test(every_function_tells_the_child_of_a_fork_that_it_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
