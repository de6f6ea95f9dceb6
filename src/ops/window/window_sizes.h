/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The windows of a pooling or unfolding function along one axis.
 */
#ifndef BELAY_OPS_WINDOW_WINDOW_SIZES_H
#define BELAY_OPS_WINDOW_WINDOW_SIZES_H

#include <stdint.h>

#include "ops/call.h"

struct window {
    int64_t in, kernel, stride, padding, dilation;
    int64_t out; /* windows; at least 1 */
};

enum { WINDOW_UNDILATED = UINT8_MAX, WINDOW_UNFOLDS = UINT8_MAX };

/* The parameters that are arrays of one number, for all axes, or of one for each. */
struct window_parameters {
    unsigned kernel, stride, padding;
    unsigned dilation;  /* WINDOW_UNDILATED: there is none, and it is 1 */
    unsigned rounds_up; /* whether a window that is not whole counts; WINDOW_UNFOLDS: none does, padding is of
                         * any size, and the stride must be given */
};

/*
 * The windows along an axis of so many, on a tensor with in elements along it. A stride that is not given, or
 * an array without numbers, is the kernel. Each array has its length, kernel, stride and dilation are 1 or
 * more, padding 0 to half the kernel where nothing is unfolded, and there is a window.
 */
aclnnStatus window_along(const struct call *call, const struct window_parameters *parameters, uint32_t axis,
                         uint32_t axes, int64_t in, struct window *window);

#endif
