/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Against loops in long double, in any layout: products of floats that become INT8 by rows, by one weight or by
 * groups; products of the rows of groups that are added to matrices; GELU of products of whole numbers; sums of
 * INT32 as floats; weights with scales by their third name; and what of all that is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/whole_case.h"
#include "support/effort.h"

#define NUMBERS(...) ((const double[]){__VA_ARGS__})
static const long double slack = 0x1p-38L;

static void run_or_tell(struct named_call *call)
{
    if (run_named(call) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
}

static int64_t drawn_ends(const struct layout *list, int64_t most, int64_t *end)
{
    int64_t at = 0;
    for (int64_t g = 0; g < list->count; g++) {
        end[g] = at += random_below(3) == 0 ? 0 : random_below(most - at + 1);
        set_whole(list, g, at);
    }
    return at;
}

static int64_t group_at(const int64_t *end, int64_t groups, int64_t row)
{
    for (int64_t g = 0; g < groups; g++)
        if (row < end[g])
            return g;
    return -1;
}

static struct named_call call_of_dequant(int64_t *end)
{
    static const char *const names[] = {"aclnnQuantMatmulDequant", "aclnnQuantGroupedMatmulDequant",
                                        "aclnnQuantGroupedMatmulDequantWeightNZ"};
    const int which = (int)random_below(3);
    const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    const int64_t groups = which == 0 ? 1 : 1 + random_below(4), m = 1 + random_below(20),
                  k = 1 + random_below(90), n = 1 + random_below(90);
    const bool turns = random_below(2) == 0;
    const int64_t weight[] = {groups, turns ? k : n, turns ? n : k}, scale[] = {groups, n};
    struct named_call call = call_begin_named(names[which]);
    GIVE(&call, "x", dtype, m, k);
    const struct layout *w =
        give_tensor(&call, "weight", ACL_INT8, which == 0 ? 2 : 3, weight + (which == 0));
    for (int64_t i = 0; i < w->count; i++)
        set_whole(w, i, drawn_number(false));
    const struct layout *s = give_tensor(&call, "weightScale", random_below(3) == 0 ? ACL_INT64 : ACL_FLOAT,
                                         which == 0 ? 1 : 2, scale + (which == 0));
    for (int64_t i = 0; i < s->count && s->dtype == ACL_INT64; i++) {
        const float value = (float)(1 + random_below(50)) / 64;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        set_whole(s, i, (int64_t)bits);
    }
    if (random_below(2) == 0)
        GIVE(&call, "smoothScale", random_below(2) == 0 ? ACL_FLOAT16 : ACL_FLOAT, k);
    if (random_below(2) == 0) {
        const struct layout *own = GIVE(&call, "xScale", ACL_FLOAT, random_below(2) == 0 ? 1 : m);
        for (int64_t i = 0; i < own->count; i++)
            set_element(own, i, .0625 * (double)(1 + random_below(3)));
    }
    if (which > 0)
        drawn_ends(GIVE(&call, "groupList", ACL_INT64, groups), m, end);
    else
        end[0] = m;
    give_number(&call, "transposeWeight", !turns);
    GIVE(&call, "out", dtype, m, n);
    return call;
}

/* A row of x as whole numbers, and its scale. */
static void quantise(struct named_call *call, int64_t row, int64_t *q, double *scale)
{
    const struct layout *x = tensor_named(call, "x");
    const int64_t k = x->shape[1];
    double value[128], greatest = 0;
    for (int64_t i = 0; i < k; i++) {
        value[i] = element_of(x, row * k + i) *
                   (is_named(call, "smoothScale") ? element_of(tensor_named(call, "smoothScale"), i) : 1);
        greatest = fmax(greatest, fabs(value[i]));
    }
    *scale = (double)(float)(greatest / 127);
    if (is_named(call, "xScale"))
        *scale = element_of(tensor_named(call, "xScale"), tensor_named(call, "xScale")->count == 1 ? 0 : row);
    for (int64_t i = 0; i < k; i++) {
        const double exact = *scale == 0 ? 0 : value[i] / *scale, whole = nearbyint(exact);
        q[i] = (int64_t)(whole > 127 ? 127 : whole < -128 ? -128 : whole);
    }
}

static void floats_become_numbers_by_rows(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        int64_t end[CASE_GROUPS], q[128];
        struct named_call call = call_of_dequant(end);
        run_or_tell(&call);
        const struct layout *out = tensor_named(&call, "out"), *w = tensor_named(&call, "weight"),
                            *s = tensor_named(&call, "weightScale");
        const int64_t n = out->shape[1], k = tensor_named(&call, "x")->shape[1],
                      groups = w->rank == 3 ? w->shape[0] : 1;
        const bool turns = !call.argument[place_named(&call, "transposeWeight")].boolean;
        for (int64_t row = 0; row < out->shape[0]; row++) {
            const int64_t g = group_at(end, groups, row);
            double scale;
            quantise(&call, row, q, &scale);
            for (int64_t j = 0; j < n; j++) {
                int64_t sum = 0;
                for (int64_t i = 0; g >= 0 && i < k; i++)
                    sum += q[i] * whole_of(w, g * n * k + (turns ? i * n + j : j * k + i));
                double own = 0;
                if (g >= 0 && s->dtype == ACL_INT64) {
                    const uint32_t bits = (uint32_t)whole_of(s, g * n + j);
                    float value;
                    memcpy(&value, &bits, sizeof value);
                    own = (double)value;
                } else if (g >= 0) {
                    own = element_of(s, g * n + j) * scale;
                }
                const long double value = (long double)sum * (long double)own;
                assert_near("dequantised", out, row * n + j, value, out->dtype, slack * (1 + fabsl(value)));
            }
        }
        end_named(&call);
    }
}

static struct named_call call_of_addition(int64_t *end, int64_t *groups)
{
    const bool is_later = random_below(2) == 0, is_flat = random_below(2) == 0;
    const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    const int64_t k = 1 + random_below(60), m = 1 + random_below(40), n = 1 + random_below(40);
    *groups = 1 + random_below(CASE_GROUPS);
    struct named_call call = call_begin_named(is_later ? "aclnnGroupedMatmulAddV2" : "aclnnGroupedMatmulAdd");
    GIVE(&call, "x", dtype, k, m);
    GIVE(&call, "weight", dtype, k, n);
    drawn_ends(GIVE(&call, "groupList", ACL_INT64, *groups), k, end);
    if (is_flat)
        GIVE(&call, "yRef", ACL_FLOAT, *groups * m, n);
    else
        GIVE(&call, "yRef", ACL_FLOAT, *groups, m, n);
    if (is_later && random_below(2) == 0) {
        for (int64_t g = *groups - 1; g > 0; g--)
            set_whole(tensor_named(&call, "groupList"), g, end[g] - end[g - 1]);
        give_number(&call, "groupListType", 1);
    }
    return call;
}

static void products_are_added_to_their_groups(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(80); round++) {
        int64_t end[CASE_GROUPS], groups;
        double before[CASE_GROUPS * 1600];
        struct named_call call = call_of_addition(end, &groups);
        const struct layout *x = tensor_named(&call, "x"), *w = tensor_named(&call, "weight"),
                            *y = tensor_named(&call, "yRef");
        const int64_t m = x->shape[1], n = w->shape[1];
        for (int64_t i = 0; i < y->count; i++)
            before[i] = element_of(y, i);
        run_or_tell(&call);
        for (int64_t i = 0; i < y->count; i++) {
            const int64_t g = i / n / m, row = i / n % m, column = i % n;
            long double sum = (long double)before[i], size = fabsl(sum);
            for (int64_t k = g > 0 ? end[g - 1] : 0; k < end[g]; k++) {
                const long double term =
                    (long double)element_of(x, k * m + row) * (long double)element_of(w, k * n + column);
                sum += term, size += fabsl(term);
            }
            assert_near("added product", y, i, sum, ACL_FLOAT, 0x1p-18L * size);
        }
        end_named(&call);
    }
}

static void gelu_of_products(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        static const aclDataType outs[] = {ACL_FLOAT16, ACL_BF16, ACL_FLOAT};
        struct whole_case c;
        do
            c = draw_case();
        while (c.groups > 1 || c.parts > 1 || is_mixed(&c));
        c.count[0] = c.rows, c.has_row_scale = true;
        const bool is_tanh = random_below(2) == 0;
        const int64_t x[] = {c.rows, c.depth}, weight[] = {c.depth, c.columns};
        struct named_call call = call_begin_named(random_below(2) == 0 ? "aclnnFusedQuantMatmul"
                                                                       : "aclnnFusedQuantMatmulWeightNz");
        give_whole(&call, "x1", c.x, 2, x, c.x_has_4, c.form == AS_TURNED_INT4 ? AS_INT4 : c.form);
        give_whole(&call, "x2", c.weight, 2, weight, c.weight_has_4, c.form);
        set_numbers(GIVE(&call, "x1Scale", ACL_FLOAT, c.rows), c.row_scale);
        set_numbers(GIVE(&call, "x2Scale", ACL_FLOAT, c.columns), c.scale);
        if (c.has_bias)
            set_numbers(GIVE(&call, "bias", c.bias_dtype, c.columns), c.bias);
        call.argument[place_named(&call, "fusedOpType")].string = is_tanh ? "gelu_tanh" : "gelu_erf";
        const struct layout *out = GIVE(&call, "out", outs[random_below(3)], c.rows, c.columns);
        run_or_tell(&call);
        for (int64_t i = 0; i < out->count; i++) {
            const long double v = case_value(&c, i / c.columns, i % c.columns);
            const long double gelu =
                is_tanh ? v * (1 + tanhl(0.79788456080286535588L * (v + 0.044715L * v * v * v))) / 2
                        : v * erfcl(-v / sqrtl(2)) / 2;
            assert_near("gelu", out, i, gelu, out->dtype, slack * (1 + fabsl(v)));
        }
        end_named(&call);
    }
}

static void sums_become_floats(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        const int64_t m = 1 + random_below(12), n = 1 + random_below(200);
        const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
        struct named_call call = call_begin_named("aclnnDequantBias");
        const struct layout *x = GIVE(&call, "x", ACL_INT32, m, n);
        for (int64_t i = 0; i < x->count; i++)
            set_whole(x, i, random_below(2001) - 1000);
        GIVE(&call, "weightScale", random_below(2) == 0 ? ACL_FLOAT : dtype, n);
        if (random_below(2) == 0)
            GIVE(&call, "activateScale", ACL_FLOAT, m);
        const bool is_whole = random_below(2) == 0;
        if (random_below(3) > 0) {
            const struct layout *bias = GIVE(&call, "bias", is_whole ? ACL_INT32 : ACL_FLOAT, n);
            for (int64_t i = 0; i < n && is_whole; i++)
                set_whole(bias, i, random_below(100));
        }
        give_number(&call, "outputDtype", (double)dtype);
        const struct layout *out = GIVE(&call, "out", dtype, m, n);
        run_or_tell(&call);
        for (int64_t i = 0; i < out->count; i++) {
            const bool has_bias = is_named(&call, "bias");
            const long double bias =
                has_bias ? (long double)(is_whole ? (double)whole_of(tensor_named(&call, "bias"), i % n)
                                                  : element_of(tensor_named(&call, "bias"), i % n))
                         : 0;
            const long double scale =
                (long double)element_of(tensor_named(&call, "weightScale"), i % n) *
                (is_named(&call, "activateScale")
                     ? (long double)element_of(tensor_named(&call, "activateScale"), i / n)
                     : 1);
            const long double sum = (long double)whole_of(x, i);
            assert_near("dequantised sum", out, i, is_whole ? (sum + bias) * scale : sum * scale + bias,
                        dtype, slack * (1 + fabsl(sum * scale)));
        }
        end_named(&call);
    }
}

/* The third name does what the second one does, bit for bit. */
static void third_name_of_weights_with_scales(void **state)
{
    (void)state;
    for (int round = 0; round < 8; round++) {
        uint16_t found[2][24];
        for (int v = 0; v < 2; v++) {
            struct named_call call =
                call_begin_named(v == 0 ? "aclnnWeightQuantBatchMatmulV2" : "aclnnWeightQuantBatchMatmulV3");
            const struct layout *x = GIVE(&call, "x", ACL_FLOAT16, 3, 5),
                                *w = GIVE(&call, "weight", ACL_INT8, 5, 8),
                                *scale = GIVE(&call, "antiquantScale", ACL_FLOAT16, 8);
            for (int64_t i = 0; i < w->count; i++)
                set_whole(w, i, (i * 37 + round) % 256 - 128);
            for (int64_t i = 0; i < x->count; i++)
                set_element(x, i, (double)((i * 29 + round) % 31 - 15) / 8);
            for (int64_t i = 0; i < scale->count; i++)
                set_element(scale, i, (double)(i + 1) / 16);
            const struct layout *y = GIVE(&call, "y", ACL_FLOAT16, 3, 8);
            give_number(&call, "innerPrecise", 1);
            run_or_tell(&call);
            for (int64_t i = 0; i < y->count; i++)
                memcpy(&found[v][i], layout_element(y, i), sizeof found[v][i]);
            end_named(&call);
        }
        assert_memory_equal(found[0], found[1], sizeof found[0]);
    }
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    (void)state;
    struct named_call call = call_begin_named("aclnnGroupedMatmulAddV2");
    GIVE(&call, "x", ACL_BF16, 6, 3);
    GIVE(&call, "weight", ACL_BF16, 6, 4);
    set_numbers(GIVE(&call, "groupList", ACL_INT64, 2), NUMBERS(2, 7));
    GIVE(&call, "yRef", ACL_FLOAT, 5, 4);
    assert_named_refused(&call, invalid, "yRef has shape [5, 4]; [2, 3, 4], or the first two as one dim");
    GIVE(&call, "yRef", ACL_FLOAT, 6, 4);
    assert_failure(run_named(&call), 507035, "groupList holds 7 at [1]");
    give_number(&call, "groupType", 0);
    assert_named_refused(&call, invalid, "groupType 0; true, false and 2 are expected");
    GIVE(&call, "weight", ACL_BF16, 5, 4);
    assert_named_refused(&call, invalid, "matrices of as many rows are expected");
    call = call_begin_named("aclnnQuantMatmulDequant");
    GIVE(&call, "x", ACL_FLOAT16, 3, 4);
    GIVE(&call, "weight", ACL_INT8, 5, 4);
    GIVE(&call, "weightScale", ACL_FLOAT, 5);
    GIVE(&call, "out", ACL_FLOAT16, 3, 5);
    GIVE(&call, "xScale", ACL_FLOAT, 2);
    assert_named_refused(&call, invalid, "xScaleOptional has shape [2]; [3] is expected");
    GIVE(&call, "xScale", ACL_FLOAT, 3);
    call.argument[place_named(&call, "quantMode")].string = "some";
    assert_named_refused(&call, invalid, "quantModeOptional is \"some\"");
    GIVE(&call, "weightScale", ACL_FLOAT, 4);
    assert_named_refused(&call, invalid, "weightScale has shape [4]; scales of 5 columns for 1 groups");
    GIVE(&call, "x", ACL_FLOAT16, 3, 3);
    assert_named_refused(&call, invalid, "x has 3 columns, and the sums of weight run along 4");
    call = call_begin_named("aclnnDequantBias");
    GIVE(&call, "x", ACL_INT32, 3, 4);
    GIVE(&call, "weightScale", ACL_FLOAT, 3);
    GIVE(&call, "out", ACL_FLOAT16, 3, 4);
    assert_named_refused(&call, invalid, "weightScale has shape [3]; [4] is expected");
    GIVE(&call, "weightScale", ACL_FLOAT, 4);
    give_number(&call, "outputDtype", 0);
    assert_named_refused(&call, invalid, "outputDtype is 0; 1 or 27");
    call = call_begin_named("aclnnFusedQuantMatmul");
    GIVE(&call, "x1", ACL_INT8, 3, 4);
    GIVE(&call, "x2", ACL_INT8, 4, 5);
    GIVE(&call, "x1Scale", ACL_FLOAT, 3);
    GIVE(&call, "x2Scale", ACL_FLOAT, 5);
    GIVE(&call, "out", ACL_FLOAT16, 3, 5);
    call.argument[place_named(&call, "fusedOpType")].string = "relu";
    assert_named_refused(&call, invalid, "fusedOpType is \"relu\"");
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 16; round++) {
        int64_t end[CASE_GROUPS], groups;
        struct named_call calls[] = {call_of_dequant(end), call_of_addition(end, &groups)};
        for (int i = 0; i < 2; i++) {
            if (run_named(&calls[i]) != 0)
                return 0;
            hash = hash_named(&calls[i], hash);
            end_named(&calls[i]);
        }
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_become_numbers_by_rows),
        cmocka_unit_test(products_are_added_to_their_groups),
        cmocka_unit_test(gelu_of_products),
        cmocka_unit_test(sums_become_floats),
        cmocka_unit_test(third_name_of_weights_with_scales),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
