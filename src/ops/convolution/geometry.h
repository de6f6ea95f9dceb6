/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a convolution is, whichever way it goes. It has a small side and a large one, and a weight that ties
 * element j of the small one to elements j * stride - padding + k * dilation of the large one along each
 * axis. Computing the small side from the large one is a convolution, or the gradient of the input of a
 * transposed one; the other way round is a transposed one, or the gradient of the input of a plain one.
 */
#ifndef BELAY_OPS_CONVOLUTION_GEOMETRY_H
#define BELAY_OPS_CONVOLUTION_GEOMETRY_H

#include "ops/check.h"
#include "ops/contraction/product.h"

enum { CONVOLUTION_AXES = 3 };

struct convolution_axis {
    int64_t small, large, kernel; /* sizes */
    int64_t stride, padding, dilation;
};

/* Axes that there are not come first, with sizes, stride and dilation 1. */
struct geometry {
    bool is_transposed;
    int64_t batch, groups;
    int64_t small_channels, large_channels; /* of a group */
    struct convolution_axis axis[CONVOLUTION_AXES];
};

/* A side in memory: strides in elements. */
struct side {
    aclDataType dtype;
    uint32_t bytes, address;
    uint64_t extent; /* elements from the first to the last */
    int64_t batch, channel, axis[CONVOLUTION_AXES];
};

/* The weight, with its strides from channel to channel of both sides, and along the kernel. */
struct weight {
    aclDataType dtype;
    uint32_t bytes, address;
    int64_t small, large, axis[CONVOLUTION_AXES];
};

/* The parameters that say so; NO_PARAMETER stands for 1 everywhere, for no padding, and no more output. */
struct convolution_parameters {
    uint8_t input, weight, stride, padding, dilation, output_padding;
    bool is_transposed;
    int64_t groups, usual_padding;
};

/*
 * The checks of ranks, groups, arrays and sizes. views are those of input and weight as (N, C, ...) and
 * (Cout, Cin / groups, ...), or (Cin, Cout / groups, ...) where it is transposed.
 */
aclnnStatus geometry_read(const struct call *call, const struct convolution_parameters *parameters,
                          const struct tensor_view *input, const struct tensor_view *weight,
                          struct geometry *geometry);

/* The shape of what comes out, for inputs of that rank. */
struct shape geometry_output(const struct geometry *geometry, uint32_t rank);

/* A view of rank 3 with its dims in another order. */
struct tensor_view view_permuted(const struct tensor_view *view, uint32_t first, uint32_t second,
                                 uint32_t third);

aclnnStatus check_rank_is(const struct call *call, unsigned parameter, uint32_t rank);

struct side side_of(const struct tensor_view *view, uint32_t address);
struct weight weight_of(const struct tensor_view *view, uint32_t address);

/* Steps of the kernel along all axes. */
static inline int64_t kernel_steps(const struct geometry *geometry)
{
    int64_t steps = 1;
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        steps *= geometry->axis[i].kernel;
    return steps;
}

/* Whether they lie side by side in the weight, in their order. */
static inline bool kernel_steps_lie_together(const struct geometry *geometry, const struct weight *weight)
{
    bool lie_so = true;
    int64_t stride = 1;
    for (uint32_t i = CONVOLUTION_AXES; i-- > 0; stride *= geometry->axis[i].kernel)
        lie_so = lie_so && (geometry->axis[i].kernel == 1 || weight->axis[i] == stride);
    return lie_so;
}

/* Division towards minus infinity, and its remainder. */
static inline int64_t floor_quotient(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t floor_remainder(int64_t a, int64_t b)
{
    return a % b + (a % b < 0 ? b : 0);
}

#endif
