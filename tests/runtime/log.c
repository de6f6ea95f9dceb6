/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The log: silent without the variables that ask for it, the shape of lines, levels, files, full disks. Each
 * test is a process, because the variables are read once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/log.h"
#include "support/child.h"
#include "support/folder.h"

static char text[1 << 16];

static bool matches(const char *pattern)
{
    regex_t expression;
    if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool does = regexec(&expression, text, 0, NULL, 0) == 0;
    regfree(&expression);
    if (!does)
        print_error("\"%s\" does not match %s\n", text, pattern);
    return does;
}

static void read_file(const char *path)
{
    size_t length = 0;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[length] = '\0';
}

/* The number of files in the folder; the last one's path. */
static int list(const char *folder, char *path, size_t bytes)
{
    int count = 0;
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL)
        return -1;
    for (struct dirent *entry = readdir(open_folder); entry != NULL; entry = readdir(open_folder)) {
        if (entry->d_name[0] != '.') {
            snprintf(path, bytes, "%s/%s", folder, entry->d_name);
            count++;
        }
    }
    closedir(open_folder);
    return count;
}

/* Standard output goes to a file; back in text. */
static int redirect(char *path)
{
    strcpy(path, "/tmp/belay-stdout-XXXXXX");
    int file = mkstemp(path);
    return file >= 0 && dup2(file, STDOUT_FILENO) >= 0 ? 0 : -1;
}

static void fail_once(void)
{
    aclDestroyDataBuffer(NULL);
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

static int write_file_below(void)
{
    char folder[300], path[600];
    struct stat status;
    const char *work = getenv("ASCEND_WORK_PATH");
    snprintf(folder, sizeof folder, "%s/%s", work != NULL ? work : getenv("ASCEND_PROCESS_LOG_PATH"),
             work != NULL ? "log/debug/plog" : "debug/plog");
    CHILD_CHECK(log_wants(LOG_MODULE_OP, LOG_ERROR));
    CHILD_CHECK(stat(folder, &status) != 0); /* made for the first line, not before */
    fail_once();
    fail_once();
    CHILD_CHECK(list(folder, path, sizeof path) == 1);
    CHILD_CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600);
    CHILD_CHECK(stat(folder, &status) == 0 && (status.st_mode & 07) == 0);
    snprintf(text, sizeof text, "%s/plog-%ld_", folder, (long)getpid());
    CHILD_CHECK(strncmp(path, text, strlen(text)) == 0);
    read_file(path);
    CHILD_CHECK(matches("^\\[ERROR\\] ASCENDCL[^\n]*\n\\[ERROR\\] ASCENDCL[^\n]*\n$"));
    return 0;
}

static int have_no_place(void)
{
    CHILD_CHECK(!log_wants(LOG_MODULE_OP, LOG_ERROR));
    CHILD_CHECK(!log_wants(LOG_MODULE_OP, LOG_NOTHING));
    return 0;
}

static void files_go_where_the_variables_say(void **state)
{
    (void)state;
    char folder[256];
    snprintf(folder, sizeof folder, "%s/process/deep", root);
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, write_file_below), 0);
    snprintf(folder, sizeof folder, "%s/work", root);
    assert_int_equal(run_in_child("ASCEND_WORK_PATH", folder, write_file_below), 0);
    /* A path that is empty counts as none. */
    snprintf(folder, sizeof folder, "%s/other", root);
    setenv("ASCEND_PROCESS_LOG_PATH", "", 1);
    assert_int_equal(run_in_child("ASCEND_WORK_PATH", folder, write_file_below), 0);
    assert_int_equal(run_in_child("ASCEND_WORK_PATH", "", have_no_place), 0);
    unsetenv("ASCEND_PROCESS_LOG_PATH");
}

static int survive_a_folder_that_cannot_be(void)
{
    for (int i = 0; i < 3; i++)
        fail_once();
    CHILD_CHECK(aclGetRecentErrMsg() != NULL);
    return 0;
}

static void a_place_that_cannot_be_written_does_no_harm(void **state)
{
    (void)state;
    char folder[2048];
    memset(folder, 'a', sizeof folder - 1);
    folder[0] = '/';
    folder[sizeof folder - 1] = '\0';
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", "/dev/null/x", survive_a_folder_that_cannot_be),
                     0);
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", "/proc/x", survive_a_folder_that_cannot_be), 0);
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, survive_a_folder_that_cannot_be), 0);
}

static int survive_a_full_disk(void)
{
    int full = open("/dev/full", O_WRONLY);
    CHILD_CHECK(full >= 0 && dup2(full, STDOUT_FILENO) >= 0);
    for (int i = 0; i < 10; i++)
        fail_once();
    CHILD_CHECK(aclGetRecentErrMsg() != NULL);
    return 0;
}

static int survive_a_closed_pipe(void)
{
    int ends[2];
    sigset_t pending;
    CHILD_CHECK(pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0);
    close(ends[0]);
    close(ends[1]);
    for (int i = 0; i < 10; i++)
        fail_once();
    CHILD_CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 0);
    return 0;
}

static int survive_a_limit_on_files(void)
{
    struct rlimit limit = {100, 100};
    sigset_t pending;
    CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (int i = 0; i < 10; i++)
        fail_once();
    CHILD_CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 0);
    return 0;
}

/* A signal of the program's own, which waits to be delivered, is not taken. */
static int leave_a_signal_that_waits(void)
{
    int ends[2];
    sigset_t pipe_signal, pending;
    CHILD_CHECK(pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0);
    close(ends[0]);
    close(ends[1]);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    CHILD_CHECK(pthread_sigmask(SIG_BLOCK, &pipe_signal, NULL) == 0 && raise(SIGPIPE) == 0);
    fail_once();
    CHILD_CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1);
    return 0;
}

static int leave_a_limit_that_waits(void)
{
    struct rlimit limit = {100, 100};
    sigset_t size_signal, pending;
    sigemptyset(&size_signal);
    sigaddset(&size_signal, SIGXFSZ);
    CHILD_CHECK(pthread_sigmask(SIG_BLOCK, &size_signal, NULL) == 0 && raise(SIGXFSZ) == 0);
    CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (int i = 0; i < 3; i++)
        fail_once();
    CHILD_CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1);
    return 0;
}

static void full_disks_and_closed_pipes_do_no_harm(void **state)
{
    (void)state;
    char folder[256];
    assert_int_equal(run_in_child("ASCEND_LOG_PRINT_TO_STDOUT", "1", survive_a_full_disk), 0);
    assert_int_equal(run_in_child("ASCEND_LOG_PRINT_TO_STDOUT", "1", survive_a_closed_pipe), 0);
    snprintf(folder, sizeof folder, "%s/limited", root);
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, survive_a_limit_on_files), 0);
    assert_int_equal(run_in_child("ASCEND_LOG_PRINT_TO_STDOUT", "1", leave_a_signal_that_waits), 0);
    snprintf(folder, sizeof folder, "%s/limited_too", root);
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, leave_a_limit_that_waits), 0);
}

/* A full file and the beginning of another; how many of them stay. */
static int files_left(void)
{
    static char line[1000];
    char folder[256], path[600];
    memset(line, 'x', sizeof line - 1);
    for (int i = 0; i < 22000; i++)
        log_line(LOG_MODULE_APP, LOG_ERROR, "f.c", 1, "%s", line);
    snprintf(folder, sizeof folder, "%s/debug/plog", getenv("ASCEND_PROCESS_LOG_PATH"));
    return list(folder, path, sizeof path);
}

static int rotate(void)
{
    static char line[1000];
    char folder[256], path[600];
    memset(line, 'x', sizeof line - 1);
    /* Five files' worth, of which the newest two stay. */
    for (int i = 0; i < 5 * 21000; i++)
        log_line(LOG_MODULE_APP, LOG_ERROR, "f.c", 1, "%s", line);
    snprintf(folder, sizeof folder, "%s/debug/plog", getenv("ASCEND_PROCESS_LOG_PATH"));
    CHILD_CHECK(list(folder, path, sizeof path) == 2);
    return 0;
}

static void full_files_make_room_for_new_ones(void **state)
{
    (void)state;
    char folder[256];
    snprintf(folder, sizeof folder, "%s/rotating", root);
    setenv("ASCEND_HOST_LOG_FILE_NUM", "2", 1);
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, rotate), 0);
    /* What is no number from 1 to 1000 counts for nothing; 10 is the number then. */
    static const struct {
        const char *number;
        int files;
    } cases[] = {{"1", 1}, {"0", 2}, {"1001", 2}, {"10000", 2}, {"1x", 2}, {"", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(folder, sizeof folder, "%s/number%zu", root, i);
        setenv("ASCEND_HOST_LOG_FILE_NUM", cases[i].number, 1);
        assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, files_left), cases[i].files);
    }
    unsetenv("ASCEND_HOST_LOG_FILE_NUM");
}

static int refuse_bad_arguments(void)
{
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

static void *write_lines(void *unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++)
        log_line(LOG_MODULE_APP, LOG_ERROR, "f.c", 1, "%060d", 7);
    return NULL;
}

static int write_from_threads(void)
{
    pthread_t threads[4];
    char folder[256], path[600];
    for (int i = 0; i < 4; i++)
        CHILD_CHECK(pthread_create(&threads[i], NULL, write_lines, NULL) == 0);
    for (int i = 0; i < 4; i++)
        CHILD_CHECK(pthread_join(threads[i], NULL) == 0);
    snprintf(folder, sizeof folder, "%s/debug/plog", getenv("ASCEND_PROCESS_LOG_PATH"));
    CHILD_CHECK(list(folder, path, sizeof path) == 1);
    FILE *file = fopen(path, "r");
    CHILD_CHECK(file != NULL);
    int lines = 0;
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        CHILD_CHECK(strncmp(line, "[ERROR] APP(", 12) == 0 && strstr(line, "]00000") != NULL);
        lines++;
    }
    fclose(file);
    CHILD_CHECK(lines == 800);
    return 0;
}

static void lines_of_threads_do_not_mix(void **state)
{
    (void)state;
    char folder[256];
    snprintf(folder, sizeof folder, "%s/threads", root);
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, write_from_threads), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_destination_nothing_is_written),
        cmocka_unit_test(lines_have_the_documented_shape),
        cmocka_unit_test(the_newer_name_of_a_variable_wins),
        cmocka_unit_test(levels_are_as_the_variables_say),
        cmocka_unit_test(odd_texts_and_details_do_no_harm),
        cmocka_unit_test(files_go_where_the_variables_say),
        cmocka_unit_test(a_place_that_cannot_be_written_does_no_harm),
        cmocka_unit_test(full_disks_and_closed_pipes_do_no_harm),
        cmocka_unit_test(full_files_make_room_for_new_ones),
        cmocka_unit_test(an_application_s_bad_arguments_leave_a_message),
        cmocka_unit_test(lines_of_threads_do_not_mix),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
