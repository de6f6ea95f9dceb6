/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Printing into rooms: what is counted, what is cut and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "securec.h"

/* Compilers see through what is plainly wrong; here it is meant. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static const char *volatile no_format;

static void what_fits_is_counted(void **state)
{
    (void)state;
    char room[8];
    assert_int_equal(sprintf_s(room, sizeof room, "%d-%s", 12, "abcd"), 7);
    assert_string_equal(room, "12-abcd");
    assert_int_equal(sprintf_s(room, sizeof room, "%d-%s", 12, "abcde"), -1);
    assert_string_equal(room, "");
    assert_int_equal(snprintf_s(room, sizeof room, 7, "%s", "abcdefg"), 7);
    assert_int_equal(snprintf_s(room, sizeof room, 3, "%s", "abc"), 3);
    assert_string_equal(room, "abc");
}

static void a_count_cuts_and_a_room_refuses(void **state)
{
    (void)state;
    char room[8];
    assert_int_equal(snprintf_s(room, sizeof room, 3, "%s", "abcdef"), -1);
    assert_string_equal(room, "abc"); /* what was cut stays */
    assert_int_equal(snprintf_s(room, sizeof room, 0, "%s", "abcdef"), -1);
    assert_string_equal(room, "");
    assert_int_equal(snprintf_s(room, sizeof room, 8, "%s", "abcdefgh"), -1);
    assert_string_equal(room, "");
    assert_int_equal(snprintf_s(room, sizeof room, SIZE_MAX, "%s", "abcdefg"), 7);
    assert_int_equal(snprintf_s(room, sizeof room, (size_t)SECUREC_STRING_MAX_LEN + 1, "%s", "a"), -1);
    assert_string_equal(room, "");
    assert_int_equal(snprintf_truncated_s(room, sizeof room, "%s", "abcdefghij"), 7);
    assert_string_equal(room, "abcdefg");
    assert_int_equal(snprintf_truncated_s(room, sizeof room, "%s", "ab"), 2);
    assert_string_equal(room, "ab");
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    char room[8] = "abc";
    assert_int_equal(sprintf_s(NULL, 8, "%d", 1), -1);
    assert_int_equal(sprintf_s(room, 0, "%d", 1), -1);
    assert_int_equal(sprintf_s(room, (size_t)SECUREC_STRING_MAX_LEN + 1, "%d", 1), -1);
    assert_string_equal(room, "abc");
    assert_int_equal(sprintf_s(room, sizeof room, no_format, 1), -1);
    assert_string_equal(room, "");
    memcpy(room, "abc", 4);
    assert_int_equal(snprintf_s(room, sizeof room, 3, no_format, 1), -1);
    assert_string_equal(room, "");
    assert_int_equal(snprintf_s(NULL, 8, 3, "%d", 1), -1);
    assert_int_equal(snprintf_truncated_s(NULL, 8, "%d", 1), -1);
}

static void wide_text_has_the_same_rules(void **state)
{
    (void)state;
    wchar_t room[4] = L"---";
    assert_int_equal(swprintf_s(room, 4, L"%d", 123), 3);
    assert_memory_equal(room, L"123", sizeof room);
    assert_int_equal(swprintf_s(room, 4, L"%d", 1234), -1);
    assert_int_equal(room[0], 0);
    assert_int_equal(swprintf_s(NULL, 4, L"%d", 1), -1);
    assert_int_equal(swprintf_s(room, 0, L"%d", 1), -1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_counted),
        cmocka_unit_test(a_count_cuts_and_a_room_refuses),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(wide_text_has_the_same_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
