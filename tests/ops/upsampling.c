/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Resampling by the nearest element and by means of neighbours, and their gradients, in any layout and dtype,
 * against loops over the elements; places that are known; and what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_device.h"

enum { AXES = 3, NEAR = 9, CORNERS = NEAR * NEAR * NEAR };
enum way { NEAREST, EXACT, LINEAR, CUBIC, SMOOTH_LINEAR, SMOOTH_CUBIC };

static const struct kind {
    const char *api;
    unsigned axes;
    enum way way;
} kinds[] = {
    {"aclnnUpsampleNearest1d", 1, NEAREST},
    {"aclnnUpsampleNearest1dV2", 1, NEAREST},
    {"aclnnUpsampleNearest1dBackward", 1, NEAREST},
    {"aclnnUpsampleNearest2d", 2, NEAREST},
    {"aclnnUpsampleNearest2dV2", 2, NEAREST},
    {"aclnnUpsampleNearest2dBackward", 2, NEAREST},
    {"aclnnUpsampleNearest3d", 3, NEAREST},
    {"aclnnUpsampleNearest3dBackward", 3, NEAREST},
    {"aclnnUpsampleNearestExact1d", 1, EXACT},
    {"aclnnUpsampleNearestExact1dBackward", 1, EXACT},
    {"aclnnUpsampleNearestExact2d", 2, EXACT},
    {"aclnnUpsampleNearestExact2dBackward", 2, EXACT},
    {"aclnnUpsampleNearestExact3d", 3, EXACT},
    {"aclnnUpsampleNearestExact3dBackward", 3, EXACT},
    {"aclnnUpsampleLinear1d", 1, LINEAR},
    {"aclnnUpsampleLinear1dBackward", 1, LINEAR},
    {"aclnnUpsampleBilinear2d", 2, LINEAR},
    {"aclnnUpsampleBilinear2dBackward", 2, LINEAR},
    {"aclnnUpsampleBilinear2dBackwardV2", 2, LINEAR},
    {"aclnnUpsampleBicubic2d", 2, CUBIC},
    {"aclnnUpsampleBicubic2dBackward", 2, CUBIC},
    {"aclnnUpsampleBilinear2dAA", 2, SMOOTH_LINEAR},
    {"aclnnUpsampleBilinear2dAABackward", 2, SMOOTH_LINEAR},
    {"aclnnUpsampleBicubic2dAA", 2, SMOOTH_CUBIC},
    {"aclnnUpsampleBicubic2dAAGrad", 2, SMOOTH_CUBIC},
    {"aclnnUpsampleTrilinear3d", 3, LINEAR},
    {"aclnnUpsampleTrilinear3dBackward", 3, LINEAR},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Leading axes that there are not have size 1. */
struct drawn {
    const struct kind *kind;
    bool is_gradient, has_scales, aligns_corners, is_wide; /* is_wide: places of DOUBLE */
    int64_t batch, channels, in[AXES], out[AXES];
    double scale[AXES];
};

static struct drawn draw(const struct kind *kind)
{
    static const double scales[] = {0, -1, 0.5, 2, 1.5, 2.3, 3, 0.7, (double)NAN, (double)INFINITY};
    struct drawn drawn = {.kind = kind,
                          .is_gradient =
                              strstr(kind->api, "Backward") != NULL || strstr(kind->api, "Grad") != NULL,
                          .aligns_corners = kind->way >= LINEAR && random_below(2) == 0,
                          .batch = 1 + random_below(2),
                          .channels = 1 + random_below(3)};
    const struct function *function = find(kind->api);
    for (unsigned i = 0; i < function->parameter_count; i++)
        drawn.has_scales = drawn.has_scales || function->parameter[i].kind == PARAMETER_DOUBLE ||
                           function->parameter[i].kind == PARAMETER_FLOAT;
    for (unsigned i = 0; i < AXES; i++) {
        const bool is_there = i >= AXES - kind->axes;
        drawn.in[i] = is_there ? 1 + random_below(9) : 1;
        drawn.out[i] = is_there ? 1 + random_below(13) : 1;
        drawn.scale[i] = is_there && drawn.has_scales ? scales[random_below(10)] : 0;
        if (drawn.scale[i] >= 0.5 && isfinite(drawn.scale[i]) && random_below(4) > 0)
            drawn.out[i] = (int64_t)floor((double)drawn.in[i] * drawn.scale[i]);
        drawn.out[i] = drawn.out[i] < 1 ? 1 : drawn.out[i];
    }
    return drawn;
}

/* Of an element that is so far from the place. */
static float cubic_share(float apart, double slope)
{
    const double x = fabs((double)apart);
    return (float)(x < 1   ? (slope + 2) * x * x * x - (slope + 3) * x * x + 1
                   : x < 2 ? slope * (x * x * x - 5 * x * x + 8 * x - 4)
                           : 0);
}

/* All elements of an axis, by a filter that is wider where there are fewer places. */
static void find_smooth_places(const struct drawn *drawn, unsigned axis, int64_t o, float ratio,
                               int64_t *place, double *share)
{
    float sum = 0;
    for (int64_t i = 0; i < drawn->in[axis]; i++) {
        const float apart = ((float)i + 0.5f - ratio * ((float)o + 0.5f)) / (ratio > 1 ? ratio : 1);
        place[i] = i;
        share[i] = (double)(drawn->kind->way == SMOOTH_CUBIC ? cubic_share(apart, -0.5)
                                                             : (float)fmax(0, 1 - fabs((double)apart)));
        sum += (float)share[i];
    }
    for (int64_t i = 0; i < drawn->in[axis]; i++)
        share[i] = (double)((float)share[i] / sum);
}

/* Two neighbours by distance, in DOUBLE. */
static void find_wide_places(const struct drawn *drawn, unsigned axis, int64_t o, int64_t *place,
                             double *share)
{
    const int64_t in = drawn->in[axis], out = drawn->out[axis];
    const double scale = drawn->scale[axis];
    const bool counts = isfinite(scale) && scale > 0 && floor((double)in * scale) == (double)out;
    const double of_sizes = counts ? 1 / scale : (double)in / (double)out,
                 of_corners = out > 1 ? (double)(in - 1) / (double)(out - 1) : 0,
                 at = fmax(0, drawn->aligns_corners ? of_corners * (double)o
                                                    : of_sizes * ((double)o + 0.5) - 0.5);
    place[0] = at < (double)(in - 1) ? (int64_t)at : in - 1;
    place[1] = place[0] < in - 1 ? place[0] + 1 : place[0];
    share[1] = at - (double)place[0];
    share[0] = 1 - share[1];
}

/* What place o along an axis is made of: shares of some elements, 0 for those that are not needed. */
static void find_places(const struct drawn *drawn, unsigned axis, int64_t o, int64_t *place, double *share)
{
    const int64_t in = drawn->in[axis], out = drawn->out[axis];
    const double scale = drawn->scale[axis];
    const bool counts = isfinite(scale) && scale > 0 && floor((double)in * scale) == (double)out;
    float ratio = counts ? (float)(1.0 / scale) : (float)in / (float)out, x;
    for (int i = 0; i < NEAR; i++) {
        share[i] = i == 0 ? 1 : 0;
        place[i] = 0;
    }
    if (drawn->kind->way == NEAREST) {
        const int64_t found = (int64_t)floorf((float)o * ratio);
        place[0] = out == in ? o : out == 2 * in ? o / 2 : found < in - 1 ? found : in - 1;
    } else if (drawn->kind->way == EXACT) {
        x = fmaf(ratio, (float)o + 0.5f, -0.5f);
        const int64_t found = (int64_t)floorf((x > 0 ? x : 0) + 0.5f);
        place[0] = found < in - 1 ? found : in - 1;
    } else {
        if (drawn->aligns_corners)
            ratio = out > 1 ? (float)(in - 1) / (float)(out - 1) : 0;
        if (drawn->is_wide) {
            find_wide_places(drawn, axis, o, place, share);
            return;
        }
        if (drawn->kind->way >= SMOOTH_LINEAR && axis > 0) {
            find_smooth_places(drawn, axis, o, ratio, place, share);
            return;
        }
        const float at = ratio * (drawn->aligns_corners ? (float)o : (float)o + 0.5f);
        x = drawn->aligns_corners ? at : at - 0.5f;
        for (int i = 0; i < 4 && drawn->kind->way == CUBIC; i++) {
            const float element = floorf(x) + (float)i - 1;
            share[i] = (double)cubic_share(x - element, -0.75);
            place[i] = element < 0 ? 0 : (int64_t)element < in - 1 ? (int64_t)element : in - 1;
        }
        if (drawn->kind->way == CUBIC)
            return;
        x = x > 0 ? x : 0;
        place[0] = (int64_t)x < in - 1 ? (int64_t)x : in - 1;
        share[1] = (double)(x - (float)place[0]);
        share[0] = (double)(1 - (float)share[1]);
    }
    place[1] = place[0] < in - 1 ? place[0] + 1 : place[0];
}

/* The elements of a plane that one of the result is made of, and their shares. */
static void find_corners(const struct drawn *drawn, int64_t number, int64_t *corner, double *share)
{
    int64_t place[AXES][NEAR];
    double part[AXES][NEAR];
    for (unsigned i = AXES; i-- > 0; number /= drawn->out[i])
        find_places(drawn, i, number % drawn->out[i], place[i], part[i]);
    for (int c = 0; c < CORNERS; c++) {
        const int a = c / (NEAR * NEAR), b = c / NEAR % NEAR, d = c % NEAR;
        corner[c] = (place[0][a] * drawn->in[1] + place[1][b]) * drawn->in[2] + place[2][d];
        share[c] = part[0][a] * part[1][b] * part[2][d];
    }
}

static struct layout planes(const struct drawn *drawn, aclDataType dtype, const int64_t *size,
                            enum layout_kind kind)
{
    int64_t shape[2 + AXES] = {drawn->batch, drawn->channels};
    memcpy(shape + 2, size + AXES - drawn->kind->axes, drawn->kind->axes * sizeof *size);
    return layout_create(dtype, 2 + drawn->kind->axes, shape, kind);
}

static void call_kind(const struct drawn *drawn, const struct layout *from, const struct layout *to)
{
    const struct function *function = find(drawn->kind->api);
    const unsigned first = AXES - drawn->kind->axes;
    const struct layout *in = drawn->is_gradient ? to : from;
    union argument argument[10];
    unsigned scale = first;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (parameter->kind == PARAMETER_TENSOR)
            argument[i] = argument_of_pointer(i == 0 ? from->tensor : to->tensor);
        else if (parameter->kind == PARAMETER_BOOL)
            argument[i] = argument_of_bool(drawn->aligns_corners);
        else if (parameter->kind == PARAMETER_FLOAT)
            argument[i] = argument_of_fp32((float)drawn->scale[scale++]);
        else if (parameter->kind == PARAMETER_DOUBLE)
            argument[i] = argument_of_fp64(drawn->scale[scale++]);
        else
            argument[i] =
                argument_of_pointer(i == 1 ? aclCreateIntArray(drawn->out + first, drawn->kind->axes)
                                           : aclCreateIntArray(in->shape, in->rank));
    }
    assert_int_equal(call_function(function, argument), 0);
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_INT_ARRAY)
            assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
}

/* Sums of few products in FLOAT or DOUBLE, rounded to the dtype. */
static void expect_near(const struct layout *to, int64_t i, double value, double size, const char *api)
{
    const double found = element_of(to, i);
    const bool is_wide = to->dtype == ACL_DOUBLE;
    const double unit = unit_of(to->dtype), sums = is_wide ? 0x1p-49 : 0x1p-20, least = is_wide ? 0 : 0x1p-24;
    if (!(fabs(found - value) <= unit * fabs(value) + sums * size + least))
        fail_msg("%s: element %lld is %.9g; %.9g is expected", api, (long long)i, found, value);
}

static void check_kind(const struct drawn *drawn, aclDataType dtype)
{
    struct layout from = planes(drawn, dtype, drawn->is_gradient ? drawn->out : drawn->in,
                                (enum layout_kind)random_below(LAYOUT_KINDS));
    struct layout to = planes(drawn, dtype, drawn->is_gradient ? drawn->in : drawn->out,
                              (enum layout_kind)random_below(LAYOUT_REPEATED));
    layout_fill(&from, 2, drawn->kind->way < LINEAR && !drawn->is_gradient);
    call_kind(drawn, &from, &to);
    const int64_t in = drawn->in[0] * drawn->in[1] * drawn->in[2],
                  out = drawn->out[0] * drawn->out[1] * drawn->out[2];
    const double cancelled = drawn->kind->way >= CUBIC ? 0.25 : 0; /* in FLOAT, of shares far from 1 */
    int64_t corner[CORNERS];
    double share[CORNERS], *sum = calloc((size_t)in, sizeof *sum), *size = calloc((size_t)in, sizeof *size);
    for (int64_t plane = 0; plane < drawn->batch * drawn->channels; plane++) {
        memset(sum, 0, (size_t)in * sizeof *sum);
        memset(size, 0, (size_t)in * sizeof *size);
        for (int64_t o = 0; o < out; o++) {
            double value = 0, total = 0;
            find_corners(drawn, o, corner, share);
            for (int c = 0; c < CORNERS; c++) {
                if (share[c] == 0 && c > NEAR * NEAR)
                    continue;
                const double element =
                    element_of(&from, drawn->is_gradient ? plane * out + o : plane * in + corner[c]);
                sum[corner[c]] += share[c] * element;
                size[corner[c]] += (fabs(share[c]) + cancelled) * fabs(element);
                value += share[c] * element;
                total += (fabs(share[c]) + cancelled) * fabs(element);
            }
            if (drawn->is_gradient)
                continue;
            if (drawn->kind->way >= LINEAR)
                expect_near(&to, plane * out + o, value, total, drawn->kind->api);
            else
                assert_memory_equal(layout_element(&to, plane * out + o),
                                    layout_element(&from, plane * in + corner[0]), to.bytes);
        }
        for (int64_t i = 0; i < in && drawn->is_gradient; i++)
            expect_near(&to, plane * in + i, sum[i], size[i], drawn->kind->api);
    }
    free(sum), free(size);
    layout_destroy(&from), layout_destroy(&to);
}

static void resampled_planes_are_as_loops_compute_them(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(20) * KINDS; i++) {
        static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_UINT8};
        struct drawn drawn = draw(&kinds[i % KINDS]);
        const enum way way = drawn.kind->way;
        const aclDataType dtype = dtypes[random_below(way > LINEAR                         ? 3
                                                      : way == LINEAR || drawn.is_gradient ? 4
                                                                                           : 5)];
        drawn.is_wide = dtype == ACL_DOUBLE;
        check_kind(&drawn, dtype);
    }
}

/* 5 elements and a scale of 2.3 give 11, and places are then told by 1 / 2.3; 2.5 would give 12 and is
 * ignored. */
static void a_scale_counts_where_it_gives_the_size(void **state)
{
    (void)state;
    struct drawn drawn = {.kind = &kinds[1],
                          .has_scales = true,
                          .batch = 1,
                          .channels = 1,
                          .in = {1, 1, 5},
                          .out = {1, 1, 11},
                          .scale = {0, 0, 2.3}};
    struct layout from = planes(&drawn, ACL_FLOAT, drawn.in, LAYOUT_CONTIGUOUS);
    struct layout to = planes(&drawn, ACL_FLOAT, drawn.out, LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < 5; i++)
        set_element(&from, i, (double)i);
    static const double by_scale[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4},
                        by_size[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
    call_kind(&drawn, &from, &to);
    for (int64_t i = 0; i < 11; i++)
        assert_true(element_of(&to, i) == by_scale[i]);
    drawn.scale[2] = 2.5; /* of 12 */
    call_kind(&drawn, &from, &to);
    for (int64_t i = 0; i < 11; i++)
        assert_true(element_of(&to, i) == by_size[i]);
    layout_destroy(&from), layout_destroy(&to);
}

static void set_numbers(struct attempt *attempt, unsigned parameter, const int64_t *numbers, uint64_t count)
{
    assert_int_equal(aclDestroyIntArray(attempt->argument[parameter].ints), 0);
    attempt->argument[parameter].ints = aclCreateIntArray(numbers, count);
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnUpsampleBilinear2d")); /* 2 x 3 x 4 x 5 to 6 x 3 */
    assert_accepted(&attempt);
    set_numbers(&attempt, 1, DIMS(6), 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "outputSize has 1 numbers; 2 are expected");
    set_numbers(&attempt, 1, DIMS(6, 0), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "dim 3 of the output has size 0; 1 or more is expected");
    set_numbers(&attempt, 1, DIMS(6, 4), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2, 3, 6, 3]; [2, 3, 6, 4]");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims; 4 are expected");
    replace_dtype(&attempt, 0, ACL_INT8);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype INT8");
    release(&attempt);

    attempt = accepted(find("aclnnUpsampleNearest2dBackward"));
    assert_accepted(&attempt);
    set_numbers(&attempt, 2, DIMS(3, 4, 5), 3);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "inputSize has 3 numbers; 4 are expected");
    set_numbers(&attempt, 2, DIMS(2, 3, 0, 5), 4);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim 2 of the input has size 0; 1 or more is expected");
    set_numbers(&attempt, 2, DIMS(2, 2, 4, 5), 4);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradOut has shape [2, 3, 6, 3]; [2, 2, 6, 3]");
    release(&attempt);

    attempt = accepted(find("aclnnUpsampleNearest2d"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 4, DIMS(2, 0, 4, 5), NULL));
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 4, DIMS(2, 0, 6, 3), NULL));
    assert_accepted(&attempt);
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resampled_planes_are_as_loops_compute_them),
        cmocka_unit_test(a_scale_counts_where_it_gives_the_size),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
