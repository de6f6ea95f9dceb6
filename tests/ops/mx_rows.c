/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows that are made of x and become numbers in MX blocks, in any layout, against plain loops: norms, gates and their
 * gradients, x in two levels of scales, x times matrices; worked examples; what is refused or fails; and that bits
 * depend neither on the level nor on the number of threads. A number must be the nearest of all codes.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/codes.h"

static double made[WANTED_MOST]; /* on the way to what is wanted */

enum { INVALID = ACLNN_ERR_PARAM_INVALID, FAULT = 507035 };

static void norms(void)
{
    const bool is_sum = random_below(2) == 0;
    struct named_call call =
        call_begin_named(is_sum ? "aclnnAddRmsNormDynamicMxQuant" : "aclnnRmsNormDynamicMxQuant");
    const aclDataType dtype = short_dtypes[random_below(3)];
    const int64_t rows = 1 + random_below(5), width = 2 * (1 + random_below(80));
    const struct layout *x = GIVE(&call, is_sum ? "x1" : "x", dtype, rows, width),
                        *x2 = GIVE(&call, "x2", dtype, rows, width),
                        *gamma = GIVE(&call, "gamma", dtype, width),
                        *beta = random_below(2) == 0 ? GIVE(&call, "beta", ACL_FLOAT, width) : NULL;
    const struct mx mx = draw_mx(&call, "y", "mxscale", false);
    const bool has_rstd = random_below(2) == 0;
    give_number(&call, "outputRstd", has_rstd);
    if (is_sum)
        GIVE(&call, "xOut", dtype, rows, width);
    give_mx(&call, &mx, rows, width, 0, false);
    if (has_rstd)
        GIVE(&call, "rstd", ACL_FLOAT, rows, 1);
    if (random_below(3) == 0)
        set_element(x, random_below(rows * width), (double)INFINITY);
    assert_int_equal(run_named(&call), 0);
    for (int64_t row = 0; row < rows; row++) {
        double squares = 0;
        bool is_number = true;
        for (int64_t i = row * width; i < (row + 1) * width; i++) {
            made[i] = element_of(x, i) + (x2 != NULL ? element_of(x2, i) : 0);
            squares += made[i] * made[i];
            is_number = is_number && isfinite(made[i]);
            if (is_sum)
                assert_near("x", tensor_named(&call, "xOut"), i, (long double)made[i], dtype, 0x1p-40L);
        }
        const double rstd = 1 / sqrt(squares / (double)width + 1e-6);
        if (has_rstd && is_number)
            assert_true(fabs(element_of(tensor_named(&call, "rstd"), row) - rstd) <= rstd * 1e-7);
        for (int64_t i = 0; i < width; i++)
            wanted[row * width + i] = is_number ? made[row * width + i] * rstd * element_of(gamma, i) +
                                                      (beta != NULL ? element_of(beta, i) : 0)
                                                : (double)NAN;
    }
    expect_along(&call, &mx, rows, width);
    finish_named(&call);
}

static void gates(void)
{
    struct named_call call = call_begin_named("aclnnSwigluMxQuant");
    const int64_t rows = 1 + random_below(140), width = 2 * (1 + random_below(20));
    const aclDataType dtype = short_dtypes[random_below(3)];
    const int mode = (int)random_below(2);
    const bool is_left = mode == 1 || random_below(2) == 0, is_across = random_below(2) == 0;
    int64_t end[3], groups;
    const struct layout *x = GIVE(&call, "x", dtype, rows, 2 * width);
    const struct mx mx = draw_mx(&call, "y", "mxscale", true);
    const bool are_counts = random_below(2) == 0;
    give_number(&call, "groupMode", !are_counts);
    const int64_t scales = give_groups(&call, "groupIndex", rows, are_counts, end, &groups);
    give_number(&call, "activateLeft", is_left);
    give_number(&call, "swigluMode", mode);
    give_number(&call, "axis", is_across ? -2 : -1);
    give_mx(&call, &mx, rows, width, scales, is_across);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < rows * width; i++) {
        const int64_t row = i / width * 2 * width, e = i % width;
        double a = element_of(x, row + (mode == 1 ? 2 * e
                                        : is_left ? e
                                                  : width + e)),
               b = element_of(x, row + (mode == 1 ? 2 * e + 1
                                        : is_left ? width + e
                                                  : e));
        if (mode == 1) {
            a = fmin(a, 7);
            b = fmax(-7, fmin(b, 7)) + 1;
        }
        wanted[i] = silu(a, mode == 1 ? 1.702 : 1) * b;
    }
    if (is_across)
        expect_groups(&call, &mx, end, groups, width);
    else
        expect_along(&call, &mx, groups > 0 ? end[groups - 1] : rows, width);
    finish_named(&call);
}

static void both_axes(void)
{
    const bool is_backward = random_below(2) == 0;
    struct named_call call = call_begin_named(is_backward ? "aclnnSwigluBackwardMxQuantWithDualAxis"
                                                          : "aclnnSwigluMxQuantWithDualAxis");
    const int64_t rows = 1 + random_below(140), half = 2 * (1 + random_below(10)),
                  width = is_backward ? 2 * half : half;
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool is_left = random_below(2) == 0;
    int64_t end[3], groups;
    const struct layout *x = GIVE(&call, "x", dtype, rows, 2 * half),
                        *gradient = GIVE(&call, "yGrad", dtype, rows, half);
    const struct mx along = draw_mx(&call, "y1", "mxscale1", true);
    struct mx across = along;
    across.y = "y2";
    across.scale = "mxscale2";
    const int64_t scales = give_groups(&call, "groupIndex", rows, false, end, &groups);
    give_number(&call, "activateLeft", is_left);
    give_mx(&call, &along, rows, width, scales, false);
    give_mx(&call, &across, rows, width, scales, true);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < rows * half; i++) {
        const int64_t row = i / half * 2 * half, left = row + i % half, right = left + half;
        const double a = element_of(x, is_left ? left : right), b = element_of(x, is_left ? right : left),
                     s = 1 / (1 + exp(-a));
        if (!is_backward)
            wanted[i] = a * s * b;
        else {
            const double g = element_of(gradient, i);
            wanted[is_left ? left : right] = g * b * s * (1 + a * (1 - s));
            wanted[is_left ? right : left] = g * a * s;
        }
    }
    expect_along(&call, &along, groups > 0 ? end[groups - 1] : rows, width);
    expect_groups(&call, &across, end, groups, width);
    finish_named(&call);
}

static void levels(void)
{
    struct named_call call = call_begin_named("aclnnDynamicDualLevelMxQuant");
    const int64_t rows = 1 + random_below(3), width = 2 * (1 + random_below(600)),
                  pieces = (width + 511) / 512;
    const aclDataType dtype = short_dtypes[random_below(3)];
    const struct mx mx = {.dtype = ACL_FLOAT4_E2M1, .y = "y", .scale = "level1Scale"};
    const struct layout *x = GIVE(&call, "x", dtype, rows, width),
                        *smooth = random_below(2) == 0 ? GIVE(&call, "smoothScale", dtype, width) : NULL;
    const struct layout *level = GIVE(&call, "level0Scale", ACL_FLOAT, rows, pieces);
    give_mx(&call, &mx, rows, width, 0, false);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < rows * width; i++)
        made[i] = element_of(x, i) * (smooth != NULL ? element_of(smooth, i % width) : 1);
    for (int64_t k = 0; k < rows * pieces; k++) {
        const int64_t first = k / pieces * width + k % pieces * 512, left = width - k % pieces * 512,
                      count = left < 512 ? left : 512;
        const float scale = (float)(greatest_of(made + first, count, 1) / 6);
        assert_true(element_of(level, k) == (double)scale);
        for (int64_t i = first; i < first + count; i++) {
            unsigned char bits[8];
            const double value = made[i] / (double)scale;
            conversion_reference(&value, ACL_DOUBLE, bits, dtype);
            conversion_reference(bits, dtype, &wanted[i], ACL_DOUBLE);
        }
    }
    expect_along(&call, &mx, rows, width);
    finish_named(&call);
}

/* Rows of numbers over a scale of each, in FLOAT. */
static void expect_rows(struct named_call *call, const struct numbers *y, const struct layout *scale,
                        int64_t rows, int64_t width, double part)
{
    for (int64_t row = 0; row < rows; row++) {
        const double s = greatest_of(wanted + row * width, width, 1) * part / most_of(y);
        assert_true(fabs(element_of(scale, row) - s) <= s * 2e-7);
        for (int64_t i = row * width; i < (row + 1) * width; i++)
            assert_number(call->function->operation.name, y, i,
                          s == 0 ? 0 : wanted[i] / element_of(scale, row), 0);
    }
}

static void rotated(void)
{
    struct named_call call = call_begin_named("aclnnRotateQuant");
    const int64_t size = 8 * (1 + random_below(5)), parts = 1 + random_below(4), width = size * parts,
                  rows = 1 + random_below(4);
    const bool has_each = random_below(2) == 0, is_mx = random_below(2) == 0,
               is_clipped = random_below(2) == 0;
    const aclDataType dtype = short_dtypes[random_below(3)];
    const struct layout *x = GIVE(&call, "x", dtype, rows, width);
    const struct layout *matrix = has_each ? GIVE(&call, "rotation", dtype, parts, size, size)
                                           : GIVE(&call, "rotation", dtype, size, size);
    if (is_clipped)
        set_element(GIVE(&call, "alpha", ACL_FLOAT, 1), 0, .75);
    const struct mx mx = draw_mx(&call, "y", "scale", true);
    struct numbers y = {.dtype = ACL_INT8};
    if (is_mx)
        give_mx(&call, &mx, rows, width, 0, false);
    else {
        give_number(&call, "scaleAlg", 0);
        y = give_numbers(&call, "y", random_below(2) == 0 ? ACL_INT8 : ACL_INT32, 2, SHAPE(rows, width));
        GIVE(&call, "scale", ACL_FLOAT, rows);
    }
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < rows * width; i++) {
        const int64_t part = i % width / size;
        wanted[i] = 0;
        for (int64_t k = 0; k < size; k++)
            wanted[i] += element_of(x, i / width * width + part * size + k) *
                         element_of(matrix, ((has_each ? part : 0) * size + k) * size + i % size);
    }
    for (int64_t first = 0; is_clipped && first < rows * width; first += 0) {
        const int64_t left = width - first % width, count = left < 32 ? left : 32;
        const double limit = .75 * greatest_of(wanted + first, count, 1);
        for (int64_t end = first + count; first < end; first++)
            wanted[first] = fmax(-limit, fmin(limit, wanted[first]));
    }
    if (is_mx)
        expect_along(&call, &mx, rows, width);
    else
        expect_rows(&call, &y, tensor_named(&call, "scale"), rows, width, 1);
    end_numbers(&call, &y);
    finish_named(&call);
}

static void between_matrices(void)
{
    const bool is_second = random_below(2) == 0, is_mx = is_second && random_below(2) == 0;
    struct named_call call = call_begin_named(is_second ? "aclnnFlatQuantV2" : "aclnnFlatQuant");
    const int64_t count = 1 + random_below(3), m = 1 + random_below(6), n = 8 * (1 + random_below(3));
    const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    const bool has_right = random_below(4) != 0;
    const struct layout *x = GIVE(&call, "x", dtype, count, m, n),
                        *left = GIVE(&call, "kroneckerP1", dtype, m, m);
    const struct layout *right = GIVE(&call, "kroneckerP2", dtype, has_right ? n : 0, has_right ? n : 0);
    struct mx mx = {.dtype = ACL_FLOAT4_E2M1, .y = "out", .scale = "quantScale"};
    struct numbers y = {.dtype = ACL_INT8};
    give_number(&call, "clipRatio", .75);
    for (int64_t i = 0; i < x->count; i++) /* whole numbers, whose sums are exact */
        set_element(x, i, (double)random_below(9) - 4);
    for (int64_t i = 0; i < left->count; i++)
        set_element(left, i, (double)random_below(5) - 2);
    for (int64_t i = 0; i < right->count; i++)
        set_element(right, i, (double)random_below(5) - 2);
    if (is_mx) {
        mx.most = random_below(2) == 0 ? 7 : 0;
        mx.rule = mx.most > 0 ? 2 : 0;
        give_number(&call, "dstTypeMax", mx.most);
        give_codes(&call, "out", mx.dtype, 2, SHAPE(count, m * n));
        give_codes(&call, "quantScale", ACL_FLOAT8_E8M0, 3, SHAPE(count, (m * n + 63) / 64, 2));
    } else {
        y = give_numbers(&call, "out", random_below(2) == 0 ? ACL_INT4 : ACL_INT32, 3, SHAPE(count, m, n));
        GIVE(&call, "quantScale", ACL_FLOAT, count);
    }
    assert_int_equal(run_named(&call), 0);
    for (int64_t k = 0; k < count * m * n; k++) {
        made[k] = has_right ? 0 : element_of(x, k);
        for (int64_t i = 0; has_right && i < n; i++)
            made[k] += element_of(x, k / n * n + i) * element_of(right, i * n + k % n);
        made[k] = rounded(made[k], dtype);
    }
    for (int64_t k = 0; k < count * m * n; k++) {
        wanted[k] = 0;
        for (int64_t i = 0; i < m; i++)
            wanted[k] += element_of(left, k / n % m * m + i) * made[(k / n / m * m + i) * n + k % n];
        wanted[k] = rounded(wanted[k], dtype);
    }
    if (is_mx)
        expect_along(&call, &mx, count, m * n);
    else
        expect_rows(&call, &y, tensor_named(&call, "quantScale"), count, m * n, .75);
    end_numbers(&call, &y);
    finish_named(&call);
}

static void (*const rounds[])(void) = {norms, gates, both_axes, levels, rotated, between_matrices, NULL};

static void numbers_are_those_of_loops(void **state)
{
    (void)state;
    try_rounds(rounds, 6);
}

static uint64_t everything(void)
{
    return hash_of_rounds(rounds);
}

static void worked_examples(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnDynamicDualLevelMxQuant");
    struct layout *x = GIVE(&call, "x", ACL_BF16, 1, 512);
    for (int i = 0; i < 512; i++)
        set_element(x, i, 8);
    const struct layout *level = GIVE(&call, "level0Scale", ACL_FLOAT, 1, 1);
    const struct mx mx = {.dtype = ACL_FLOAT4_E2M1, .y = "y", .scale = "level1Scale"};
    give_mx(&call, &mx, 1, 512, 0, false);
    assert_int_equal(run_named(&call), 0);
    assert_true(element_of(level, 0) == (double)(float)(8. / 6));
    for (int i = 0; i < 512; i++) {
        assert_int_equal(code_at(tensor_named(&call, "y"), i, true), 7);
        assert_int_equal(code_at(tensor_named(&call, "level1Scale"), i / 32, false), 127);
    }
    end_named(&call);

    call = call_begin_named("aclnnSwigluMxQuant"); /* of ones: 0.731 */
    x = GIVE(&call, "x", ACL_FLOAT16, 1, 64);
    for (int i = 0; i < 64; i++)
        set_element(x, i, 1);
    give_number(&call, "dstType", ACL_FLOAT4_E2M1);
    const struct mx of_ones = {.dtype = ACL_FLOAT4_E2M1, .y = "y", .scale = "mxscale"};
    give_mx(&call, &of_ones, 1, 32, 0, false);
    assert_int_equal(run_named(&call), 0);
    assert_int_equal(code_at(tensor_named(&call, "mxscale"), 0, false), 124);
    assert_int_equal(code_at(tensor_named(&call, "mxscale"), 1, false), 0);
    assert_int_equal(code_at(tensor_named(&call, "y"), 0, true), 7);
    end_named(&call);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnSwigluMxQuant");
    GIVE(&call, "x", ACL_FLOAT16, 3, 64);
    const struct mx mx = {.dtype = ACL_FLOAT8_E4M3FN, .y = "y", .scale = "mxscale"};
    give_mx(&call, &mx, 3, 32, 0, false);
    REFUSED(call, "dstType", 2, "dstType is 2 on Ascend950PR");
    REFUSED(call, "dstType", 36 + 4, "yOut has dtype FLOAT8_E4M3FN");
    give_number(&call, "dstType", 36);
    REFUSED(call, "swigluMode", 2, "swigluMode is 2; 0 or 1 is expected");
    give_number(&call, "swigluMode", 0);
    REFUSED(call, "scaleAlg", 2, "scaleAlg is 2; 0 or 1 is expected for FLOAT8_E4M3FN");
    give_number(&call, "scaleAlg", 0);
    REFUSED(call, "maxDtypeValue", 7, "maxDtypeValue is 7; 0 is expected");
    give_number(&call, "maxDtypeValue", 0);
    REFUSED(call, "axis", 2, "axis is 2");
    give_number(&call, "axis", -1);
    REFUSED(call, "groupMode", 2, "groupMode is 2; 0, counts of rows, or 1");
    give_number(&call, "groupMode", 0);
    set_numbers(GIVE(&call, "groupIndex", ACL_INT64, 2), (const double[]){2, 2});
    assert_failure(run_named(&call), FAULT, "groupIndex holds 2 at [1]; counts that are not negative");
    end_named(&call);

    call = call_begin_named("aclnnRotateQuant");
    GIVE(&call, "x", ACL_FLOAT, 3, 16);
    GIVE(&call, "rotation", ACL_FLOAT, 8, 8);
    GIVE(&call, "y", ACL_INT8, 3, 16);
    GIVE(&call, "scale", ACL_FLOAT, 3);
    REFUSED(call, "trans", 1, "trans is true; false is expected");
    give_number(&call, "trans", 0);
    REFUSED(call, "axis", 0, "axis is 0; -1, the last dim, is expected");
    end_named(&call);

    call = call_begin_named("aclnnFlatQuant");
    GIVE(&call, "x", ACL_FLOAT16, 2, 3, 8);
    GIVE(&call, "kroneckerP1", ACL_FLOAT16, 3, 3);
    GIVE(&call, "kroneckerP2", ACL_FLOAT16, 8, 8);
    GIVE(&call, "out", ACL_INT32, 2, 3, 1);
    GIVE(&call, "quantScale", ACL_FLOAT, 2);
    REFUSED(call, "clipRatio", 1.5, "clipRatio is 1.5; more than 0, up to 1, is expected");
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_loops),
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
