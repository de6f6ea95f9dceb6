/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Local time for messages. The calendar is computed here, because localtime_r takes a lock and may allocate:
 * it is asked for the zone's offset alone, and only once in a quarter of an hour, as zones change their
 * offset at such boundaries only.
 */
#include "base/local_time.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static _Atomic int64_t known_quarter = -1;
static _Atomic int64_t known_offset;
static _Atomic bool is_frozen;

static int64_t zone_offset(time_t now)
{
    int64_t quarter = (int64_t)now / 900;
    if (quarter != atomic_load_explicit(&known_quarter, memory_order_acquire) &&
        !atomic_load_explicit(&is_frozen, memory_order_relaxed)) {
        struct tm broken_down;
        if (localtime_r(&now, &broken_down) != NULL)
            atomic_store_explicit(&known_offset, (int64_t)broken_down.tm_gmtoff, memory_order_relaxed);
        atomic_store_explicit(&known_quarter, quarter, memory_order_release);
    }
    return atomic_load_explicit(&known_offset, memory_order_relaxed);
}

void local_time_format(char text[LOCAL_TIME_BYTES], int64_t local_seconds, uint32_t microseconds)
{
    /* Years begin in March here, so that the day which leap years add comes last; eras are 400 years of
     * 146,097 days; 719,468 days lie between 0000-03-01 and 1970-01-01. */
    int64_t seconds = local_seconds < 0 ? 0 : local_seconds;
    uint32_t second_of_day = (uint32_t)(seconds % 86400);
    int64_t day = seconds / 86400 + 719468;
    int64_t era = day / 146097;
    uint32_t day_of_era = (uint32_t)(day - era * 146097);
    uint32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint32_t march_month = (5 * day_of_year + 2) / 153;
    uint32_t day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    uint32_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    uint32_t year = (uint32_t)(era * 400) + year_of_era + (month <= 2);

    snprintf(text, LOCAL_TIME_BYTES, "%04u-%02u-%02u-%02u:%02u:%02u.%03u.%03u", year % 10000, month % 100,
             day_of_month % 100, second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60,
             microseconds / 1000 % 1000, microseconds % 1000);
}

void local_time_text(char text[LOCAL_TIME_BYTES])
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    local_time_format(text, (int64_t)now.tv_sec + zone_offset(now.tv_sec), (uint32_t)(now.tv_nsec / 1000));
}

void local_time_after_fork(void)
{
    atomic_store_explicit(&is_frozen, true, memory_order_relaxed);
}
