/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Composite operators: what they accept and refuse, and their results for views at random that overlap, by
 * the formula in long double.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "ops/arena.h"
#include "support/effort.h"

enum { X, Y, W, P, OUT, VIEWS, ROOM = 6000, NONE = 0, MEAN, SUM };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

/* Half a unit in the last place, relative, and the least number. */
static double half_unit(aclDataType dtype)
{
    return dtype == ACL_FLOAT ? 0x1p-24 : dtype == ACL_FLOAT16 ? 0x1p-11 : 0x1p-8;
}

static double least(aclDataType dtype)
{
    return dtype == ACL_FLOAT ? 0x1p-149 : dtype == ACL_FLOAT16 ? 0x1p-24 : 0x1p-133;
}

/* The formula, whose terms may cancel, in the shape in which they do not. */
static long double loss(double x, double y, double w, double p)
{
    long double rest = log1pl(expl(-fabsl((long double)x)));
    long double above = rest + fmaxl((long double)x, 0), below = rest + fmaxl(-(long double)x, 0);
    return (long double)w * ((1 - (long double)y) * above + (long double)p * (long double)y * below);
}

static void launch(const struct view *const *view, int64_t reduction)
{
    aclTensor *tensor[VIEWS];
    for (int i = 0; i < VIEWS; i++)
        tensor[i] = view[i] != NULL ? tensor_of(view[i]) : NULL;
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(
        tensor[X], tensor[Y], tensor[W], tensor[P], reduction, tensor[OUT], &workspace, &executor);
    finish(aclnnBinaryCrossEntropyWithLogits, status, executor);
    for (int i = 0; i < VIEWS; i++)
        if (tensor[i] != NULL)
            assert_int_equal(aclDestroyTensor(tensor[i]), 0);
}

/* Numbers from 0 to 1, wherever the views lie, so that no term is negative. */
static void fill(aclDataType dtype)
{
    const struct view all = plain_view(dtype, 1, (const int64_t[]){ROOM}, 0);
    for (int64_t i = 0; i < ROOM; i++)
        write_at(arena, &all, i, (double)random_below(257) / 256);
    memcpy(expected, arena, ROOM * 4);
}

static void assert_close(const struct view *out, int64_t k, long double exact, long double slack)
{
    const double got = read_at(arena, out, k);
    long double bound = fabsl(exact) * (long double)half_unit(out->dtype) * 1.00001L +
                        (long double)least(out->dtype) / 2 + slack;
    if (!(fabsl((long double)got - exact) <= bound))
        fail_msg("element %lld is %.9g instead of %.9Lg", (long long)k, got, exact);
}

/* What broadcasts to the shape. */
static struct view smaller(aclDataType dtype, uint32_t rank, const int64_t *shape)
{
    uint32_t missing = (uint32_t)random_below(rank + 1);
    int64_t dims[VIEW_RANK];
    for (uint32_t i = missing; i < rank; i++)
        dims[i - missing] = random_below(3) == 0 ? 1 : shape[i];
    return random_layout(dtype, rank - missing, dims, true, ROOM);
}

/* The view with the strides that it has when it broadcasts. */
static struct view broadcast(const struct view *view, uint32_t rank, const int64_t *shape)
{
    struct view whole = {.dtype = view->dtype, .rank = rank, .offset = view->offset};
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t missing = rank - view->rank;
        whole.shape[i] = shape[i];
        whole.stride[i] = i < missing || view->shape[i - missing] == 1 ? 0 : view->stride[i - missing];
    }
    return whole;
}

static void at_random(aclDataType dtype, int64_t reduction)
{
    int64_t shape[VIEW_RANK];
    uint32_t rank = (uint32_t)random_below(VIEW_RANK + 1);
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = random_below(20) == 0 ? 0 : 1 + random_below(rank == 1 ? 1500 : 6);
    struct view views[VIEWS] = {random_layout(dtype, rank, shape, true, ROOM),
                                random_layout(dtype, rank, shape, true, ROOM), smaller(dtype, rank, shape),
                                smaller(dtype, rank, shape),
                                reduction == NONE ? random_layout(dtype, rank, shape, false, ROOM)
                                                  : plain_view(dtype, (uint32_t)random_below(2),
                                                               (const int64_t[]){1}, random_below(ROOM))};
    if (reduction == NONE && random_below(3) == 0)
        views[random_below(2)] = views[OUT];
    bool has_w = random_below(2) == 0, has_p = random_below(2) == 0;
    const struct view *given[] = {&views[X], &views[Y], has_w ? &views[W] : NULL, has_p ? &views[P] : NULL,
                                  &views[OUT]};
    fill(dtype);
    launch(given, reduction);

    const struct view w = broadcast(&views[W], rank, shape), p = broadcast(&views[P], rank, shape);
    long double total = 0;
    for (int64_t k = 0; k < view_count(&views[X]); k++) {
        long double exact = loss(read_at(expected, &views[X], k), read_at(expected, &views[Y], k),
                                 has_w ? read_at(expected, &w, k) : 1, has_p ? read_at(expected, &p, k) : 1);
        total += exact;
        if (reduction == NONE)
            assert_close(&views[OUT], k, exact, 0);
    }
    if (reduction == MEAN)
        total /= (long double)view_count(&views[X]);
    if (reduction != NONE && reduction == MEAN && view_count(&views[X]) == 0)
        assert_true(isnan(read_at(arena, &views[OUT], 0)));
    else if (reduction != NONE)
        assert_close(&views[OUT], 0, total, 0);
    /* Nothing else is written. */
    for (int64_t k = 0; k < view_count(&views[OUT]); k++) {
        const int64_t bytes = (int64_t)conversion_bytes(dtype), place = view_place(&views[OUT], k) * bytes;
        memcpy(expected + place, arena + place, (size_t)bytes);
    }
    assert_expected(ROOM * conversion_bytes(dtype));
}

static void losses_sums_and_means(void **state)
{
    (void)state;
    for (int n = 0; n < 450; n++)
        at_random(dtypes[n % 3], n / 3 % 3);
}

/* One element in FLOAT; w and p are not given where they are 1. */
static float one(float x, float y, float w, float p)
{
    struct view views[VIEWS];
    const struct view *given[VIEWS];
    const float values[] = {x, y, w, p};
    for (int i = 0; i < VIEWS; i++) {
        views[i] = plain_view(ACL_FLOAT, 0, NULL, i);
        given[i] = (i == W && w == 1) || (i == P && p == 1) ? NULL : &views[i];
    }
    memcpy(arena, values, sizeof values);
    launch(given, NONE);
    float result;
    memcpy(&result, arena + OUT * sizeof result, sizeof result);
    return result;
}

static void nothing_cancels(void **state)
{
    (void)state;
    for (int n = 0; n < times_effort(1000); n++) {
        const float x = ldexpf((float)(random_below(4001) - 2000), (int)random_below(20) - 15);
        const float y = n % 3 == 2 ? (float)random_below(100) / 100 : (float)(n % 3);
        const float w = n % 5 == 0 ? 1 : (float)(1 + random_below(100)), p = n % 7 == 0 ? 1 : w / 3;
        const long double exact = loss((double)x, (double)y, (double)w, (double)p);
        const float got = one(x, y, w, p);
        if (!(fabsl((long double)got - exact) <= fabsl(exact) * 0x1.0001p-24L + 0x1p-150L))
            fail_msg("x = %a, y = %a, w = %a, p = %a: %a instead of %La", (double)x, (double)y, (double)w,
                     (double)p, (double)got, exact);
    }
}

static void infinities_and_nan(void **state)
{
    (void)state;
    const float inf = INFINITY;
    assert_true(one(inf, 0, 1, 1) == inf);
    assert_true(one(inf, 0.5F, 1, 1) == inf);
    assert_true(isnan(one(inf, 1, 1, 1)));
    assert_true(isnan(one(-inf, 0, 1, 1)));
    assert_true(isnan(one(-inf, 1, 1, 1)));
    assert_true(one(-inf, 2, 1, 1) == inf);
    assert_true(one(0, 1, 1, inf) == inf);
    assert_true(isnan(one(0, 0, 1, inf)));
    assert_true(isnan(one(NAN, 0, 1, 1)) && isnan(one(0, NAN, 1, 1)) && isnan(one(0, 0, NAN, 1)));
    assert_true(one(0, 1, -inf, 1) == -inf);
    uint32_t bits;
    memcpy(&bits, arena + OUT * 4, 4);
    (void)one(NAN, 0, 1, 1);
    memcpy(&bits, arena + OUT * 4, 4);
    assert_int_equal(bits, 0x7fc00000);
}

/* One fault in a call that is accepted. */
static void expect_refusal(const struct view *x, const struct view *y, const struct view *w,
                           const struct view *out, int64_t reduction, const char *word)
{
    aclTensor *tensor[] = {tensor_of(x), tensor_of(y), w != NULL ? tensor_of(w) : NULL, tensor_of(out)};
    uint64_t workspace = 77;
    aclOpExecutor *executor = NULL;
    assert_int_equal(aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(
                         tensor[0], tensor[1], tensor[2], NULL, reduction, tensor[3], &workspace, &executor),
                     161002);
    assert_sentence(word);
    assert_int_equal(aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(
                         tensor[0], tensor[1], NULL, tensor[2], reduction, tensor[3], &workspace, &executor),
                     161002);
    assert_int_equal(workspace, 77);
    assert_null(executor);
    for (int i = 0; i < 4; i++)
        if (tensor[i] != NULL)
            (void)aclDestroyTensor(tensor[i]);
    (void)aclGetRecentErrMsg();
}

static void refusals(void **state)
{
    (void)state;
    const int64_t six[] = {2, 3}, row[] = {1, 3}, four[] = {4, 2, 3};
    const struct view f32 = plain_view(ACL_FLOAT, 2, six, 0), f16 = plain_view(ACL_FLOAT16, 2, six, 0);
    const struct view f64 = plain_view(ACL_DOUBLE, 2, six, 0), small = plain_view(ACL_FLOAT, 2, row, 0);
    const struct view large = plain_view(ACL_FLOAT, 3, four, 0), single = plain_view(ACL_FLOAT, 0, NULL, 0);
    expect_refusal(&f64, &f64, NULL, &f64, NONE, "self has dtype DOUBLE");
    expect_refusal(&f32, &f16, NULL, &f32, NONE, "target has dtype FLOAT16");
    expect_refusal(&f32, &f32, &f16, &f32, NONE, "weightOptional has dtype FLOAT16");
    expect_refusal(&f32, &f32, NULL, &f16, NONE, "out has dtype FLOAT16");
    expect_refusal(&f32, &small, NULL, &f32, NONE, "target has shape [1, 3]");
    expect_refusal(&f32, &f32, &large, &f32, NONE,
                   "weightOptional has shape [4, 2, 3], which does not broadcast");
    expect_refusal(&f32, &f32, NULL, &f32, 3, "reduction is 3");
    expect_refusal(&f32, &f32, NULL, &f32, -1, "reduction is -1");
    expect_refusal(&f32, &f32, NULL, &f32, MEAN, "out has shape [2, 3]");
    expect_refusal(&f32, &f32, NULL, &single, NONE, "out has shape []");
    expect_refusal(&f32, &f16, &large, &f32, 3, "target has dtype FLOAT16"); /* dtypes come first */
    expect_refusal(&f32, &small, NULL, &f32, 3, "target has shape [1, 3]");
}

/* A call on whole rows of the views, without refusal: 0. */
static int call_all(const struct view *const *view, int64_t reduction)
{
    aclTensor *tensor[VIEWS];
    for (int i = 0; i < VIEWS; i++)
        tensor[i] = view[i] != NULL ? tensor_of(view[i]) : NULL;
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    return aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(tensor[X], tensor[Y], tensor[W], tensor[P],
                                                             reduction, tensor[OUT], &workspace, &executor) |
           aclnnBinaryCrossEntropyWithLogits(NULL, 0, executor, stream) | aclrtSynchronizeStream(stream);
}

enum { ROWS = 700, COLUMNS = 701, MANY = ROWS * COLUMNS };

/* Numbers of every size; mirrored: weights that make the second half of all losses the first one's negative,
 * backwards, so that their sum is what its order of roundings leaves, and a FLOAT shows it. */
static void fill_many(bool is_mirrored)
{
    float *values = (float *)(void *)arena;
    for (int i = 0; i < 3 * MANY; i++)
        values[i] = ldexpf((float)(random_below(2001) - 1000), (int)random_below(40) - 30);
    for (int i = 0; is_mirrored && i < 3 * MANY; i++) {
        const int first = i / MANY * MANY, k = i - first;
        if (2 * k >= MANY)
            values[i] = (first == 2 * MANY ? -1.0F : 1.0F) * values[first + MANY - 1 - k];
    }
}

/* Losses of a large tensor, their mean and sums. */
static uint64_t everything(void)
{
    const int64_t large[] = {ROWS, COLUMNS}, columns[] = {COLUMNS};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct view x = plain_view(ACL_FLOAT, 2, large, 0), y = plain_view(ACL_FLOAT, 2, large, MANY);
    const struct view w = plain_view(ACL_FLOAT, 2, large, 2 * MANY);
    const struct view p = plain_view(ACL_FLOAT, 1, columns, 7);
    const struct view out = plain_view(ACL_FLOAT, 2, large, 3 * MANY);
    const struct view single = plain_view(ACL_FLOAT, 0, NULL, 3 * MANY);
    for (int n = 0; n < 6; n++) {
        fill_many(n >= 3);
        const struct view *given[] = {&x, &y, n == 0 ? NULL : &w, n < 3 ? &p : NULL, n == 0 ? &out : &single};
        if (n == 2) /* turned */
            y.stride[0] = 1, y.stride[1] = ROWS;
        if (n == 3)
            y = plain_view(ACL_FLOAT, 2, large, MANY);
        if (call_all(given, n < 3 ? n : SUM) != 0)
            return 0;
        hash = hash_of(arena + (size_t)3 * MANY * 4, (size_t)MANY * 4, hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_sums_and_means),
        cmocka_unit_test(nothing_cancels),
        cmocka_unit_test(infinities_and_nan),
        cmocka_unit_test(refusals),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
