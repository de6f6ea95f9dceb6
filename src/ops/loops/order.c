/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows in descending order, by merging; and their k-th greatest element, by parting.
 */
#include "ops/loops/order.h"

#include <string.h>

void order_row(const double *row, uint64_t count, uint32_t *index, uint32_t *other)
{
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t begin = 0; begin < count; begin += 2 * width) {
            const uint64_t middle = begin + width < count ? begin + width : count,
                           end = begin + 2 * width < count ? begin + 2 * width : count;
            uint64_t i = begin, k = middle;
            for (uint64_t to = begin; to < end; to++)
                other[to] = i < middle && (k >= end || !order_is_greater(row[index[k]], row[index[i]]))
                                ? index[i++]
                                : index[k++];
        }
        memcpy(index, other, count * sizeof *index);
    }
}

/* Parts by the median of three until the place is found. */
double order_find(const double *row, uint64_t count, uint64_t k, double *other)
{
    uint64_t begin = 0, end = count, place = k - 1;
    memcpy(other, row, count * sizeof *row);
    while (end - begin > 1) {
        const double a = other[begin], b = other[begin + (end - begin) / 2], c = other[end - 1];
        const double low = order_is_greater(a, b) ? b : a, high = order_is_greater(a, b) ? a : b,
                     pivot = order_is_greater(low, c)    ? low
                             : order_is_greater(c, high) ? high
                                                         : c;
        uint64_t greater = begin, at = begin, less = end;
        while (at < less) { /* greater ones, then equal ones, then what is less */
            const double value = other[at];
            if (order_is_greater(value, pivot)) {
                other[at++] = other[greater];
                other[greater++] = value;
            } else if (order_is_greater(pivot, value)) {
                other[at] = other[--less];
                other[less] = value;
            } else {
                at++;
            }
        }
        if (place >= greater && place < less)
            return other[greater];
        if (place < greater)
            end = greater;
        else
            begin = less;
    }
    return other[begin];
}
