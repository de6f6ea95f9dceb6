/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of few bits by their codes, in tests: what each is worth, that none is nearer to a value, and MX blocks
 * of what is wanted. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_CODES_H
#define BELAY_TESTS_OPS_CODES_H

#include "ops/number_tensor.h"
#include "ops/rounds.h"

enum { WANTED_MOST = 1 << 16 };

static double wanted[WANTED_MOST]; /* of a call, by the numbers of elements */

static inline double code_value(aclDataType dtype, unsigned code)
{
    static const double e2m1[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
    if (dtype == ACL_FLOAT4_E2M1)
        return (code & 8) != 0 ? -e2m1[code & 7] : e2m1[code & 7];
    if (dtype == ACL_FLOAT4_E1M2)
        return ((code & 8) != 0 ? -.25 : .25) * (double)(code & 7);
    if (dtype == ACL_INT4)
        return (double)(code & 15) - ((code & 8) != 0 ? 16 : 0);
    if (dtype == ACL_INT8)
        return (double)(int8_t)code;
    if ((dtype == ACL_FLOAT8_E5M2 && (code & 127) == 124) || (dtype == ACL_HIFLOAT8 && (code & 127) == 111))
        return (code & 128) != 0 ? -(double)INFINITY : (double)INFINITY;
    return dtype == ACL_HIFLOAT8 ? hifloat8_value(code) : float8_value(code, dtype == ACL_FLOAT8_E5M2);
}

/* No code is nearer to the value, but by what two ways to it differ. */
static inline void assert_nearest(const char *what, int64_t i, aclDataType dtype, unsigned code, double value)
{
    const double found = code_value(dtype, code);
    double best = (double)INFINITY;
    if (isnan(value)) {
        assert_true(isnan(found) || found == 0);
        return;
    }
    for (unsigned k = 0; k < (dtype_is_packed(dtype) ? 16U : 256U); k++) {
        const double other = code_value(dtype, k);
        if (isfinite(other) && fabs(other - value) < best)
            best = fabs(other - value);
    }
    if (!(fabs(found - value) <= best + 2e-6 * (1 + fabs(value))))
        fail_msg("%s: number %d of dtype %d is %g, made of %.9g", what, (int)i, (int)dtype, found, value);
}

static inline double greatest_of(const double *value, int64_t count, int64_t step)
{
    double greatest = 0;
    for (int64_t i = 0; i < count; i++)
        greatest =
            isnan(value[i * step]) || isnan(greatest) ? (double)NAN : fmax(greatest, fabs(value[i * step]));
    return greatest;
}

static inline int emax_of(aclDataType dtype)
{
    return dtype == ACL_FLOAT8_E4M3FN ? 8 : dtype == ACL_FLOAT8_E5M2 ? 15 : dtype == ACL_FLOAT4_E2M1 ? 2 : 0;
}

static inline double code_most(aclDataType dtype)
{
    return dtype == ACL_FLOAT8_E4M3FN ? 448
           : dtype == ACL_FLOAT8_E5M2 ? 57344
           : dtype == ACL_FLOAT4_E2M1 ? 6
           : dtype == ACL_FLOAT4_E1M2 ? 1.75
           : dtype == ACL_HIFLOAT8    ? 32768
           : dtype == ACL_INT8        ? 127
                                      : 7;
}

/* The byte of the rules by powers of two. */
static inline int power_of(aclDataType dtype, int rule, double greatest, double most)
{
    int exponent;
    if (!isfinite(greatest))
        return 255;
    if (greatest == 0)
        return 0;
    if (rule == 0) {
        (void)frexp(greatest, &exponent);
        exponent += 126 - emax_of(dtype);
        return exponent < 0 ? 0 : exponent;
    }
    const double part = frexp(
        (double)((float)greatest / (float)(rule == 2 && most > 0 ? most : code_most(dtype))), &exponent);
    return exponent + 126 + (part > .5);
}

struct mx {
    aclDataType dtype;
    int rule;
    double most;
    const char *y, *scale;
};

/* A block of wanted numbers, some elements apart, and its codes and scale. */
static inline void expect_block(struct named_call *call, const struct mx *mx, int64_t first, int64_t count,
                                int64_t step, int64_t scale_at)
{
    const struct layout *y = tensor_named(call, mx->y), *scale = tensor_named(call, mx->scale);
    const double greatest = greatest_of(wanted + first, count, step);
    const int power = (int)code_at(scale, scale_at, false);
    bool fits = false;
    for (int i = -1; i <= 1; i++)
        fits = fits || power == power_of(mx->dtype, mx->rule, greatest * (1 + i * 1e-6), mx->most);
    if (!fits)
        fail_msg("%s: scale %d is %d of %.9g", call->function->operation.name, (int)scale_at, power,
                 greatest);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = first + i * step;
        const double value = wanted[at] * ldexp(1, 127 - power), most = code_most(mx->dtype);
        const unsigned code = code_at(y, at, dtype_is_packed(mx->dtype));
        if (power == 255)
            assert_int_equal(code, 0);
        else
            assert_nearest(call->function->operation.name, at, mx->dtype, code,
                           fmax(-most, fmin(most, value)));
    }
}

/* Along rows; a scale that is of no block is 0. */
static inline void expect_along(struct named_call *call, const struct mx *mx, int64_t rows, int64_t width)
{
    const int64_t pairs = (width + 63) / 64;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < 2 * pairs; k++) {
            const int64_t left = width - k * 32;
            if (left > 0)
                expect_block(call, mx, row * width + k * 32, left < 32 ? left : 32, 1, row * 2 * pairs + k);
            else
                assert_int_equal(code_at(tensor_named(call, mx->scale), row * 2 * pairs + k, false), 0);
        }
}

/* Down the columns of rows from one on, with the first row of scales. */
static inline void expect_across(struct named_call *call, const struct mx *mx, int64_t row, int64_t end,
                                 int64_t width, int64_t first)
{
    for (int64_t k = 0; row + 32 * k < end; k++)
        for (int64_t column = 0; column < width; column++) {
            const int64_t at = row + 32 * k, left = end - at;
            expect_block(call, mx, at * width + column, left < 32 ? left : 32, width,
                         ((first + k / 2) * width + column) * 2 + k % 2);
        }
}

static inline struct mx draw_mx(struct named_call *call, const char *y, const char *scale, bool has_most)
{
    static const aclDataType dtypes[] = {ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_FLOAT4_E2M1,
                                         ACL_FLOAT4_E1M2};
    struct mx mx = {.dtype = dtypes[random_below(4)], .y = y, .scale = scale};
    const bool is_float4 = dtype_is_packed(mx.dtype);
    if (random_below(2) == 0 && mx.dtype != ACL_FLOAT4_E1M2 && (has_most || !is_float4))
        mx.rule = is_float4 ? 2 : 1;
    mx.most = mx.rule == 2 && random_below(2) == 0 ? 6 + (double)random_below(7) : 0;
    give_number(call, "dstType", mx.dtype);
    give_number(call, "scaleAlg", mx.rule);
    give_number(call, "maxDtypeValue", mx.most);
    give_number(call, "dstTypeMax", mx.most);
    return mx;
}

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

static inline void give_mx(struct named_call *call, const struct mx *mx, int64_t rows, int64_t width,
                           int64_t scale_rows, bool is_across)
{
    give_codes(call, mx->y, mx->dtype, 2, SHAPE(rows, width));
    give_codes(call, mx->scale, ACL_FLOAT8_E8M0, 3,
               is_across ? SHAPE(scale_rows, width, 2) : SHAPE(rows, (width + 63) / 64, 2));
}

/* Groups of rows by their ends; returns how many scales there are down the rows. */
static inline int64_t give_groups(struct named_call *call, const char *name, int64_t rows, bool are_counts,
                                  int64_t *end, int64_t *groups)
{
    *groups = random_below(2) == 0 || place_named(call, name) < 0 ? 0 : 1 + random_below(3);
    const struct layout *index = *groups > 0 ? GIVE(call, name, ACL_INT64, *groups) : NULL;
    for (int64_t g = 0, before = 0; g < *groups; before = end[g++]) {
        end[g] = before + random_below(rows - before + 1);
        set_whole(index, g, are_counts ? end[g] - before : end[g]);
    }
    if (*groups == 0)
        end[0] = rows;
    return *groups > 0 ? rows / 64 + *groups : (rows + 63) / 64;
}

static inline void expect_groups(struct named_call *call, const struct mx *mx, const int64_t *end,
                                 int64_t groups, int64_t width)
{
    for (int64_t g = 0, begin = 0; g < (groups > 0 ? groups : 1); begin = end[g++])
        expect_across(call, mx, begin, end[g], width, groups > 0 ? begin / 64 + g : 0);
}

static inline double silu(double x, double alpha)
{
    return x / (1 + exp(-alpha * x));
}

static inline double rounded(double value, aclDataType dtype)
{
    unsigned char bits[8];
    conversion_reference(&value, ACL_DOUBLE, bits, dtype);
    conversion_reference(bits, dtype, &value, ACL_DOUBLE);
    return value;
}

#endif
