/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements at the places of a grid and their gradients, in any layout and dtype, against loops over all
 * elements; gradients of grids against differences; places that a matrix moves; and what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_device.h"

enum { AXES = 3, BILINEAR = 0, NEAREST = 1, BICUBIC = 2, ZEROS = 0, BORDER = 1 };

/* A picture has one plane. */
struct drawn {
    unsigned axes;
    int mode, padding;
    bool aligns_corners;
    aclDataType dtype;
    int64_t batch, channels, in[AXES], out[AXES];
};

static struct drawn draw(unsigned axes)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
    struct drawn drawn = {.axes = axes,
                          .mode = (int)random_below(axes == 2 ? 3 : 2),
                          .padding = (int)random_below(3),
                          .aligns_corners = random_below(2) == 0,
                          .dtype = dtypes[random_below(4)],
                          .batch = 1 + random_below(3),
                          .channels = 1 + random_below(3),
                          .in = {1, 1, 1},
                          .out = {1, 1, 1}};
    for (unsigned i = AXES - axes; i < AXES; i++) {
        drawn.in[i] = 1 + random_below(6);
        drawn.out[i] = 1 + random_below(5);
    }
    return drawn;
}

static double of_dtype(const struct drawn *drawn, double x)
{
    return drawn->dtype == ACL_DOUBLE ? x : (double)(float)x;
}

/* One reflection after the other, about places that are half way or on elements. */
static double inside(const struct drawn *drawn, double x, int64_t size)
{
    const double low = drawn->aligns_corners ? 0 : -0.5, high = (double)(size - 1) - low;
    if (drawn->padding == ZEROS)
        return x;
    for (int i = 0; i < 1000 && drawn->padding != BORDER && low < high && (x < low || x > high); i++)
        x = x < low ? 2 * low - x : 2 * high - x;
    return isnan(x) ? 0 : fmin(fmax(x, 0), (double)(size - 1));
}

static double place_in(const struct drawn *drawn, double x, int64_t size)
{
    const double n = (double)size;
    if (drawn->aligns_corners)
        return of_dtype(drawn, of_dtype(drawn, of_dtype(drawn, x + 1) / 2) * (n - 1));
    return of_dtype(drawn, of_dtype(drawn, of_dtype(drawn, x + 1) * n) - 1) / 2;
}

static double cubic(double apart)
{
    const double x = fabs(apart), slope = -0.75;
    return x < 1   ? (slope + 2) * x * x * x - (slope + 3) * x * x + 1
           : x < 2 ? slope * (x * x * x - 5 * x * x + 8 * x - 4)
                   : 0;
}

/* The share of each element of an axis in a place. */
static void find_shares(const struct drawn *drawn, double x, int64_t size, double *share)
{
    double place = place_in(drawn, x, size);
    memset(share, 0, (size_t)size * sizeof *share);
    if (!isfinite(place) && drawn->padding == ZEROS)
        return;
    place = isnan(place) || (isinf(place) && drawn->padding > BORDER) ? 0 : place;
    if (drawn->mode != BICUBIC || isinf(place))
        place = inside(drawn, place, size);
    for (int i = -1; i <= 2; i++) {
        const double tap = (drawn->mode == NEAREST ? nearbyint(place) : floor(place)) + i;
        const double part = drawn->mode == NEAREST    ? i == 0
                            : drawn->mode == BILINEAR ? fmax(0, 1 - fabs(place - tap))
                                                      : cubic(place - tap);
        const double element = drawn->mode == BICUBIC ? inside(drawn, tap, size) : tap;
        if (element >= 0 && element < (double)size)
            share[(int64_t)element] += part;
    }
}

/* Of all elements of a volume in a place. */
static void find_all_shares(const struct drawn *drawn, const double *grid, double *share)
{
    double along[AXES][8] = {{1}};
    for (unsigned i = 0; i < drawn->axes; i++)
        find_shares(drawn, grid[i], drawn->in[AXES - 1 - i], along[AXES - 1 - i]);
    for (int64_t a = 0; a < drawn->in[0]; a++)
        for (int64_t b = 0; b < drawn->in[1]; b++)
            for (int64_t c = 0; c < drawn->in[2]; c++)
                share[(a * drawn->in[1] + b) * drawn->in[2] + c] = along[0][a] * along[1][b] * along[2][c];
}

static struct layout volumes(const struct drawn *drawn, const int64_t *size, enum layout_kind kind)
{
    int64_t shape[2 + AXES] = {drawn->batch, drawn->channels};
    memcpy(shape + 2, size + AXES - drawn->axes, drawn->axes * sizeof *size);
    return layout_create(drawn->dtype, 2 + drawn->axes, shape, kind);
}

static struct layout places(const struct drawn *drawn, enum layout_kind kind)
{
    int64_t shape[2 + AXES] = {drawn->batch};
    memcpy(shape + 1, drawn->out + AXES - drawn->axes, drawn->axes * sizeof shape[0]);
    shape[1 + drawn->axes] = drawn->axes;
    return layout_create(drawn->dtype, 2 + drawn->axes, shape, kind);
}

static enum layout_kind any_kind(bool is_read)
{
    return (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED);
}

static void expect(const struct layout *layout, int64_t i, double exact, double slack, const char *what)
{
    const double found = element_of(layout, i);
    const double bound = 2 * unit_of(layout->dtype) * fabs(exact) + slack + least_of(layout->dtype);
    if (!(fabs(found - exact) <= bound))
        fail_msg("%s: element %lld is %.9g; %.9g is expected", what, (long long)i, found, exact);
}

/* After a reflection the nearest element of a place half way between two is a matter of rounding. */
static void leave_ties(const struct drawn *drawn, const struct layout *grid)
{
    for (int64_t i = 0; i < grid->count && drawn->mode == NEAREST && drawn->padding > BORDER; i++) {
        const int64_t size = drawn->in[AXES - 1 - i % drawn->axes];
        for (double place = 0.5; fabs(place - floor(place) - 0.5) < 0.01;) {
            set_element(grid, i, draw_number(2, false));
            place = place_in(drawn, element_of(grid, i), size);
        }
    }
}

static double slack_of(const struct drawn *drawn)
{
    return drawn->dtype == ACL_DOUBLE ? 1e-12 : 1e-5;
}

/* How the sum over channels changes with a number of the grid; NaN next to a place where it jumps. */
static double slope_at(const struct drawn *drawn, double *grid, unsigned axis, const double *sum)
{
    struct drawn fine = *drawn;
    const double step = 1e-5, own = grid[axis];
    const int64_t size = drawn->in[AXES - 1 - axis], in = drawn->in[0] * drawn->in[1] * drawn->in[2];
    double share[2][512], value = 0, part[2][8];
    fine.dtype = ACL_DOUBLE;
    if (drawn->mode == NEAREST)
        return 0;
    for (int side = 0; side < 2; side++) {
        grid[axis] = own + (side == 0 ? -100 : 100) * step;
        find_shares(&fine, grid[axis], size, part[side]);
        for (int64_t i = 0; i < size; i++)
            if ((part[side][i] != 0) != (part[0][i] != 0))
                value = (double)NAN;
        const double place = place_in(&fine, grid[axis], size);
        if (fabs(place - nearbyint(place)) < 0.01 || fabs(fabs(place - floor(place)) - 0.5) < 0.01)
            value = (double)NAN;
        grid[axis] = own + (side == 0 ? -step : step);
        find_all_shares(&fine, grid, share[side]);
    }
    grid[axis] = own;
    for (int64_t i = 0; i < in; i++)
        value += (share[1][i] - share[0][i]) / (2 * step) * sum[i];
    return value;
}

static void check(const struct drawn *drawn)
{
    const char *api = drawn->axes == 2 ? "aclnnGridSampler2D" : "aclnnGridSampler3D";
    const char *backward = drawn->axes == 2 ? "aclnnGridSampler2DBackward" : "aclnnGridSampler3DBackward";
    struct layout input = volumes(drawn, drawn->in, any_kind(true)), grid = places(drawn, any_kind(false)),
                  out = volumes(drawn, drawn->out, any_kind(false)),
                  gradient = volumes(drawn, drawn->out, any_kind(true)),
                  input_grad = volumes(drawn, drawn->in, any_kind(false)),
                  grid_grad = places(drawn, any_kind(false));
    layout_fill(&input, 2, false), layout_fill(&gradient, 2, false), layout_fill(&grid, 2, FEW_SPECIALS);
    leave_ties(drawn, &grid);
    union argument argument[] = {argument_of_pointer(input.tensor),       argument_of_pointer(grid.tensor),
                                 argument_of_integer(drawn->mode),        argument_of_integer(drawn->padding),
                                 argument_of_bool(drawn->aligns_corners), argument_of_pointer(out.tensor)};
    assert_int_equal(call_function(find(api), argument), 0);
    const bool wanted[] = {random_below(4) > 0, random_below(4) > 0};
    aclBoolArray *mask = aclCreateBoolArray(wanted, 2);
    union argument more[] = {argument_of_pointer(gradient.tensor),
                             argument[0],
                             argument[1],
                             argument[2],
                             argument[3],
                             argument[4],
                             argument_of_pointer(mask),
                             argument_of_pointer(wanted[0] ? input_grad.tensor : NULL),
                             argument_of_pointer(wanted[1] ? grid_grad.tensor : NULL)};
    assert_int_equal(call_function(find(backward), more), 0);
    assert_int_equal(aclDestroyBoolArray(mask), 0);
    const int64_t in = drawn->in[0] * drawn->in[1] * drawn->in[2],
                  count = drawn->out[0] * drawn->out[1] * drawn->out[2];
    for (int64_t n = 0; n < drawn->batch; n++) {
        double share[512], sums[3][512] = {{0}};
        for (int64_t k = 0; k < count; k++) {
            double place[AXES], of_places[512] = {0};
            for (unsigned i = 0; i < drawn->axes; i++)
                place[i] = element_of(&grid, (n * count + k) * drawn->axes + i);
            find_all_shares(drawn, place, share);
            for (int64_t c = 0; c < drawn->channels; c++) {
                const int64_t plane = n * drawn->channels + c;
                const double grad = element_of(&gradient, plane * count + k);
                double value = 0;
                for (int64_t i = 0; i < in; i++) {
                    value += share[i] * element_of(&input, plane * in + i);
                    of_places[i] += grad * element_of(&input, plane * in + i);
                    sums[c][i] += share[i] * grad;
                }
                expect(&out, plane * count + k, value, slack_of(drawn) * 8, api);
            }
            for (unsigned i = 0; i < drawn->axes && wanted[1]; i++) {
                const double slope = slope_at(drawn, place, i, of_places);
                if (!isnan(slope))
                    expect(&grid_grad, (n * count + k) * drawn->axes + i, slope, 2e-3, backward);
            }
        }
        for (int64_t c = 0; c < drawn->channels && wanted[0]; c++)
            for (int64_t i = 0; i < in; i++)
                expect(&input_grad, (n * drawn->channels + c) * in + i, sums[c][i],
                       slack_of(drawn) * 8 * (double)count, backward);
    }
    layout_destroy(&input), layout_destroy(&grid), layout_destroy(&out);
    layout_destroy(&gradient), layout_destroy(&input_grad), layout_destroy(&grid_grad);
}

static void places_are_as_loops_compute_them(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(200); i++) {
        const struct drawn drawn = draw(i % 3 == 0 ? 3 : 2);
        check(&drawn);
    }
}

static void sample(const struct layout *input, const struct layout *grid, int padding, bool aligns,
                   const struct layout *out)
{
    const union argument argument[] = {argument_of_pointer(input->tensor), argument_of_pointer(grid->tensor),
                                       argument_of_integer(BILINEAR),      argument_of_integer(padding),
                                       argument_of_bool(aligns),           argument_of_pointer(out->tensor)};
    assert_int_equal(call_function(find("aclnnGridSampler2D"), argument), 0);
}

/* Places that several lanes take at once, most of them inside the picture, in more than two blocks, and each of
 * them alone. */
static void places_side_by_side_have_the_bits_of_each_alone(void **state)
{
    enum { COUNT = 1100, CHANNELS = 2 };
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT, ACL_FLOAT, ACL_BF16, ACL_DOUBLE};
    (void)state;
    for (int round = 0; round < 20; round++) {
        const aclDataType dtype = dtypes[round / 4];
        const enum specials specials = round % 3 == 0 ? MANY_SPECIALS : NO_SPECIALS;
        const bool aligns = round % 2 == 0;
        const int padding = round / 2 % 2;
        struct layout input = layout_create(dtype, 4, DIMS(1, CHANNELS, 7, 9), any_kind(true)),
                      grid = layout_create(dtype, 4, DIMS(1, COUNT, 1, 2), any_kind(false)),
                      out = layout_create(dtype, 4, DIMS(1, CHANNELS, COUNT, 1), any_kind(false)),
                      one = layout_create(dtype, 4, DIMS(1, 1, 1, 2), LAYOUT_CONTIGUOUS),
                      own = layout_create(dtype, 4, DIMS(1, CHANNELS, 1, 1), LAYOUT_CONTIGUOUS);
        layout_fill(&input, 2, specials);
        for (int64_t i = 0; i < 2 * COUNT; i++)
            set_element(&grid, i, draw_number(random_below(16) == 0 ? 2 : 0.25, false));
        sample(&input, &grid, padding, aligns, &out);
        for (int64_t k = 0; k < COUNT; k++) {
            for (int64_t i = 0; i < 2; i++)
                set_element(&one, i, element_of(&grid, 2 * k + i));
            sample(&input, &one, padding, aligns, &own);
            for (int64_t c = 0; c < CHANNELS; c++) {
                const double alone = element_of(&own, c), together = element_of(&out, c * COUNT + k);
                if (memcmp(&alone, &together, sizeof alone) != 0)
                    fail_msg("place %lld is %.9g alone and %.9g beside others", (long long)k, alone,
                             together);
            }
        }
        layout_destroy(&input), layout_destroy(&grid), layout_destroy(&out);
        layout_destroy(&one), layout_destroy(&own);
    }
}

/* Of memory of which two pages are used. */
static void a_picture_may_have_more_elements_than_an_int_counts(void **state)
{
    enum { COUNT = 16 };
    const int64_t width = (INT64_C(1) << 31) + 64, shape[] = {1, 1, 1, width};
    const int64_t strides[] = {width, width, width, 1};
    void *picture;
    (void)state;
    if (aclrtMalloc(&picture, (size_t)width * sizeof(float), ACL_MEM_MALLOC_NORMAL_ONLY) != 0)
        skip();
    float *element = picture;
    element[0] = 3, element[1] = 0;
    const int64_t last = INT64_C(1) << 31; /* the place of 1 in FLOAT */
    element[last] = 5, element[last + 1] = 0;
    const struct layout input = {
        .tensor = aclCreateTensor(shape, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 4, picture)};
    struct layout grid = layout_create(ACL_FLOAT, 4, DIMS(1, COUNT, 1, 2), LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_FLOAT, 4, DIMS(1, 1, COUNT, 1), LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < 2 * COUNT; i++)
        set_element(&grid, i, i % 2 != 0 ? 0 : i % 4 == 0 ? -1 : 1);
    sample(&input, &grid, ZEROS, true, &out);
    for (int64_t i = 0; i < COUNT; i++)
        assert_true(element_of(&out, i) == (i % 2 == 0 ? 3 : 5));
    layout_destroy(&grid), layout_destroy(&out);
    aclDestroyTensor(input.tensor);
    aclrtFree(picture);
}

/* Of dtypes that are sampled as doubles: with room for 512 places of each channel it would be 256 MiB. */
static void many_channels_of_one_place_take_little_memory(void **state)
{
    enum { CHANNELS = 1 << 16, KIBIBYTES_MAX = 64 << 10 };
    struct layout input = layout_create(ACL_BF16, 4, DIMS(1, CHANNELS, 1, 1), LAYOUT_CONTIGUOUS),
                  grid = layout_create(ACL_BF16, 4, DIMS(1, 1, 1, 2), LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_BF16, 4, DIMS(1, CHANNELS, 1, 1), LAYOUT_CONTIGUOUS);
    struct rusage before, after;
    (void)state;
    for (int64_t i = 0; i < CHANNELS; i++)
        set_element(&input, i, (double)(i % 256));
    set_element(&grid, 0, 0), set_element(&grid, 1, 0);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    sample(&input, &grid, ZEROS, false, &out);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    for (int64_t i = 0; i < CHANNELS; i++)
        assert_true(element_of(&out, i) == (double)(i % 256));
    assert_true(after.ru_maxrss - before.ru_maxrss < KIBIBYTES_MAX);
    layout_destroy(&input), layout_destroy(&grid), layout_destroy(&out);
}

static void a_matrix_moves_the_places(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        const int64_t n = 1 + random_below(3), axes = 2 + round % 2;
        const bool aligns = random_below(2) == 0;
        int64_t size[5] = {n, random_below(3)}, shape[5] = {n}, places = 1;
        for (int64_t i = 0; i < axes; i++) {
            shape[1 + i] = size[2 + i] = 1 + random_below(5);
            places *= size[2 + i];
        }
        shape[1 + axes] = axes;
        const aclDataType dtype = short_dtypes[random_below(3)];
        struct layout theta = layout_create(dtype, 3, DIMS(n, axes, axes + 1), any_kind(true)),
                      out = layout_create(dtype, (unsigned)axes + 2, shape, any_kind(false));
        layout_fill(&theta, 2, false);
        aclIntArray *sizes = aclCreateIntArray(size, (uint64_t)axes + 2);
        const union argument argument[] = {argument_of_pointer(theta.tensor), argument_of_pointer(sizes),
                                           argument_of_bool(aligns), argument_of_pointer(out.tensor)};
        assert_int_equal(call_function(find("aclnnAffineGrid"), argument), 0);
        assert_int_equal(aclDestroyIntArray(sizes), 0);
        for (int64_t k = 0; k < n * places * axes; k++) {
            const int64_t row = k / (places * axes) * axes + k % axes;
            int64_t rest = k / axes % places;
            double sum = element_of(&theta, row * (axes + 1) + axes);
            for (int64_t i = 0; i < axes; rest /= size[1 + axes - i], i++) {
                const double parts = (double)size[1 + axes - i], part = (double)(rest % size[1 + axes - i]);
                const double at = !aligns     ? (part + 0.5) / parts * 2 - 1
                                  : parts > 1 ? part / (parts - 1) * 2 - 1
                                              : 0;
                sum += element_of(&theta, row * (axes + 1) + i) * at;
            }
            expect(&out, k, sum, 1e-6, "aclnnAffineGrid");
        }
        layout_destroy(&theta), layout_destroy(&out);
    }
}

static void sizes_and_matrices_fit(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnAffineGrid")); /* 2 x 2 x 3 */
    assert_accepted(&attempt);
    assert_int_equal(aclDestroyIntArray(attempt.argument[1].ints), 0);
    attempt.argument[1].ints = aclCreateIntArray(DIMS(2, 3, 0, 5), 4);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "number 2 of size is 0; 1 or more is expected");
    assert_int_equal(aclDestroyIntArray(attempt.argument[1].ints), 0);
    attempt.argument[1].ints = aclCreateIntArray(DIMS(2, 3, 1), 3);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "size has 3 numbers; 4 or 5 are expected");
    assert_int_equal(aclDestroyIntArray(attempt.argument[1].ints), 0);
    attempt.argument[1].ints = aclCreateIntArray(DIMS(2, 3, 4, 5, 6), 5);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "theta has shape [2, 2, 3]; [2, 3, 4]");
    release(&attempt);
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnGridSampler2D")); /* 2 x 3 x 4 x 5, 2 x 3 x 2 x 2 */
    assert_accepted(&attempt);
    attempt.argument[3].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "paddingMode is 3; 0 (zeros), 1 (border) or 2");
    attempt.argument[2].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "interpolationMode is 3; 0 (bilinear), 1 (nearest)");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 4, DIMS(2, 3, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the first size of grid is 2 and the last one 3");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "grid has 3 dims; 4 are expected");
    replace_dtype(&attempt, 1, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "grid has dtype FLOAT16");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 4, DIMS(2, 3, 2, 2), NULL));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 4, DIMS(2, 3, 0, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim 2 of input has size 0; 1 or more is expected");
    release(&attempt);

    attempt = accepted(find("aclnnGridSampler3D"));
    attempt.argument[2].int64 = BICUBIC;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "interpolationMode is 2; 0 (bilinear) or 1 (nearest)");
    release(&attempt);

    attempt = accepted(find("aclnnGridSampler2DBackward"));
    assert_accepted(&attempt);
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 4, DIMS(2, 3, 2, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradOutput has shape [2, 3, 2, 2]; [2, 3, 3, 2]");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_as_loops_compute_them),
        cmocka_unit_test(places_side_by_side_have_the_bits_of_each_alone),
        cmocka_unit_test(a_picture_may_have_more_elements_than_an_int_counts),
        cmocka_unit_test(many_channels_of_one_place_take_little_memory),
        cmocka_unit_test(a_matrix_moves_the_places),
        cmocka_unit_test(sizes_and_matrices_fit),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
