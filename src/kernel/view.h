/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A memref that LLVM's lowering has described, element by element.
 */
#ifndef BELAY_KERNEL_VIEW_H
#define BELAY_KERNEL_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/known.h"

/* What a descriptor begins with: the sizes and the strides follow it. */
struct view_head {
    unsigned char *base, *aligned;
    int64_t offset;
};

struct view {
    const void *base;
    unsigned char *first;
    uint32_t rank, bytes;                                   /* of an element */
    int64_t size[KERNEL_RANK_MAX], stride[KERNEL_RANK_MAX]; /* in elements */
};

/* Where a walk over the elements of a view is: all zeros at first. */
struct view_walk {
    int64_t index[KERNEL_RANK_MAX];
};

static inline struct view view_read(uint32_t rank, uint32_t bytes, const void *descriptor)
{
    struct view_head head;
    struct view view = {.rank = rank, .bytes = bytes};
    memcpy(&head, descriptor, sizeof head);
    const unsigned char *behind = (const unsigned char *)descriptor + sizeof head;
    memcpy(view.size, behind, rank * sizeof view.size[0]);
    memcpy(view.stride, behind + rank * sizeof view.size[0], rank * sizeof view.size[0]);
    view.base = head.base;
    view.first = head.aligned + head.offset * (int64_t)bytes;
    return view;
}

static inline bool view_is_empty(const struct view *view)
{
    for (uint32_t k = 0; k < view->rank; k++)
        if (view->size[k] <= 0)
            return true;
    return false;
}

static inline unsigned char *view_at(const struct view *view, const int64_t index[KERNEL_RANK_MAX])
{
    int64_t at = 0;
    for (uint32_t k = 0; k < view->rank; k++)
        at += index[k] * view->stride[k];
    return view->first + at * (int64_t)view->bytes;
}

/* The next element of a view that is not empty, the last dim first; false behind the last one. */
static inline bool view_next(const struct view *view, struct view_walk *walk)
{
    for (uint32_t k = view->rank; k-- > 0;) {
        if (++walk->index[k] < view->size[k])
            return true;
        walk->index[k] = 0;
    }
    return false;
}

#endif
