/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Strings with rooms: every status, what is written with it, and what is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "securec.h"

static void strings_are_copied(void **state)
{
    (void)state;
    char room[8] = "-------";
    assert_int_equal(strcpy_s(room, 4, "abc"), EOK);
    assert_memory_equal(room, "abc\0---", 8);
    assert_int_equal(strcpy_s(room, 8, ""), EOK);
    assert_memory_equal(room, "\0bc\0---", 8);
    assert_int_equal(strncpy_s(room, 4, "abcdef", 3), EOK);
    assert_memory_equal(room, "abc\0---", 8);
    assert_int_equal(strncpy_s(room, 8, "xy", 100), EOK);
    assert_memory_equal(room, "xy\0\0---", 8);
    assert_int_equal(strncpy_s(room, 8, "xy", 0), EOK);
    assert_string_equal(room, "");
    assert_int_equal(strcpy_s(room, 8, room), EOK);
    assert_int_equal(strcpy_s(room, 8, "abcdef"), EOK);
    assert_int_equal(strncpy_s(room, 8, room, 2), EOK);
    assert_string_equal(room, "ab");
}

static void what_does_not_fit_is_an_empty_string(void **state)
{
    (void)state;
    char room[8] = "-------";
    assert_int_equal(strcpy_s(room, 4, "abcd"), ERANGE_AND_RESET);
    assert_memory_equal(room, "\0------", 8);
    room[0] = '-';
    assert_int_equal(strncpy_s(room, 4, "abcd", 4), ERANGE_AND_RESET);
    assert_memory_equal(room, "\0------", 8);
    room[0] = '-';
    assert_int_equal(strncpy_s(room, 4, "abcd", (size_t)SECUREC_STRING_MAX_LEN + 1), ERANGE_AND_RESET);
    assert_memory_equal(room, "\0------", 8);
    room[0] = '-';
    assert_int_equal(strcpy_s(room, 4, NULL), EINVAL_AND_RESET);
    assert_memory_equal(room, "\0------", 8);
    room[0] = '-';
    assert_int_equal(strcpy_s(NULL, 4, "a"), EINVAL);
    assert_int_equal(strcpy_s(room, 0, "a"), ERANGE);
    assert_int_equal(strcpy_s(room, (size_t)SECUREC_STRING_MAX_LEN + 1, "a"), ERANGE);
    assert_memory_equal(room, "-------", 8);
    /* Behind the room, but not in it, lies the source. */
    memcpy(room, "----abc", 8);
    assert_int_equal(strcpy_s(room, 3, room + 3), ERANGE_AND_RESET);
    assert_int_equal(strcpy_s(room, 4, room + 4), EOK);
    assert_string_equal(room, "abc");
}

static void strings_are_appended(void **state)
{
    (void)state;
    char room[8] = "ab";
    assert_int_equal(strcat_s(room, 8, "cd"), EOK);
    assert_string_equal(room, "abcd");
    assert_int_equal(strncat_s(room, 8, "efghij", 3), EOK);
    assert_string_equal(room, "abcdefg");
    assert_int_equal(strcat_s(room, 8, ""), EOK);
    assert_int_equal(strcat_s(room, 8, "h"), ERANGE_AND_RESET);
    assert_string_equal(room, "");
    memcpy(room, "abcdefg", 8);
    assert_int_equal(strcat_s(room, 4, "x"), EINVAL_AND_RESET); /* no end in the room */
    assert_string_equal(room, "");
    assert_int_equal(strcat_s(room, 8, NULL), EINVAL_AND_RESET);
    assert_int_equal(strcat_s(NULL, 8, "a"), EINVAL);
    assert_int_equal(strcat_s(room, 0, "a"), ERANGE);
    memcpy(room, "ab", 3);
    assert_int_equal(strcat_s(room, 8, room + 1), EOVERLAP_AND_RESET);
    memcpy(room, "abcdefg", 8);
    assert_int_equal(strcpy_s(room, 8, room + 2), EOVERLAP_AND_RESET);
    assert_string_equal(room, "");
}

static void wide_strings_follow_the_same_rules(void **state)
{
    (void)state;
    wchar_t room[4] = L"---";
    assert_int_equal(wcscpy_s(room, 4, L"ab"), EOK);
    assert_int_equal(wcscat_s(room, 4, L"c"), EOK);
    assert_memory_equal(room, L"abc", sizeof room);
    assert_int_equal(wcsncat_s(room, 4, L"defg", 1), ERANGE_AND_RESET);
    assert_int_equal(room[0], 0);
    assert_int_equal(wcsncpy_s(room, 4, L"xyzw", 3), EOK);
    assert_memory_equal(room, L"xyz", sizeof room);
    assert_int_equal(wcscpy_s(room, 4, L"xyzw"), ERANGE_AND_RESET);
    assert_int_equal(wcscpy_s(room, 4, NULL), EINVAL_AND_RESET);
    assert_int_equal(wcscpy_s(NULL, 4, L"a"), EINVAL);
}

static void pieces_come_one_after_the_other(void **state)
{
    (void)state;
    char text[] = ",a,,b", *context = NULL;
    assert_string_equal(strtok_s(text, ",", &context), "a");
    assert_string_equal(strtok_s(NULL, ",", &context), "b");
    assert_null(strtok_s(NULL, ",", &context));
    context = NULL;
    assert_null(strtok_s(NULL, ",", &context));
    assert_null(strtok_s(text, NULL, &context));
    assert_null(strtok_s(text, ",", NULL));
    wchar_t wide[] = L"a b", *place = NULL;
    assert_int_equal(*wcstok_s(wide, L" ", &place), L'a');
    assert_int_equal(*wcstok_s(NULL, L" ", &place), L'b');
    assert_null(wcstok_s(NULL, L" ", &place));
}

static void lines_end_where_they_end(void **state)
{
    (void)state;
    char room[4];
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs("abc\n\nabcd\nxy", file);
    rewind(file);
    assert_true(dup2(fileno(file), STDIN_FILENO) >= 0);
    assert_ptr_equal(gets_s(room, sizeof room), room);
    assert_string_equal(room, "abc");
    assert_ptr_equal(gets_s(room, sizeof room), room);
    assert_string_equal(room, "");
    assert_null(gets_s(room, sizeof room)); /* too long */
    assert_string_equal(room, "");
    assert_ptr_equal(gets_s(room, sizeof room), room);
    assert_string_equal(room, "xy");
    assert_null(gets_s(room, sizeof room));
    assert_null(gets_s(NULL, 4));
    assert_null(gets_s(room, 0));
    fclose(file);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_copied),
        cmocka_unit_test(what_does_not_fit_is_an_empty_string),
        cmocka_unit_test(strings_are_appended),
        cmocka_unit_test(wide_strings_follow_the_same_rules),
        cmocka_unit_test(pieces_come_one_after_the_other),
        cmocka_unit_test(lines_end_where_they_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
