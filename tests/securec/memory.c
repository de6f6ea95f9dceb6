/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory with rooms: every status, what is written with it, and what is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "securec.h"

typedef errno_t copy_function(void *, size_t, const void *, size_t);

static copy_function *const copies[] = {memcpy_s, memmove_s};

static void what_fits_is_copied_and_no_more(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char room[8] = "abcdefg";
        assert_int_equal(copies[i](room, 5, "XYZ", 3), EOK);
        assert_memory_equal(room, "XYZdefg", 8);
        assert_int_equal(copies[i](room, 3, "123", 3), EOK);
        assert_memory_equal(room, "123defg", 8);
        assert_int_equal(copies[i](room, 3, "999", 0), EOK);
        assert_memory_equal(room, "123defg", 8);
        assert_int_equal(copies[i](room, 8, room, 8), EOK); /* onto itself */
        assert_memory_equal(room, "123defg", 8);
    }
}

static void what_does_not_fit_clears_the_room(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char room[8] = "abcdefg";
        assert_int_equal(copies[i](room, 3, "XYZW", 4), ERANGE_AND_RESET);
        assert_memory_equal(room, "\0\0\0defg", 8);
        assert_int_equal(copies[i](room, 8, NULL, 1), EINVAL_AND_RESET);
        assert_memory_equal(room, "\0\0\0\0\0\0\0", 8);
        assert_int_equal(copies[i](NULL, 8, "a", 1), EINVAL);
        memcpy(room, "abcdefg", 8);
        assert_int_equal(copies[i](room, 0, "a", 1), ERANGE);
        assert_int_equal(copies[i](room, (size_t)SECUREC_MEM_MAX_LEN + 1, "a", 1), ERANGE);
        assert_memory_equal(room, "abcdefg", 8);
    }
}

static void overlaps_are_told_or_moved(void **state)
{
    (void)state;
    char room[8] = "abcdefg";
    assert_int_equal(memmove_s(room + 1, 7, room, 4), EOK);
    assert_memory_equal(room, "aabcdfg", 8);
    assert_int_equal(memcpy_s(room, 4, room + 4, 4), EOK); /* beside one another */
    assert_memory_equal(room, "dfg\0dfg", 8);
    assert_int_equal(memcpy_s(room, 4, room + 3, 4), EOVERLAP_AND_RESET);
    assert_memory_equal(room, "\0\0\0\0dfg", 8);
    memcpy(room, "abcdefg", 8);
    assert_int_equal(memcpy_s(room + 3, 5, room, 4), EOVERLAP_AND_RESET);
    assert_memory_equal(room, "abc\0\0\0\0", 8);
}

static void memory_is_filled_as_far_as_it_goes(void **state)
{
    (void)state;
    char room[8] = "abcdefg";
    assert_int_equal(memset_s(room, 8, 'x', 2), EOK);
    assert_memory_equal(room, "xxcdefg", 8);
    assert_int_equal(memset_s(room, 3, 'y', 100), ERANGE_AND_RESET);
    assert_memory_equal(room, "yyydefg", 8);
    assert_int_equal(memset_s(NULL, 3, 'y', 1), EINVAL);
    assert_int_equal(memset_s(room, 0, 'z', 1), ERANGE);
    assert_int_equal(memset_s(room, (size_t)SECUREC_MEM_MAX_LEN + 1, 'z', 1), ERANGE);
    assert_memory_equal(room, "yyydefg", 8);
}

static void wide_rooms_count_characters(void **state)
{
    (void)state;
    wchar_t room[4] = L"abc";
    assert_int_equal(wmemcpy_s(room, 4, L"XY", 2), EOK);
    assert_memory_equal(room, L"XYc", sizeof room);
    assert_int_equal(wmemmove_s(room + 1, 3, room, 2), EOK);
    assert_memory_equal(room, L"XXY", sizeof room);
    assert_int_equal(wmemcpy_s(room, 4, room + 1, 2), EOVERLAP_AND_RESET);
    assert_memory_equal(room, L"\0\0\0", sizeof room);
    assert_int_equal(wmemmove_s(room, 1, L"XY", 2), ERANGE_AND_RESET);
    assert_int_equal(wmemcpy_s(room, 4, L"XY", SIZE_MAX / 2), ERANGE_AND_RESET);
    assert_int_equal(wmemcpy_s(room, SECUREC_MEM_MAX_LEN / 4 + 1, L"XY", 2), ERANGE);
    assert_int_equal(wmemcpy_s(room, SIZE_MAX / 2, L"XY", 2), ERANGE);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_copied_and_no_more),
        cmocka_unit_test(what_does_not_fit_clears_the_room),
        cmocka_unit_test(overlaps_are_told_or_moved),
        cmocka_unit_test(memory_is_filled_as_far_as_it_goes),
        cmocka_unit_test(wide_rooms_count_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
