/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Places of a grid, the elements around each, and their means: see grid_sampler.c.
 */
#include "ops/window/grid_sampler.h"

#ifdef KERNEL_PASS

#include <math.h>
#include <string.h>

#include "simd/loops/row.h"

enum { TAPS = 4, CORNERS = TAPS * TAPS }; /* volumes have no cubics */

/* What a place is made of along an axis: elements, -1 for none, their weights, and how these change with the
 * number in the grid. */
struct taps {
    int64_t element[TAPS];
    double weight[TAPS], slope[TAPS];
    int count;
};

static double rounded(const struct sampled *plan, double x)
{
    return plan->dtype == ACL_DOUBLE ? x : (double)(float)x;
}

/* Back and forth between the ends, then between the first and the last element; *turn is multiplied by how
 * the result changes with x. */
static double padded(const struct sampled *plan, double x, int64_t size, double *turn)
{
    const double last = (double)(size - 1);
    if (plan->padding == ZEROS)
        return x;
    if (plan->padding == REFLECTION) {
        const double least = plan->aligns_corners ? 0 : -0.5, span = plan->aligns_corners ? last : last + 1;
        const double way = rounded(plan, x - least), apart = fabs(way), rest = fmod(apart, span);
        const bool is_odd = fmod(nearbyint((apart - rest) / span), 2) != 0;
        *turn *= (way < 0) != is_odd ? -1 : 1;
        x = span == 0 ? 0 : rounded(plan, (is_odd ? span - rest : rest) + least);
    }
    if (x > 0 && x < last)
        return x;
    *turn = 0;
    return x > 0 ? last : 0;
}

/* The cubic of Keys with the slope -0.75, up to 1 from the place and from there up to 2. */
static void set_cubic(double apart, double sign, double *weight, double *slope)
{
    const double x = apart;
    *weight = x <= 1 ? (1.25 * x - 2.25) * x * x + 1 : ((-0.75 * x + 3.75) * x - 6) * x + 3;
    *slope = sign * (x <= 1 ? (3.75 * x - 4.5) * x : (-2.25 * x + 7.5) * x - 6);
}

static inline __attribute__((always_inline)) void
find_taps(const struct sampled *plan, enum sampled_mode mode, double place, int64_t size, struct taps *taps)
{
    const double scale = (double)(plan->aligns_corners ? size - 1 : size) / 2;
    double x = rounded(plan, rounded(plan, place + 1) * scale), turn = scale, unused = 1;
    x = plan->aligns_corners ? x : rounded(plan, x - 0.5);
    if (!isfinite(x)) {
        x = plan->padding == ZEROS ? -8 : padded(plan, x, size, &unused);
        turn = 0;
    }
    if (mode != BICUBIC)
        x = padded(plan, x, size, &turn);
    const double below = mode == NEAREST ? nearbyint(x) : floor(x), t = x - below;
    taps->count = mode == NEAREST ? 1 : mode == BILINEAR ? 2 : TAPS;
    for (int i = 0; i < taps->count; i++) {
        const double at = mode != BICUBIC ? below + i : padded(plan, below + i - 1, size, &unused);
        taps->element[i] = at >= 0 && at < (double)size ? (int64_t)at : -1;
        if (mode == BICUBIC)
            set_cubic(i < 2 ? t + 1 - i : i - 1 - t, i < 2 ? 1 : -1, &taps->weight[i], &taps->slope[i]);
        else
            taps->weight[i] = mode == NEAREST ? 1 : i == 0 ? 1 - t : t;
        if (mode != BICUBIC)
            taps->slope[i] = mode == NEAREST ? 0 : i == 0 ? -1 : 1;
        taps->slope[i] *= turn;
    }
}

/* An element of the volume that a place is made of. */
struct corner {
    int64_t element;
    double weight;
};

/* Finds the corners of a place, in row-major order, and unless slope is NULL how their weights change along
 * each axis; the grid names the last axis first. */
static inline __attribute__((always_inline)) int find_corners(const struct sampled *plan,
                                                              enum sampled_mode mode, const double *grid,
                                                              struct corner *corner, double (*slope)[AXES])
{
    struct taps taps[AXES] = {{.weight = {1}, .count = 1}};
    int count = 0;
    for (uint32_t i = 0; i < plan->axes; i++)
        find_taps(plan, mode, grid[i], plan->size[AXES - 1 - i], &taps[AXES - 1 - i]);
    for (int a = 0; a < taps[0].count; a++)
        for (int b = 0; b < taps[1].count; b++) {
            const int64_t row = taps[0].element[a] * plan->size[1] + taps[1].element[b];
            const double weight = taps[0].weight[a] * taps[1].weight[b];
            if (taps[0].element[a] < 0 || taps[1].element[b] < 0)
                continue;
            for (int c = 0; c < taps[2].count; c++) {
                if (taps[2].element[c] < 0)
                    continue;
                if (slope != NULL) {
                    slope[count][0] = taps[0].slope[a] * taps[1].weight[b] * taps[2].weight[c];
                    slope[count][1] = taps[0].weight[a] * taps[1].slope[b] * taps[2].weight[c];
                    slope[count][2] = weight * taps[2].slope[c];
                }
                corner[count++] =
                    (struct corner){row * plan->size[2] + taps[2].element[c], weight * taps[2].weight[c]};
            }
        }
    return count;
}

/* Numbers of the grid and elements of the input where they lie, or as doubles. */
static inline __attribute__((always_inline)) double element_at(enum arithmetic dtype, const void *plane,
                                                               uint64_t i)
{
    return dtype == ARITHMETIC_FP32 ? (double)((const float *)plane)[i] : ((const double *)plane)[i];
}

static inline __attribute__((always_inline)) void put_result(enum arithmetic dtype, void *result, uint64_t i,
                                                             double sum)
{
    const double value = sum == sum ? sum : (double)NAN;
    if (dtype == ARITHMETIC_FP32)
        ((float *)result)[i] = (float)value;
    else
        ((double *)result)[i] = value;
}

/* A call of the kernel: places in a row, of all channels. */
struct sampling {
    const void *grid, *plane;
    void *result;
    uint64_t apart; /* from one channel's results to those of the next */
};

static inline __attribute__((always_inline)) void sample_place(const struct sampled *plan,
                                                               enum sampled_mode mode, enum arithmetic dtype,
                                                               const struct sampling *own, uint64_t place)
{
    const uint64_t elements = elements_of(plan);
    struct corner corner[CORNERS] __attribute__((uninitialized));
    double grid[AXES];
    for (uint32_t i = 0; i < plan->axes; i++)
        grid[i] = element_at(dtype, own->grid, place * plan->axes + i);
    const int count = find_corners(plan, mode, grid, corner, NULL);
    for (uint64_t c = 0; c < plan->channels; c++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum +=
                element_at(dtype, own->plane, c * elements + (uint64_t)corner[i].element) * corner[i].weight;
        put_result(dtype, own->result, c * own->apart + place, sum);
    }
}

/* Samples a place around which all four elements are in the picture: x and y are what find_taps begins
 * with. */
static inline __attribute__((always_inline)) void sample_inside(const struct sampled *plan,
                                                                enum arithmetic dtype, double x, double y,
                                                                const struct sampling *own, uint64_t place)
{
    const uint64_t elements = elements_of(plan), width = (uint64_t)plan->size[2];
    const uint64_t column = (uint64_t)x, row = (uint64_t)y;
    const double right = x - (double)column, left = 1 - right, lower = y - (double)row, upper = 1 - lower;
    uint64_t at = row * width + column;
    for (uint64_t c = 0; c < plan->channels; c++, at += elements) {
        double sum = 0 + element_at(dtype, own->plane, at) * (upper * left);
        sum += element_at(dtype, own->plane, at + 1) * (upper * right);
        sum += element_at(dtype, own->plane, at + width) * (lower * left);
        sum += element_at(dtype, own->plane, at + width + 1) * (lower * right);
        put_result(dtype, own->result, c * own->apart + place, sum);
    }
}

/* The elements around places that are all in the picture: the two of a row that a place is between are one
 * word. */
static inline __attribute__((always_inline)) void elements_inside(const float *plane, int64_t width, ints row,
                                                                  ints column, doubles *element)
{
    const ints at = row * (int32_t)width + column;
    ulongs word[2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
#pragma GCC unroll 8
        for (int k = 0; k < LANES; k++)
            memcpy((char *)&word[i] + (size_t)k * sizeof(uint64_t), plane + at[k] + i * width,
                   sizeof(uint64_t));
    for (int i = 0; i < 4; i++)
        element[i] = doubles_of((floats) __builtin_convertvector(word[i / 2] >> i % 2 * 32, uints));
}

/* The same where some may be outside, which count as 0. */
static inline __attribute__((always_inline)) void
elements_around(const struct sampled *plan, const float *plane, ints row, ints column, doubles *element)
{
    const int32_t height = (int32_t)plan->size[1], width = (int32_t)plan->size[2];
    for (int i = 0; i < 4; i++) {
        const ints r = row + i / 2, c = column + i % 2;
        const ints is_there = (r >= 0) & (r < height) & (c >= 0) & (c < width);
        const ints at = (r * width + c) & is_there;
        floats value;
        for (int k = 0; k < LANES; k++)
            value[k] = plane[at[k]];
        element[i] = doubles_of((floats)((ints)value & is_there));
    }
}

/* Samples as many places of floats as there are lanes, as sample_place does; to add 0 for an element outside
 * changes no sum, as none is -0. */
static inline __attribute__((always_inline)) void
sample_lanes(const struct sampled *plan, const double *place, const struct sampling *own, uint64_t first)
{
    const float *plane = own->plane;
    const double right_end = (double)(plan->size[2] - 1), lower_end = (double)(plan->size[1] - 1);
    const double least = plan->padding == ZEROS ? -2 : 0, behind = plan->padding == ZEROS ? 2 : 0;
    doubles x, y;
    for (int k = 0; k < LANES; k++) {
        x[k] = place[2 * k];
        y[k] = place[2 * k + 1];
    }
    const longs is_inside = (x >= 0) & (x < right_end) & (y >= 0) & (y < lower_end);
    int64_t are_inside = -1;
    for (int k = 0; k < LANES; k++)
        are_inside &= is_inside[k];
    if (are_inside == 0) { /* NaN is least, too */
        x = choose(x > least, x, broadcast(least));
        x = choose(x < right_end + behind, x, broadcast(right_end + behind));
        y = choose(y > least, y, broadcast(least));
        y = choose(y < lower_end + behind, y, broadcast(lower_end + behind));
    }
    ints column = __builtin_convertvector(x, ints), row = __builtin_convertvector(y, ints);
    if (are_inside == 0) { /* down, as the conversion goes towards 0 */
        column += __builtin_convertvector(x < __builtin_convertvector(column, doubles), ints);
        row += __builtin_convertvector(y < __builtin_convertvector(row, doubles), ints);
    }
    const doubles right = x - __builtin_convertvector(column, doubles), left = 1 - right;
    const doubles lower = y - __builtin_convertvector(row, doubles), upper = 1 - lower;
    for (uint64_t c = 0; c < plan->channels; c++, plane += elements_of(plan)) {
        doubles element[4];
        if (are_inside != 0)
            elements_inside(plane, plan->size[2], row, column, element);
        else
            elements_around(plan, plane, row, column, element);
        doubles sum = 0 + element[0] * (upper * left);
        sum += element[1] * (upper * right);
        sum += element[2] * (lower * left);
        sum += element[3] * (lower * right);
        row_store(ARITHMETIC_FP32, own->result, c * own->apart + first, sum, LANES, true);
    }
}

/* Asks for the elements around as many places: of those that are in the picture all four are. */
static inline __attribute__((always_inline)) void ask_for_lanes(const struct sampled *plan,
                                                                const double *place, const float *plane)
{
    doubles x, y;
    for (int k = 0; k < LANES; k++) {
        x[k] = place[2 * k];
        y[k] = place[2 * k + 1];
    }
    const longs is_inside =
        (x >= 0) & (x < (double)(plan->size[2] - 1)) & (y >= 0) & (y < (double)(plan->size[1] - 1));
    const ints row = __builtin_convertvector(choose(is_inside, y, broadcast(0)), ints);
    const ints at =
        row * (int32_t)plan->size[2] + __builtin_convertvector(choose(is_inside, x, broadcast(0)), ints);
#pragma GCC unroll 8
    for (int k = 0; k < LANES; k++) {
        __builtin_prefetch(plane + at[k]);
        __builtin_prefetch(plane + at[k] + plan->size[2]);
    }
}

/* Places of pictures of 32 or 16 bits, of so many numbers of the grid: where find_taps has x, in FLOAT. */
static inline __attribute__((always_inline)) void
find_places(const struct sampled *plan, enum arithmetic dtype, const void *grid, size_t count, double *place)
{
    doubles scale;
    for (int i = 0; i < LANES; i++)
        scale[i] = (double)(plan->size[AXES - 1 - i % 2] - plan->aligns_corners) / 2;
    for (size_t i = 0; i < count; i += LANES) {
        doubles x = doubles_of(floats_of(row_load(dtype, grid, i, count - i) + 1));
        x = doubles_of(floats_of(x * scale));
        if (!plan->aligns_corners)
            x = doubles_of(floats_of(x - 0.5));
        row_store(ARITHMETIC_FP64, place, i, x, count - i, false);
    }
}

/* Places that are found at a time, and how many of them ahead their elements are asked for. */
enum { BLOCK = 512, PLACES_AHEAD = 64 };

static inline __attribute__((always_inline)) void sample(const struct sampled *plan, enum sampled_mode mode,
                                                         enum arithmetic dtype, const struct sampling *own,
                                                         uint64_t count)
{
    const bool is_quick =
        mode == BILINEAR && plan->axes == 2 && plan->padding != REFLECTION && plan->dtype != ACL_DOUBLE;
    /* Lanes number elements in 32 bits, those outside as well: two rows further down at most, and two columns. */
    const bool has_lanes = is_quick && dtype == ARITHMETIC_FP32 &&
                           elements_of(plan) + 3 * ((uint64_t)plan->size[2] + 1) <= INT32_MAX;
    const double right = (double)(plan->size[2] - 1), bottom = (double)(plan->size[1] - 1);
    for (uint64_t k = 0; k < count; k += BLOCK) {
        const uint64_t some = count - k < BLOCK ? count - k : BLOCK;
        double place[2 * BLOCK] __attribute__((uninitialized));
        if (is_quick)
            find_places(plan, dtype, (const char *)own->grid + 2 * k * bytes_of(dtype), 2 * some, place);
        for (uint64_t i = 0; i < some; i++) {
            if (has_lanes && some - i >= LANES) {
                if (some - i >= PLACES_AHEAD + LANES)
                    ask_for_lanes(plan, place + 2 * (i + PLACES_AHEAD), own->plane);
                /* Of the next block, which may be none: so it is no pointer. */
                __builtin_prefetch(
                    (const void *)((uintptr_t)own->grid + 2 * (k + i + BLOCK) * sizeof(float)));
                sample_lanes(plan, place + 2 * i, own, k + i);
                i += LANES - 1;
                continue;
            }
            const double x = is_quick ? place[2 * i] : -1, y = is_quick ? place[2 * i + 1] : -1;
            if (mode == BILINEAR && x >= 0 && x < right && y >= 0 && y < bottom)
                sample_inside(plan, dtype, x, y, own, k + i);
            else
                sample_place(plan, mode, dtype, own, k + i);
        }
    }
}

grid_sample AT_LEVEL(grid_sample);
void AT_LEVEL(grid_sample)(const struct sampled *plan, const void *grid, uint64_t count, const void *input,
                           void *result, uint64_t apart)
{
    const struct sampling own = {grid, input, result, apart};
    if (plan->dtype == ACL_FLOAT && plan->mode == BILINEAR)
        sample(plan, BILINEAR, ARITHMETIC_FP32, &own, count);
    else if (plan->dtype == ACL_FLOAT && plan->mode == NEAREST)
        sample(plan, NEAREST, ARITHMETIC_FP32, &own, count);
    else if (plan->dtype == ACL_FLOAT)
        sample(plan, BICUBIC, ARITHMETIC_FP32, &own, count);
    else if (plan->mode == BILINEAR)
        sample(plan, BILINEAR, ARITHMETIC_FP64, &own, count);
    else if (plan->mode == NEAREST)
        sample(plan, NEAREST, ARITHMETIC_FP64, &own, count);
    else
        sample(plan, BICUBIC, ARITHMETIC_FP64, &own, count);
}

/* One place of the result: what it adds to the gradients of all channels and of its place. */
static void spread_place(const struct sampled *plan, const double *grid, const double *gradient,
                         const double *plane, double *input_grad, double *grid_grad)
{
    const uint64_t elements = elements_of(plan);
    struct corner corner[CORNERS] __attribute__((uninitialized));
    double slope[CORNERS][AXES] __attribute__((uninitialized));
    const int count = find_corners(plan, plan->mode, grid, corner, slope);
    for (uint64_t c = 0; c < plan->channels; c++, gradient += plan->places)
        for (int i = 0; i < count; i++) {
            const uint64_t element = c * elements + (uint64_t)corner[i].element;
            input_grad[element] += gradient[0] * corner[i].weight;
            for (uint32_t axis = AXES - plan->axes; axis < AXES; axis++)
                grid_grad[AXES - 1 - axis] += gradient[0] * plane[element] * slope[i][axis];
        }
}

grid_spread AT_LEVEL(grid_spread);
void AT_LEVEL(grid_spread)(const struct sampled *plan, const double *grid, const double *gradient,
                           const double *input, double *input_grad, double *grid_grad)
{
    for (uint64_t k = 0; k < plan->places; k++)
        spread_place(plan, grid + k * plan->axes, gradient + k, input, input_grad,
                     grid_grad + k * plan->axes);
}

#endif
