/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gated units and their gradients in layouts drawn at random, also in the memory of their input, against
 * their formulas in long double; and what mixed precision does with gradients and scales.
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

enum { RANK = 3, TENSORS_MAX = 6 };

static long double gate(long double x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

static long double gelu(long double x, bool is_tanh)
{
    return is_tanh ? x * gate(2 * 0.797884560802865355879892119868763737L * (x + 0.044715L * x * x * x))
                   : x * 0.5L * erfcl(-x * 0.707106781186547524400844362104849039L);
}

static long double gelu_slope(long double x, bool is_tanh)
{
    const long double k = 0.797884560802865355879892119868763737L, u = k * (x + 0.044715L * x * x * x);
    const long double s = gate(2 * u);
    return is_tanh
               ? s + x * s * gate(-2 * u) * 2 * k * (1 + 3 * 0.044715L * x * x)
               : 0.5L * erfcl(-x * 0.707106781186547524400844362104849039L) + x * k / 2 * expl(-x * x / 2);
}

/* Of the gradient g, the halves a and b, and what was given as gelu; with h 1 in the second half. */
typedef long double half_function(long double g, long double a, long double b, long double gelu, int half,
                                  bool is_tanh);

static long double glu(long double g, long double a, long double b, long double y, int half, bool is_tanh)
{
    (void)g, (void)y, (void)half, (void)is_tanh;
    return a * gate(b);
}

static long double glu_gradient(long double g, long double a, long double b, long double y, int half,
                                bool is_tanh)
{
    (void)y, (void)is_tanh;
    return half == 0 ? g * gate(b) : g * a * gate(b) * gate(-b);
}

static long double swiglu(long double g, long double a, long double b, long double y, int half, bool is_tanh)
{
    (void)g, (void)y, (void)half, (void)is_tanh;
    return a * gate(a) * b;
}

static long double swiglu_gradient(long double g, long double a, long double b, long double y, int half,
                                   bool is_tanh)
{
    (void)y, (void)is_tanh;
    return half == 0 ? g * b * gate(a) * (1 + a * gate(-a)) : g * a * gate(a);
}

static long double geglu(long double g, long double a, long double b, long double y, int half, bool is_tanh)
{
    (void)g, (void)y, (void)half;
    return a * gelu(b, is_tanh);
}

static long double geglu_left(long double g, long double a, long double b, long double y, int half,
                              bool is_tanh)
{
    return geglu(g, b, a, y, half, is_tanh);
}

static long double geglu_gradient(long double g, long double a, long double b, long double y, int half,
                                  bool is_tanh)
{
    return half == 0 ? g * y : g * a * gelu_slope(b, is_tanh);
}

static long double geglu_left_gradient(long double g, long double a, long double b, long double y, int half,
                                       bool is_tanh)
{
    return geglu_gradient(g, b, a, y, 1 - half, is_tanh);
}

static const struct row {
    const char *name;
    half_function *reference;
    bool is_tanh, is_left;
} rows[] = {
    {"aclnnGlu", glu, false, false},
    {"aclnnGluBackward", glu_gradient, false, false},
    {"aclnnSwiGlu", swiglu, false, false},
    {"aclnnSwiGluGrad", swiglu_gradient, false, false},
    {"aclnnGeGlu", geglu, false, false},
    {"aclnnGeGlu", geglu, true, false},
    {"aclnnGeGluV3", geglu, true, false},
    {"aclnnGeGluV3", geglu_left, false, true},
    {"aclnnGeGluBackward", geglu_gradient, true, false},
    {"aclnnGeGluV3Backward", geglu_gradient, false, false},
    {"aclnnGeGluV3Backward", geglu_left_gradient, true, true},
};

static void run(const struct function *function, const union argument *argument)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    if (function_plan_anew(function, argument, &bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(function->launch(NULL, 0, executor, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static long double element(const struct layout *layout, const int64_t *index)
{
    int64_t place = layout->offset;
    double value;
    for (int k = 0; k < RANK; k++)
        place += index[k] * layout->stride[k];
    conversion_reference(layout->memory + (size_t)place * layout->bytes, layout->dtype, &value, ACL_DOUBLE);
    return value;
}

/* Within 2 units; near roots of a derivative within 2 units of what is added there. */
static void judge(const char *name, const struct layout *out, const int64_t *index, long double exact,
                  long double size)
{
    const long double found = element(out, index);
    const long double unit = out->dtype == ACL_FLOAT    ? 0x1p-23L
                             : out->dtype == ACL_DOUBLE ? 0x1p-50L
                             : out->dtype == ACL_BF16   ? 0x1p-8L
                                                        : 0x1p-11L;
    const long double least = out->dtype == ACL_FLOAT16 ? 0x1p-24L : 0x1p-140L;
    const long double scale = fmaxl(fabsl(exact), 1e-6L * size);
    const long double two_ulp = scale > 0 && isfinite(scale) ? ldexpl(2 * unit, ilogbl(scale)) : 0;
    const long double bound = ((out->dtype == ACL_FLOAT ? two_ulp : unit * scale) + least) * 1.01L;
    if (isnan(exact) ? !isnan(found) : !(fabsl(found - exact) <= bound) && found != exact)
        fail_msg("%s: %.17Lg and not %.17Lg", name, found, exact);
}

static void try_row(const struct row *row, aclDataType dtype, bool is_in_place)
{
    const struct function *function = find(row->name);
    const int64_t dim = random_below(RANK);
    int64_t whole[] = {1 + random_below(9), 1 + random_below(9), 1 + random_below(9)}, half[RANK];
    whole[dim] += whole[dim] % 2;
    memcpy(half, whole, sizeof half);
    half[dim] /= 2;
    const int64_t given = random_below(2) == 0 ? dim : dim - RANK;
    union argument argument[PARAMETERS_MAX];
    struct layout tensor[TENSORS_MAX];
    unsigned tensors = 0, self = 0, g = 0, y = 0, out = 0;
    const bool is_gradient =
        strcmp(function->parameter[0].name, "self") != 0 && strcmp(function->parameter[0].name, "x") != 0;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        const bool is_self = strcmp(parameter->name, "self") == 0 || strcmp(parameter->name, "x") == 0;
        if (strcmp(parameter->name, "dim") == 0)
            argument[i] = argument_of_integer(given);
        else if (strcmp(parameter->name, "approximate") == 0)
            argument[i] = argument_of_integer(row->is_tanh);
        else if (strcmp(parameter->name, "activateLeft") == 0)
            argument[i] = argument_of_bool(row->is_left);
        if (!parameter_is_tensor(parameter))
            continue;
        const bool is_output = parameter_is_output(parameter);
        const bool is_whole = is_self || (is_output && is_gradient);
        tensor[tensors] = layout_create(
            dtype, RANK, is_whole ? whole : half,
            (enum layout_kind)random_below(is_output || is_in_place ? LAYOUT_REPEATED : LAYOUT_KINDS));
        layout_fill(&tensor[tensors], 5, false);
        argument[i].tensor = tensor[tensors].tensor;
        *(is_output                              ? strcmp(parameter->name, "outGelu") == 0 ? &y : &out
          : is_self                              ? &self
          : strcmp(parameter->name, "gelu") == 0 ? &y
                                                 : &g) = tensors;
        if (is_output && is_gradient && is_in_place)
            argument[i].tensor = tensor[self].tensor;
        tensors++;
    }
    struct layout before = tensor[self];
    before.memory = malloc((size_t)(before.reach + 1) * before.bytes);
    memcpy(before.memory, tensor[self].memory, (size_t)(before.reach + 1) * before.bytes);
    run(function, argument);
    if (is_gradient && is_in_place)
        out = self;
    for (int64_t i = 0; i < tensor[out].count; i++) {
        int64_t index[RANK], rest = i, first[RANK], second[RANK];
        for (int k = RANK; k-- > 0; rest /= tensor[out].shape[k])
            index[k] = rest % tensor[out].shape[k];
        memcpy(first, index, sizeof first);
        first[dim] %= half[dim];
        memcpy(second, first, sizeof second);
        second[dim] += half[dim];
        const int in_half = index[dim] >= half[dim];
        const long double a = element(&before, first), b = element(&before, second);
        const long double gradient = is_gradient ? element(&tensor[g], first) : 0;
        const long double given_gelu = is_gradient ? element(&tensor[y], first) : 0;
        const long double exact = row->reference(gradient, a, b, given_gelu, in_half, row->is_tanh);
        judge(row->name, &tensor[out], index, exact, fabsl(gradient) + fabsl(a) + fabsl(b));
        if (!is_gradient && strncmp(row->name, "aclnnGeGlu", 10) == 0)
            judge("outGelu", &tensor[y], index, gelu(row->is_left ? a : b, row->is_tanh), 1);
    }
    free(before.memory);
    for (unsigned i = 0; i < tensors; i++)
        layout_destroy(&tensor[i]);
}

static void gated_units_are_their_formulas(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int k = 0; k < 4; k++)
            for (int call = 0; call < 30; call++)
                if (find(rows[i].name)->parameter[0].dtypes->on[PRODUCT_910B] >> dtypes[k] & 1)
                    try_row(&rows[i], dtypes[k], call % 3 == 0);
}

enum { PAIRS = 4096 };

/* Glu of so many pairs is within a part of a unit; 0.5: rounded once. */
static void judge_glu(const float *a, const float *b, int64_t count, long double bound)
{
    const struct function *function = find("aclnnGlu");
    const int64_t whole[] = {2, count}, half[] = {1, count};
    struct layout self = layout_create(ACL_FLOAT, 2, whole, LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_FLOAT, 2, half, LAYOUT_CONTIGUOUS);
    const union argument argument[] = {
        {.tensor = self.tensor}, argument_of_integer(0), {.tensor = out.tensor}};
    memcpy(layout_element(&self, 0), a, (size_t)count * sizeof *a);
    memcpy(layout_element(&self, count), b, (size_t)count * sizeof *b);
    run(function, argument);
    for (int64_t i = 0; i < count; i++) {
        const long double exact = (long double)a[i] * gate(b[i]);
        const int exponent = exact == 0 || !isfinite(exact) ? 0 : ilogbl(exact);
        const long double unit = ldexpl(1, (exponent < -126 ? -126 : exponent) - 23);
        float found;
        memcpy(&found, layout_element(&out, i), sizeof found);
        if (isnan(exact) ? !isnan(found)
                         : !signbit(found) != !signbit(exact) ||
                               (found != (float)exact && !(fabsl(found - exact) <= bound * unit)))
            fail_msg("%a * s(%a): %a and not %La", (double)a[i], (double)b[i], (double)found, exact);
    }
    layout_destroy(&self);
    layout_destroy(&out);
}

/* Numbers at the ends of every way that glu of FLOAT has, each with each, in registers that they share. */
static void glu_is_within_a_unit_at_all_ends(void **state)
{
    static const float numbers[] = {0.0f,       -0.0f,      INFINITY, -INFINITY, NAN,    0x1p-149f, 0x1p-125f,
                                    0x1.8p-60f, 0x1.2p-50f, 1,        -1,        3e38f,  6.25f,     -6.25f,
                                    -6.26f,     12.75f,     -12.75f,  -12.76f,   40,     -40,       -88,
                                    104,        -40.0001f,  -1e-8f,   7e-7f,     512.5f, -104,      -110,
                                    0x1p-126f,  -0x1p-127f, 700,      -700};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    float a[COUNT * COUNT], b[COUNT * COUNT];
    (void)state;
    for (int i = 0; i < COUNT * COUNT; i++) {
        a[i] = numbers[i / COUNT];
        b[i] = numbers[i % COUNT];
    }
    judge_glu(a, b, COUNT * COUNT, 0.95L);
}

/* Results that are subnormal: of a small A, where blocks have nothing else, and of a small s(B), once rounded. */
static void subnormal_results_of_glu_are_no_worse(void **state)
{
    float a[PAIRS], b[PAIRS];
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        a[i] = ldexpf((float)(0x800000 + random_below(0x800000)), -148 + (int)random_below(8));
        b[i] = (float)random_below(0xc00000) * 0x1p-20f - 6;
    }
    judge_glu(a, b, PAIRS, 0.95L);
    for (int i = 0; i < PAIRS; i++) {
        b[i] = -41 - (float)random_below(0x400000) * 0x1p-16f;
        a[i] = ldexpf((float)(0x800000 + random_below(0x800000)),
                      (int)(-b[i] * 1.442695f) - 150 - (int)random_below(20));
    }
    judge_glu(a, b, PAIRS, 0.5L);
}

static void gradients_are_unscaled_and_infinities_told(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    static const int64_t one[] = {1};
    (void)state;
    for (int call = 0; call < 60; call++) {
        const aclDataType dtype = dtypes[call % 3];
        const bool is_bad = call % 2 != 0;
        struct layout grad[2], found = layout_create(ACL_FLOAT, 1, one, LAYOUT_CONTIGUOUS),
                               scale = layout_create(ACL_FLOAT, 0, one, LAYOUT_CONTIGUOUS);
        double before[2][400];
        const float inverse = 0.1f, none = 0.25f;
        memcpy(found.memory, &none, sizeof none);
        memcpy(scale.memory, &inverse, sizeof inverse);
        const aclTensor *list[2];
        for (int i = 0; i < 2; i++) {
            const int64_t shape[] = {random_below(20), random_below(20)};
            grad[i] = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
            layout_fill(&grad[i], 6, false);
            if (is_bad && i == 1 && grad[i].count > 0) {
                const double bad = call % 4 == 1 ? -INFINITY : NAN;
                conversion_reference(&bad, ACL_DOUBLE, layout_element(&grad[i], random_below(grad[i].count)),
                                     dtype);
            }
            for (int64_t k = 0; k < grad[i].count; k++)
                conversion_reference(layout_element(&grad[i], k), dtype, &before[i][k], ACL_DOUBLE);
            list[i] = grad[i].tensor;
        }
        aclTensorList *grads = aclCreateTensorList(list, 2);
        const union argument argument[] = {
            {.tensors = grads}, {.tensor = found.tensor}, {.tensor = scale.tensor}};
        run(find("aclnnForeachNonFiniteCheckAndUnscale"), argument);
        for (int i = 0; i < 2; i++)
            for (int64_t k = 0; k < grad[i].count; k++) {
                const double exact = isnan(before[i][k]) ? (double)NAN : before[i][k] * (double)inverse;
                unsigned char expected[4];
                conversion_reference(&exact, ACL_DOUBLE, expected, dtype);
                assert_memory_equal(layout_element(&grad[i], k), expected, grad[i].bytes);
            }
        float told;
        memcpy(&told, found.memory, sizeof told);
        assert_true(told == (is_bad && grad[1].count > 0 ? 1 : none));
        assert_int_equal(aclrtFree(memory_known_as(grad[0].memory)), 0);
        assert_int_equal(aclrtFree(memory_known_as(grad[1].memory)), 0);
        assert_int_equal(aclDestroyTensorList(grads), 0);
        layout_destroy(&found);
        layout_destroy(&scale);
    }
}

static void scales_grow_and_back_off(void **state)
{
    static const int64_t one[] = {1};
    static const struct {
        float scale, found;
        int32_t tracker;
        float next_scale;
        int32_t next_tracker;
    } steps[] = {
        {8, 0, 0, 8, 1},   {8, 0, 2, 16, 0},        {8, 1, 2, 4, 0},
        {8, NAN, 1, 4, 0}, {3e38f, 0, 2, 3e38f, 0}, {8, 0, 5, 8, 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct layout scale = layout_create(ACL_FLOAT, 1, one, LAYOUT_CONTIGUOUS),
                      found = layout_create(ACL_FLOAT, 1, one, LAYOUT_CONTIGUOUS),
                      tracker = layout_create(ACL_INT32, 1, one, LAYOUT_CONTIGUOUS);
        memcpy(scale.memory, &steps[i].scale, 4);
        memcpy(found.memory, &steps[i].found, 4);
        memcpy(tracker.memory, &steps[i].tracker, 4);
        const union argument argument[] = {{.tensor = scale.tensor}, {.tensor = tracker.tensor},
                                           {.tensor = found.tensor}, argument_of_fp64(2),
                                           argument_of_fp64(0.5),    argument_of_integer(3),
                                           {.tensor = scale.tensor}, {.tensor = tracker.tensor}};
        run(find("aclnnAmpUpdateScale"), argument);
        assert_memory_equal(scale.memory, &steps[i].next_scale, 4);
        assert_memory_equal(tracker.memory, &steps[i].next_tracker, 4);
        layout_destroy(&scale);
        layout_destroy(&found);
        layout_destroy(&tracker);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gated_units_are_their_formulas),
        cmocka_unit_test(glu_is_within_a_unit_at_all_ends),
        cmocka_unit_test(subnormal_results_of_glu_are_no_worse),
        cmocka_unit_test(gradients_are_unscaled_and_infinities_told),
        cmocka_unit_test(scales_grow_and_back_off),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
