/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rules of windows, as PyTorch's pooling and unfolding have them.
 */
#include "ops/window/window_sizes.h"

#include <inttypes.h>

#include "ops/check_message.h"
#include "base/error.h"

/* The number of an axis, which is from least to most. */
static aclnnStatus number_along(const struct call *call, unsigned parameter, uint32_t axis, uint32_t axes,
                                int64_t least, int64_t most, int64_t *number)
{
    const struct call_values *values = &call->values[parameter];
    if (values->count != 1 && values->count != axes)
        return refuse(call, "%s has %" PRIu64 " numbers; 1 or %u are expected", call_name(call, parameter),
                      values->count, axes);
    *number = values->value.int64[values->count == 1 ? 0 : axis];
    if (*number >= least && *number <= most)
        return ACLNN_SUCCESS;
    if (most == INT64_MAX)
        return refuse(call, "%s has %" PRId64 "; %" PRId64 " or more is expected", call_name(call, parameter),
                      *number, least);
    return refuse(call, "%s has %" PRId64 "; %" PRId64 " to %" PRId64 " are expected",
                  call_name(call, parameter), *number, least, most);
}

/* How many begin inside the tensor or the padding before it; 0 where numbers are too large for anything. */
static int64_t count_windows(const struct window *window, bool rounds_up)
{
    int64_t reach, both, room;
    if (__builtin_mul_overflow(window->dilation, window->kernel - 1, &reach) ||
        __builtin_mul_overflow(window->padding, 2, &both) ||
        __builtin_add_overflow(window->in, both, &room) || __builtin_sub_overflow(room, reach, &room))
        return 0;
    if (room < 1) /* the first is not whole */
        return rounds_up && room > 1 - window->stride ? 1 : 0;
    int64_t steps = (room - 1) / window->stride, count = steps + 1;
    if (rounds_up && (room - 1) % window->stride != 0) {
        int64_t begin;
        if (!__builtin_mul_overflow(count, window->stride, &begin) && begin < window->in + window->padding)
            count++;
    }
    return count;
}

aclnnStatus window_along(const struct call *call, const struct window_parameters *parameters, uint32_t axis,
                         uint32_t axes, int64_t in, struct window *window)
{
    const bool unfolds = parameters->rounds_up == WINDOW_UNFOLDS;
    bool has_stride =
        call_has(call, parameters->stride) && (unfolds || call->values[parameters->stride].count > 0);
    window->in = in;
    TRY(number_along(call, parameters->kernel, axis, axes, 1, INT64_MAX, &window->kernel));
    window->stride = window->kernel;
    if (has_stride)
        TRY(number_along(call, parameters->stride, axis, axes, 1, INT64_MAX, &window->stride));
    TRY(number_along(call, parameters->padding, axis, axes, 0, unfolds ? INT64_MAX : window->kernel / 2,
                     &window->padding));
    window->dilation = 1;
    if (parameters->dilation != WINDOW_UNDILATED)
        TRY(number_along(call, parameters->dilation, axis, axes, 1, INT64_MAX, &window->dilation));
    const bool rounds_up = !unfolds && call->argument[parameters->rounds_up].boolean;
    window->out = in > 0 ? count_windows(window, rounds_up) : 0;
    if (window->out > 0)
        return ACLNN_SUCCESS;
    return refuse(call,
                  "a kernel of %" PRId64 " with padding %" PRId64 " finds no window on %" PRId64 " elements",
                  window->kernel, window->padding, in);
}
