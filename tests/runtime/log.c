/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The lines of the log: none without the variables that ask for them, their shape, their levels. Each test is
 * a process, because the variables are read once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "base/log.h"
#include "support/child.h"
#include "support/folder.h"
#include "support/log_text.h"

/* Standard output goes to a file; back in text. */
static int redirect(char *path)
{
    strcpy(path, "/tmp/belay-stdout-XXXXXX");
    int file = mkstemp(path);
    return file >= 0 && dup2(file, STDOUT_FILENO) >= 0 ? 0 : -1;
}

static int write_nothing(void)
{
    char path[64];
    setenv("HOME", root, 1);
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "0", 1); /* a level alone asks for no file */
    CHILD_CHECK(redirect(path) == 0);
    fail_once();
    aclAppLog(ACL_ERROR, "f", "file.cpp", 1, "x");
    CHILD_CHECK(!log_wants(LOG_MODULE_RUNTIME, LOG_ERROR));
    read_file(path);
    unlink(path);
    CHILD_CHECK(text[0] == '\0');
    char found[300];
    CHILD_CHECK(list(root, found, sizeof found) == 0);
    return 0;
}

static void without_a_destination_nothing_is_written(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, write_nothing), 0);
}

static int print_lines(void)
{
    char path[64], pattern[512];
    CHILD_CHECK(redirect(path) == 0);
    fail_once();
    aclAppLog(ACL_ERROR, "main", "/src/dir/file.cpp", 77, "value %d of %s", 5, "x\ny");
    aclAppLog(ACL_ERROR, NULL, NULL, 0, "line\n");
    read_file(path);
    unlink(path);
    snprintf(pattern, sizeof pattern,
             "^\\[ERROR\\] "
             "ASCENDCL\\(%ld,test_runtime_log\\):[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}"
             "\\.[0-9]{3}\\.[0-9]{3} \\[error\\.c:[0-9]+\\][0-9]+ aclDestroyDataBuffer: dataBuffer is NULL; "
             "[^\n]*\n"
             "\\[ERROR\\] APP\\(%ld,test_runtime_log\\):[^ ]* \\[file\\.cpp:77\\][0-9]+ main: value 5 of "
             "x\\\\x0ay\n"
             "\\[ERROR\\] APP\\([^ ]* \\[:0\\][0-9]+ : line(\\\\x0a)?\n$",
             (long)getpid(), (long)getpid());
    CHILD_CHECK(matches(pattern));
    return 0;
}

static void lines_have_the_documented_shape(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("ASCEND_LOG_PRINT_TO_STDOUT", "1", print_lines), 0);
    assert_int_equal(run_in_child("ASCEND_SLOG_PRINT_TO_STDOUT", "1", print_lines), 0);
}

static int newer_variable_wins(void)
{
    setenv("ASCEND_LOG_PRINT_TO_STDOUT", "0", 1);
    CHILD_CHECK(!log_wants(LOG_MODULE_APP, LOG_ERROR));
    return 0;
}

static void the_newer_name_of_a_variable_wins(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("ASCEND_SLOG_PRINT_TO_STDOUT", "1", newer_variable_wins), 0);
}

/* The least level that each module writes: RUNTIME, APP, ASCENDCL, OP. */
static char expected[LOG_MODULES + 1];

static int have_levels(void)
{
    for (int module = 0; module < LOG_MODULES; module++) {
        int least = LOG_DEBUG;
        while (least < LOG_NOTHING && !log_wants((enum log_module)module, (enum log_level)least))
            least++;
        CHILD_CHECK(least == expected[module] - '0');
    }
    return 0;
}

static void levels_are_as_the_variables_say(void **state)
{
    (void)state;
    static const struct {
        const char *global, *modules, *levels;
    } cases[] = {
        {NULL, NULL, "3333"},
        {"0", NULL, "0000"},
        {"1", NULL, "1111"},
        {"4", NULL, "4444"},
        {"5", NULL, "3333"},
        {"-1", NULL, "3333"},
        {"", NULL, "3333"},
        {"11", NULL, "3333"},
        {"2", "RUNTIME=0", "0222"},
        {NULL, "RUNTIME=0:ASCENDCL=1:OP=4:APP=2", "0214"},
        {NULL, "HCCL=0:OP=1", "3331"},
        {NULL, "OP=1:", "3333"},
        {NULL, "OP=1:RUNTIME", "3333"},
        {NULL, "OP=5", "3333"},
        {NULL, "OP=1,RUNTIME=0", "3333"},
        {NULL, "=1", "3333"},
        {NULL, "=1:OP=1", "3333"},
        {NULL, ":OP=1", "3333"},
        {"1", "OP=1x", "1111"},
        {"1", "", "1111"},
        {NULL, "OP=", "3333"},
        {NULL, "AP=0:XX=0:APPS=0:OP=2", "3332"},
    };
    setenv("ASCEND_LOG_PRINT_TO_STDOUT", "1", 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        strcpy(expected, cases[i].levels);
        if (cases[i].modules != NULL)
            setenv("ASCEND_MODULE_LOG_LEVEL", cases[i].modules, 1);
        else
            unsetenv("ASCEND_MODULE_LOG_LEVEL");
        int result = run_in_child(cases[i].global != NULL ? "ASCEND_GLOBAL_LOG_LEVEL" : NULL, cases[i].global,
                                  have_levels);
        if (result != 0)
            fail_msg("case %zu: %d", i, result);
    }
    unsetenv("ASCEND_LOG_PRINT_TO_STDOUT");
    unsetenv("ASCEND_MODULE_LOG_LEVEL");
}

/* Standard output does not ask for lines of a level that the variables leave out. */
static int print_no_details(void)
{
    char path[64];
    CHILD_CHECK(redirect(path) == 0);
    log_line(LOG_MODULE_RUNTIME, LOG_WARNING, "f.c", 1, "nothing");
    aclAppLog(ACL_WARNING, "f", "f.c", 1, "nothing");
    log_line(LOG_MODULE_RUNTIME, LOG_ERROR, "f.c", 1, "something");
    read_file(path);
    unlink(path);
    CHILD_CHECK(matches("^\\[ERROR\\] RUNTIME[^\n]*something\n$"));
    return 0;
}

static int print_odd_texts(void)
{
    static char path[64], long_text[2000];
    memset(long_text, '\1', sizeof long_text - 1);
    CHILD_CHECK(redirect(path) == 0);
    /* A character that no encoding has makes the C library refuse the format. */
    aclAppLog(ACL_ERROR, "f", "f.c", 1, "before %lc", (wint_t)0x7fffffff);
    log_line(LOG_MODULE_OP, LOG_ERROR, "f.c", 1, "before %lc", (wint_t)0x7fffffff);
    log_line(LOG_MODULE_OP, LOG_ERROR, "f.c", 1, "%s", long_text);
    log_line(LOG_MODULE_OP, LOG_ERROR, "f.c", 1, "%s", "");
    read_file(path);
    unlink(path);
    CHILD_CHECK(matches("^\\[ERROR\\] APP\\([^ ]* \\[f\\.c:1\\][0-9]+ f: \n"
                        "\\[ERROR\\] OP\\([^ ]* \\[f\\.c:1\\]\n"
                        "\\[ERROR\\] OP\\([^ ]* \\[f\\.c:1\\](\\\\x01){200,}\n"
                        "\\[ERROR\\] OP\\([^ ]* \\[f\\.c:1\\]\n$"));
    return 0;
}

static void odd_texts_and_details_do_no_harm(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("ASCEND_LOG_PRINT_TO_STDOUT", "1", print_no_details), 0);
    assert_int_equal(run_in_child("ASCEND_LOG_PRINT_TO_STDOUT", "1", print_odd_texts), 0);
}

static int refuse_bad_arguments(void)
{
    aclAppLog(ACL_DEBUG, "f", "f.c", 1, "the lowest level there is");
    CHILD_CHECK(aclGetRecentErrMsg() == NULL);
    aclAppLog((aclLogLevel)4, "f", "f.c", 1, "x");
    const char *message = aclGetRecentErrMsg();
    CHILD_CHECK(message != NULL && strstr(message, "logLevel is 4") != NULL);
    aclAppLog((aclLogLevel)-1, "f", "f.c", 1, "x");
    message = aclGetRecentErrMsg();
    CHILD_CHECK(message != NULL && strstr(message, "logLevel is -1") != NULL);
    aclAppLog(ACL_INFO, "f", "f.c", 1, NULL);
    message = aclGetRecentErrMsg();
    CHILD_CHECK(message != NULL && strstr(message, "fmt is NULL") != NULL);
    return 0;
}

static void an_application_s_bad_arguments_leave_a_message(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, refuse_bad_arguments), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_destination_nothing_is_written),
        cmocka_unit_test(lines_have_the_documented_shape),
        cmocka_unit_test(the_newer_name_of_a_variable_wins),
        cmocka_unit_test(levels_are_as_the_variables_say),
        cmocka_unit_test(odd_texts_and_details_do_no_harm),
        cmocka_unit_test(an_application_s_bad_arguments_leave_a_message),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
