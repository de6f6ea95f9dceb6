/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclInit and its relatives: counts, codes and their order, configuration files, callbacks. The state is one
 * for the process, and so each test is a process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/folder.h"

static char path[128];

/* Leaves the name of the file in path. */
static void write_config(const char *text, size_t length)
{
    snprintf(path, sizeof path, "%s/acl.json", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static void write_text(const char *text)
{
    write_config(text, strlen(text));
}

static bool message_has(const char *words)
{
    const char *message = aclGetRecentErrMsg();
    return message != NULL && strstr(message, words) != NULL;
}

static int count_up_and_down(void)
{
    uint64_t count = 99;
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclInit("") == 100002);
    CHILD_CHECK(message_has("aclInit: "));
    CHILD_CHECK(aclInit(NULL) == 100002);
    CHILD_CHECK(aclFinalizeReference(&count) == 0 && count == 2);
    CHILD_CHECK(aclFinalizeReference(NULL) == 0);
    CHILD_CHECK(aclFinalizeReference(&count) == 0 && count == 0);
    CHILD_CHECK(aclFinalizeReference(&count) == 100037 && count == 0);
    CHILD_CHECK(aclFinalizeReference(NULL) == 100037);
    CHILD_CHECK(message_has("aclFinalizeReference: "));
    CHILD_CHECK(aclFinalize() == 100037);
    CHILD_CHECK(aclInit(NULL) == 0);
    return 0;
}

static int finalize_at_once(void)
{
    uint64_t count = 99;
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclInit(NULL) == 100002);
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(aclFinalize() == 100037);
    CHILD_CHECK(message_has("aclFinalize: "));
    CHILD_CHECK(aclFinalizeReference(&count) == 100037 && count == 0);
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(aclFinalize() == 100037);
    return 0;
}

static int finalize_without_init(void)
{
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(aclFinalize() == 100037);
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    return 0;
}

static int reference_without_init(void)
{
    uint64_t count = 99;
    CHILD_CHECK(aclFinalizeReference(&count) == 100037 && count == 0);
    return 0;
}

static int accept_config(void)
{
    CHILD_CHECK(aclInit(path) == 0);
    CHILD_CHECK(aclInit(path) == 100002);
    CHILD_CHECK(aclInit(NULL) == 100002);
    return 0;
}

static int refuse_config_as_invalid(void)
{
    CHILD_CHECK(aclInit(path) == 100000);
    CHILD_CHECK(message_has("aclInit: "));
    CHILD_CHECK(aclInit(NULL) == 0);      /* nothing has begun */
    CHILD_CHECK(aclInit(path) == 100000); /* before it is found that the library is initialised */
    return 0;
}

static int refuse_config_as_unreadable(void)
{
    CHILD_CHECK(aclInit(path) == 100003);
    CHILD_CHECK(message_has("aclInit: configPath '"));
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclInit(path) == 100003);
    return 0;
}

static void calls_are_counted(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, count_up_and_down), 0);
}

static void finalize_ends_at_once_whatever_the_count(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, finalize_at_once), 0);
}

static void the_first_finalize_succeeds_without_init(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, finalize_without_init), 0);
    assert_int_equal(run_in_child(NULL, NULL, reference_without_init), 0);
}

static void good_configurations_are_accepted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "{\"dump\":{\"dump_scene\":\"lite_exception\"}}",
        "{\"err_msg_mode\":\"1\",\"profiler\":{\"switch\":\"off\"}}",
        "{\"defaultDevice\":{\"default_device\":\"0\"}}",
        "{\"a\":[[[[[[[[[1]]]]]]]]]}", /* 10 levels */
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(texts[i]);
        assert_int_equal(run_in_child(NULL, NULL, accept_config), 0);
    }
}

static void bad_configurations_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"err_msg_mode\":\"2\"}",
        "{\"err_msg_mode\":0}",
        "{\"defaultDevice\":{\"default_device\":\"1\"}}", /* there is device 0 alone */
        "{\"dump\":[]}",
        "{\"a\":[[[[[[[[[[1]]]]]]]]]]}", /* 11 levels */
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(texts[i]);
        assert_int_equal(run_in_child(NULL, NULL, refuse_config_as_invalid), 0);
    }
}

static void a_file_may_have_1_mib_and_not_more(void **state)
{
    (void)state;
    size_t length = 1 << 20;
    char *text = (char *)malloc(length + 1);
    assert_non_null(text);
    memset(text, ' ', length + 1);
    memcpy(text, "{}", 2);
    write_config(text, length);
    assert_int_equal(run_in_child(NULL, NULL, accept_config), 0);
    write_config(text, length + 1);
    assert_int_equal(run_in_child(NULL, NULL, refuse_config_as_invalid), 0);
    free(text);
}

static void what_is_no_regular_file_is_refused_without_waiting(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", root);
    assert_int_equal(run_in_child(NULL, NULL, refuse_config_as_invalid), 0);
    snprintf(path, sizeof path, "/dev/zero");
    assert_int_equal(run_in_child(NULL, NULL, refuse_config_as_invalid), 0);
    snprintf(path, sizeof path, "%s/pipe", root);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(run_in_child(NULL, NULL, refuse_config_as_invalid), 0);
}

static void a_file_that_cannot_be_opened_is_100003(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/missing.json", root);
    assert_int_equal(run_in_child(NULL, NULL, refuse_config_as_unreadable), 0);
    snprintf(path, sizeof path, "%s/loop", root);
    assert_int_equal(symlink(path, path), 0);
    assert_int_equal(run_in_child(NULL, NULL, refuse_config_as_unreadable), 0);
}

static int refuse_another_text(void)
{
    write_text("{\"a\":1}");
    CHILD_CHECK(aclInit(path) == 0);
    write_text("{\"a\":2}");
    CHILD_CHECK(aclInit(path) == 100000);
    CHILD_CHECK(message_has("differs"));
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(aclInit(path) == 100000); /* what the first one was is not forgotten */
    CHILD_CHECK(aclInit(NULL) == 0);
    write_text("{\"a\":1}");
    CHILD_CHECK(aclInit(path) == 100002);
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(aclInit(path) == 0);
    return 0;
}

static int refuse_a_text_after_none(void)
{
    write_text("{}");
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclInit(path) == 100000);
    return 0;
}

static int failed_attempts_leave_no_first_text(void)
{
    write_text("{\"err_msg_mode\":\"x\"}");
    CHILD_CHECK(aclInit(path) == 100000);
    write_text("{}");
    CHILD_CHECK(aclInit(path) == 0);
    return 0;
}

static void the_first_text_binds_later_ones(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, refuse_another_text), 0);
    assert_int_equal(run_in_child(NULL, NULL, refuse_a_text_after_none), 0);
    assert_int_equal(run_in_child(NULL, NULL, failed_attempts_leave_no_first_text), 0);
}

static void *call_badly(void *unused)
{
    (void)unused;
    aclDestroyDataBuffer(NULL);
    return NULL;
}

static bool sees_message_of_thread(void)
{
    pthread_t thread;
    while (aclGetRecentErrMsg() != NULL)
        continue;
    if (pthread_create(&thread, NULL, call_badly, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return false;
    return message_has("aclDestroyDataBuffer");
}

static int share_messages_until_finalize(void)
{
    write_text("{\"err_msg_mode\":\"1\"}");
    CHILD_CHECK(!sees_message_of_thread());
    CHILD_CHECK(aclInit(path) == 0);
    CHILD_CHECK(sees_message_of_thread());
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(!sees_message_of_thread());
    return 0;
}

static void err_msg_mode_1_shares_messages(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, share_messages_until_finalize), 0);
}

static int use_the_default_device(void)
{
    int32_t device = -1;
    void *memory;
    write_text("{\"defaultDevice\":{\"default_device\":\"2\"}}");
    CHILD_CHECK(aclrtGetDevice(&device) == 107002);
    CHILD_CHECK(aclInit(path) == 0);
    CHILD_CHECK(aclrtGetDevice(&device) == 0 && device == 2);
    CHILD_CHECK(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHILD_CHECK(aclrtFree(memory) == 0);
    CHILD_CHECK(aclrtResetDevice(2) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(aclrtGetDevice(&device) == 107002);
    return 0;
}

static void a_default_device_needs_no_aclrtSetDevice(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_DEVICES", "3", use_the_default_device), 0);
}

static _Atomic int ended_work;

static void work_slowly(void *unused)
{
    (void)unused;
    usleep(20000);
    ended_work++;
}

static int drain_at_finalize(void)
{
    aclrtStream streams[3];
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    for (int i = 0; i < 3; i++) {
        CHILD_CHECK(aclrtCreateStream(&streams[i]) == 0);
        CHILD_CHECK(aclrtLaunchHostFunc(streams[i], work_slowly, NULL) == 0);
        CHILD_CHECK(aclrtLaunchHostFunc(streams[i], work_slowly, NULL) == 0);
    }
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(ended_work == 6);
    return 0;
}

static void queued_work_has_ended_when_finalize_returns(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, drain_at_finalize), 0);
    assert_int_equal(run_in_child("BELAY_SCHEDULE", "lazy", drain_at_finalize), 0);
}

/* A record of callbacks: their letters in the order of the calls. */
static char calls[32];
static int answer;

static int note(const char *letters)
{
    strncat(calls, letters, sizeof calls - strlen(calls) - 1);
    return answer;
}

static aclError on_init(const char *text, size_t length, void *user_data)
{
    if (length > 0)
        note(text[0] == '{' && length == 2 ? "{}" : "?");
    return note((const char *)user_data);
}

static aclError on_finalize(void *user_data)
{
    return note((const char *)user_data);
}

static aclError on_init_again(const char *text, size_t length, void *user_data)
{
    (void)text, (void)length, (void)user_data;
    return note(aclInit(NULL) == 100002 ? "r" : "?");
}

static int call_back_in_order(void)
{
    char a[] = "a", b[] = "b", c[] = "c", x[] = "x", y[] = "y";
    write_text("{}");
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_init, a) == 0);
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, b) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_finalize, x) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_finalize, y) == 0);
    CHILD_CHECK(aclInit(path) == 0);
    CHILD_CHECK(strcmp(calls, "{}a{}b") == 0);
    CHILD_CHECK(aclInit(path) == 100002); /* which initialises nothing */
    CHILD_CHECK(aclFinalizeReference(NULL) == 0);
    CHILD_CHECK(strcmp(calls, "{}a{}b") == 0);
    CHILD_CHECK(aclFinalizeReference(NULL) == 0);
    CHILD_CHECK(strcmp(calls, "{}a{}byx") == 0);
    /* Registering again changes the data; what was taken back is not called. */
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, c) == 0);
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, on_init, a) == 0);
    CHILD_CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalize, y) == 0);
    calls[0] = '\0';
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(strcmp(calls, "cx") == 0);
    return 0;
}

static int hand_on_failures(void)
{
    char a[] = "a", b[] = "b", x[] = "x", y[] = "y";
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, on_init, a) == 0);
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_RETR, on_init, b) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_DVPP, on_finalize, x) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_RETR, on_finalize, y) == 0);
    answer = 500001;
    CHILD_CHECK(aclInit(NULL) == 500001);
    CHILD_CHECK(strcmp(calls, "a") == 0);
    CHILD_CHECK(message_has("returned 500001"));
    answer = 0;
    CHILD_CHECK(aclInit(NULL) == 0); /* not 100002: the first one failed */
    calls[0] = '\0';
    answer = 500003;
    CHILD_CHECK(aclFinalize() == 500003);
    CHILD_CHECK(strcmp(calls, "yx") == 0);
    CHILD_CHECK(aclFinalize() == 100037);
    return 0;
}

static int call_init_inside(void)
{
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init_again, NULL) == 0);
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(strcmp(calls, "r") == 0);
    return 0;
}

static int refuse_bad_callbacks(void)
{
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL) == 100000);
    CHILD_CHECK(message_has("aclInitCallbackRegister: cbFunc is NULL"));
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL, NULL) == 100000);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL) == 100000);
    CHILD_CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL, NULL) == 100000);
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init, NULL) == 100000);
    CHILD_CHECK(message_has("is not registered"));
    CHILD_CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalize, NULL) == 100000);
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, NULL) == 0);
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, on_init, NULL) == 100000);
    for (int type = 0; type < 63; type++)
        CHILD_CHECK(aclInitCallbackRegister((aclRegisterCallbackType)type, on_init, NULL) == 0);
    CHILD_CHECK(aclInitCallbackRegister((aclRegisterCallbackType)63, on_init, NULL) == 200000);
    return 0;
}

static void callbacks_run_in_order_and_backwards(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, call_back_in_order), 0);
}

static void failures_of_callbacks_are_handed_on(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, hand_on_failures), 0);
}

static void callbacks_may_call_init(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, call_init_inside), 0);
}

static void bad_callbacks_are_refused(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, refuse_bad_callbacks), 0);
}

static void *init_and_finalize(void *unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++) {
        int code = aclInit(NULL);
        if (code != 0 && code != 100002)
            return (void *)1;
        if (aclFinalizeReference(NULL) != 0)
            return (void *)2;
    }
    return NULL;
}

static int count_from_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHILD_CHECK(pthread_create(&threads[i], NULL, init_and_finalize, NULL) == 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        CHILD_CHECK(pthread_join(threads[i], &result) == 0 && result == NULL);
    }
    CHILD_CHECK(aclFinalizeReference(NULL) == 100037);
    return 0;
}

static void threads_may_initialise_at_once(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, count_from_threads), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_counted),
        cmocka_unit_test(finalize_ends_at_once_whatever_the_count),
        cmocka_unit_test(the_first_finalize_succeeds_without_init),
        cmocka_unit_test(good_configurations_are_accepted),
        cmocka_unit_test(bad_configurations_are_refused),
        cmocka_unit_test(a_file_may_have_1_mib_and_not_more),
        cmocka_unit_test(what_is_no_regular_file_is_refused_without_waiting),
        cmocka_unit_test(a_file_that_cannot_be_opened_is_100003),
        cmocka_unit_test(the_first_text_binds_later_ones),
        cmocka_unit_test(err_msg_mode_1_shares_messages),
        cmocka_unit_test(a_default_device_needs_no_aclrtSetDevice),
        cmocka_unit_test(queued_work_has_ended_when_finalize_returns),
        cmocka_unit_test(callbacks_run_in_order_and_backwards),
        cmocka_unit_test(failures_of_callbacks_are_handed_on),
        cmocka_unit_test(callbacks_may_call_init),
        cmocka_unit_test(bad_callbacks_are_refused),
        cmocka_unit_test(threads_may_initialise_at_once),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
