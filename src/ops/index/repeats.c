/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads how often each row is repeated, refuses negative counts and sums that do not fit, and tells the rows
 * of the output one after the other.
 */
#include "ops/index/repeats.h"

#include <inttypes.h>
#include <string.h>

#include "acl/acl_base.h"
#include "runtime/streams/fault.h"

int repeats_read(const struct repeats *repeats, const void *address, int64_t *room, int64_t *row)
{
    const int64_t given = (int64_t)repeats->span.count;
    const bool is_narrow = repeats->dtype == ACL_INT32;
    int64_t at = 0;
    span_read(&repeats->span, repeats->transfer, address, 0, is_narrow ? room + given : room,
              (uint64_t)given);
    for (int64_t i = 0; is_narrow && i < given; i++) {
        int32_t value;
        memcpy(&value, (const unsigned char *)(room + given) + i * 4, sizeof value);
        room[i] = value;
    }
    for (int64_t k = 0; k < given; k++)
        if (room[k] < 0)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "repeats holds %" PRId64 " at [%" PRId64 "]; 0 or more is expected",
                                  room[k], k);
    bool is_right = true;
    for (int64_t k = 0; is_right && k < repeats->size; k++) {
        const int64_t times = room[given == 1 ? 0 : k];
        is_right = times <= repeats->count - at;
        for (int64_t i = 0; is_right && i < times; i++)
            row[at++] = k;
    }
    return is_right && at == repeats->count
               ? 0
               : operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                "repeats adds up to %s than %s, which is %" PRId64,
                                is_right ? "less" : "more", repeats->whole, repeats->count);
}
