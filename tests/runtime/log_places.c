/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the log goes: files and their number, folders that cannot be, full disks, closed pipes, threads. Each
 * test is a process, because the variables are read once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "base/log.h"
#include "support/child.h"
#include "support/folder.h"
#include "support/log_text.h"
#include "support/sanitizer.h"

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

/* What somebody puts below the folder that the user names must not send the files elsewhere. */
static void links_below_the_folder_are_not_followed(void **state)
{
    (void)state;
    static const struct {
        const char *variable, *made, *link; /* folders to make, and the one that is a link */
    } cases[] = {{"ASCEND_PROCESS_LOG_PATH", "", "debug"},
                 {"ASCEND_PROCESS_LOG_PATH", "debug", "debug/plog"},
                 {"ASCEND_WORK_PATH", "", "log"},
                 {"ASCEND_WORK_PATH", "log", "log/debug"},
                 {"ASCEND_WORK_PATH", "log/debug", "log/debug/plog"}};
    char folder[256], target[256], path[1024];
    snprintf(target, sizeof target, "%s/target", root);
    assert_int_equal(mkdir(target, 0700), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(folder, sizeof folder, "%s/linked%zu", root, i);
        snprintf(path, sizeof path, "mkdir -p '%s/%s' && ln -s '%s' '%s/%s'", folder, cases[i].made, target,
                 folder, cases[i].link);
        assert_int_equal(system(path), 0);
        assert_int_equal(run_in_child(cases[i].variable, folder, survive_a_folder_that_cannot_be), 0);
        assert_int_equal(list(target, path, sizeof path), 0);
        assert_int_not_equal(rmdir(target), -1); /* nothing at all is made in it */
        assert_int_equal(mkdir(target, 0700), 0);
    }
    /* The folder itself may be one: that is the user's word. */
    snprintf(folder, sizeof folder, "%s/link", root);
    assert_int_equal(symlink(target, folder), 0);
    assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, write_file_below), 0);
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
    /* Some files' worth, of which the newest two stay. */
    for (int i = 0; i < (UNDER_SANITIZER ? 3 : 5) * 21000 + 1000; i++)
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
    /* Each case fills a file, which takes seconds where memory is watched. */
    for (size_t i = 0; i < (UNDER_SANITIZER ? 2 : sizeof cases / sizeof cases[0]); i++) {
        snprintf(folder, sizeof folder, "%s/number%zu", root, i);
        setenv("ASCEND_HOST_LOG_FILE_NUM", cases[i].number, 1);
        assert_int_equal(run_in_child("ASCEND_PROCESS_LOG_PATH", folder, files_left), cases[i].files);
    }
    unsetenv("ASCEND_HOST_LOG_FILE_NUM");
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
        cmocka_unit_test(files_go_where_the_variables_say),
        cmocka_unit_test(links_below_the_folder_are_not_followed),
        cmocka_unit_test(a_place_that_cannot_be_written_does_no_harm),
        cmocka_unit_test(full_disks_and_closed_pipes_do_no_harm),
        cmocka_unit_test(full_files_make_room_for_new_ones),
        cmocka_unit_test(lines_of_threads_do_not_mix),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
