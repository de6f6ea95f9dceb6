/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far a view reaches.
 */
#include "tensor/view.h"

__extension__ typedef __int128 int128;

bool view_check(uint32_t rank, const int64_t *shape, const int64_t *stride, int64_t offset, int64_t *count,
                int64_t *reach)
{
    bool is_empty = false;
    if (offset < 0)
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] < 0 || stride[i] < 0)
            return false;
        is_empty |= shape[i] == 0;
    }
    /* An empty view touches nothing, however large its other dims are. */
    if (is_empty) {
        *count = 0;
        *reach = offset;
        return true;
    }
    /* Both factors are below 2^63 and the sums are cut off above 2^63, so nothing comes near 2^127. */
    int128 product = 1;
    int128 last = offset;
    for (uint32_t i = 0; i < rank; i++) {
        product *= shape[i];
        last += (int128)(shape[i] - 1) * stride[i];
        if (product > INT64_MAX || last > INT64_MAX)
            return false;
    }
    *count = (int64_t)product;
    *reach = (int64_t)last;
    return true;
}

bool view_is_contiguous(uint32_t rank, const int64_t *shape, const int64_t *stride)
{
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        if (shape[i] != 1 && stride[i] != step)
            return false;
        if (__builtin_mul_overflow(step, shape[i], &step))
            return false;
    }
    return true;
}
