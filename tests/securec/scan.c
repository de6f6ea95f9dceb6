/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scanning into rooms: numbers as libc reads them, and text that is known not to fit before it is written.
 * The same of strings and of files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "securec.h"

/* Scans the text as a string and as a file; both answer the same. */
static int scanned(const char *text, const char *format, void *a, size_t b, void *c, size_t d)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs(text, file);
    rewind(file);
    int of_file = fscanf_s(file, format, a, b, c, d);
    fclose(file);
    int of_string = sscanf_s(text, format, a, b, c, d);
    assert_int_equal(of_file, of_string);
    return of_string;
}

static void numbers_are_libc_s(void **state)
{
    (void)state;
    int one = 0, two = 0, consumed = 0;
    double real = 0;
    long long large = 0;
    assert_int_equal(sscanf_s("12 -7,3.5 0x10!", "%d %d,%lf%lli%n", &one, &two, &real, &large, &consumed), 4);
    assert_int_equal(one, 12);
    assert_int_equal(two, -7);
    assert_true(real == 3.5);
    assert_int_equal(large, 16);
    assert_int_equal(consumed, 14);
    assert_int_equal(sscanf_s("1234", "%2d%*1d%d", &one, &two), 2);
    assert_int_equal(one, 12);
    assert_int_equal(two, 4);
    assert_int_equal(sscanf_s("5%x", "%d%%y", &one), 1);
    assert_int_equal(sscanf_s("x", "%d", &one), 0);
    assert_int_equal(sscanf_s("", "%d", &one), EOF);
    assert_int_equal(sscanf_s("1", "%d%d", &one, &two), 1);
}

static void text_that_fits_is_written(void **state)
{
    (void)state;
    char first[8], second[8];
    memset(first, '-', sizeof first);
    assert_int_equal(scanned("  abc de", "%s%s", first, 4, second, sizeof second), 2);
    assert_memory_equal(first, "abc\0----", 8);
    assert_string_equal(second, "de");
    memset(first, '-', sizeof first);
    assert_int_equal(scanned("abc", "%c%2c", first, 1, second, 2), 2);
    assert_memory_equal(first, "a-------", 8);
    assert_memory_equal(second, "bc", 2);
    assert_int_equal(scanned("]a-3z", "%[]a-]%[^z]", first, 8, second, 8), 2);
    assert_string_equal(first, "]a-");
    assert_string_equal(second, "3");
    assert_int_equal(scanned("beef q", "%3[a-f]%s", first, 4, second, 8), 2);
    assert_string_equal(first, "bee");
    assert_string_equal(second, "f");
    assert_int_equal(scanned("skip me", "%*s %s", first, 8, NULL, 0), 1);
    assert_string_equal(first, "me");
}

static void text_that_does_not_fit_ends_the_scan(void **state)
{
    (void)state;
    char first[8], second[8] = "kept";
    memset(first, '-', sizeof first);
    assert_int_equal(scanned("abc de", "%s%s", first, 3, second, sizeof second), 0);
    assert_int_equal(first[0], '\0');
    assert_memory_equal(first + 3, "-----", 5);
    assert_string_equal(second, "kept");
    memset(first, '-', sizeof first);
    assert_int_equal(scanned("abc", "%3c", first, 2, NULL, 0), 0);
    assert_memory_equal(first + 2, "------", 6);
    assert_int_equal(scanned("abc", "%s", first, 0, NULL, 0), 0);
    assert_int_equal(scanned("abcd", "%[a-c]", first, 3, NULL, 0), 0);
    assert_int_equal(scanned("", "%s", first, 8, NULL, 0), EOF);
    assert_int_equal(scanned("x", "%[a]", first, 8, NULL, 0), 0);
    assert_int_equal(scanned("abc", "%s", NULL, 8, NULL, 0), 0);
    assert_int_equal(scanned("abc", "%ls", first, 8, NULL, 0), 0);
    assert_int_equal(scanned("abc", "%[a", first, 8, NULL, 0), 0);
    assert_int_equal(scanned("abc", "%", first, 8, NULL, 0), 0);
}

static void null_is_the_end(void **state)
{
    (void)state;
    assert_int_equal(sscanf_s(NULL, "%d"), EOF);
    assert_int_equal(sscanf_s("1", NULL), EOF);
    assert_int_equal(fscanf_s(NULL, "%d"), EOF);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_libc_s),
        cmocka_unit_test(text_that_fits_is_written),
        cmocka_unit_test(text_that_does_not_fit_ends_the_scan),
        cmocka_unit_test(null_is_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
