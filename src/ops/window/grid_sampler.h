/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the two halves of GridSampler share: a plane of places, and the loops over them, which are compiled
 * for each instruction-set level.
 */
#ifndef BELAY_OPS_WINDOW_GRID_SAMPLER_H
#define BELAY_OPS_WINDOW_GRID_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "simd/vector/level_table.h"

enum { AXES = 3 };
enum sampled_mode { BILINEAR, NEAREST, BICUBIC };
enum sampled_padding { ZEROS, BORDER, REFLECTION };

/* A picture is a volume of one plane. */
struct sampled {
    int64_t size[AXES];
    uint64_t places, channels; /* of the result's plane; that a plane of a gradient has */
    uint32_t axes;
    enum sampled_mode mode;
    enum sampled_padding padding;
    bool aligns_corners, has_input_grad, has_grid_grad;
    aclDataType dtype;
};

/* How many elements a plane of the input has, which is a channel. */
static inline uint64_t elements_of(const struct sampled *plan)
{
    return (uint64_t)(plan->size[0] * plan->size[1] * plan->size[2]);
}

/* So many places of all channels of a plane, `apart` from one channel's results to those of the next. Grid,
 * input and results are of FLOAT where they lie, all others as doubles. */
typedef void grid_sample(const struct sampled *plan, const void *grid, uint64_t count, const void *input,
                         void *result, uint64_t apart);

/* The gradients of input and grid, which are zeros before. */
typedef void grid_spread(const struct sampled *plan, const double *grid, const double *gradient,
                         const double *input, double *input_grad, double *grid_grad);

#endif
