/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The size of the last cache, from a folder that looks like the kernel's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ops/cache_size.h"
#include "support/folder.h"

static void write_size(int index, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/index%d", root, index);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/index%d/size", root, index);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void the_largest_cache_counts_in_whatever_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {
        {"48K\n", 48 << 10}, {"1M\n", 1 << 20},         {"2000000\n", 2000000}, {"x\n", 2000000},
        {"\n", 2000000},     {"32768K\n", 32768 << 10}, {"64M", 64 << 20},      {"1024K\n", 64 << 20},
    };
    for (int i = 0; i < (int)(sizeof sizes / sizeof sizes[0]); i++) {
        write_size(i, sizes[i].text);
        assert_int_equal(largest_cache_bytes(root), sizes[i].bytes);
    }
}

static void without_the_folder_there_is_a_size_all_the_same(void **state)
{
    (void)state;
    long known = sysconf(_SC_LEVEL3_CACHE_SIZE);
    assert_int_equal(largest_cache_bytes("/nowhere"), known > 0 ? (uint64_t)known : 32 << 20);
    assert_true(last_cache_bytes() >= 1 << 16);
    assert_int_equal(last_cache_bytes(), last_cache_bytes());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_cache_counts_in_whatever_unit),
        cmocka_unit_test(without_the_folder_there_is_a_size_all_the_same),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
