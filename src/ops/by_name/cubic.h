/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One axis of an image of another size by cubics, and its gradient, as TensorFlow's kernel of this name counts:
 * four neighbours, whose shares are those of the nearest 1024th of a step. With half pixels the cubic is that of
 * -0.5, and neighbours beyond the edge count nothing; else that of -0.75, and the edge goes on.
 */
#ifndef BELAY_OPS_BY_NAME_CUBIC_H
#define BELAY_OPS_BY_NAME_CUBIC_H

#include "ops/by_name/along.h"

/* An axis of the image and of the resized one: element i of the latter comes from i step, or from
 * (i + 0.5) step - 0.5. */
struct cubic {
    int32_t axis, axes_behind;
    int64_t image, resized;
    float step;
    bool centers;
};

/* What along->from holds becomes what along->to does. */
int cubic_forth(const struct along *along, const struct cubic *rule);
/* Here what lies in along->from is added to zeros, which t ALONG_ROOM has. */
int cubic_back(const struct along *along, const struct cubic *rule);

#endif
