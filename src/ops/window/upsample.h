/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Resampling of planes along one to three axes: the nearest element, or a mean of neighbours by distance; and
 * the gradients of both.
 */
#ifndef BELAY_OPS_WINDOW_UPSAMPLE_H
#define BELAY_OPS_WINDOW_UPSAMPLE_H

#include "ops/check.h"
#include "ops/loops/plane_walk.h"
#include "ops/signature.h"
#include "ops/window/pool.h"

enum upsample_way {
    UPSAMPLE_NEAREST, /* element floor(o ratio) */
    UPSAMPLE_EXACT,   /* that nearest to (o + 0.5) ratio - 0.5 */
    UPSAMPLE_LINEAR,
    UPSAMPLE_CUBIC,         /* of four along each axis */
    UPSAMPLE_SMOOTH_LINEAR, /* of as many more as there are fewer places than elements */
    UPSAMPLE_SMOOTH_CUBIC,
};

/* of_family. Parameters are in the order: tensor, outputSize, inputSize of a gradient, alignCorners of means,
 * scales if any, out. */
struct upsample {
    uint8_t axes;
    enum upsample_way way;
    bool is_gradient, has_scales;
};

struct upsample_axis {
    int64_t in, out;
    float ratio;       /* from place to place */
    double fine_ratio; /* the same, of means of DOUBLE */
};

struct upsampled {
    struct upsample_axis axis[POOL_AXES]; /* those that there are not come first, with sizes of 1 */
    enum upsample_way way;
    bool aligns_corners;
    aclDataType dtype;
};

_Static_assert(sizeof(struct upsampled) <= PLANE_PARAMETERS, "it is what plane functions are given");

aclnnStatus upsample_infer(const struct call *call, struct result *result);
aclnnStatus upsample_plan(const struct call *call, const struct result *result);

/* The element of an axis that one of the result is, by either of the rules of the nearest. */
int64_t upsample_nearest_element(enum upsample_way way, const struct upsample_axis *axis, int64_t o);

/* Plans what is done in DOUBLE for some planes: means along axes, and what is spread (upsample_wide.c). */
aclnnStatus upsample_wide_plan(const struct call *call, const struct upsampled *plan, uint64_t planes);

/* Plans the smooth ways for some planes (upsample_smooth.c). */
aclnnStatus upsample_smooth_plan(const struct call *call, const struct upsampled *plan, uint64_t planes);

/* Sublists of the functions' parameters: scales of so many axes, of a kind. */
#define NO_SCALES(X, of, kind)
#define SCALES_1(X, of, kind) X(of, kind, scales, .usual = "0")
#define SCALES_2(X, of, kind) X(of, kind, scalesH, .usual = "0") X(of, kind, scalesW, .usual = "0")
#define SCALES_3(X, of, kind) X(of, kind, scalesD, .usual = "0") SCALES_2(X, of, kind)

/* Samples of self and of what it becomes the size of, and for gradients the result's and both sizes. */
#define LINE            "2x3x4", "6"
#define PLANE           "2x3x4x5", "6,3"
#define VOLUME          "2x3x4x2x3", "3,4,2"
#define LINE_BACKWARD   "2x3x6", "6", "2,3,4"
#define PLANE_BACKWARD  "2x3x6x3", "6,3", "2,3,4,5"
#define VOLUME_BACKWARD "2x3x3x4x2", "3,4,2", "2,3,4,2,3"

#define UPSAMPLE(promise_, upsample_)                                                     \
    .promise = &(promise_), .family = FAMILY_WINDOW, PLANE_WALK, .infer = upsample_infer, \
    .plan = upsample_plan, .of_family = &(const struct upsample)                          \
    {                                                                                     \
        UNWRAP upsample_                                                                  \
    }

#endif
