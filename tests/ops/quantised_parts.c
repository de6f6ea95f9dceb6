/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of few bits of elements, groups, parts and gradients, and their way back, in any layout, against plain loops;
 * what is refused or fails; and that bits depend neither on the level nor on the number of threads. A number must be
 * the nearest of all codes.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/codes.h"

enum { INVALID = ACLNN_ERR_PARAM_INVALID, FAULT = 507035 };

static void back_again(void)
{
    struct named_call call = call_begin_named("aclnnAscendAntiQuant");
    const int64_t rows = 1 + random_below(5), width = 8 * (1 + random_below(100));
    static const aclDataType dtypes[] = {ACL_INT8, ACL_INT32, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2,
                                         ACL_HIFLOAT8};
    const aclDataType dtype = dtypes[random_below(5)], to = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    const bool is_squared = random_below(2) == 0, has_offset = random_below(2) == 0;
    const int along = (int)random_below(3); /* one, columns, rows */
    const struct layout *x = dtype == ACL_INT32 ? GIVE(&call, "x", dtype, rows, width / 8)
                                                : give_codes(&call, "x", dtype, 2, SHAPE(rows, width));
    for (int64_t i = 0; dtype == ACL_INT32 && i < x->count; i++)
        set_whole(x, i, (int32_t)random_bits());
    const int64_t count = along == 0 ? 1 : along == 1 ? width : rows;
    const struct layout *scale = along == 2 ? GIVE(&call, "scale", ACL_FLOAT, rows, 1)
                                            : GIVE(&call, "scale", ACL_FLOAT, count),
                        *offset = !has_offset  ? NULL
                                  : along == 2 ? GIVE(&call, "offset", ACL_FLOAT, rows, 1)
                                               : GIVE(&call, "offset", ACL_FLOAT, count);
    give_number(&call, "dstType", to);
    give_number(&call, "sqrtMode", is_squared);
    const struct layout *y = GIVE(&call, "y", to, rows, width);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < rows * width; i++) {
        const unsigned code =
            dtype == ACL_INT32 ? layout_element(x, i / 8)[i % 8 / 2] >> i % 2 * 4 & 15 : code_at(x, i, false);
        const int64_t k = along == 0 ? 0 : along == 1 ? i % width : i / width;
        const double s = element_of(scale, k),
                     value = code_value(dtype == ACL_INT32 ? ACL_INT4 : dtype, code);
        const double sum = (value + (offset != NULL ? element_of(offset, k) : 0)) * s * (is_squared ? s : 1);
        if (isnan(value))
            assert_true(isnan(element_of(y, i)));
        else if (isfinite(value))
            assert_near("y", y, i, (long double)sum, to, 0x1p-40L);
    }
    finish_named(&call);
}

static void blocks_back_again(void)
{
    struct named_call call = call_begin_named("aclnnAntiMxQuant");
    static const aclDataType dtypes[] = {ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_FLOAT4_E2M1,
                                         ACL_FLOAT4_E1M2};
    const aclDataType dtype = dtypes[random_below(4)], to = short_dtypes[random_below(3)];
    const int64_t shape[] = {1 + random_below(3), 1 + random_below(80), 2 * (1 + random_below(40))};
    const int axis = (int)random_below(3);
    const struct layout *x = give_codes(&call, "x", dtype, 3, shape);
    int64_t sizes[] = {shape[0], shape[1], shape[2], 2};
    sizes[axis] = (shape[axis] + 63) / 64;
    const struct layout *scale = give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 4, sizes);
    for (int64_t i = 0; i < scale->count; i++)
        *layout_element(scale, i) = (unsigned char)(i % 9 == 0 ? 255 : 120 + random_below(14));
    give_number(&call, "axis", axis - 3);
    give_number(&call, "dstType", to);
    const struct layout *y = GIVE(&call, "y", to, shape[0], shape[1], shape[2]);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < y->count; i++) {
        int64_t at[] = {i / shape[2] / shape[1], i / shape[2] % shape[1], i % shape[2]};
        const int64_t block = at[axis] / 32;
        at[axis] = block / 2;
        const unsigned power =
            code_at(scale, ((at[0] * sizes[1] + at[1]) * sizes[2] + at[2]) * 2 + block % 2, false);
        const double value =
            power == 255 ? (double)NAN
                         : ldexp(code_value(dtype, code_at(x, i, dtype_is_packed(dtype))), (int)power - 127);
        if (isfinite(value))
            assert_true(element_of(y, i) == rounded(value, to));
        else if (isnan(value) && dtype != ACL_FLOAT8_E5M2)
            assert_true(isnan(element_of(y, i)));
    }
    finish_named(&call);
}

static void as_if_quantised(void)
{
    const bool has_channels = random_below(2) == 0;
    struct named_call call = call_begin_named(has_channels ? "aclnnFakeQuantPerChannelAffineCachemask"
                                                           : "aclnnFakeQuantPerTensorAffineCachemask");
    const int64_t shape[] = {1 + random_below(4), 1 + random_below(30), 1 + random_below(40)};
    const int axis = (int)random_below(3);
    const bool is_enabled = has_channels || random_below(4) != 0;
    const aclDataType dtype = short_dtypes[random_below(3)];
    const struct layout *self = give_tensor(&call, "self", dtype, 3, shape),
                        *out = give_tensor(&call, "out", dtype, 3, shape),
                        *mask = give_tensor(&call, "mask", ACL_BOOL, 3, shape);
    const int64_t count = has_channels ? shape[axis] : 1;
    const struct layout *scale = GIVE(&call, "scale", ACL_FLOAT, count),
                        *zero = GIVE(&call, "zeroPoint", ACL_INT32, count);
    for (int64_t i = 0; i < count; i++) {
        set_element(scale, i, .25);
        set_whole(zero, i, random_below(5) - 2);
    }
    set_element(self, 0, (double)NAN);
    give_number(&call, "axis", axis);
    give_number(&call, "fakeQuantEnabled", is_enabled);
    give_number(&call, "quantMin", -4);
    give_number(&call, "quantMax", 3);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < self->count; i++) {
        const int64_t at[] = {i / shape[2] / shape[1], i / shape[2] % shape[1], i % shape[2]};
        const double z = (double)whole_of(zero, has_channels ? at[axis] : 0), v = element_of(self, i);
        const double q = nearbyint(v / .25) + z;
        assert_int_equal(*layout_element(mask, i), !is_enabled || (q >= -4 && q <= 3));
        if (isnan(v))
            assert_true(isnan(element_of(out, i)));
        else
            assert_true(element_of(out, i) == (is_enabled ? (fmax(-4, fmin(3, q)) - z) * .25 : v));
    }
    finish_named(&call);
}

static void greatest_sizes(void)
{
    const bool is_grouped = random_below(2) == 0;
    struct named_call call = call_begin_named(is_grouped ? "aclnnGroupedQuantMax" : "aclnnQuantMax");
    static const aclDataType dtypes[] = {ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_HIFLOAT8};
    const aclDataType dtype = dtypes[random_below(3)], of = short_dtypes[random_below(3)];
    const int64_t rows = 1 + random_below(9), width = 1 + random_below(300),
                  groups = is_grouped ? 1 + random_below(3) : 1;
    const struct layout *x = GIVE(&call, "x", of, rows, width),
                        *scale = GIVE(&call, "scale", ACL_FLOAT, groups),
                        *amax = GIVE(&call, "amax", of, groups),
                        *list = GIVE(&call, "groupList", ACL_INT64, groups);
    const struct layout *y = give_codes(&call, "y", dtype, 2, SHAPE(rows, width));
    int64_t end[3] = {rows};
    for (int64_t g = 0, before = 0; is_grouped && g < groups; before = end[g++])
        set_whole(list, g, end[g] = before + random_below(rows - before + 1));
    for (int64_t g = 0; g < groups; g++)
        set_element(scale, g, (double)(g + 1) * 50);
    give_number(&call, "dstType", dtype);
    assert_int_equal(run_named(&call), 0);
    for (int64_t g = 0, at = 0; g < groups; g++) {
        double greatest = 0;
        for (; at < end[g] * width; at++) {
            const double v = element_of(x, at), s = v * element_of(scale, g), most = code_most(dtype);
            greatest = fmax(greatest, fabs(v));
            assert_nearest("y", at, dtype, code_at(y, at, false), fmax(-most, fmin(most, s)));
        }
        assert_true(element_of(amax, g) == greatest);
    }
    finish_named(&call);
}

static void rows_of_groups(void)
{
    struct named_call call = call_begin_named("aclnnGroupQuant");
    const int64_t rows = 1 + random_below(9), width = 8 * (1 + random_below(40)),
                  groups = 1 + random_below(3);
    const aclDataType dtype = draw_number_dtype(false);
    const struct layout *x = GIVE(&call, "x", short_dtypes[random_below(3)], rows, width),
                        *scale = GIVE(&call, "scale", ACL_FLOAT, groups, width),
                        *index = GIVE(&call, "groupIndex", ACL_INT32, groups),
                        *offset = random_below(2) == 0 ? GIVE(&call, "offset", ACL_FLOAT, 1) : NULL;
    struct numbers y = give_numbers(&call, "y", is_float8(dtype) ? ACL_INT8 : dtype, 2, SHAPE(rows, width));
    int64_t end[3];
    for (int64_t g = 0, before = 0; g < groups; before = end[g++])
        set_whole(index, g, end[g] = before + random_below(rows - before + 1));
    for (int64_t i = 0; i < scale->count; i++)
        set_element(scale, i, element_of(scale, i) * 5);
    give_number(&call, "dstType", y.dtype);
    assert_int_equal(run_named(&call), 0);
    for (int64_t g = 0, row = 0; g < groups; g++)
        for (; row < end[g]; row++)
            for (int64_t i = 0; i < width; i++)
                assert_number("y", &y, row * width + i,
                              element_of(x, row * width + i) * element_of(scale, g * width + i) +
                                  (offset != NULL ? element_of(offset, 0) : 0),
                              0);
    end_numbers(&call, &y);
    finish_named(&call);
}

static void parts_replaced(void)
{
    const bool is_second = random_below(2) == 0, has_pairs = random_below(2) == 0,
               has_zero = random_below(2) == 0;
    struct named_call call =
        call_begin_named(is_second ? "aclnnInplaceQuantScatterV2" : "aclnnInplaceQuantScatter");
    static const aclDataType dtypes[] = {ACL_INT8, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_HIFLOAT8};
    const aclDataType dtype = dtypes[is_second ? random_below(4) : 0];
    const int64_t shape[] = {3, 2, 7, 5}, parts = has_pairs ? 5 : 2, length = 1 + random_below(3);
    const struct layout *self = give_codes(&call, "selfRef", dtype, 4, shape);
    const struct layout *updates = GIVE(&call, "updates", short_dtypes[random_below(3)], parts, 2, length, 5),
                        *scale = random_below(2) == 0 ? GIVE(&call, "quantScales", ACL_FLOAT, 5)
                                                      : GIVE(&call, "quantScales", ACL_FLOAT, 1),
                        *zero = has_zero ? GIVE(&call, "quantZeroPoints", ACL_INT32, 5) : NULL;
    const struct layout *indices =
        has_pairs ? GIVE(&call, "indices", ACL_INT64, parts, 2) : GIVE(&call, "indices", ACL_INT32, parts);
    unsigned char before[3 * 2 * 7 * 5];
    int64_t by[3 * 2 * 7 * 5], place[10];
    for (int64_t i = 0; i < 210; i++) {
        before[i] = *layout_element(self, i);
        by[i] = -1;
    }
    for (int64_t i = 0; i < scale->count; i++)
        set_element(scale, i, .02 + .01 * (double)random_below(9));
    for (int64_t i = 0; has_zero && i < 5; i++)
        set_whole(zero, i, random_below(9) - 4);
    for (int64_t i = 0; i < indices->count; i++)
        set_whole(indices, i,
                  place[i] = has_pairs && i % 2 == 0 ? random_below(3) : random_below(7 - length + 1));
    give_number(&call, "axis", -2);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < updates->count; i++) {
        const int64_t k = i / (2 * length * 5), head = i / (length * 5) % 2, row = i / 5 % length,
                      batch = has_pairs ? place[2 * k] : k;
        by[((batch * 2 + head) * 7 + (has_pairs ? place[2 * k + 1] : place[k]) + row) * 5 + i % 5] = i;
    }
    for (int64_t i = 0; i < 210; i++) {
        const unsigned code = code_at(self, i, false);
        if (by[i] < 0) {
            assert_int_equal(code, before[i]);
            continue;
        }
        const double most = code_most(dtype),
                     value = element_of(updates, by[i]) / element_of(scale, scale->count > 1 ? i % 5 : 0) +
                             (has_zero ? (double)whole_of(zero, i % 5) : 0);
        assert_nearest("selfRef", i, dtype, code, fmax(-most - (dtype == ACL_INT8), fmin(most, value)));
    }
    finish_named(&call);
}

static void gated_groups(void)
{
    struct named_call call = call_begin_named("aclnnSwigluGroupQuant");
    const int mode = (int)random_below(4);
    const int64_t rows = 1 + random_below(9), width = 2 * (1 + random_below(150));
    const aclDataType of = short_dtypes[random_below(3)], dtype = mode >= 2              ? ACL_HIFLOAT8
                                                                  : random_below(2) == 0 ? ACL_FLOAT8_E4M3FN
                                                                                         : ACL_FLOAT8_E5M2;
    const double limit = random_below(2) == 0 ? 1.25 : -1;
    int64_t end[3], groups;
    const struct layout *x = GIVE(&call, "x", of, rows, 2 * width),
                        *weight = random_below(2) == 0 ? GIVE(&call, "weight", ACL_FLOAT, rows) : NULL;
    (void)give_groups(&call, "groupIndex", rows, true, end, &groups);
    const int64_t sets = groups > 0 ? groups : 1;
    const struct layout *given = mode == 2 ? GIVE(&call, "scale", ACL_FLOAT, sets) : NULL,
                        *y = give_codes(&call, "y", dtype, 2, SHAPE(rows, width));
    const bool rounds = mode == 0 && random_below(2) == 0, has_origin = random_below(2) == 0;
    struct mx mx = {.dtype = dtype, .rule = 1, .y = "y", .scale = "yScale"};
    give_number(&call, "dstType", dtype);
    give_number(&call, "quantMode", mode);
    give_number(&call, "clampLimit", limit);
    give_number(&call, "roundScale", rounds);
    give_number(&call, "outputOrigin", has_origin);
    if (mode == 1)
        give_codes(&call, "yScale", ACL_FLOAT8_E8M0, 3, SHAPE(rows, (width + 63) / 64, 2));
    else if (mode == 0)
        GIVE(&call, "yScale", ACL_FLOAT, rows, (width + 127) / 128);
    else
        GIVE(&call, "yScale", ACL_FLOAT, mode == 3 ? sets : 0);
    GIVE(&call, "yOrigin", of, rows, width);
    assert_int_equal(run_named(&call), 0);
    const struct layout *scale = tensor_named(&call, "yScale");
    for (int64_t i = 0; i < rows * width; i++) {
        const int64_t left = i / width * 2 * width + i % width;
        double a = element_of(x, left), b = element_of(x, left + width);
        a = limit > 0 ? fmin(a, limit) : a;
        b = limit > 0 ? fmax(-limit, fmin(b, limit)) : b;
        wanted[i] = silu(a, 1) * b * (weight != NULL ? element_of(weight, i / width) : 1);
        if (has_origin && i / width < end[sets - 1])
            assert_near("yOrigin", tensor_named(&call, "yOrigin"), i, (long double)wanted[i], of, 0x1p-40L);
    }
    if (mode == 1)
        expect_along(&call, &mx, end[sets - 1], width);
    for (int64_t g = 0, at = 0; mode != 1 && g < sets; g++) {
        const double group = fmax(1e-8, greatest_of(wanted + at, end[g] * width - at, 1)) / 15;
        if (mode == 3)
            assert_true(fabs(element_of(scale, g) - group) <= group * 2e-7);
        for (; at < end[g] * width; at++) {
            const int64_t k = at % width / 128, first = at / width * width + k * 128, left = width - k * 128;
            double s = mode == 2 ? 1 / element_of(given, g) : mode == 3 ? element_of(scale, g) : 0;
            if (mode == 0) {
                const double size =
                    fmax(1e-4, greatest_of(wanted + first, left < 128 ? left : 128, 1)) / code_most(dtype);
                s = element_of(scale, at / width * ((width + 127) / 128) + k);
                int exponent;
                assert_true(rounds ? frexp(s, &exponent) == .5 && s >= size * (1 - 1e-6) &&
                                         s < 2 * size * (1 + 1e-6)
                                   : fabs(s - size) <= size * 2e-7);
            }
            const double most = code_most(dtype);
            assert_nearest("y", at, dtype, code_at(y, at, false), fmax(-most, fmin(most, wanted[at] / s)));
        }
    }
    finish_named(&call);
}

static void gradients_of_gated_groups(void)
{
    struct named_call call = call_begin_named("aclnnSwigluGroupQuantGrad");
    const int64_t rows = 1 + random_below(9), width = 1 + random_below(50);
    const aclDataType of = short_dtypes[random_below(3)];
    const double limit = random_below(2) == 0 ? .75 : 0;
    int64_t end[3], groups;
    const struct layout *grad = GIVE(&call, "gradY", of, rows, width),
                        *x = GIVE(&call, "x", of, rows, 2 * width),
                        *weight = random_below(2) == 0 ? GIVE(&call, "weight", ACL_FLOAT, rows) : NULL,
                        *origin = weight != NULL ? GIVE(&call, "yOrigin", of, rows, width) : NULL;
    (void)give_groups(&call, "groupIndex", rows, true, end, &groups);
    give_number(&call, "clampLimit", limit);
    const struct layout *dx = GIVE(&call, "gradX", of, rows, 2 * width),
                        *dw = GIVE(&call, "gradWeight", ACL_FLOAT, weight != NULL ? rows : 0);
    assert_int_equal(run_named(&call), 0);
    for (int64_t row = 0; row < rows; row++) {
        long double sum = 0;
        const bool is_in = row < end[groups > 0 ? groups - 1 : 0];
        for (int64_t i = 0; i < width; i++) {
            const int64_t at = row * 2 * width + i;
            const double left = element_of(x, at), right = element_of(x, at + width),
                         w = weight != NULL ? element_of(weight, row) : 1,
                         g = is_in ? element_of(grad, row * width + i) * w : 0,
                         a = limit > 0 ? fmin(left, limit) : left,
                         b = limit > 0 ? fmax(-limit, fmin(right, limit)) : right, s = 1 / (1 + exp(-a));
            sum += origin != NULL && is_in ? (long double)element_of(grad, row * width + i) *
                                                 (long double)element_of(origin, row * width + i)
                                           : 0;
            assert_near("gradX", dx, at,
                        limit > 0 && left >= limit ? 0 : (long double)(g * b * s * (1 + a * (1 - s))), of,
                        1e-13L);
            assert_near("gradX", dx, at + width,
                        limit > 0 && fabs(right) >= limit ? 0 : (long double)(g * a * s), of, 1e-13L);
        }
        if (weight != NULL)
            assert_near("gradWeight", dw, row, sum, ACL_FLOAT, 1e-12L);
    }
    finish_named(&call);
}

static void gradients_of_norms(void)
{
    struct named_call call = call_begin_named("aclnnRmsNormGradQuant");
    const int64_t rows = 1 + random_below(6), width = 1 + random_below(150);
    const aclDataType of = short_dtypes[random_below(3)],
                      dtype = random_below(2) == 0 ? ACL_INT8 : ACL_HIFLOAT8;
    const struct layout *dy = GIVE(&call, "dy", of, rows, width), *x = GIVE(&call, "x", of, rows, width),
                        *rstd = GIVE(&call, "rstd", ACL_FLOAT, rows),
                        *gamma = GIVE(&call, "gamma", of, width),
                        *scale = GIVE(&call, "scalesX", ACL_FLOAT, 1),
                        *offset = random_below(2) == 0 ? GIVE(&call, "offsetX", ACL_INT32, 1) : NULL,
                        *dx = give_codes(&call, "dx", dtype, 2, SHAPE(rows, width)),
                        *dgamma = GIVE(&call, "dgamma", ACL_FLOAT, width);
    const bool divides = random_below(2) == 0;
    set_element(scale, 0, divides ? .0625 : 16);
    if (offset != NULL)
        set_whole(offset, 0, 3);
    give_number(&call, "divMode", divides);
    assert_int_equal(run_named(&call), 0);
    for (int64_t row = 0; row < rows; row++) {
        double mean = 0;
        const double r = element_of(rstd, row), most = code_most(dtype);
        for (int64_t i = row * width; i < (row + 1) * width; i++)
            mean += element_of(dy, i) * element_of(gamma, i % width) * element_of(x, i) * r / (double)width;
        for (int64_t i = row * width; i < (row + 1) * width; i++) {
            const double v =
                16 * r * (element_of(dy, i) * element_of(gamma, i % width) - element_of(x, i) * r * mean) +
                (offset != NULL ? 3 : 0);
            assert_nearest("dx", i, dtype, code_at(dx, i, false),
                           fmax(-most - (dtype == ACL_INT8), fmin(most, v)));
        }
    }
    for (int64_t i = 0; i < width; i++) {
        long double sum = 0, sizes = 0;
        for (int64_t row = 0; row < rows; row++) {
            const long double term = (long double)element_of(dy, row * width + i) *
                                     (long double)element_of(x, row * width + i) *
                                     (long double)element_of(rstd, row);
            sum += term;
            sizes += fabsl(term);
        }
        assert_true(fabsl((long double)element_of(dgamma, i) - sum) <= sizes * 2e-7L + 1e-30L);
    }
    finish_named(&call);
}

static void (*const rounds[])(void) = {
    back_again,     blocks_back_again, as_if_quantised,           greatest_sizes,     rows_of_groups,
    parts_replaced, gated_groups,      gradients_of_gated_groups, gradients_of_norms, NULL};

static void numbers_are_those_of_loops(void **state)
{
    (void)state;
    try_rounds(rounds, 6);
}

static uint64_t everything(void)
{
    return hash_of_rounds(rounds);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnInplaceQuantScatter");
    GIVE(&call, "selfRef", ACL_INT8, 2, 3, 4);
    struct layout *indices = GIVE(&call, "indices", ACL_INT32, 2);
    set_numbers(indices, (const double[]){0, 3});
    GIVE(&call, "updates", ACL_FLOAT, 2, 1, 4);
    GIVE(&call, "quantScales", ACL_FLOAT, 4);
    assert_failure(run_named(&call), FAULT, "indices holds 3 for part 1; 0 to 2 are expected");
    REFUSED(call, "axis", 2, "axis is the last dim");
    give_number(&call, "axis", 1);
    REFUSED(call, "reduction", 2, "reduction is 2; 1 (update) is expected");
    give_number(&call, "reduction", 1);
    REFUSED(call, "quantAxis", 0, "quantAxis is 0");
    end_named(&call);

    call = call_begin_named("aclnnGroupedQuantMax");
    GIVE(&call, "x", ACL_FLOAT, 3, 4);
    GIVE(&call, "scale", ACL_FLOAT, 2);
    set_numbers(GIVE(&call, "groupList", ACL_INT64, 2), (const double[]){2, 1});
    GIVE(&call, "y", ACL_FLOAT8_E4M3FN, 3, 4);
    GIVE(&call, "amax", ACL_FLOAT, 2);
    assert_failure(run_named(&call), FAULT, "groupList holds 1 at [1]; numbers that do not fall, up to 3");
    call.argument[place_named(&call, "roundMode")].string = "floor";
    REFUSED(call, "dstType", ACL_HIFLOAT8,
            "roundMode is \"floor\"; \"round\" or \"hybrid\" is expected for HIFLOAT8");
    call.argument[place_named(&call, "roundMode")].string = "nearest";
    REFUSED(call, "dstType", ACL_HIFLOAT8,
            "roundMode is \"nearest\"; \"round\" or \"hybrid\" is expected for HIFLOAT8");
    end_named(&call);

    call = call_begin_named("aclnnFakeQuantPerTensorAffineCachemask");
    GIVE(&call, "self", ACL_FLOAT, 3);
    GIVE(&call, "scale", ACL_FLOAT, 1);
    GIVE(&call, "zeroPoint", ACL_INT32, 1);
    GIVE(&call, "out", ACL_FLOAT, 3);
    GIVE(&call, "mask", ACL_BOOL, 3);
    REFUSED(call, "quantMin", 128, "quantMin is 128 and quantMax 127");
    end_named(&call);

    call = call_begin_named("aclnnSwigluGroupQuant");
    GIVE(&call, "x", ACL_FLOAT, 3, 8);
    GIVE(&call, "y", ACL_FLOAT8_E4M3FN, 3, 4);
    GIVE(&call, "yScale", ACL_FLOAT, 3, 1);
    give_number(&call, "outputOrigin", 0);
    REFUSED(call, "quantMode", 4, "quantMode is 4; 0, 1, 2 or 3 is expected");
    REFUSED(call, "quantMode", 3, "dstType is FLOAT8_E4M3FN with quantMode 3; HIFLOAT8 is expected");
    end_named(&call);

    call = call_begin_named("aclnnAntiMxQuant");
    give_codes(&call, "x", ACL_FLOAT8_E4M3FN, 2, SHAPE(3, 40));
    give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 3, SHAPE(3, 2, 2));
    GIVE(&call, "y", ACL_FLOAT, 3, 40);
    assert_named_refused(&call, INVALID, "mxscale has shape [3, 2, 2]; [3, 1, 2] is expected");
    end_named(&call);

    call = call_begin_named("aclnnAscendAntiQuant");
    GIVE(&call, "x", ACL_INT8, 3, 4);
    GIVE(&call, "scale", ACL_FLOAT, 5);
    GIVE(&call, "y", ACL_FLOAT16, 3, 4);
    assert_named_refused(&call, INVALID, "scale has shape [5]; 1 element, or those of one dim of y, [3, 4]");
    REFUSED(call, "dstType", 0, "dstType is 0; 1 (FLOAT16) or 27 (BFLOAT16) is expected");
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_loops),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
