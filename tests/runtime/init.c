/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclInit and its relatives: counts, codes and their order, configuration files. The state is one for the
 * process, and so each test is a process.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/configuration_file.h"
#include "runtime/streams/stream.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/gate.h"
#include "support/sanitizer.h"

static int count_up_and_down(void)
{
    uint64_t count = 99;
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclInit("") == 100002);
    CHILD_CHECK(sentence_has("aclInit: "));
    CHILD_CHECK(aclInit(NULL) == 100002);
    CHILD_CHECK(aclFinalizeReference(&count) == 0 && count == 2);
    CHILD_CHECK(aclFinalizeReference(NULL) == 0);
    CHILD_CHECK(aclFinalizeReference(&count) == 0 && count == 0);
    CHILD_CHECK(aclFinalizeReference(&count) == 100037 && count == 0);
    CHILD_CHECK(aclFinalizeReference(NULL) == 100037);
    CHILD_CHECK(sentence_has("aclFinalizeReference: "));
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
    CHILD_CHECK(sentence_has("aclFinalize: "));
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
    CHILD_CHECK(sentence_has("aclInit: "));
    CHILD_CHECK(aclInit(NULL) == 0);      /* nothing has begun */
    CHILD_CHECK(aclInit(path) == 100000); /* before it is found that the library is initialised */
    return 0;
}

static int refuse_config_as_unreadable(void)
{
    CHILD_CHECK(aclInit(path) == 100003);
    char text[128];
    CHILD_CHECK(access(path, R_OK) != 0); /* for errno */
    snprintf(text, sizeof text, "' cannot be opened: %s; ", strerror(errno));
    CHILD_CHECK(sentence_has(text));
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
    static char text[(1 << 20) + 1]; /* not allocated, as children that know nothing of it would leak it */
    size_t length = sizeof text - 1;
    memset(text, ' ', sizeof text);
    memcpy(text, "{}", 2);
    write_config(text, length);
    assert_int_equal(run_in_child(NULL, NULL, accept_config), 0);
    write_config(text, length + 1);
    assert_int_equal(run_in_child(NULL, NULL, refuse_config_as_invalid), 0);
}

/* Its half a million values are more than there is memory for, until there is. */
static int refuse_for_lack_of_memory(void)
{
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHILD_CHECK(file != NULL && fscanf(file, "%lu", &pages) == 1 && fclose(file) == 0);
    CHILD_CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (4 << 20);
    CHILD_CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHILD_CHECK(aclInit(path) == 200000);
    CHILD_CHECK(sentence_has("aclInit: there is no memory to read the configuration"));
    limit.rlim_cur = limit.rlim_max;
    CHILD_CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHILD_CHECK(aclInit(path) == 0);
    return 0;
}

static void a_file_that_memory_is_too_small_for_is_200000(void **state)
{
    (void)state;
    static char text[1 << 20];
    if (UNDER_SANITIZER) /* whose address space has no bounds */
        skip();
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "1,", 2);
    memcpy(text, "{\"a\":[1,", 8);
    memcpy(text + sizeof text - 4, " 1]}", 4);
    write_config(text, sizeof text);
    assert_int_equal(run_in_child(NULL, NULL, refuse_for_lack_of_memory), 0);
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
    CHILD_CHECK(sentence_has("differs"));
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
    return sentence_has("aclDestroyDataBuffer");
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

static struct gate own_gate;
static aclrtStream own_stream;

static int run_at_gate(struct task *task)
{
    (void)task;
    wait_at_gate(&own_gate);
    usleep(20000);
    ended_work++;
    return 0;
}

/* The task is said to be cheap, and so its submitter runs it. */
static void *submit_and_run(void *status)
{
    struct task task = {.run = run_at_gate};
    *(int *)status = aclrtSetDevice(0) != 0 || stream_submit("test", own_stream, &task) != 0;
    return NULL;
}

static int ended_when_called_back;

static int note_ended_work(void *unused)
{
    (void)unused;
    ended_when_called_back = ended_work;
    return 0;
}

static void *open_own_gate(void *unused)
{
    (void)unused;
    usleep(20000);
    open_gate(&own_gate);
    return NULL;
}

static int finalize_while_a_submitter_runs(void)
{
    pthread_t submitter, opener;
    int status;
    CHILD_CHECK(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&own_stream) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, note_ended_work, NULL) == 0);
    CHILD_CHECK(pthread_create(&submitter, NULL, submit_and_run, &status) == 0);
    reach_gate(&own_gate);
    CHILD_CHECK(pthread_create(&opener, NULL, open_own_gate, NULL) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(ended_work == 1 && ended_when_called_back == 1);
    CHILD_CHECK(pthread_join(submitter, NULL) == 0 && status == 0);
    CHILD_CHECK(pthread_join(opener, NULL) == 0);
    return 0;
}

static void work_on_its_submitter_has_ended_when_finalize_returns(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_SCHEDULE", "eager", finalize_while_a_submitter_runs), 0);
}

static void never_called(void *unused)
{
    (void)unused;
}

/* The stream that waits for the other is the older one, and so comes first. */
static int drain_behind_an_unprocessed_callback(void)
{
    aclrtStream behind, held;
    aclrtEvent event;
    alarm(120);
    CHILD_CHECK(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtCreateStream(&behind) == 0 && aclrtCreateStream(&held) == 0);
    CHILD_CHECK(aclrtCreateEvent(&event) == 0);
    CHILD_CHECK(aclrtSubscribeReport((uint64_t)pthread_self(), held) == 0);
    CHILD_CHECK(aclrtLaunchCallback(never_called, NULL, ACL_CALLBACK_BLOCK, held) == 0);
    CHILD_CHECK(aclrtRecordEvent(event, held) == 0 && aclrtStreamWaitEvent(behind, event) == 0);
    CHILD_CHECK(aclrtLaunchHostFunc(behind, work_slowly, NULL) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(ended_work == 1);
    return 0;
}

static void finalize_drops_callbacks_that_another_stream_waits_for(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, drain_behind_an_unprocessed_callback), 0);
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
        cmocka_unit_test(a_file_that_memory_is_too_small_for_is_200000),
        cmocka_unit_test(what_is_no_regular_file_is_refused_without_waiting),
        cmocka_unit_test(a_file_that_cannot_be_opened_is_100003),
        cmocka_unit_test(the_first_text_binds_later_ones),
        cmocka_unit_test(err_msg_mode_1_shares_messages),
        cmocka_unit_test(a_default_device_needs_no_aclrtSetDevice),
        cmocka_unit_test(queued_work_has_ended_when_finalize_returns),
        cmocka_unit_test(work_on_its_submitter_has_ended_when_finalize_returns),
        cmocka_unit_test(finalize_drops_callbacks_that_another_stream_waits_for),
        cmocka_unit_test(threads_may_initialise_at_once),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
