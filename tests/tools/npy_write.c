/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Files that belay eval writes: what is left when writing fails or the process ends, links, modes, and what
 * is no regular file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/npy.h"

static char folder[] = "/tmp/belay-npy-XXXXXX";
static char path[64];

/* Files of at most 100 bytes; what is longer is killed, or hears of it where SIGXFSZ is ignored. */
static const struct rlimit small = {100, RLIM_INFINITY};

static bool write_with_little_room(const char *at, const struct array *array, struct fault *fault)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool is_written = npy_write(at, array, fault);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    return is_written;
}

static unsigned count_files(const char *in)
{
    unsigned count = 0;
    DIR *listing = opendir(in);
    assert_non_null(listing);
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

static struct array floats(int64_t count)
{
    struct fault fault;
    struct array array;
    assert_true(array_create(&array, ACL_FLOAT, 1, &count, &fault));
    return array;
}

/* path has an array of so many elements. */
static void expect_floats(const char *at, int64_t count)
{
    struct fault fault;
    struct array array;
    assert_true(npy_read(at, &array, &fault));
    assert_int_equal(array.rank, 1);
    assert_int_equal(array.shape[0], count);
    array_destroy(&array);
}

static void half_a_file_is_not_left_behind(void **state)
{
    (void)state;
    struct fault fault;
    unlink(path);
    for (int64_t count = 100; count <= 100000; count *= 1000) {
        struct array array = floats(count);
        assert_false(write_with_little_room(path, &array, &fault));
        assert_non_null(strstr(fault.text, "writing failed: File too large"));
        assert_int_equal(count_files(folder), 0);
        array_destroy(&array);
    }
}

static void what_a_file_held_stays_when_writing_fails(void **state)
{
    (void)state;
    struct fault fault;
    struct array old = floats(3), array = floats(100000);
    assert_true(npy_write(path, &old, &fault));
    assert_false(write_with_little_room(path, &array, &fault));
    assert_non_null(strstr(fault.text, "writing failed: File too large"));
    expect_floats(path, 3);
    assert_int_equal(count_files(folder), 1);
    assert_true(npy_write(path, &array, &fault));
    expect_floats(path, 100000);
    assert_int_equal(count_files(folder), 1);
    array_destroy(&old);
    array_destroy(&array);
}

/* The limit ends the process in the middle of a write, as SIGKILL may. */
static void what_a_file_held_stays_when_the_process_is_killed(void **state)
{
    (void)state;
    struct fault fault;
    struct array old = floats(3), array = floats(100000);
    assert_true(npy_write(path, &old, &fault));
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        signal(SIGXFSZ, SIG_DFL);
        setrlimit(RLIMIT_CORE, &no_core);
        setrlimit(RLIMIT_FSIZE, &small);
        npy_write(path, &array, &fault);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    expect_floats(path, 3);
    /* What was left is in nobody's way, and of another's name. */
    char left[128];
    snprintf(left, sizeof left, "%s/.belay-eval-%ld-0", folder, (long)child);
    assert_int_equal(unlink(left), 0);
    snprintf(left, sizeof left, "%s/.belay-eval-%ld-0", folder, (long)getpid());
    assert_int_equal(close(creat(left, 0600)), 0);
    assert_true(npy_write(path, &array, &fault));
    expect_floats(path, 100000);
    assert_int_equal(unlink(left), 0);
    array_destroy(&old);
    array_destroy(&array);
}

/* Where the name is a link, of a link in another folder, that which it leads to is written, and stays it. */
static void links_lead_to_what_is_written(void **state)
{
    (void)state;
    struct fault fault;
    struct stat status;
    struct array old = floats(3), array = floats(100000);
    char inner[64], target[80], middle[80], first[64];
    snprintf(inner, sizeof inner, "%s/inner", folder);
    snprintf(target, sizeof target, "%s/target.npy", inner);
    snprintf(middle, sizeof middle, "%s/middle.npy", inner);
    snprintf(first, sizeof first, "%s/first.npy", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(symlink("target.npy", middle), 0);
    assert_int_equal(symlink(middle, first), 0);
    assert_true(npy_write(first, &old, &fault)); /* to nothing, yet */
    expect_floats(target, 3);
    assert_false(write_with_little_room(first, &array, &fault));
    expect_floats(target, 3);
    assert_true(npy_write(first, &array, &fault));
    expect_floats(target, 100000);
    assert_true(lstat(first, &status) == 0 && S_ISLNK(status.st_mode));
    assert_true(lstat(middle, &status) == 0 && S_ISLNK(status.st_mode));
    assert_true(lstat(target, &status) == 0 && S_ISREG(status.st_mode));
    assert_int_equal(count_files(inner), 2);
    /* Round and round, and without a folder in the name. */
    assert_true(unlink(target) == 0 && symlink("middle.npy", target) == 0);
    assert_false(npy_write(first, &array, &fault));
    assert_non_null(strstr(fault.text, "Too many levels of symbolic links"));
    assert_true(unlink(target) == 0 && unlink(middle) == 0 && unlink(first) == 0);
    assert_int_equal(chdir(inner), 0);
    assert_true(symlink("target.npy", "middle.npy") == 0 && npy_write("target.npy", &old, &fault));
    assert_true(npy_write("middle.npy", &array, &fault));
    expect_floats(target, 100000);
    assert_true(lstat(middle, &status) == 0 && S_ISLNK(status.st_mode));
    assert_true(unlink(target) == 0 && unlink(middle) == 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(inner), 0);
    array_destroy(&old);
    array_destroy(&array);
}

static void the_mode_is_that_of_the_file_or_of_new_files(void **state)
{
    (void)state;
    struct fault fault;
    struct stat status;
    struct array array = floats(3);
    mode_t mask = umask(027);
    unlink(path);
    assert_true(npy_write(path, &array, &fault));
    assert_true(stat(path, &status) == 0 && (status.st_mode & 07777) == 0640);
    assert_int_equal(chmod(path, 0606), 0);
    assert_true(npy_write(path, &array, &fault));
    assert_true(stat(path, &status) == 0 && (status.st_mode & 07777) == 0606);
    umask(mask);
    array_destroy(&array);
}

/* A pipe gets the bytes; a file that is open under a number is written where it is, with or without a name.
 */
static void pipes_and_open_files_are_written_in_place(void **state)
{
    (void)state;
    int ends[2];
    char name[64];
    unsigned char piped[256], filed[256];
    struct fault fault;
    struct stat before, after;
    struct array array = floats(3);
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_true(npy_write(name, &array, &fault));
    assert_int_equal(read(ends[0], piped, sizeof piped), 128 + 12);
    assert_true(close(ends[0]) == 0 && close(ends[1]) == 0);

    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(file, filed, sizeof filed), sizeof filed);
    snprintf(name, sizeof name, "/dev/fd/%d", file);
    assert_int_equal(fstat(file, &before), 0);
    assert_true(npy_write(name, &array, &fault));
    assert_true(stat(path, &after) == 0 && after.st_ino == before.st_ino && after.st_size == 128 + 12);
    assert_int_equal(pread(file, filed, sizeof filed, 0), 128 + 12);
    assert_memory_equal(filed, piped, 128 + 12);
    assert_true(unlink(path) == 0 && npy_write(name, &array, &fault));
    assert_int_equal(count_files(folder), 0);
    close(file);

    assert_true(npy_write("/dev/null", &array, &fault));
    assert_true(stat("/dev/null", &after) == 0 && S_ISCHR(after.st_mode));
    array_destroy(&array);
}

/* A file that may be written, in a folder that may not. */
static void a_file_that_cannot_be_replaced_is_left_alone(void **state)
{
    (void)state;
    struct fault fault;
    struct array old = floats(3), array = floats(5);
    unlink(path);
    assert_true(npy_write(path, &old, &fault) && chmod(path, 0666) == 0 && chmod(folder, 0555) == 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(1);
        bool is_written = npy_write(path, &array, &fault);
        _exit(is_written || strstr(fault.text, "cannot be made beside it: Permission denied") == NULL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_floats(path, 3);
    assert_true(chmod(folder, 0700) == 0 && unlink(path) == 0);
    assert_true(mkdir(path, 0700) == 0 && !npy_write(path, &array, &fault));
    assert_non_null(strstr(fault.text, "Is a directory"));
    assert_int_equal(rmdir(path), 0);
    array_destroy(&old);
    array_destroy(&array);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/x.npy", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_a_file_is_not_left_behind),
        cmocka_unit_test(what_a_file_held_stays_when_writing_fails),
        cmocka_unit_test(what_a_file_held_stays_when_the_process_is_killed),
        cmocka_unit_test(links_lead_to_what_is_written),
        cmocka_unit_test(the_mode_is_that_of_the_file_or_of_new_files),
        cmocka_unit_test(pipes_and_open_files_are_written_in_place),
        cmocka_unit_test(a_file_that_cannot_be_replaced_is_left_alone),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
