/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Resampling of planes by filters that are as much wider than the distance of elements as places are further
 * apart than these, so that nothing is skipped; and the gradients. Along an axis place o is at c = ratio (o +
 * 0.5), and element i counts f((i + 0.5 - c) / max(ratio, 1)) over the sum of these. All is computed in
 * FLOAT, as PyTorch does on the CPU, along the last axis first.
 */
#include "ops/window/upsample.h"

#include <math.h>
#include <string.h>

enum { ROWS = 1, COLUMNS = 2 }; /* axes; there is no other one */

struct stretch {
    int64_t first, count;
};

/* The elements of each place along an axis and, `most` apart, their weights. */
struct filter {
    struct stretch *stretch;
    float *weight;
    int64_t most;
};

static float widening(const struct upsample_axis *axis)
{
    return axis->ratio > 1 ? axis->ratio : 1;
}

static float support_of(const struct upsampled *plan, const struct upsample_axis *axis)
{
    return (plan->way == UPSAMPLE_SMOOTH_CUBIC ? 2.0f : 1.0f) * widening(axis);
}

static int64_t most_of(const struct upsampled *plan, const struct upsample_axis *axis)
{
    const int64_t most = 2 * (int64_t)ceilf(support_of(plan, axis)) + 1;
    return most < axis->in ? most : axis->in;
}

/* A triangle, or the cubic of Keys with the slope -0.5. */
static float filter_at(const struct upsampled *plan, float apart)
{
    const float x = fabsf(apart);
    if (plan->way == UPSAMPLE_SMOOTH_LINEAR)
        return x < 1 ? 1 - x : 0;
    return x < 1 ? (1.5f * x - 2.5f) * x * x + 1 : x < 2 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : 0;
}

static uint64_t filter_bytes(const struct upsampled *plan, const struct upsample_axis *axis)
{
    const uint64_t places = (uint64_t)axis->out;
    return places * sizeof(struct stretch) +
           whole_lines(places * (uint64_t)most_of(plan, axis) * sizeof(float));
}

static struct filter make_filter(const struct upsampled *plan, const struct upsample_axis *axis,
                                 unsigned char **room)
{
    struct filter filter = {.stretch = (struct stretch *)(void *)*room, .most = most_of(plan, axis)};
    filter.weight = (float *)(void *)(filter.stretch + axis->out);
    *room += filter_bytes(plan, axis);
    for (int64_t o = 0; o < axis->out; o++) {
        const float centre = axis->ratio * ((float)o + 0.5f), support = support_of(plan, axis);
        const float low = centre - support + 0.5f, high = centre + support + 0.5f;
        struct stretch *stretch = &filter.stretch[o];
        float *weight = filter.weight + o * filter.most, sum = 0;
        stretch->first = low > 0 ? (int64_t)low : 0;
        stretch->count = (high < (float)axis->in ? (int64_t)high : axis->in) - stretch->first;
        stretch->count = stretch->count < filter.most ? stretch->count : filter.most;
        for (int64_t i = 0; i < stretch->count; i++) {
            weight[i] = filter_at(plan, ((float)(i + stretch->first) - centre + 0.5f) / widening(axis));
            sum += weight[i];
        }
        for (int64_t i = 0; i < stretch->count && sum != 0; i++)
            weight[i] /= sum;
    }
    return filter;
}

/* A line of each row: to[o] = the sum of weights and elements of from. */
static void filter_columns(const struct filter *filter, int64_t places, const float *from, float *to)
{
    for (int64_t o = 0; o < places; o++) {
        const struct stretch *stretch = &filter->stretch[o];
        float sum = 0;
        for (int64_t i = 0; i < stretch->count; i++)
            sum += filter->weight[o * filter->most + i] * from[stretch->first + i];
        to[o] = sum;
    }
}

static void spread_columns(const struct filter *filter, int64_t places, const float *from, float *to)
{
    for (int64_t o = 0; o < places; o++)
        for (int64_t i = 0; i < filter->stretch[o].count; i++)
            to[filter->stretch[o].first + i] += filter->weight[o * filter->most + i] * from[o];
}

/* Sums whole rows of width elements by their weights, added to zeros. */
static void filter_rows(const struct filter *filter, int64_t places, int64_t width, bool spreads,
                        const float *from, float *to)
{
    for (int64_t o = 0; o < places; o++)
        for (int64_t i = 0; i < filter->stretch[o].count; i++) {
            const float weight = filter->weight[o * filter->most + i];
            const int64_t element = filter->stretch[o].first + i;
            const float *source = from + (spreads ? o : element) * width;
            float *target = to + (spreads ? element : o) * width;
            for (int64_t k = 0; k < width; k++)
                target[k] += weight * source[k];
        }
}

/* Room: both filters, rows that are as long as the result's, the result, and what is read as floats. */
static int64_t smooth_plane(const struct plane_walk *walk, const void *input, void *output,
                            unsigned char *room, bool spreads)
{
    const struct upsampled *plan = (const struct upsampled *)(const void *)walk->parameters;
    const struct upsample_axis *rows = &plan->axis[ROWS], *columns = &plan->axis[COLUMNS];
    const struct filter down = make_filter(plan, rows, &room), across = make_filter(plan, columns, &room);
    const int64_t in = rows->in * columns->in, out = rows->out * columns->out;
    float *between = (float *)(void *)room, *result = between + rows->in * columns->out;
    const float *from =
        plane_floats(walk, input, plan->dtype, result + (spreads ? in : out), (uint64_t)(spreads ? out : in));
    memset(between, 0, (size_t)(rows->in * columns->out + (spreads ? in : out)) * sizeof *between);
    if (spreads)
        filter_rows(&down, rows->out, columns->out, true, from, between);
    for (int64_t y = 0; y < rows->in; y++) {
        float *line = between + y * columns->out;
        if (spreads)
            spread_columns(&across, columns->out, line, result + y * columns->in);
        else
            filter_columns(&across, columns->out, from + y * columns->in, line);
    }
    if (!spreads)
        filter_rows(&down, rows->out, columns->out, false, between, result);
    for (int64_t i = 0; i < (spreads ? in : out); i++)
        result[i] = result[i] == result[i] ? result[i] : __builtin_nanf("");
    plane_convert(walk, result, ACL_FLOAT, output, plan->dtype, (uint64_t)(spreads ? in : out));
    return -1;
}

static int64_t filter_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                            void *room)
{
    return smooth_plane(walk, input[0], output[0], room, false);
}

static int64_t spread_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                            void *room)
{
    return smooth_plane(walk, input[0], output[0], room, true);
}

aclnnStatus upsample_smooth_plan(const struct call *call, const struct upsampled *plan, uint64_t planes)
{
    const bool is_gradient = ((const struct upsample *)call->function->of_family)->is_gradient;
    const struct upsample_axis *rows = &plan->axis[ROWS], *columns = &plan->axis[COLUMNS];
    const uint64_t in = (uint64_t)(rows->in * columns->in), out = (uint64_t)(rows->out * columns->out),
                   between = (uint64_t)(rows->in * columns->out);
    const struct plane_request request = {
        .function = is_gradient ? spread_plane : filter_plane,
        .planes = planes,
        .inputs = 1,
        .outputs = 1,
        .parameter = {0, call_output(call)},
        .room_bytes = (size_t)(filter_bytes(plan, rows) + filter_bytes(plan, columns)) +
                      (size_t)(between + in + out) * sizeof(float),
        .plane_ns = between * (uint64_t)most_of(plan, columns) + out * (uint64_t)most_of(plan, rows) / 4 + in,
        .parameters = plan,
        .parameter_bytes = sizeof *plan,
    };
    return plane_walk_plan(call, &request);
}
