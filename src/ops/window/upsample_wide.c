/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Resampling of DOUBLE by means of neighbours, and the gradients of it and of the nearest element: sums in
 * DOUBLE. As PyTorch does on the CPU, the places of means are computed in DOUBLE, and those of the nearest
 * element in FLOAT.
 */
#include "ops/window/upsample.h"

#include <string.h>

/* The elements that one of the result is made of along an axis, and their weights. */
struct wide_neighbours {
    int64_t element[2];
    double weight[2];
    int count;
};

static struct wide_neighbours find_neighbours(const struct upsampled *plan, const struct upsample_axis *axis,
                                              int64_t o)
{
    const int64_t last = axis->in - 1;
    struct wide_neighbours found = {.weight = {1, 0}, .count = 1};
    if (last == 0 && axis->out == 1)
        return found;
    if (plan->way < UPSAMPLE_LINEAR) {
        found.element[0] = upsample_nearest_element(plan->way, axis, o);
        return found;
    }
    const double place = axis->fine_ratio * (plan->aligns_corners ? (double)o : (double)o + 0.5),
                 x = plan->aligns_corners ? place : place - 0.5, y = x > 0 ? x : 0;
    found.element[0] = y < (double)last ? (int64_t)y : last;
    found.element[1] = found.element[0] + (found.element[0] < last);
    found.weight[1] = y - (double)found.element[0];
    found.weight[0] = 1 - found.weight[1];
    found.count = 2;
    return found;
}

static double blend(const struct upsampled *plan, const struct wide_neighbours *at, const double *plane)
{
    double sum = 0;
    for (int a = 0; a < at[0].count; a++) {
        double of_rows = 0;
        for (int b = 0; b < at[1].count; b++) {
            const double *row =
                plane + (at[0].element[a] * plan->axis[1].in + at[1].element[b]) * plan->axis[2].in;
            double along = 0;
            for (int c = 0; c < at[2].count; c++)
                along += at[2].weight[c] * row[at[2].element[c]];
            of_rows += at[1].weight[b] * along;
        }
        sum += at[0].weight[a] * of_rows;
    }
    return sum;
}

static void spread(const struct upsampled *plan, const struct wide_neighbours *at, double grad, double *plane)
{
    for (int a = 0; a < at[0].count; a++)
        for (int b = 0; b < at[1].count; b++) {
            double *row = plane + (at[0].element[a] * plan->axis[1].in + at[1].element[b]) * plan->axis[2].in;
            for (int c = 0; c < at[2].count; c++)
                row[at[2].element[c]] += at[0].weight[a] * at[1].weight[b] * at[2].weight[c] * grad;
        }
}

static double canonical(double value)
{
    return value == value ? value : __builtin_nan("");
}

/* Neighbours along the last axis are found once. */
static void walk_plane(const struct upsampled *plan, const double *from, double *to,
                       struct wide_neighbours *along_last, bool is_gradient)
{
    const struct upsample_axis *axis = plan->axis;
    struct wide_neighbours at[POOL_AXES];
    uint64_t number = 0;
    for (int64_t c = 0; c < axis[2].out; c++)
        along_last[c] = find_neighbours(plan, &axis[2], c);
    for (int64_t a = 0; a < axis[0].out; a++) {
        at[0] = find_neighbours(plan, &axis[0], a);
        for (int64_t b = 0; b < axis[1].out; b++) {
            at[1] = find_neighbours(plan, &axis[1], b);
            for (int64_t c = 0; c < axis[2].out; c++, number++) {
                at[2] = along_last[c];
                if (is_gradient)
                    spread(plan, at, from[number], to);
                else
                    to[number] = canonical(blend(plan, at, from));
            }
        }
    }
}

static int64_t blend_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                           void *room)
{
    walk_plane((const struct upsampled *)(const void *)walk->parameters, (const double *)input[0],
               (double *)output[0], (struct wide_neighbours *)room, false);
    return -1;
}

static int64_t spread_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                            void *room)
{
    const struct upsampled *plan = (const struct upsampled *)(const void *)walk->parameters;
    const uint64_t count = (uint64_t)(plan->axis[0].in * plan->axis[1].in * plan->axis[2].in);
    double *to = (double *)output[0];
    memset(to, 0, (size_t)count * sizeof *to);
    walk_plane(plan, (const double *)input[0], to, (struct wide_neighbours *)room, true);
    for (uint64_t i = 0; i < count; i++)
        to[i] = canonical(to[i]);
    return -1;
}

aclnnStatus upsample_wide_plan(const struct call *call, const struct upsampled *plan, uint64_t planes)
{
    const struct upsample *upsample = (const struct upsample *)call->function->of_family;
    const struct upsample_axis *axis = plan->axis;
    const struct plane_request request = {
        .function = upsample->is_gradient ? spread_plane : blend_plane,
        .planes = planes,
        .inputs = 1,
        .outputs = 1,
        .parameter = {0, call_output(call)},
        .room_bytes = (size_t)axis[2].out * sizeof(struct wide_neighbours),
        .plane_ns = (uint64_t)(8 * axis[0].out * axis[1].out * axis[2].out),
        .parameters = plan,
        .parameter_bytes = sizeof *plan,
    };
    return plane_walk_plan(call, &request);
}
