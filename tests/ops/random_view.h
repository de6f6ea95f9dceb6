/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Views for tests of the walker: any order of dims, gaps, broadcasts.
 */
#ifndef BELAY_TESTS_OPS_RANDOM_VIEW_H
#define BELAY_TESTS_OPS_RANDOM_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "support/random.h"
#include "tensor/tensor.h"

struct view {
    unsigned arena;
    aclDataType dtype;
    uint32_t rank;
    int64_t shape[OPERAND_RANK_MAX], stride[OPERAND_RANK_MAX], offset;
};

static inline int64_t count_of(const struct view *view)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < view->rank; i++)
        count *= view->shape[i];
    return count;
}

static inline int64_t last_of(const struct view *view)
{
    int64_t last = view->offset;
    for (uint32_t i = 0; i < view->rank; i++)
        last += (view->shape[i] - 1) * view->stride[i];
    return last;
}

/* Strides that give every index its own element: any order of dims, gaps at random. */
static inline void lay_out(struct view *view, bool may_permute, bool may_have_gaps)
{
    uint32_t order[OPERAND_RANK_MAX];
    for (uint32_t i = 0; i < view->rank; i++)
        order[i] = i;
    for (uint32_t i = view->rank; may_permute && i > 1; i--) {
        uint32_t other = (uint32_t)random_below(i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    int64_t stride = 1;
    for (uint32_t i = view->rank; i-- > 0;) {
        if (may_have_gaps && random_below(3) == 0)
            stride = stride * (1 + random_below(3)) + random_below(2);
        view->stride[order[i]] = stride;
        stride *= view->shape[order[i]];
    }
}

static inline struct view draw_output(uint32_t rank, int64_t largest)
{
    struct view view = {.rank = rank};
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = 1 + random_below(largest);
        if (count * size > 200000)
            size = 1;
        view.shape[i] = size;
        count *= size;
    }
    lay_out(&view, random_below(2) == 0, random_below(2) == 0);
    view.offset = random_below(3) == 0 ? random_below(20) : 0;
    return view;
}

/* A view that broadcasts to the output's shape. */
static inline struct view draw_input(const struct view *output)
{
    struct view view = {.rank = output->rank};
    uint32_t missing = random_below(4) == 0 ? (uint32_t)random_below(output->rank + 1) : 0;
    view.rank -= missing;
    for (uint32_t i = 0; i < view.rank; i++)
        view.shape[i] = random_below(5) == 0 ? 1 : output->shape[i + missing];
    switch (random_below(4)) {
    case 0: /* the output's own order, where it has these dims */
        for (uint32_t i = 0; i < view.rank; i++)
            view.stride[i] = output->stride[i + missing];
        break;
    case 1: /* indices may meet: inputs may */
        for (uint32_t i = 0; i < view.rank; i++)
            view.stride[i] = random_below(5);
        break;
    default:
        lay_out(&view, random_below(2) == 0, random_below(2) == 0);
        break;
    }
    view.offset = random_below(3) == 0 ? random_below(20) : 0;
    return view;
}

/* Gives the output a shape that no input contradicts: each of its dims must be some input's. */
static inline void shrink(struct view *output, const struct view *input, unsigned inputs)
{
    for (uint32_t i = 0; i < output->rank; i++) {
        bool is_needed = false;
        for (unsigned k = 0; k < inputs; k++) {
            uint32_t missing = output->rank - input[k].rank;
            is_needed = is_needed || (i >= missing && input[k].shape[i - missing] == output->shape[i]);
        }
        if (!is_needed)
            output->shape[i] = 1;
    }
}

#endif
