/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The windows of pooling functions along one to three axes, and what their contracts share.
 */
#ifndef BELAY_OPS_WINDOW_POOL_H
#define BELAY_OPS_WINDOW_POOL_H

#include "ops/check.h"
#include "ops/loops/plane_walk.h"
#include "ops/signature.h"
#include "ops/window/window_sizes.h"

enum { POOL_AXES = 3 };

struct pool_axis {
    int64_t in, out;
    int64_t kernel, stride, padding, dilation;
    bool is_adaptive; /* window o goes from the quotient of o in / out to that of (o + 1) in / out, rounded up
                       */
};

/* Axes that there are not come first, with sizes of 1. */
struct pool {
    struct pool_axis axis[POOL_AXES];
    aclDataType dtype, index_dtype;
    int64_t divisor; /* of averages, 0: the places of a window */
    bool counts_padding;
};

_Static_assert(sizeof(struct pool) <= PLANE_PARAMETERS, "it is what plane functions are given");

/* The part of a window that is on the tensor: so many places from one on, and, of an average, how many count.
 */
struct pool_part {
    int64_t begin, count, step, counted;
};

struct pool_part pool_part(const struct pool_axis *axis, int64_t window, bool counts_padding);

static inline uint64_t pool_in(const struct pool *pool)
{
    return (uint64_t)(pool->axis[0].in * pool->axis[1].in * pool->axis[2].in);
}

static inline uint64_t pool_out(const struct pool *pool)
{
    return (uint64_t)(pool->axis[0].out * pool->axis[1].out * pool->axis[2].out);
}

/* Where the parameters are. `sizes` is an adaptive function's outputSize; of a gradient its gradOutput. */
struct pool_parameters {
    struct window_parameters window;
    uint8_t axes, self, sizes;
    bool is_adaptive, is_gradient;
};

/* The checks of self's rank and of windows. */
aclnnStatus pool_read(const struct call *call, const struct pool_parameters *parameters, struct pool *pool);

/* The shape of self with the windows in place of its last dims. */
struct shape pool_shape(const struct tensor_view *self, uint32_t axes, const struct pool *pool);

/* A tensor has that shape. */
aclnnStatus pool_check_shape(const struct call *call, unsigned parameter, const struct shape *shape);

/* A plan for planes of self. */
struct plane_request pool_request(const struct call *call, const struct pool_parameters *parameters,
                                  const struct pool *pool);

/* The parameters of windows that may be dilated. */
#define DILATED_WINDOW(X, of)                               \
    X(of, INTS, kernelSize, .sample = "2")                  \
    X(of, INTS, stride, .is_optional = true, .sample = "2") \
    X(of, INTS, padding, .sample = "0")                     \
    X(of, INTS, dilation, .sample = "1")                    \
    X(of, BOOL, ceilMode, .usual = "false")

#endif
