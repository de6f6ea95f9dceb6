/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What chooses or tells: SWhere and MaskedFill, which copy bits, Equal and IsClose, in layouts drawn at
 * random, against a loop over elements; and values at the edges of formulas. The build runs this program for
 * each level.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/attempt.h"
#include "ops/layout.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16,   ACL_BF16,      ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,     ACL_INT64,     ACL_UINT8,  ACL_UINT64,
                                     ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0], RANK = 3 };

static void compute(const char *name, const union argument *argument)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    const struct function *function = find(name);
    if (function_plan_anew(function, argument, &bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(function->launch(NULL, 0, executor, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static struct layout made(aclDataType dtype, const int64_t *shape, bool repeats)
{
    struct layout layout = layout_create(
        dtype, RANK, shape, (enum layout_kind)random_below(repeats ? LAYOUT_KINDS : LAYOUT_REPEATED));
    layout_fill(&layout, 6, FEW_SPECIALS);
    return layout;
}

static void copy_of(const struct layout *layout, unsigned char (*to)[16])
{
    for (int64_t i = 0; i < layout->count; i++)
        memcpy(to[i], layout_element(layout, i), layout->bytes);
}

static void try_choice(aclDataType dtype, const int64_t *shape)
{
    static unsigned char before[4096][16];
    struct layout mask = made(ACL_BOOL, shape, true), self = made(dtype, shape, true),
                  other = made(dtype, shape, true), out = made(dtype, shape, false);
    static const int64_t one[] = {1, 1, 1};
    struct layout value = made(dtype, one, true);
    const union argument choose[] = {
        {.tensor = mask.tensor}, {.tensor = self.tensor}, {.tensor = other.tensor}, {.tensor = out.tensor}};
    compute("aclnnSWhere", choose);
    for (int64_t i = 0; i < out.count; i++) {
        const struct layout *from = *layout_element(&mask, i) != 0 ? &self : &other;
        assert_memory_equal(layout_element(&out, i), layout_element(from, i), out.bytes);
    }
    copy_of(&out, before);
    const union argument fill[] = {{.tensor = out.tensor}, {.tensor = mask.tensor}, {.tensor = value.tensor}};
    compute("aclnnInplaceMaskedFillTensor", fill);
    for (int64_t i = 0; i < out.count; i++)
        assert_memory_equal(layout_element(&out, i),
                            *layout_element(&mask, i) != 0 ? layout_element(&value, 0) : before[i],
                            out.bytes);
    double number = 2.7;
    unsigned char element[16];
    aclScalar *scalar = aclCreateScalar(&number, ACL_DOUBLE);
    conversion_reference(&number, ACL_DOUBLE, element, dtype);
    const union argument fill_scalar[] = {
        {.tensor = self.tensor}, {.tensor = mask.tensor}, {.scalar = scalar}};
    if (self.reach + 1 - self.offset >= self.count) { /* nothing repeats */
        copy_of(&self, before);
        uint64_t bytes;
        aclOpExecutor *executor;
        const struct function *function = find("aclnnInplaceMaskedFillScalar");
        if (function_plan_anew(function, fill_scalar, &bytes, &executor) == 0) {
            assert_int_equal(function->launch(NULL, 0, executor, NULL), 0);
            assert_int_equal(aclrtSynchronizeStream(NULL), 0);
            for (int64_t i = 0; i < self.count; i++)
                assert_memory_equal(layout_element(&self, i),
                                    *layout_element(&mask, i) != 0 ? element : before[i], self.bytes);
        }
    }
    assert_int_equal(aclDestroyScalar(scalar), 0);
    layout_destroy(&mask);
    layout_destroy(&self);
    layout_destroy(&other);
    layout_destroy(&out);
    layout_destroy(&value);
}

static void choices_copy_bits(void **state)
{
    (void)state;
    for (int k = 0; k < DTYPES; k++)
        for (int call = 0; call < 30; call++) {
            const int64_t shape[] = {random_below(12), random_below(12), random_below(12)};
            try_choice(dtypes[k], shape);
        }
}

static bool is_close(double x, double y, double rtol, double atol, bool equal_nan)
{
    if (x == y || (equal_nan && isnan(x) && isnan(y)))
        return true;
    return isfinite(y) && fabsl((long double)x - y) <= (long double)(atol + rtol * fabs(y));
}

static void try_tests(aclDataType dtype, const int64_t *shape)
{
    struct layout x = made(dtype, shape, true), y = made(dtype, shape, false),
                  out = made(ACL_BOOL, shape, false);
    static const int64_t one[] = {1, 1, 1};
    struct layout verdict = layout_create(ACL_BOOL, (unsigned)random_below(2), one, LAYOUT_CONTIGUOUS);
    const double rtol = random_below(2) ? 0.3 : 1e-5, atol = random_below(2) ? 1 : 1e-8;
    const bool equal_nan = random_below(2) != 0;
    const union argument close[] = {{.tensor = x.tensor},        {.tensor = y.tensor},
                                    argument_of_fp64(rtol),      argument_of_fp64(atol),
                                    argument_of_bool(equal_nan), {.tensor = out.tensor}};
    const union argument equal[] = {{.tensor = x.tensor}, {.tensor = y.tensor}, {.tensor = verdict.tensor}};
    compute("aclnnIsClose", close);
    for (int64_t i = 0; i < out.count; i++) {
        double a, b;
        conversion_reference(layout_element(&x, i), dtype, &a, ACL_DOUBLE);
        conversion_reference(layout_element(&y, i), dtype, &b, ACL_DOUBLE);
        if (dtype != ACL_INT64) /* whose differences doubles do not have */
            assert_int_equal(*layout_element(&out, i), is_close(a, b, rtol, atol, equal_nan));
    }
    bool has_nan = false;
    for (int64_t i = 0; i < x.count; i++) {
        double a;
        conversion_reference(layout_element(&x, i), dtype, &a, ACL_DOUBLE);
        has_nan = has_nan || isnan(a);
        memcpy(layout_element(&y, i), layout_element(&x, i), x.bytes);
    }
    compute("aclnnEqual", equal);
    assert_int_equal(*layout_element(&verdict, 0), !has_nan);
    if (x.count > 0) {
        *layout_element(&y, random_below(x.count)) ^= 1;
        compute("aclnnEqual", equal);
        assert_int_equal(*layout_element(&verdict, 0), 0);
    }
    layout_destroy(&x);
    layout_destroy(&y);
    layout_destroy(&out);
    layout_destroy(&verdict);
}

static void equality_and_closeness_are_those_of_a_loop(void **state)
{
    (void)state;
    for (int k = 0; k < DTYPES; k++)
        for (int call = 0; call < 30 && !is_complex_dtype(dtypes[k]) && dtypes[k] != ACL_UINT64; call++) {
            const int64_t shape[] = {random_below(8), random_below(8), random_below(8)};
            try_tests(dtypes[k], shape);
        }
}

/* Edges in DOUBLE: x, y and what comes out, NaN being any. */
static void edges_are_those_of_c(void **state)
{
    static const struct {
        const char *name;
        double x, y, result;
    } edges[] = {
        {"aclnnPowTensorTensor", NAN, 0, 1},
        {"aclnnPowTensorTensor", 1, NAN, 1},
        {"aclnnPowTensorTensor", -0.0, -3, -INFINITY},
        {"aclnnPowTensorTensor", -0.0, -2, INFINITY},
        {"aclnnPowTensorTensor", -0.0, 0.5, 0},
        {"aclnnPowTensorTensor", -INFINITY, 0.5, INFINITY},
        {"aclnnPowTensorTensor", -INFINITY, 3, -INFINITY},
        {"aclnnPowTensorTensor", -INFINITY, -3, -0.0},
        {"aclnnPowTensorTensor", -1, INFINITY, 1},
        {"aclnnPowTensorTensor", 0.5, INFINITY, 0},
        {"aclnnPowTensorTensor", 0.5, -INFINITY, INFINITY},
        {"aclnnPowTensorTensor", -8, 1.0 / 3, NAN},
        {"aclnnPowTensorTensor", -2, 3, -8},
        {"aclnnPowTensorTensor", 2, -1074, 0x1p-1074},
        {"aclnnPowTensorTensor", 2, 1024, INFINITY},
        {"aclnnPowTensorTensor", 1e300, 1e300, INFINITY},
        {"aclnnPowTensorTensor", 1e-300, 1e300, 0},
        {"aclnnRemainderTensorTensor", -6, 3, -0.0},
        {"aclnnRemainderTensorTensor", 5, -INFINITY, -INFINITY},
        {"aclnnRemainderTensorTensor", 5, INFINITY, 5},
        {"aclnnRemainderTensorTensor", 5, 0, NAN},
        {"aclnnRemainderTensorTensor", -5, 3, 1},
        {"aclnnFmodTensor", -5, 3, -2},
        {"aclnnFmodTensor", 1e308, 3e-308, 0},
        {"aclnnFmodTensor", INFINITY, 3, NAN},
        {"aclnnFloorDivide", -5, 3, -2},
        {"aclnnFloorDivide", -5, INFINITY, -1},
        {"aclnnFloorDivide", 5, INFINITY, 0},
        {"aclnnFloorDivide", INFINITY, 2, NAN},
        {"aclnnFloorDivide", -5, 0, -INFINITY},
        {"aclnnFloorDivide", 0, 0, NAN},
        {"aclnnFloorDivide", -0.0, 3, -0.0},
        {"aclnnAtan2", 0, -0.0, 0x1.921fb54442d18p+1},
        {"aclnnAtan2", -0.0, 0, -0.0},
        {"aclnnAtan2", INFINITY, -INFINITY, 0x1.2d97c7f3321d2p+1},
        {"aclnnAtan2", 1, NAN, NAN},
        {"aclnnMaximum", 0, -0.0, 0},
        {"aclnnMaximum", -0.0, 0, -0.0},
        {"aclnnMinimum", 1, NAN, NAN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        static const int64_t one[] = {1, 1, 1};
        struct layout x = made(ACL_DOUBLE, one, false), y = made(ACL_DOUBLE, one, false),
                      out = made(ACL_DOUBLE, one, false);
        memcpy(layout_element(&x, 0), &edges[i].x, sizeof(double));
        memcpy(layout_element(&y, 0), &edges[i].y, sizeof(double));
        const union argument argument[] = {
            {.tensor = x.tensor}, {.tensor = y.tensor}, {.tensor = out.tensor}};
        compute(edges[i].name, argument);
        double found, expected = edges[i].result;
        memcpy(&found, layout_element(&out, 0), sizeof found);
        if (strcmp(edges[i].name, "aclnnFmodTensor") == 0 && isfinite(expected))
            expected = fmod(edges[i].x, edges[i].y);
        if (isnan(expected) ? !isnan(found) : memcmp(&found, &expected, sizeof found) != 0)
            fail_msg("%s of %g and %g gives %.17g and not %.17g", edges[i].name, edges[i].x, edges[i].y,
                     found, expected);
        layout_destroy(&x);
        layout_destroy(&y);
        layout_destroy(&out);
    }
}

static void decimals_are_rounded_in_the_dtype(void **state)
{
    static const struct {
        float x;
        int64_t decimals;
        float result;
    } cases[] = {
        {1.25f, 1, 1.2f},     {1.15f, 1, 1.2f}, {12345.678f, 1, 12345.7f}, {-0.04f, 1, -0.0f},
        {150, -2, 200},       {250, -2, 200},   {3e38f, 5, 3e38f},         {1.5f, 400, 1.5f},
        {-1.5f, -400, -0.0f}, {2.5f, 0, 2},     {INFINITY, 2, INFINITY},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const int64_t one[] = {1, 1, 1};
        struct layout x = made(ACL_FLOAT, one, false);
        memcpy(layout_element(&x, 0), &cases[i].x, sizeof(float));
        const union argument argument[] = {{.tensor = x.tensor}, argument_of_integer(cases[i].decimals)};
        compute("aclnnInplaceRoundDecimals", argument);
        assert_memory_equal(layout_element(&x, 0), &cases[i].result, sizeof(float));
        layout_destroy(&x);
    }
}

/* Sums of products, which doubles have exactly enough of, by channel. */
static void try_prelu(aclDataType dtype, bool is_one)
{
    const int64_t shape[] = {random_below(6), 1 + random_below(6), random_below(6)};
    const int64_t channels[] = {1, is_one ? 1 : shape[1], 1};
    struct layout x = made(dtype, shape, true), g = made(dtype, shape, true),
                  weight = made(dtype, channels, false), out = made(dtype, shape, false),
                  gradient = made(dtype, shape, false), sums = made(dtype, channels, false);
    const union argument forward[] = {
        {.tensor = x.tensor}, {.tensor = weight.tensor}, {.tensor = out.tensor}};
    const union argument backward[] = {{.tensor = g.tensor},
                                       {.tensor = x.tensor},
                                       {.tensor = weight.tensor},
                                       {.tensor = gradient.tensor},
                                       {.tensor = sums.tensor}};
    compute("aclnnPrelu", forward);
    compute("aclnnPreluBackward", backward);
    double sum[6] = {0};
    for (int64_t i = 0; i < x.count; i++) {
        const int64_t channel = is_one ? 0 : i / shape[2] % shape[1];
        double values[3], exact;
        const struct layout *from[] = {&x, &g, &weight};
        unsigned char expected[8];
        for (int k = 0; k < 3; k++)
            conversion_reference(layout_element(from[k], k == 2 ? channel : i), dtype, &values[k],
                                 ACL_DOUBLE);
        exact = values[0] > 0 ? values[0] : values[0] * values[2];
        conversion_reference(isnan(exact) ? &(double){(double)NAN} : &exact, ACL_DOUBLE, expected, dtype);
        assert_memory_equal(layout_element(&out, i), expected, out.bytes);
        exact = values[0] > 0 ? values[1] : values[1] * values[2];
        conversion_reference(isnan(exact) ? &(double){(double)NAN} : &exact, ACL_DOUBLE, expected, dtype);
        assert_memory_equal(layout_element(&gradient, i), expected, out.bytes);
        sum[channel] += values[0] > 0 ? 0 : values[0] * values[1];
    }
    for (int64_t i = 0; i < sums.count; i++) {
        unsigned char expected[8];
        conversion_reference(isnan(sum[i]) ? &(double){(double)NAN} : &sum[i], ACL_DOUBLE, expected, dtype);
        assert_memory_equal(layout_element(&sums, i), expected, sums.bytes);
    }
    layout_destroy(&x);
    layout_destroy(&g);
    layout_destroy(&weight);
    layout_destroy(&out);
    layout_destroy(&gradient);
    layout_destroy(&sums);
}

static void weights_belong_to_channels(void **state)
{
    (void)state;
    for (int call = 0; call < 120; call++)
        try_prelu(dtypes[call % 3], call % 2 != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_copy_bits),
        cmocka_unit_test(equality_and_closeness_are_those_of_a_loop),
        cmocka_unit_test(edges_are_those_of_c),
        cmocka_unit_test(decimals_are_rounded_in_the_dtype),
        cmocka_unit_test(weights_belong_to_channels),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
