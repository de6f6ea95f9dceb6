/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Limits of control groups, read from folders that look like the kernel's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cgroup.h"
#include "support/folder.h"

static void clear(void)
{
    assert_int_equal(remove_root(NULL), 0);
    assert_int_equal(mkdir(root, 0700), 0);
}

/* Makes the folders too. */
static void write_file(const char *path, const char *text)
{
    char full[512];
    int length = snprintf(full, sizeof full, "%s%s", root, path);
    assert_true(length > 0 && (size_t)length < sizeof full);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void without_groups_there_is_no_limit(void **state)
{
    (void)state;
    clear();
    assert_true(cgroup_processors(root) == UINT32_MAX);
    assert_true(cgroup_memory(root) == UINT64_MAX);
    write_file("/proc/self/cgroup", "0::/\n");
    assert_true(cgroup_processors(root) == UINT32_MAX);
    assert_true(cgroup_memory(root) == UINT64_MAX);
}

static void a_quota_is_rounded_up_to_whole_processors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t count;
    } quotas[] = {
        {"200000 100000\n", 2}, {"150000 100000\n", 2},       {"100000 100000\n", 1},
        {"1000 100000\n", 1},   {"max 100000\n", UINT32_MAX}, {"0 100000\n", 1},
        {"\n", UINT32_MAX},     {"100000\n", UINT32_MAX},     {"100000 0\n", UINT32_MAX},
        {"x y\n", UINT32_MAX},  {"-1 100000\n", UINT32_MAX},
    };
    clear();
    write_file("/proc/self/cgroup", "0::/\n");
    for (size_t i = 0; i < sizeof quotas / sizeof quotas[0]; i++) {
        write_file("/sys/fs/cgroup/cpu.max", quotas[i].text);
        assert_true(cgroup_processors(root) == quotas[i].count);
    }
}

static void the_tightest_group_on_the_way_up_counts(void **state)
{
    (void)state;
    clear();
    write_file("/proc/self/cgroup", "0::/a/b/c\n");
    write_file("/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
    write_file("/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
    write_file("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
    write_file("/sys/fs/cgroup/a/b/c/memory.max", "max\n");
    write_file("/sys/fs/cgroup/a/b/memory.max", "1000000\n");
    write_file("/sys/fs/cgroup/a/memory.max", "500000\n");
    assert_int_equal(cgroup_processors(root), 3);
    assert_int_equal(cgroup_memory(root), 500000);
}

static void in_a_container_the_host_s_path_leads_to_the_root(void **state)
{
    (void)state;
    clear();
    write_file("/proc/self/cgroup", "12:memory:/docker/0123\n11:cpu,cpuacct:/docker/0123\n3:cpuset:/x\n");
    write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
    write_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "123456789\n");
    assert_int_equal(cgroup_processors(root), 3);
    assert_int_equal(cgroup_memory(root), 123456789);
    write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    assert_true(cgroup_processors(root) == UINT32_MAX);
}

static void controllers_are_told_apart_by_whole_names(void **state)
{
    (void)state;
    clear();
    write_file("/proc/self/cgroup", "2:cpuset,cpuacct:/\n");
    write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    write_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_true(cgroup_processors(root) == UINT32_MAX);
    write_file("/proc/self/cgroup", "2:cpuacct,cpu:/\n");
    assert_int_equal(cgroup_processors(root), 1);
}

static void strange_lists_are_survived(void **state)
{
    (void)state;
    static char text[20000];
    clear();
    memset(text, '/', sizeof text - 1);
    memcpy(text, "0::", 3);
    write_file("/proc/self/cgroup", text);
    assert_true(cgroup_processors(root) == UINT32_MAX);
    write_file("/proc/self/cgroup", "\n0:\nabc\n0::/../../..\n");
    write_file("/sys/fs/cgroup/cpu.max", "100000 100000\n");
    assert_true(cgroup_processors(root) == UINT32_MAX);
}

static void what_is_left_counts_droppable_cache_as_free(void **state)
{
    (void)state;
    clear();
    write_file("/proc/self/cgroup", "0::/g\n");
    write_file("/sys/fs/cgroup/g/memory.max", "1000\n");
    write_file("/sys/fs/cgroup/g/memory.current", "700\n");
    assert_int_equal(cgroup_memory_left(root), 300);
    write_file("/sys/fs/cgroup/g/memory.stat", "anon 500\ninactive_file 200\n");
    assert_int_equal(cgroup_memory_left(root), 500);
    /* Only a whole name at the start of a line, with a number behind it. */
    write_file("/sys/fs/cgroup/g/memory.stat", "inactive_file x\ninactive_files 100\nmy_inactive_file 100\n");
    assert_int_equal(cgroup_memory_left(root), 300);
    write_file("/sys/fs/cgroup/g/memory.stat", "inactive_file\n");
    assert_int_equal(cgroup_memory_left(root), 300);
    /* More than the limit in use, and more cache than that. */
    write_file("/sys/fs/cgroup/g/memory.current", "1700\n");
    assert_int_equal(cgroup_memory_left(root), 0);
    write_file("/sys/fs/cgroup/g/memory.stat", "inactive_file 5000\n");
    assert_int_equal(cgroup_memory_left(root), 1000);
    /* A limit without a usage, and what are no numbers. */
    write_file("/sys/fs/cgroup/g/memory.current", "x\n");
    assert_true(cgroup_memory_left(root) == UINT64_MAX);
    write_file("/sys/fs/cgroup/g/memory.current", "");
    assert_true(cgroup_memory_left(root) == UINT64_MAX);
    write_file("/sys/fs/cgroup/g/memory.max", "max\n");
    assert_true(cgroup_memory_left(root) == UINT64_MAX);
}

static void what_is_left_is_read_from_the_older_kind_too(void **state)
{
    (void)state;
    clear();
    write_file("/proc/self/cgroup", "4:memory:/g\n");
    write_file("/sys/fs/cgroup/memory/g/memory.limit_in_bytes", "1000\n");
    write_file("/sys/fs/cgroup/memory/g/memory.usage_in_bytes", "700\n");
    write_file("/sys/fs/cgroup/memory/g/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n");
    assert_int_equal(cgroup_memory_left(root), 350);
    write_file("/sys/fs/cgroup/memory/g/memory.limit_in_bytes", "-1\n");
    assert_true(cgroup_memory_left(root) == UINT64_MAX);
    assert_true(cgroup_memory(root) == UINT64_MAX);
}

static void files_without_a_number_are_no_limits(void **state)
{
    (void)state;
    clear();
    write_file("/proc/self/cgroup", "4:cpu:/g\n");
    write_file("/sys/fs/cgroup/cpu/g/cpu.cfs_quota_us", "100000\n");
    assert_true(cgroup_processors(root) == UINT32_MAX);
    write_file("/sys/fs/cgroup/cpu/g/cpu.cfs_period_us", "x\n");
    assert_true(cgroup_processors(root) == UINT32_MAX);
    write_file("/sys/fs/cgroup/cpu/g/cpu.cfs_period_us", "50000\n");
    assert_int_equal(cgroup_processors(root), 2);
    write_file("/proc/self/cgroup", "0::/g\n");
    write_file("/sys/fs/cgroup/g/cpu.max", "100000 max\n");
    assert_true(cgroup_processors(root) == UINT32_MAX);
}

/* What is longer than any path is not looked at. */
static void long_paths_are_passed_over(void **state)
{
    (void)state;
    static char deep[5000];
    clear();
    memset(deep, '/', sizeof deep - 1);
    assert_true(cgroup_memory(deep) == UINT64_MAX);
    /* Room for the list of groups and none for what stands below a mount. */
    size_t length = strlen(root);
    memcpy(deep + 4075 - length, root, length);
    deep[4075] = '\0';
    write_file("/proc/self/cgroup", "0::/g\n");
    write_file("/sys/fs/cgroup/memory.max", "1000\n");
    assert_int_equal(cgroup_memory(deep + 4075 - length), 1000);
    assert_true(cgroup_memory(deep) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_groups_there_is_no_limit),
        cmocka_unit_test(a_quota_is_rounded_up_to_whole_processors),
        cmocka_unit_test(the_tightest_group_on_the_way_up_counts),
        cmocka_unit_test(in_a_container_the_host_s_path_leads_to_the_root),
        cmocka_unit_test(controllers_are_told_apart_by_whole_names),
        cmocka_unit_test(strange_lists_are_survived),
        cmocka_unit_test(what_is_left_counts_droppable_cache_as_free),
        cmocka_unit_test(what_is_left_is_read_from_the_older_kind_too),
        cmocka_unit_test(files_without_a_number_are_no_limits),
        cmocka_unit_test(long_paths_are_passed_over),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
