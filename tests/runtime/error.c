/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Messages of failed calls: their layout, order, limits, threads; and the last error code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before cmocka.h, which has a macro named fail. */
#include "base/error.h"

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"
#include "support/thread.h"

/* The brackets keep cmocka's macro out. */
static int record(int code, const char *text)
{
    return (fail)(code, "%s", text);
}

static int forget(void **state)
{
    (void)state;
    while (aclGetRecentErrMsg() != NULL)
        continue;
    return 0;
}

static void assert_matches(const char *text, const char *pattern)
{
    regex_t expression;
    assert_int_equal(regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB), 0);
    if (regexec(&expression, text, 0, NULL, 0) != 0)
        fail_msg("\"%s\" does not match %s", text, pattern);
    regfree(&expression);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

static void without_failures_there_is_no_message(void **state)
{
    (void)state;
    assert_null(aclGetRecentErrMsg());
}

static void a_message_names_process_time_title_and_code(void **state)
{
    (void)state;
    char pattern[256];
    assert_int_equal(record(161001, "aclnnX: self is NULL; a tensor is expected"), 161001);
    snprintf(pattern, sizeof pattern,
             "^\\[PID: %ld\\] [0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}\\.[0-9]{3} "
             "AclNN_Parameter_Error\\(EZ1001\\): aclnnX: self is NULL; a tensor is expected\n$",
             (long)getpid());
    assert_matches(aclGetRecentErrMsg(), pattern);
    assert_null(aclGetRecentErrMsg());
}

static void every_family_of_codes_has_its_title(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *text;
        const char *heading;
    } families[] = {
        {100000, "size is 0", " Invalid_Argument(EH0001): size is 0\n"},
        {100000 | ARGUMENT_IS_NULL, "devPtr is NULL",
         " Invalid_Argument_Null_Pointer(EH0002): devPtr is NULL\n"},
        {100003, "x", " File_Operation_Error(EH0003): x\n"},
        {100037, "x", " Invalid_Argument(EH0001): x\n"},
        {107002, "x", " Invalid_Argument(EE1001): x\n"},
        {161002, "x", " AclNN_Parameter_Error(EZ1001): x\n"},
        {200000, "x", " Resource_Error_Insufficient_Host_Memory(EH0006): x\n"},
        {200001, "x", " Not_Supported(EH0005): x\n"},
        {200006, "x", " Not_Supported(EH0005): x\n"},
        {207001, "x", " Resource_Error(EE1002): x\n"},
        {361001, "x", " AclNN_Runtime_Error(EZ9903): x\n"},
        {507046, "x", " Execution_Error(EE1003): x\n"},
        {107019, "x", " Execution_Error(EE1003): x\n"},
        {107020, "x", " Execution_Error(EE1003): x\n"},
        {107022, "x", " Execution_Error(EE1003): x\n"},
        {107023, "x", " Execution_Error(EE1003): x\n"},
        {561103, "x", " AclNN_Inner_Error(EZ9999): EZ9999: internal error\n        x\n"},
        {500000, "x", " Inner_Error(EH9999): EH9999: internal error\n        x\n"},
    };
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        record(families[i].code, families[i].text);
        const char *message = aclGetRecentErrMsg();
        const char *rest = strstr(message, families[i].heading);
        if (rest == NULL || strcmp(rest, families[i].heading) != 0)
            fail_msg("%d gives \"%s\"", families[i].code, message);
    }
}

static void the_newest_comes_first_and_older_ones_are_indented(void **state)
{
    (void)state;
    record(100000, "first");
    record(107000, "second");
    record(161001, "third");
    const char *message = aclGetRecentErrMsg();
    assert_matches(message,
                   "^\\[PID: [0-9]+\\] [^\n]*: third\n {8}Traceback \\(newest first\\):\n {8}\\[PID: "
                   "[^\n]*: second\n {8}\\[PID: [^\n]*: first\n$");
    assert_int_equal(count_of(message, "Traceback"), 1);
}

static void what_is_said_again_stands_once(void **state)
{
    (void)state;
    (void)aclGetRecentErrMsg();
    for (int i = 0; i < 10; i++)
        record(107000, "the same");
    assert_matches(aclGetRecentErrMsg(), "^\\[PID: [0-9]+\\] [^\n]*: the same\n$");
    /* Only in a row, and only the whole sentence. */
    for (int i = 0; i < 4; i++)
        record(107000, i % 2 ? "sentence 1" : "sentence 0");
    record(107000, "sentence 1");
    const char *message = aclGetRecentErrMsg();
    assert_int_equal(count_of(message, "sentence 0"), 2);
    assert_int_equal(count_of(message, "sentence 1"), 2);
    assert_int_equal(count_of(message, "Traceback"), 1);
    record(107000, "first");
    record(107000, "again");
    record(107000, "again");
    record(107000, "last");
    message = aclGetRecentErrMsg();
    assert_matches(message, ": last\n +Traceback .newest first.:\n[^\n]*: again\n[^\n]*: first\n$");
}

static void many_messages_keep_the_newest_within_4_kib(void **state)
{
    (void)state;
    char text[900];
    for (int i = 0; i < 500; i++) {
        memset(text, 'a' + i % 26, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        snprintf(text, sizeof text, "%d begins", i);
        text[strlen(text)] = ' ';
        record(100000, text);
    }
    const char *message = aclGetRecentErrMsg();
    assert_int_equal(strlen(message), 4095);
    const char *newest = strstr(message, "499 begins"), *before = strstr(message, "498 begins");
    assert_true(newest != NULL && before != NULL && newest < before);
    assert_null(strstr(message, "490 begins"));
    assert_int_equal(count_of(message, "Traceback"), 1);
}

static void a_cut_never_leaves_half_a_character(void **state)
{
    (void)state;
    char text[1000];
    for (int shift = 0; shift < 4; shift++) {
        memset(text, 'x', (size_t)shift);
        for (size_t i = (size_t)shift; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xe2\x82\xac", 4);
        for (int i = 0; i < 6; i++)
            record(100000, text);
        const char *message = aclGetRecentErrMsg();
        char escaped[2 * 4096];
        error_escape(escaped, sizeof escaped, message);
        /* Escaping what is well formed adds to newlines only. */
        assert_int_equal(strlen(escaped), strlen(message) + 3 * count_of(message, "\n"));
    }
}

static void control_characters_and_broken_utf8_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *escaped;
    } cases[] = {
        {"plain text ~", "plain text ~"},
        {"a\nb\r\t", "a\\x0ab\\x0d\\x09"},
        {"\x1b[31mred", "\\x1b[31mred"},
        {"\x7f", "\\x7f"},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc2\x9b", "\\xc2\\x9b"},                   /* U+009B begins commands of terminals */
        {"\xc2\xb5", "\xc2\xb5"},                     /* the first lead there is */
        {"\xc1\xbf", "\\xc1\\xbf"},                   /* and the last that is none */
        {"\xff\xfe", "\\xff\\xfe"},                   /* no UTF-8 at all */
        {"\xc0\xaf", "\\xc0\\xaf"},                   /* overlong */
        {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},          /* overlong */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond U+10FFFF */
        {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"}, /* overlong */
        {"\xe2\x82", "\\xe2\\x82"},                   /* cut short */
        {"\xe2\x82z", "\\xe2\\x82z"},
        /* The first and the last characters of each length, on either side of what is left out. */
        {"\xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80", "\xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80"},
        {"\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"},
        {"\xdf\xbf \xef\xbf\xbf", "\xdf\xbf \xef\xbf\xbf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[128];
        snprintf(expected, sizeof expected, "(EH0001): %s\n", cases[i].escaped);
        record(100000, cases[i].text);
        const char *message = aclGetRecentErrMsg();
        if (strstr(message, expected) == NULL)
            fail_msg("case %zu gives \"%s\"", i, message);
    }
}

static void escaping_stops_at_the_end_of_the_room(void **state)
{
    (void)state;
    char room[16];
    for (size_t bytes = 1; bytes <= sizeof room; bytes++) {
        memset(room, '#', sizeof room);
        error_escape(room, bytes, "\xe2\x82\xac\x01\x02\x03");
        assert_true(strlen(room) < bytes);
        for (size_t i = bytes; i < sizeof room; i++)
            assert_int_equal(room[i], '#');
    }
}

static void a_message_stays_while_others_are_recorded(void **state)
{
    (void)state;
    record(100000, "one");
    const char *message = aclGetRecentErrMsg();
    char copy[256];
    snprintf(copy, sizeof copy, "%s", message);
    record(100000, "two");
    record(100000, "three");
    assert_string_equal(message, copy);
    assert_null(strstr(aclGetRecentErrMsg(), "one"));
}

static void errno_is_left_alone(void **state)
{
    (void)state;
    errno = 12345;
    record(100000, "x");
    assert_int_equal(errno, 12345);
}

static void *expect_own_message(void *argument)
{
    char text[32];
    snprintf(text, sizeof text, "thread %d failed", (int)(intptr_t)argument);
    if (aclGetRecentErrMsg() != NULL || aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) != 0)
        return (void *)1;
    for (int i = 0; i < 20; i++) {
        (fail)(107000, "%s", text);
        const char *message = aclGetRecentErrMsg();
        if (message == NULL || strstr(message, text) == NULL || strstr(message, "Traceback") != NULL)
            return (void *)2;
    }
    return NULL;
}

static void threads_have_messages_of_their_own(void **state)
{
    (void)state;
    enum { THREADS = 150 }; /* more than the pool has at first */
    pthread_t threads[THREADS];
    record(107003, "of the main thread");
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, expect_own_message, (void *)(intptr_t)i), 0);
        for (int i = 0; i < THREADS; i++) {
            void *result;
            assert_int_equal(pthread_join(threads[i], &result), 0);
            assert_null(result);
        }
    }
    assert_sentence("of the main thread");
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107003);
}

static void *record_from_thread(void *unused)
{
    (void)unused;
    (fail)(107000, "from another thread");
    return NULL;
}

static void shared_messages_reach_every_thread_once(void **state)
{
    (void)state;
    static const char text[] = "{\"err_msg_mode\":\"1\"}";
    char path[] = "/tmp/belay-error-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    assert_int_equal(aclInit(path), 0);
    unlink(path);
    run_in_thread(record_from_thread, NULL);
    record(100000, "from this one");
    const char *message = aclGetRecentErrMsg();
    assert_non_null(message);
    const char *newer = strstr(message, "from this one"), *older = strstr(message, "from another thread");
    assert_true(newer != NULL && older != NULL && newer < older);
    assert_null(aclGetRecentErrMsg());
    assert_int_equal(aclFinalize(), 0);
    /* Codes stay with their threads. */
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
}

static void answers_to_polls_are_no_last_error_and_make_way(void **state)
{
    (void)state;
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    assert_int_equal(record(107002 | ANSWER_IS_POLLED, "polled"), 107002);
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
    const char *message = aclGetRecentErrMsg();
    assert_matches(message, "Invalid_Argument\\(EE1001\\): polled\n$");
    assert_null(aclGetRecentErrMsg());

    record(107000, "first");
    record(107002 | ANSWER_IS_POLLED, "polled");
    record(107002 | ANSWER_IS_POLLED, "again");
    message = aclGetRecentErrMsg();
    assert_matches(message, "again\n +Traceback .newest first.:\n.*first\n$");
    assert_null(strstr(message, "polled"));

    record(107002 | ANSWER_IS_POLLED, "polled");
    record(107000, "later");
    message = aclGetRecentErrMsg();
    assert_matches(message, "later\n$");
    assert_null(strstr(message, "polled"));
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107000);
}

static void asking_for_a_context_is_a_poll(void **state)
{
    (void)state;
    int32_t device;
    aclrtContext context;
    aclrtStream stream;
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    assert_failure(aclrtGetDevice(&device), 107002,
                   "aclrtGetDevice: the current context of this thread is NULL");
    assert_failure(aclrtGetCurrentContext(&context), 107002, "aclrtGetCurrentContext");
    assert_failure(aclrtCtxGetCurrentDefaultStream(&stream), 107002, "aclrtCtxGetCurrentDefaultStream");
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
    assert_failure(aclrtCreateStream(&stream), 107002, "aclrtCreateStream");
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107002);
}

static void the_last_error_is_that_of_the_runtime_or_an_operator(void **state)
{
    (void)state;
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
    record(107001, "x");
    record(207001, "x");
    record(100000, "of the acl layer");
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 207001);
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 207001);
    /* Of operators, so that what failed before is not taken for the reason. */
    record(161002, "of an operator");
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 161002);
    record(361001, "of an operator");
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 361001);
    record(561000, "of an operator");
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 561000);
    record(507015, "x");
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507015);
    record(507910, "x"); /* a family goes to 507999 */
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507910);
    record(507000, "x");
    record(508000, "of no family that counts");
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507000);
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
}

static void other_levels_are_refused_and_change_nothing(void **state)
{
    (void)state;
    record(107001, "x");
    assert_failure(aclrtGetLastError((aclrtLastErrLevel)1), 100000, "aclrtGetLastError: level is 1");
    assert_failure(aclrtPeekAtLastError((aclrtLastErrLevel)-1), 100000, "aclrtPeekAtLastError: level is -1");
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_failures_there_is_no_message, forget),
        cmocka_unit_test_setup(a_message_names_process_time_title_and_code, forget),
        cmocka_unit_test_setup(every_family_of_codes_has_its_title, forget),
        cmocka_unit_test_setup(the_newest_comes_first_and_older_ones_are_indented, forget),
        cmocka_unit_test_setup(what_is_said_again_stands_once, forget),
        cmocka_unit_test_setup(many_messages_keep_the_newest_within_4_kib, forget),
        cmocka_unit_test_setup(a_cut_never_leaves_half_a_character, forget),
        cmocka_unit_test_setup(control_characters_and_broken_utf8_are_escaped, forget),
        cmocka_unit_test_setup(escaping_stops_at_the_end_of_the_room, forget),
        cmocka_unit_test_setup(a_message_stays_while_others_are_recorded, forget),
        cmocka_unit_test_setup(errno_is_left_alone, forget),
        cmocka_unit_test_setup(threads_have_messages_of_their_own, forget),
        cmocka_unit_test_setup(shared_messages_reach_every_thread_once, forget),
        cmocka_unit_test_setup(answers_to_polls_are_no_last_error_and_make_way, forget),
        cmocka_unit_test_setup(asking_for_a_context_is_a_poll, forget),
        cmocka_unit_test_setup(the_last_error_is_that_of_the_runtime_or_an_operator, forget),
        cmocka_unit_test_setup(other_levels_are_refused_and_change_nothing, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
