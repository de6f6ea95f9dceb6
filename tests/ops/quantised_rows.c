/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows that become numbers of few bits, in any layout, against the same by plain loops: every function is a row of a
 * table that says what its parts are called. Norms, gates, gelu, rows as they are; scales that are given and made,
 * groups, roundings, dtypes; worked examples; what is refused or fails; and that bits depend neither on the level nor
 * on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/quantised_rows_call.h"
#include "support/effort.h"

#define NUMBERS(...) ((const double[]){__VA_ARGS__})

enum { INVALID = ACLNN_ERR_PARAM_INVALID, FAULT = 507035 };

static int64_t group_of(const struct rows_call *c, int64_t row)
{
    int64_t group = 0;
    while (c->groups > 0 && group < c->groups && row >= c->end[group])
        group++;
    return group;
}

static double factor_at(struct rows_call *c, const char *name, int64_t row, int64_t e, double otherwise)
{
    if (name == NULL || !is_named(&c->call, name))
        return otherwise;
    const struct layout *f = tensor_named(&c->call, name);
    return element_of(f, f->count == 1 ? 0 : c->groups > 0 ? group_of(c, row) * c->width + e : e);
}

static double column_at(struct rows_call *c, const double *copy, int64_t row, int64_t column)
{
    const int64_t both = 2 * c->width;
    double value = copy[row * both + column];
    if (!is_named(&c->call, "weightScale"))
        return value;
    const int64_t at = (c->groups > 0 ? group_of(c, row) * both : 0) + column;
    const bool has_bias = is_named(&c->call, "bias"),
               is_whole = has_bias && tensor_named(&c->call, "bias")->dtype == ACL_INT32;
    value += is_whole ? (double)whole_of(tensor_named(&c->call, "bias"), at) : 0;
    value *= element_of(tensor_named(&c->call, "weightScale"), at);
    value *= is_named(&c->call, "activationScale")
                 ? element_of(tensor_named(&c->call, "activationScale"), row)
                 : 1;
    return value + (has_bias && !is_whole ? element_of(tensor_named(&c->call, "bias"), at) : 0);
}

static double silu(double x, double alpha)
{
    return x / (1 + exp(-alpha * x));
}

static double gate_at(struct rows_call *c, const double *copy, int64_t row, int64_t e)
{
    const int64_t first = c->gates == 1 ? 2 * e : e, second = c->gates == 1 ? 2 * e + 1 : c->width + e;
    double a = column_at(c, copy, row, first), b = column_at(c, copy, row, second);
    if (!c->is_left && c->gates != 3) {
        const double other = a;
        a = b;
        b = other;
    }
    if (c->gates == 0)
        return silu(a, 1) * b;
    b = b != b ? b : b > 1.5 ? 1.5 : b < -1.5 ? -1.5 : b;
    a = c->gates != 3 && a > 1.5 ? 1.5 : a;
    const double s = silu(a, c->gates == 3 ? 1 : 1.25);
    return c->gates == 3 ? (s > 1.5 ? 1.5 : s) * b : s * (b + .5);
}

/* What the row is before it is quantised; copies of what the call may have overwritten. */
static void row_of(struct rows_call *c, const double *x, const double *x2, int64_t row, double *to)
{
    double squares = 0;
    for (int64_t e = 0; e < c->width; e++) {
        const int64_t i = row * c->width + e;
        to[e] = c->form->input == GATES ? gate_at(c, x, row, e) : x[i] + (x2 != NULL ? x2[i] : 0);
        if (c->form->input == GELU)
            to[e] = c->is_tanh ? silu(to[e], 1.5957691216057308 * (1 + .044715 * to[e] * to[e]))
                               : .5 * to[e] * erfc(-to[e] * M_SQRT1_2);
        if (c->form->rounds_sum)
            to[e] = element_of(tensor_named(&c->call, c->form->sum), i);
        squares += to[e] * to[e];
    }
    if (c->form->input != NORM)
        return;
    const double rstd = 1 / sqrt(squares / (double)c->width + 1e-6);
    if (is_named(&c->call, "rstd"))
        assert_true(fabs(element_of(tensor_named(&c->call, "rstd"), row) - rstd) <= rstd * 1e-7);
    for (int64_t e = 0; e < c->width; e++) {
        to[e] *= rstd * element_of(tensor_named(&c->call, "gamma"), e);
        if (is_named(&c->call, "rmsNorm"))
            assert_near("norm", tensor_named(&c->call, "rmsNorm"), row * c->width + e, (long double)to[e],
                        tensor_named(&c->call, "rmsNorm")->dtype, 0x1p-40L);
        to[e] += c->has_beta ? element_of(tensor_named(&c->call, "beta"), e) : 0;
    }
}

static double scale_made(struct rows_call *c, int i, int64_t row, const double *u)
{
    const double most = most_of(&c->y[i]), found = element_of(tensor_named(&c->call, c->form->scale[i]), row);
    double size = 0;
    bool is_number = true;
    for (int64_t e = 0; e < c->width; e++) {
        size = fmax(size, fabs(u[e]));
        is_number = is_number && !isnan(u[e]);
    }
    const double wanted = c->form->made == SIZE ? size / most : size == 0 ? 0 : most / size;
    if (is_number ? !(fabs(found - wanted) <= wanted * 2e-7) : !isnan(found))
        fail_msg("%s: the scale of row %d is %.9g and not %.9g", c->form->name, (int)row, found, wanted);
    return found;
}

static void judge_row(struct rows_call *c, int i, int64_t row, const double *value)
{
    double u[1200];
    for (int64_t e = 0; e < c->width; e++) {
        const double f = factor_at(c, c->form->factor[i], row, e, 1);
        u[e] = !c->is_made && c->form->given == OVER && c->divides ? value[e] / f : value[e] * f;
    }
    const double scale = c->is_made ? scale_made(c, i, row, u) : 1;
    for (int64_t e = 0; e < c->width; e++) {
        double wanted = !c->is_made             ? u[e] + factor_at(c, c->form->offset[i], row, e, 0)
                        : c->form->made == SIZE ? (scale == 0 ? 0 : u[e] / scale)
                                                : u[e] * scale;
        assert_number(c->form->name, &c->y[i], row * c->width + e, wanted, c->rounding);
    }
}

static double *copy_of(const struct layout *layout)
{
    double *copy = malloc((size_t)layout->count * sizeof *copy);
    for (int64_t i = 0; i < layout->count; i++)
        copy[i] = layout->dtype == ACL_INT32 ? (double)whole_of(layout, i) : element_of(layout, i);
    return copy;
}

static void judge_call(struct rows_call *c)
{
    double *x = copy_of(tensor_named(&c->call, c->form->x)),
           *x2 = c->form->x2 != NULL ? copy_of(tensor_named(&c->call, c->form->x2)) : NULL, value[1200];
    if (run_named(&c->call) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    for (int64_t row = 0; row < c->rows; row++) {
        if (c->groups > 0 && group_of(c, row) == c->groups)
            continue;
        row_of(c, x, x2, row, value);
        for (int i = 0; i < 2 && c->form->y[i] != NULL; i++) {
            const bool is_unchanged = c->form->given == NONE && c->form->made == NONE;
            const struct layout *y = is_unchanged ? tensor_named(&c->call, c->form->y[i]) : NULL;
            for (int64_t e = 0; is_unchanged && e < c->width; e++)
                assert_near("y", y, row * c->width + e, (long double)value[e], y->dtype, 0x1p-40L);
            if (!is_unchanged && (i == 0 || c->has_two))
                judge_row(c, i, row, value);
        }
        if (c->form->sum != NULL)
            for (int64_t e = 0; e < c->width; e++) {
                const struct layout *sum = tensor_named(&c->call, c->form->sum);
                const int64_t k = row * c->width + e;
                assert_near("sum", sum, k, (long double)(x[k] + x2[k]), sum->dtype, 0x1p-40L);
            }
    }
    free(x);
    free(x2);
}

static void end_rows(struct rows_call *c)
{
    for (int i = 0; i < 2; i++)
        end_numbers(&c->call, &c->y[i]);
    end_named(&c->call);
}

static void each_form_makes_its_numbers(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (int round = 0; round < times_effort(25); round++) {
            struct rows_call c = draw_call(&forms[f]);
            judge_call(&c);
            end_rows(&c);
        }
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 2 * FORMS; round++) {
        struct rows_call c = draw_call(&forms[round % FORMS]);
        if (run_named(&c.call) != 0)
            return 0;
        hash = hash_named(&c.call, hash);
        end_rows(&c);
    }
    return hash;
}

/* Worked examples: SiLU of 1 is 0.7310586, of 2 1.7615942. */
static void worked_examples(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnSwiGluQuantV2");
    set_numbers(GIVE(&call, "x", ACL_FLOAT, 2, 4), NUMBERS(1, 2, 1, 1, 0, 0, 0, 0));
    give_number(&call, "activateLeft", true);
    struct numbers y = give_numbers(&call, "y", ACL_INT8, 2, (const int64_t[]){2, 2});
    GIVE(&call, "scale", ACL_FLOAT, 2);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "scale", NUMBERS(127 / 1.7615941559557649, 0), 1e-5);
    const double rows[] = {53, 127, 0, 0};
    for (int i = 0; i < 4; i++)
        assert_true(number_of_tensor(&y, i) == rows[i]);
    end_named(&call);

    /* Static scales divide, and ties go to even: 0.731 / 0.1 is no tie, 2.5 and -3.5 are. */
    call = call_begin_named("aclnnAddRmsNormQuant");
    set_numbers(GIVE(&call, "x1", ACL_FLOAT, 1, 4), NUMBERS(1, 0, 1, 2));
    set_numbers(GIVE(&call, "x2", ACL_FLOAT, 1, 4), NUMBERS(0, -1, 0, -1));
    set_numbers(GIVE(&call, "gamma", ACL_FLOAT, 4), NUMBERS(5, 7, 1, 200));
    set_numbers(GIVE(&call, "scales1", ACL_FLOAT, 1), NUMBERS(2));
    set_numbers(GIVE(&call, "zeroPoints1", ACL_INT32, 1), NUMBERS(0));
    give_number(&call, "epsilon", 0);
    y = give_numbers(&call, "y1", ACL_INT8, 2, (const int64_t[]){1, 4});
    GIVE(&call, "y2", ACL_INT8, 1);
    GIVE(&call, "x", ACL_FLOAT, 1, 4);
    assert_int_equal(run_named(&call), 0);
    const double norm[] = {2, -4, 0, 100};
    for (int i = 0; i < 4; i++)
        assert_true(number_of_tensor(&y, i) == norm[i]);
    assert_numbers(&call, "x", NUMBERS(1, -1, 1, 1), 0);
    end_named(&call);
}

/* The scale of a tensor, and those of columns, with an offset and without. */
static void scales_may_be_of_more_than_a_row(void **state)
{
    static const char *const modes[] = {"pertensor", "perchannel"}, *const names[] = {"aclnnDynamicQuantV3",
                                                                                      "aclnnDynamicQuantV4"};
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        const bool by_channel = random_below(2) == 0, has_offset = random_below(2) == 0,
                   has_smooth = random_below(2) == 0;
        const int64_t m = 1 + random_below(3), n = 1 + random_below(6), w = 8 * (1 + random_below(40)),
                      shape[] = {m, n, w};
        struct named_call call = call_begin_named(names[random_below(2)]);
        const struct layout *x = GIVE(&call, "x", ACL_FLOAT, m, n, w);
        const struct layout *smooth =
            has_smooth ? GIVE(&call, "smoothScales", ACL_FLOAT, by_channel ? n : w) : NULL;
        const aclDataType dtype = draw_number_dtype(false);
        give_number(&call, "dstType", dtype);
        give_number(&call, "isSymmetrical", !has_offset);
        call.argument[place_named(&call, "quantMode")].string = modes[by_channel];
        struct numbers y = give_numbers(&call, "y", dtype, 3, shape);
        for (int i = 0; i < 1 + has_offset; i++)
            by_channel ? GIVE(&call, i == 0 ? "scale" : "offset", ACL_FLOAT, m, w)
                       : GIVE(&call, i == 0 ? "scale" : "offset", ACL_FLOAT, 1);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        const struct layout *scale = tensor_named(&call, "scale");
        const double most = most_of(&y), levels = is_float8(dtype) ? 2 * most : 2 * most + 1;
        for (int64_t s = 0; s < scale->count; s++) {
            double greatest = -(double)INFINITY, least = (double)INFINITY;
            for (int pass = 0; pass < 2; pass++)
                for (int64_t i = 0; i < x->count; i++) {
                    if (by_channel && (i / w / n != s / w || i % w != s % w))
                        continue;
                    const double f = has_smooth ? element_of(smooth, by_channel ? i / w % n : i % w) : 1;
                    const double u = element_of(x, i) * f, found = element_of(scale, s);
                    greatest = fmax(greatest, u);
                    least = fmin(least, u);
                    if (pass == 1)
                        assert_number(
                            "modes", &y, i,
                            found == 0
                                ? 0
                                : u / found + (has_offset ? element_of(tensor_named(&call, "offset"), s) : 0),
                            0);
                }
            const double wanted = has_offset ? (greatest - least) / levels : fmax(greatest, -least) / most;
            assert_true(fabs(element_of(scale, s) - wanted) <= fabs(wanted) * 2e-7);
            if (has_offset && wanted != 0)
                /* The scale's rounding counts by as many scales as the offset is. */
                assert_true(fabs(element_of(tensor_named(&call, "offset"), s) -
                                 (most - greatest / (double)(float)wanted)) <=
                            most * 1e-4 + fabs(greatest / wanted) * 4e-7);
        }
        end_numbers(&call, &y);
        end_named(&call);
    }
}

/* Gates along another dim than the last are rows apart. */
static void gates_may_lie_along_any_dim(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        const int64_t outer = 2, half = 3, rows = 2, w = 16;
        struct rows_call c = {.form = &forms[8],
                              .call = call_begin_named("aclnnDequantSwigluQuantV2"),
                              .gates = mode,
                              .is_left = true};
        const struct layout *x = GIVE(&c.call, "x", ACL_FLOAT, outer, 2 * half, rows, w);
        set_numbers(GIVE(&c.call, "quantScale", ACL_FLOAT, 1), NUMBERS(.03125));
        give_number(&c.call, "activateDim", mode % 2 == 0 ? 1 : -3);
        give_number(&c.call, "activateLeft", true);
        give_number(&c.call, "swigluMode", mode);
        give_number(&c.call, "clampLimit", 1.5);
        give_number(&c.call, "gluAlpha", 1.25);
        give_number(&c.call, "gluBias", .5);
        struct numbers y = give_numbers(&c.call, "y", ACL_INT8, 4, (const int64_t[]){outer, half, rows, w});
        GIVE(&c.call, "scale", ACL_FLOAT, 1);
        if (run_named(&c.call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < outer * half * rows * w; i++) {
            const int64_t inner = i % (rows * w), k = i / rows / w % half, o = i / rows / w / half;
            const int64_t a = mode == 1 ? 2 * k : k, b = mode == 1 ? 2 * k + 1 : half + k;
            const double pair[] = {element_of(x, (o * 2 * half + a) * rows * w + inner),
                                   element_of(x, (o * 2 * half + b) * rows * w + inner)};
            c.width = 1;
            assert_number("gates", &y, i, gate_at(&c, pair, 0, 0) / .03125, 0);
        }
        end_named(&c.call);
    }
}

/* Without a mask the second row is made where both have factors; what is not made is not looked at. */
static void rows_that_nobody_asks_for_are_not_made(void **state)
{
    (void)state;
    for (int factors = 0; factors < 3; factors++) {
        struct named_call call = call_begin_named("aclnnAddRmsNormDynamicQuantV2");
        const double row[] = {0, 4};
        for (int i = 0; i < 2; i++)
            set_numbers(GIVE(&call, i == 0 ? "x1" : "x2", ACL_FLOAT16, 1, 2), row);
        set_numbers(GIVE(&call, "gamma", ACL_FLOAT16, 2), NUMBERS(1, 1));
        const char *const smooth[] = {"smoothScale1", "smoothScale2"}, *const y[] = {"y1", "y2"},
                          *const scale[] = {"scale1", "scale2"};
        for (int i = 0; i < 2; i++) {
            const bool is_made = i == 0 || factors == 2;
            if (i < factors)
                set_numbers(GIVE(&call, smooth[i], ACL_FLOAT16, 2), NUMBERS(1, 2));
            give_tensor(&call, y[i], ACL_INT8, is_made ? 2 : 0, (const int64_t[]){1, 2});
            give_tensor(&call, scale[i], ACL_FLOAT, is_made ? 1 : 0, (const int64_t[]){1});
        }
        GIVE(&call, "x", ACL_FLOAT16, 1, 2);
        give_number(&call, "epsilon", 0);
        if (run_named(&call) != 0)
            fail_msg("%d factors: %s", factors, aclGetRecentErrMsg());
        for (int i = 0; i < (factors == 2 ? 2 : 1); i++) {
            assert_int_equal(whole_of(tensor_named(&call, y[i]), 1), 127);
            assert_true(fabs(element_of(tensor_named(&call, scale[i]), 0) -
                             sqrt(2) * (factors > 0 ? 2 : 1) / 127) < 1e-7);
        }
        end_named(&call);
    }
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnAddRmsNormDynamicQuantV2");
    const bool both[] = {false, false}, second[] = {false, true};
    GIVE(&call, "x1", ACL_FLOAT16, 2, 12);
    GIVE(&call, "x2", ACL_FLOAT16, 2, 12);
    GIVE(&call, "gamma", ACL_FLOAT16, 12);
    GIVE(&call, "y1", ACL_INT8, 2, 12);
    GIVE(&call, "y2", ACL_INT8, 2, 12);
    GIVE(&call, "x", ACL_FLOAT16, 2, 12);
    GIVE(&call, "scale1", ACL_FLOAT, 2);
    GIVE(&call, "scale2", ACL_FLOAT, 2);
    const int mask = place_named(&call, "outputMask");
    aclBoolArray *const none = aclCreateBoolArray(both, 2), *const one = aclCreateBoolArray(second, 1),
                        *const other = aclCreateBoolArray(second, 2);
    call.argument[mask].bools = none;
    assert_named_refused(&call, INVALID, "outputMaskOptional asks for nothing");
    call.argument[mask].bools = one;
    assert_named_refused(&call, INVALID, "outputMaskOptional has 1 entries; 2 are expected");
    GIVE(&call, "smoothScale1", ACL_FLOAT16, 12);
    call.argument[mask].bools = other;
    assert_named_refused(&call, INVALID,
                         "smoothScale1Optional is given where outputMaskOptional does not ask");
    call.argument[mask].bools = NULL;
    layout_destroy(tensor_named(&call, "y1"));
    GIVE(&call, "y1", ACL_INT32, 2, 1);
    assert_named_refused(&call, INVALID,
                         "x1 has rows of 12 elements; multiples of 8 are expected for INT4 in INT32");
    assert_int_equal(aclDestroyBoolArray(none) | aclDestroyBoolArray(one) | aclDestroyBoolArray(other), 0);
    end_named(&call);

    call = call_begin_named("aclnnAddRmsNormQuant");
    for (int i = 0; i < 2; i++)
        GIVE(&call, i == 0 ? "x1" : "x2", ACL_FLOAT, 2, 8);
    GIVE(&call, "gamma", ACL_FLOAT, 8);
    GIVE(&call, "scales1", ACL_FLOAT, 4);
    GIVE(&call, "y1", ACL_INT8, 2, 8);
    GIVE(&call, "y2", ACL_INT8, 1);
    GIVE(&call, "x", ACL_FLOAT, 2, 8);
    assert_named_refused(&call, INVALID,
                         "scales1 has shape [4]; 1 element or 8, one for each of a row, are expected");
    give_number(&call, "axis", 0);
    assert_named_refused(&call, INVALID, "axis is 0; -1, the last dim of x1, is expected");
    end_named(&call);

    call = call_begin_named("aclnnDequantSwigluQuantV2");
    GIVE(&call, "x", ACL_INT32, 3, 8);
    GIVE(&call, "y", ACL_INT8, 3, 4);
    GIVE(&call, "scale", ACL_FLOAT, 3);
    assert_named_refused(&call, ACLNN_ERR_PARAM_NULLPTR, "weightScaleOptional is NULL, which INT32 asks for");
    GIVE(&call, "weightScale", ACL_FLOAT, 7);
    assert_named_refused(&call, INVALID,
                         "weightScaleOptional has shape [7]; 8 elements, one for each of a row of x");
    layout_destroy(tensor_named(&call, "weightScale"));
    GIVE(&call, "weightScale", ACL_FLOAT, 8);
    assert_named_refused(&call, ACLNN_ERR_PARAM_NULLPTR,
                         "quantScaleOptional is NULL, which a given scale asks for");
    GIVE(&call, "quantScale", ACL_FLOAT, 4);
    give_number(&call, "swigluMode", 1);
    assert_named_refused(&call, INVALID, "activateLeft is false; true is expected with swigluMode 1");
    give_number(&call, "swigluMode", 4);
    assert_named_refused(&call, INVALID, "swigluMode is 4");
    give_number(&call, "swigluMode", 0);
    give_number(&call, "dstType", ACL_FLOAT);
    assert_named_refused(&call, INVALID, "dstType is 0");
    give_number(&call, "dstType", ACL_INT8);
    call.argument[place_named(&call, "quantMode")].string = "other";
    assert_named_refused(&call, INVALID, "quantMode is \"other\"; \"static\" or \"dynamic\" is expected");
    call.argument[place_named(&call, "quantMode")].string = "static";
    call.argument[place_named(&call, "roundMode")].string = "up";
    assert_named_refused(&call, INVALID, "roundMode is \"up\"");
    call.argument[place_named(&call, "roundMode")].string = NULL;
    set_numbers(GIVE(&call, "groupIndex", ACL_INT64, 2), NUMBERS(2, 2));
    assert_named_refused(&call, INVALID,
                         "groupIndexOptional is given; quantMode \"dynamic\" is expected then");
    call.argument[place_named(&call, "quantMode")].string = "dynamic";
    assert_failure(run_named(&call), FAULT,
                   "groupIndex holds 2 at [1]; numbers that are not negative, and no more than 3");
    set_numbers(tensor_named(&call, "groupIndex"), NUMBERS(-1, 2));
    assert_failure(run_named(&call), FAULT, "groupIndex holds -1 at [0]");
    end_named(&call);

    call = call_begin_named("aclnnDynamicQuantV4");
    GIVE(&call, "x", ACL_FLOAT, 3, 8);
    GIVE(&call, "y", ACL_INT8, 3, 8);
    GIVE(&call, "scale", ACL_FLOAT, 3);
    give_number(&call, "dstTypeMax", -1);
    assert_named_refused(&call, INVALID, "dstTypeMax is -1; 0 or more is expected");
    give_number(&call, "dstTypeMax", 0);
    give_number(&call, "isSymmetrical", false);
    assert_named_refused(&call, ACLNN_ERR_PARAM_NULLPTR,
                         "offsetOut is NULL, which isSymmetrical false asks for");
    give_number(&call, "isSymmetrical", true);
    call.argument[place_named(&call, "quantMode")].string = "perrow";
    assert_named_refused(&call, INVALID, "quantMode is \"perrow\"");
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_makes_its_numbers),
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(scales_may_be_of_more_than_a_row),
        cmocka_unit_test(gates_may_lie_along_any_dim),
        cmocka_unit_test(rows_that_nobody_asks_for_are_not_made),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
