/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators on lists of tensors: what they accept and refuse, and their results for views at random that
 * overlap within an index and across indices, by a loop that does one index after the other.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "aclnnop/aclnn_foreach_add_list_v2.h"
#include "aclnnop/aclnn_foreach_mul_scalar_list.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "ops/arena.h"
#include "ops/find_operator.h"

enum { TENSORS_MAX = 6, ROOM = 6000, BLOCK = 4096, LANES = 32 };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT32,
                                     ACL_INT64, ACL_INT8,    ACL_INT16, ACL_UINT8};

static bool is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

static aclScalar *scalar_of(double value, aclDataType dtype)
{
    unsigned char bytes[16];
    conversion_reference(&value, ACL_DOUBLE, bytes, dtype);
    aclScalar *scalar = aclCreateScalar(bytes, dtype);
    assert_non_null(scalar);
    return scalar;
}

/* Floats of few bits, so that every sum is exact in a double; any integers. */
static void fill(aclDataType dtype)
{
    const struct view all = plain_view(dtype, 1, (const int64_t[]){ROOM}, 0);
    for (int64_t i = 0; i < ROOM; i++) {
        uint64_t bits = random_bits();
        if (is_float(dtype))
            write_at(arena, &all, i, (double)((int64_t)(bits % 401) - 200) / 8);
        else
            memcpy(arena + i * (int64_t)conversion_bytes(dtype), &bits, conversion_bytes(dtype));
    }
    memcpy(expected, arena, ROOM * 8);
}

static uint32_t random_shape(int64_t *shape)
{
    uint32_t rank = (uint32_t)random_below(VIEW_RANK + 1);
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = random_below(20) == 0 ? 0 : 1 + random_below(rank == 1 ? 1500 : 6);
    return rank;
}

/* What a function computes of x1, x2 and its scalar. */
struct tested {
    const char *api;
    unsigned lists;
    enum { NO_SCALAR, ONE_SCALAR, SCALAR_EACH } scalars;
    char operation; /* of x1 with x2 * scalar where there are both, or with what there is */
    enum { SHORT, LONG, FLOATS } dtypes;
};

static const struct tested rules[] = {
    {"aclnnForeachAddListV2", 2, ONE_SCALAR, '+', SHORT},
    {"aclnnForeachSubListV2", 2, ONE_SCALAR, '-', SHORT},
    {"aclnnForeachMulList", 2, NO_SCALAR, '*', SHORT},
    {"aclnnForeachDivList", 2, NO_SCALAR, '/', FLOATS},
    {"aclnnForeachAddScalarV2", 1, ONE_SCALAR, '+', SHORT},
    {"aclnnForeachSubScalarV2", 1, ONE_SCALAR, '-', LONG},
    {"aclnnForeachMulScalarV2", 1, ONE_SCALAR, '*', LONG},
    {"aclnnForeachDivScalarV2", 1, ONE_SCALAR, '/', FLOATS},
    {"aclnnForeachAddScalarList", 1, SCALAR_EACH, '+', LONG},
    {"aclnnForeachSubScalarList", 1, SCALAR_EACH, '-', LONG},
    {"aclnnForeachMulScalarList", 1, SCALAR_EACH, '*', LONG},
    {"aclnnForeachDivScalarList", 1, SCALAR_EACH, '/', FLOATS},
};

static bool has_dtype(const struct tested *rule, aclDataType dtype)
{
    return is_float(dtype) || (rule->dtypes == SHORT) ||
           (rule->dtypes == LONG && (dtype == ACL_INT32 || dtype == ACL_INT64));
}

static double compute(char operation, double a, double b)
{
    double value = operation == '+' ? a + b : operation == '-' ? a - b : operation == '*' ? a * b : a / b;
    return isnan(value) ? (double)NAN : value;
}

/* The low bits of the result are those of the low bits. */
static uint64_t compute_bits(char operation, uint64_t a, uint64_t b)
{
    return operation == '+' ? a + b : operation == '-' ? a - b : a * b;
}

static void expect_tensor(const struct tested *rule, const struct view *x1, const struct view *x2,
                          const struct view *out, double scalar)
{
    static unsigned char before[ROOM * 8];
    const int64_t bytes = (int64_t)conversion_bytes(out->dtype);
    memcpy(before, expected, sizeof before);
    for (int64_t k = 0; k < view_count(out); k++) {
        if (is_float(out->dtype)) {
            double second = rule->lists == 2 ? read_at(before, x2, k) : 1;
            second *= rule->scalars == NO_SCALAR ? 1 : scalar;
            write_at(expected, out, k, compute(rule->operation, read_at(before, x1, k), second));
            continue;
        }
        uint64_t a = 0, b = 1;
        memcpy(&a, before + view_place(x1, k) * bytes, (size_t)bytes);
        if (rule->lists == 2)
            memcpy(&b, before + view_place(x2, k) * bytes, (size_t)bytes);
        b *= rule->scalars == NO_SCALAR ? 1 : (uint64_t)(int64_t)scalar;
        a = compute_bits(rule->operation, a, b);
        memcpy(expected + view_place(out, k) * bytes, &a, (size_t)bytes);
    }
}

struct lists {
    uint64_t count;
    struct view x1[TENSORS_MAX], x2[TENSORS_MAX], out[TENSORS_MAX];
    double scalar[TENSORS_MAX]; /* of which all are the first where there is one */
};

/* Calls the function through its description. */
static void launch_rule(const struct tested *rule, const struct lists *lists, aclDataType dtype)
{
    const struct function *function = find(rule->api);
    const aclDataType scalar_dtype = is_float(dtype) ? ACL_DOUBLE : ACL_INT64;
    const aclScalar *scalars[TENSORS_MAX];
    union argument argument[4];
    unsigned n = 0;
    argument[n++].tensors = list_of(lists->x1, lists->count);
    if (rule->lists == 2)
        argument[n++].tensors = list_of(lists->x2, lists->count);
    if (rule->scalars == ONE_SCALAR)
        argument[n++].scalar = scalar_of(lists->scalar[0], scalar_dtype);
    for (uint64_t i = 0; rule->scalars == SCALAR_EACH && i < lists->count; i++)
        scalars[i] = scalar_of(lists->scalar[i], scalar_dtype);
    if (rule->scalars == SCALAR_EACH)
        argument[n++].scalars = aclCreateScalarList(scalars, lists->count);
    argument[n].tensors = list_of(lists->out, lists->count);
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    assert_int_equal(function->parameter_count, n + 1);
    aclnnStatus status = function_plan_anew(function, argument, &workspace, &executor);
    finish(function->launch, status, executor);
    for (unsigned i = 0; i <= n; i++)
        if (function->parameter[i].kind == PARAMETER_TENSOR_LIST)
            assert_int_equal(aclDestroyTensorList(argument[i].tensors), 0);
        else if (function->parameter[i].kind == PARAMETER_SCALAR)
            assert_int_equal(aclDestroyScalar(argument[i].scalar), 0);
        else
            assert_int_equal(aclDestroyScalarList(argument[i].scalars), 0);
}

static void lists_at_random(const struct tested *rule, aclDataType dtype)
{
    static const double numbers[] = {1, -1, 0, 3, -0.25};
    struct lists lists = {.count = (uint64_t)random_below(TENSORS_MAX + 1)};
    for (uint64_t i = 0; i < TENSORS_MAX; i++)
        lists.scalar[i] = i > 0 && rule->scalars == ONE_SCALAR
                              ? lists.scalar[0]
                              : numbers[random_below(is_float(dtype) ? 5 : 4)];
    for (uint64_t i = 0; i < lists.count; i++) {
        int64_t shape[VIEW_RANK];
        uint32_t rank = random_shape(shape);
        lists.x1[i] = random_layout(dtype, rank, shape, true, ROOM);
        lists.x2[i] = random_layout(dtype, rank, shape, true, ROOM);
        lists.out[i] = random_layout(dtype, rank, shape, false, ROOM);
        if (random_below(3) == 0)
            lists.x1[i] = lists.out[i];
        if (random_below(5) == 0)
            lists.x2[i] = lists.x1[i];
    }
    fill(dtype);
    for (uint64_t i = 0; i < lists.count; i++)
        expect_tensor(rule, &lists.x1[i], &lists.x2[i], &lists.out[i], lists.scalar[i]);
    launch_rule(rule, &lists, dtype);
    assert_expected(ROOM * conversion_bytes(dtype));
}

/* Tensors are done in ascending order, each with the results of those before it. */
static void arithmetic_of_lists(void **state)
{
    (void)state;
    for (int n = 0; n < 1200; n++) {
        const struct tested *rule = &rules[n % 12];
        const aclDataType dtype = dtypes[n / 12 % 9];
        if (has_dtype(rule, dtype))
            lists_at_random(rule, dtype);
    }
}

/* Scalars are rounded to what is computed in, and results once. */
static void scalars_are_rounded_to_fp32(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        struct lists lists = {.count = 1, .scalar = {0.1}};
        lists.x1[0] = lists.x2[0] = plain_view(ACL_FLOAT16, 1, (const int64_t[]){1000}, 0);
        lists.out[0] = plain_view(ACL_FLOAT16, 1, (const int64_t[]){1000}, 2000);
        fill(ACL_FLOAT16);
        expect_tensor(&rules[n == 0 ? 0 : 10], &lists.x1[0], &lists.x2[0], &lists.out[0], (double)0.1f);
        launch_rule(&rules[n == 0 ? 0 : 10], &lists, ACL_FLOAT16);
        assert_expected(ROOM * 2);
    }
}

static void scalars_of_a_list_fit_its_tensors(void **state)
{
    (void)state;
    const struct view x[] = {plain_view(ACL_INT32, 1, (const int64_t[]){3}, 0)};
    aclTensorList *lists[] = {list_of(x, 1), list_of(x, 1)};
    const aclScalar *floats[] = {scalar_of(1, ACL_FLOAT)};
    aclScalarList *wrong[] = {aclCreateScalarList(floats, 1), aclCreateScalarList(NULL, 0)};
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(
        aclnnForeachMulScalarListGetWorkspaceSize(lists[0], wrong[0], lists[1], &workspace, &executor),
        161002);
    assert_sentence("scalar 0 of scalars has dtype FLOAT");
    assert_int_equal(
        aclnnForeachMulScalarListGetWorkspaceSize(lists[0], wrong[1], lists[1], &workspace, &executor),
        161002);
    assert_sentence("scalars has 0 elements");
}

static double merge(double p, double a, double b)
{
    return isinf(p) ? isnan(a) || isnan(b) ? (double)NAN : p > 0 ? fmax(a, b) : fmin(a, b) : a + b;
}

static double term(double p, double x)
{
    return p == 0 ? x != 0 : p == 2 ? x * x : fabs(x);
}

/* The order of the sum, written down a second time. */
static double sum_in_order(const struct view *x, double p)
{
    const double neutral = p < 0 ? (double)INFINITY : 0;
    double total = neutral;
    for (int64_t first = 0; first < view_count(x); first += BLOCK) {
        double lane[LANES];
        for (int k = 0; k < LANES; k++)
            lane[k] = neutral;
        for (int64_t k = 0; k < BLOCK && first + k < view_count(x); k++)
            lane[k % LANES] = merge(p, lane[k % LANES], term(p, read_at(expected, x, first + k)));
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int k = 0; k < half; k++)
                lane[k] = merge(p, lane[k], lane[k + half]);
        total = merge(p, total, lane[0]);
    }
    return p == 2 ? sqrt(total) : total;
}

static void norms_at_random(aclDataType dtype, double p)
{
    struct view x[TENSORS_MAX], out[TENSORS_MAX];
    const uint64_t count = (uint64_t)random_below(TENSORS_MAX + 1);
    for (uint64_t i = 0; i < count; i++) {
        int64_t shape[VIEW_RANK];
        uint32_t rank = random_shape(shape);
        x[i] = random_layout(dtype, rank, shape, true, ROOM);
        out[i] = plain_view(dtypes[random_below(2) == 0 ? 3 : 0], (uint32_t)random_below(2),
                            (const int64_t[]){1}, random_below(ROOM / 4));
    }
    fill(dtype);
    if (random_below(10) == 0 && count > 0 && view_count(&x[0]) > 0) {
        write_at(arena, &x[0], 0, (double)NAN);
        write_at(expected, &x[0], 0, (double)NAN);
    }
    aclTensorList *lists[] = {list_of(x, count), list_of(out, count)};
    aclScalar *scalar = scalar_of(p, ACL_DOUBLE);
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = aclnnForeachNormGetWorkspaceSize(lists[0], scalar, lists[1], &workspace, &executor);
    for (uint64_t i = 0; i < count; i++)
        write_at(expected, &out[i], 0, view_count(&x[i]) == 0 ? 0 : sum_in_order(&x[i], p));
    finish(aclnnForeachNorm, status, executor);
    assert_expected(ROOM * 8);
    for (int i = 0; i < 2; i++)
        assert_int_equal(aclDestroyTensorList(lists[i]), 0);
    assert_int_equal(aclDestroyScalar(scalar), 0);
}

static void norms_in_the_order_of_the_contract(void **state)
{
    (void)state;
    const double norms[] = {2, 1, 0, (double)INFINITY, -(double)INFINITY};
    for (int n = 0; n < 300; n++)
        norms_at_random(dtypes[n % 4], norms[random_below(5)]);
}

/* The norm of numbers that are written to the arena first. */
static double norm_of(aclDataType dtype, const double *x, int64_t count, double p)
{
    const struct view view = plain_view(dtype, 1, &count, 0);
    const struct view out = plain_view(ACL_DOUBLE, 0, NULL, 1 << 17);
    for (int64_t i = 0; i < count; i++)
        write_at(arena, &view, i, x[i]);
    aclTensorList *lists[] = {list_of(&view, 1), list_of(&out, 1)};
    aclScalar *scalar = scalar_of(p, ACL_DOUBLE);
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = aclnnForeachNormGetWorkspaceSize(lists[0], scalar, lists[1], &workspace, &executor);
    finish(aclnnForeachNorm, status, executor);
    (void)aclDestroyTensorList(lists[0]), (void)aclDestroyTensorList(lists[1]);
    assert_int_equal(aclDestroyScalar(scalar), 0);
    return read_at(arena, &out, 0);
}

static void norms_of_any_power(void **state)
{
    (void)state;
    static const double powers[] = {3, 0.5, 1.5, 10, -1, -2.5, 100, 0.05, 2000, -3000};
    static double x[1500];
    for (int n = 0; n < 200; n++) {
        const double p = powers[n % 10], scale = ldexp(1, (int)random_below(n < 100 ? 20 : 600) - 10);
        const int64_t count = 1 + random_below(1500);
        long double base = 0, sum = 0; /* of which no power is more than 1 */
        for (int64_t i = 0; i < count; i++) {
            x[i] = scale * (double)(1 + random_below(1000));
            base = i == 0  ? (long double)x[i]
                   : p > 0 ? fmaxl(base, (long double)x[i])
                           : fminl(base, (long double)x[i]);
        }
        for (int64_t i = 0; i < count; i++)
            sum += powl((long double)x[i] / base, (long double)p);
        long double exact = base * powl(sum, 1 / (long double)p);
        double got = norm_of(ACL_DOUBLE, x, count, p);
        /* A term's exponent p ln(x) has an error of some 2^-104 of itself; 1/p undoes the power. */
        long double bound = 1e-15L * exact * fmaxl(4, fabsl(1 / (long double)p));
        if (!(fabsl((long double)got - exact) <= bound))
            fail_msg("p = %g of %lld elements: %.17g instead of %.17Lg", p, (long long)count, got, exact);
    }
}

static void norms_at_the_ends(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    assert_true(norm_of(ACL_DOUBLE, (const double[]){3e300, 4e300}, 2, 2) == 5e300);
    assert_true(fabs(norm_of(ACL_DOUBLE, (const double[]){3e-300, 4e-300}, 2, 2) / 5e-300 - 1) < 1e-15);
    assert_true(norm_of(ACL_DOUBLE, (const double[]){DBL_MAX, DBL_MAX}, 2, 2) == inf);
    assert_true(norm_of(ACL_DOUBLE, (const double[]){0, 0, -0.0}, 3, 2) == 0);
    assert_true(norm_of(ACL_DOUBLE, (const double[]){0, 0}, 2, 3) == 0);
    assert_true(norm_of(ACL_DOUBLE, (const double[]){1, -inf}, 2, 2) == inf);
    assert_true(norm_of(ACL_DOUBLE, (const double[]){1, -inf}, 2, 3) == inf);
    assert_true(norm_of(ACL_DOUBLE, (const double[]){0, 5}, 2, -1) == 0);
    assert_true(norm_of(ACL_DOUBLE, (const double[]){inf, 4}, 2, -1) == 4);
    assert_true(isnan(norm_of(ACL_DOUBLE, (const double[]){1, (double)NAN}, 2, 3)));
    assert_true(isnan(norm_of(ACL_DOUBLE, (const double[]){1, 2}, 2, (double)NAN)));
    assert_true(norm_of(ACL_DOUBLE, (const double[]){0, (double)NAN, 2}, 3, 0) == 2);
    static double many[60000];
    for (int i = 0; i < 60000; i++)
        many[i] = 300;
    assert_true(fabs(norm_of(ACL_FLOAT16, many, 60000, 2) / (300 * sqrt(60000)) - 1) < 1e-15);
}

/* One fault in a call that is accepted: phase 1's status, and a word of its sentence. */
static void expect_refusal(const struct view *x1, const struct view *x2, const struct view *out,
                           const uint64_t *counts, aclDataType alpha, const char *word)
{
    aclTensorList *lists[] = {list_of(x1, counts[0]), list_of(x2, counts[1]), list_of(out, counts[2])};
    aclScalar *scalar = scalar_of(1, alpha);
    uint64_t workspace = 77;
    aclOpExecutor *executor = NULL;
    (void)aclGetRecentErrMsg();
    assert_int_equal(
        aclnnForeachAddListV2GetWorkspaceSize(lists[0], lists[1], scalar, lists[2], &workspace, &executor),
        161002);
    assert_sentence(word);
    assert_int_equal(workspace, 77);
    assert_null(executor);
    for (int i = 0; i < 3; i++)
        (void)aclDestroyTensorList(lists[i]);
    (void)aclDestroyScalar(scalar);
}

static void refusals(void **state)
{
    (void)state;
    const uint64_t two[] = {2, 2, 2}, short_x2[] = {2, 1, 2}, short_out[] = {2, 2, 1};
    const int64_t six[] = {2, 3}, other[] = {3, 2};
    const struct view f32 = plain_view(ACL_FLOAT, 2, six, 0), f16 = plain_view(ACL_FLOAT16, 2, six, 0);
    const struct view turned = plain_view(ACL_FLOAT, 2, other, 0), i32 = plain_view(ACL_INT32, 2, six, 0);
    const struct view truth = plain_view(ACL_BOOL, 2, six, 0);
    struct view repeated = f32;
    repeated.stride[0] = 0;
    const struct view good[] = {f32, f32}, mixed[] = {f32, f16}, shapes[] = {f32, turned};
    const struct view integers[] = {i32, i32}, truths[] = {truth, truth}, overlap[] = {f32, repeated};
    expect_refusal(good, good, good, short_x2, ACL_FLOAT, "x2 has 1 elements");
    expect_refusal(good, good, good, short_out, ACL_FLOAT, "out has 1 elements");
    expect_refusal(mixed, good, good, two, ACL_FLOAT, "tensor 1 of x1 has dtype FLOAT16");
    expect_refusal(good, mixed, good, two, ACL_FLOAT, "tensor 1 of x2 has dtype FLOAT16");
    expect_refusal(good, good, mixed, two, ACL_FLOAT, "tensor 1 of out has dtype FLOAT16");
    expect_refusal(truths, truths, truths, two, ACL_BOOL, "x1 has dtype BOOL");
    expect_refusal(good, good, good, two, ACL_COMPLEX64, "alpha has dtype COMPLEX64");
    expect_refusal(integers, integers, integers, two, ACL_FLOAT, "alpha has dtype FLOAT");
    expect_refusal(shapes, good, shapes, two, ACL_FLOAT, "tensor 1 of x2 and that of x1");
    expect_refusal(good, good, shapes, two, ACL_FLOAT, "tensor 1 of out");
    expect_refusal(good, good, overlap, two, ACL_FLOAT, "tensor 1 of out");
    expect_refusal(mixed, shapes, good, two, ACL_COMPLEX64, "dtype FLOAT16"); /* dtypes come first */

    aclTensorList *x = list_of(good, 2), *outs = list_of(good, 2), *none = aclCreateTensorList(NULL, 0);
    aclTensorList *reals = list_of(integers, 2);
    aclScalar *p = scalar_of(2, ACL_INT64);
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(aclnnForeachNormGetWorkspaceSize(x, p, outs, &workspace, &executor), 161002);
    assert_sentence("tensor 0 of out has 6 elements");
    assert_int_equal(aclnnForeachNormGetWorkspaceSize(reals, p, outs, &workspace, &executor), 161002);
    assert_sentence("x has dtype INT32");
    assert_int_equal(aclnnForeachNormGetWorkspaceSize(x, p, none, &workspace, &executor), 161002);
    assert_sentence("out has 0 elements");
    assert_int_equal(aclnnForeachNormGetWorkspaceSize(NULL, p, outs, &workspace, &executor), 161001);
    aclnnStatus status = aclnnForeachNormGetWorkspaceSize(none, p, none, &workspace, &executor);
    finish(aclnnForeachNorm, status, executor);
}

/* Sums and norms of a large tensor and of small ones, with numbers of every size. */
static uint64_t everything(void)
{
    const int64_t large[] = {700000}, small[] = {40, 33};
    static const double powers[] = {2, 1, 3, (double)INFINITY};
    struct view x[] = {plain_view(ACL_FLOAT, 1, large, 5),
                       plain_view(ACL_FLOAT, 2, small, 1),
                       {ACL_FLOAT, 2, {800, 900}, {1, 800}, 3}};
    struct view out[] = {plain_view(ACL_FLOAT, 1, large, 800001), plain_view(ACL_FLOAT, 2, small, 3000000),
                         plain_view(ACL_FLOAT, 2, x[2].shape, 1500003)};
    struct view norm[3];
    for (int i = 0; i < 800000; i++) {
        float value = ldexpf((float)(random_below(2001) - 1000), (int)random_below(40) - 20);
        memcpy(arena + (size_t)i * 4, &value, 4);
    }
    uint64_t workspace, hash = UINT64_C(0xcbf29ce484222325);
    aclOpExecutor *executor = NULL;
    aclScalar *alpha = scalar_of(0.3, ACL_DOUBLE);
    aclTensorList *from = list_of(x, 3), *to = list_of(out, 3);
    if (aclnnForeachAddListV2GetWorkspaceSize(from, from, alpha, to, &workspace, &executor) != 0 ||
        aclnnForeachAddListV2(NULL, 0, executor, stream) != 0 || aclrtSynchronizeStream(stream) != 0)
        return 0;
    hash = hash_of(arena + 800001 * 4, 1500000 * 4, hash);
    for (int n = 0; n < 4; n++) {
        for (int i = 0; i < 3; i++)
            norm[i] = plain_view(ACL_DOUBLE, 0, NULL, 1600000 + i);
        aclScalar *p = scalar_of(powers[n], ACL_DOUBLE);
        aclTensorList *norms = list_of(norm, 3);
        if (aclnnForeachNormGetWorkspaceSize(from, p, norms, &workspace, &executor) != 0 ||
            aclnnForeachNorm(NULL, 0, executor, stream) != 0 || aclrtSynchronizeStream(stream) != 0)
            return 0;
        hash = hash_of(arena + 1600000 * 8, 24, hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_of_lists),
        cmocka_unit_test(scalars_are_rounded_to_fp32),
        cmocka_unit_test(scalars_of_a_list_fit_its_tensors),
        cmocka_unit_test(norms_at_the_ends),
        cmocka_unit_test(norms_in_the_order_of_the_contract),
        cmocka_unit_test(norms_of_any_power),
        cmocka_unit_test(refusals),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
