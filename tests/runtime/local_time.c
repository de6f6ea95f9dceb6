/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The calendar of messages against libc's, and the shape of the text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/local_time.h"

static void the_calendar_agrees_with_libc(void **state)
{
    (void)state;
    /* Steps of a prime number of seconds from 1970 to beyond 2400: leap years, centuries, all times of day.
     */
    for (int64_t seconds = 0; seconds < INT64_C(14000000000); seconds += 86413 * 7) {
        char text[LOCAL_TIME_BYTES], expected[64];
        struct tm broken_down;
        time_t moment = (time_t)seconds;
        local_time_format(text, seconds, 12003);
        assert_non_null(gmtime_r(&moment, &broken_down));
        strftime(expected, sizeof expected, "%Y-%m-%d-%H:%M:%S.012.003", &broken_down);
        assert_string_equal(text, expected);
    }
}

static void the_last_and_first_days_of_february_are_right(void **state)
{
    (void)state;
    char text[LOCAL_TIME_BYTES];
    local_time_format(text, -1, 0); /* before all clocks */
    assert_string_equal(text, "1970-01-01-00:00:00.000.000");
    local_time_format(text, 951782400, 999999); /* 2000-02-29 */
    assert_string_equal(text, "2000-02-29-00:00:00.999.999");
    local_time_format(text, 4107542399, 0); /* the last second before 2100-03-01 */
    assert_string_equal(text, "2100-02-28-23:59:59.000.000");
}

static void the_present_is_local_time(void **state)
{
    (void)state;
    char text[LOCAL_TIME_BYTES], expected[64];
    setenv("TZ", "XYZ-5:45", 1);
    tzset();
    /* The second may change between the two looks at the clock: one of three tries is within a second. time()
     * reads another clock, which lags by milliseconds. */
    for (int i = 0; i < 3; i++) {
        struct tm broken_down;
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        local_time_text(text);
        assert_non_null(localtime_r(&now.tv_sec, &broken_down));
        strftime(expected, sizeof expected, "%Y-%m-%d-%H:%M:%S.", &broken_down);
        if (strncmp(text, expected, 20) == 0)
            break;
    }
    assert_int_equal(strlen(text), LOCAL_TIME_BYTES - 1);
    assert_memory_equal(text, expected, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_calendar_agrees_with_libc),
        cmocka_unit_test(the_last_and_first_days_of_february_are_right),
        cmocka_unit_test(the_present_is_local_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
