/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads how often each row is repeated, refuses negative counts and sums that do not fit, and tells the rows
 * of the output one after the other.
 */
#include "ops/index/repeats.h"

#include <inttypes.h>

#include "acl/acl_base.h"
#include "runtime/streams/fault.h"

int repeats_read(const struct repeats *repeats, void *const *address, int64_t *room, int64_t *row)
{
    const int64_t given = (int64_t)repeats->port.span.count;
    int64_t at = 0;
    port_bring(&repeats->port, address, 0, (uint64_t)given, room);
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
