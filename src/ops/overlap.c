/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether two indices of a view name one element.
 */
#include "ops/overlap.h"

#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 vector;

struct dim {
    int64_t size, stride;
    int64_t reach; /* of this dim and all later ones: the sum of (size - 1) * stride */
};

/*
 * Two indices i and j name one element exactly when the differences i - j, each within +-(size - 1), give the
 * sum of difference * stride = 0 and are not all 0. The search walks the dims by falling stride, with sum the
 * part of that sum that is fixed already; a sum beyond the reach of the remaining dims cannot come back to 0,
 * which is what keeps the search small. A view has the same answer with all signs turned round, so the first
 * difference that is not 0 may be taken as positive.
 *
 * The depth of recursion is the rank.
 */
static bool difference_exists(const struct dim *dim, unsigned rank, int64_t sum, bool is_zero_so_far)
{
    if (rank == 0)
        return sum == 0 && !is_zero_so_far;

    int64_t stride = dim->stride, most = dim->size - 1, rest = rank > 1 ? dim[1].reach : 0;

    /* The differences d with |sum + d * stride| <= rest. |sum| <= reach <= 2^63 - 1, so that sums of two such
     * are computed in 128 bits. */
    vector low = -((vector)sum + rest), high = (vector)rest - sum;
    int64_t first = (int64_t)(low >= 0 ? (low + stride - 1) / stride : -(-low / stride));
    int64_t last = (int64_t)(high >= 0 ? high / stride : -((-high + stride - 1) / stride));
    if (first < (is_zero_so_far ? 0 : -most))
        first = is_zero_so_far ? 0 : -most;
    if (last > most)
        last = most;
    for (int64_t d = first; d <= last; d++)
        if (difference_exists(dim + 1, rank - 1, sum + d * stride, is_zero_so_far && d == 0))
            return true;
    return false;
}

bool view_overlaps_itself(const struct tensor_view *view)
{
    if (view->count <= 1)
        return false;

    struct dim dims[TENSOR_RANK_MAX];
    unsigned rank = 0;
    for (uint32_t i = 0; i < view->rank; i++) {
        if (view->shape[i] == 1)
            continue;
        if (view->stride[i] == 0)
            return true;
        unsigned place = rank++;
        for (; place > 0 && dims[place - 1].stride < view->stride[i]; place--)
            dims[place] = dims[place - 1];
        dims[place] = (struct dim){.size = view->shape[i], .stride = view->stride[i]};
    }

    bool is_nested = true;
    int64_t reach = 0; /* at most the view's, so it cannot overflow */
    for (unsigned i = rank; i-- > 0;) {
        is_nested = is_nested && dims[i].stride > reach;
        reach += (dims[i].size - 1) * dims[i].stride;
        dims[i].reach = reach;
    }
    if (is_nested || view->count > OVERLAP_SEARCH_MAX)
        return false;
    if (view->count - 1 > reach)
        return true; /* more elements than places */
    return difference_exists(dims, rank, 0, true);
}

void view_of_places(struct tensor_view *view)
{
    uint32_t rank = 0;
    int64_t shape[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX];
    for (uint32_t i = 0; i < view->rank; i++) {
        const int64_t size = view->shape[i], step = view->stride[i];
        if (size == 1 || (step == 0 && size > 0))
            continue;
        uint32_t at = rank++;
        for (; at > 0 && stride[at - 1] > step; at--) { /* the smallest stride first */
            shape[at] = shape[at - 1];
            stride[at] = stride[at - 1];
        }
        shape[at] = size;
        stride[at] = step;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t last = kept - 1;
        if (kept > 0 && stride[i] % stride[last] == 0 && stride[i] / stride[last] <= shape[last]) {
            shape[last] += (shape[i] - 1) * (stride[i] / stride[last]);
            continue;
        }
        shape[kept] = shape[i];
        stride[kept++] = stride[i];
    }
    view->rank = kept;
    view->count = 1;
    for (uint32_t i = 0; i < kept; i++) {
        view->shape[i] = shape[kept - 1 - i];
        view->stride[i] = stride[kept - 1 - i];
        view->count *= view->shape[i];
    }
}
