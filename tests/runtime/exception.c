/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The registry of exception callbacks, and the getters, which know no exception.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/failure.h"

static void first(aclrtExceptionInfo *info)
{
    (void)info;
}

static void second(aclrtExceptionInfo *info)
{
    (void)info;
}

static void the_single_callback_can_be_set_and_cleared(void **state)
{
    (void)state;
    assert_int_equal(aclrtSetExceptionInfoCallback(first), 0);
    assert_int_equal(aclrtSetExceptionInfoCallback(NULL), 0);
}

static void callbacks_can_be_taken_back_once(void **state)
{
    (void)state;
    assert_int_equal(aclrtExceptionInfoCallbackRegister(first), 0);
    assert_int_equal(aclrtExceptionInfoCallbackRegister(second), 0);
    assert_int_equal(aclrtExceptionInfoCallbackRegister(first), 0);
    assert_int_equal(aclrtExceptionInfoCallbackUnregister(first), 0);
    assert_failure(aclrtExceptionInfoCallbackUnregister(first), 107000, "is not registered");
    assert_int_equal(aclrtExceptionInfoCallbackUnregister(second), 0);
    assert_failure(aclrtExceptionInfoCallbackUnregister(second), 107000, "is not registered");
}

static void no_function_is_refused(void **state)
{
    (void)state;
    assert_failure(aclrtExceptionInfoCallbackRegister(NULL), 107000, "callback is NULL");
    assert_failure(aclrtExceptionInfoCallbackUnregister(NULL), 107000, "callback is NULL");
}

static void there_is_room_for_64_callbacks(void **state)
{
    (void)state;
    /* They are never called, so that any address will do. */
    for (uintptr_t i = 1; i <= 64; i++)
        assert_int_equal(aclrtExceptionInfoCallbackRegister((aclrtExceptionInfoCallback)i), 0);
    assert_failure(aclrtExceptionInfoCallbackRegister(first), 200000, "at most 64");
    assert_int_equal(aclrtExceptionInfoCallbackRegister((aclrtExceptionInfoCallback)64), 0);
    for (uintptr_t i = 1; i <= 64; i++)
        assert_int_equal(aclrtExceptionInfoCallbackUnregister((aclrtExceptionInfoCallback)i), 0);
}

static void getters_answer_all_ones_without_reading(void **state)
{
    (void)state;
    static const uintptr_t values[] = {0, 1, 0x5000000000000000};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const aclrtExceptionInfo *info = (const aclrtExceptionInfo *)values[i];
        const char *why = values[i] == 0 ? "info is NULL" : "was given to no callback";
        assert_true(aclrtGetTaskIdFromExceptionInfo(info) == 0xFFFFFFFFu);
        assert_sentence(why);
        assert_true(aclrtGetStreamIdFromExceptionInfo(info) == 0xFFFFFFFFu);
        assert_sentence(why);
        assert_true(aclrtGetThreadIdFromExceptionInfo(info) == 0xFFFFFFFFu);
        assert_sentence(why);
        assert_true(aclrtGetDeviceIdFromExceptionInfo(info) == 0xFFFFFFFFu);
        assert_sentence(why);
        assert_true(aclrtGetErrorCodeFromExceptionInfo(info) == 0xFFFFFFFFu);
        assert_sentence(why);
    }
}

static int refuse_everything(void)
{
    CHILD_CHECK(aclrtGetTaskIdFromExceptionInfo(NULL) == 0xFFFFFFFFu);
    const char *message = aclGetRecentErrMsg();
    CHILD_CHECK(message != NULL && strstr(message, "BELAY_THREADS") != NULL);
    CHILD_CHECK(aclrtCreateStreamConfigHandle() == NULL);
    message = aclGetRecentErrMsg();
    CHILD_CHECK(message != NULL && strstr(message, "BELAY_THREADS") != NULL);
    return 0;
}

int main(void)
{
    /* Before the first use here, which a forked child would see. */
    if (run_in_child("BELAY_THREADS", "none", refuse_everything) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_single_callback_can_be_set_and_cleared),
        cmocka_unit_test(callbacks_can_be_taken_back_once),
        cmocka_unit_test(no_function_is_refused),
        cmocka_unit_test(there_is_room_for_64_callbacks),
        cmocka_unit_test(getters_answer_all_ones_without_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
