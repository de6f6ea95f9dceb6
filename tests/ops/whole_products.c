/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of INT8 and INT4 by groups against loops in long double, over whole tensors in any layout: those of
 * GroupedMatmul, gated and made INT8 again, and added up where their tokens are; weights with scales beside
 * floats; activations; worked examples; what is refused or fails; and that bits depend neither on the level
 * nor on the number of threads.
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

enum { FAULT = 507035 };
#define NUMBERS(...) ((const double[]){__VA_ARGS__})
static const long double slack = 0x1p-38L;

static double limited(double value)
{
    const double whole = nearbyint(value);
    return isnan(value) ? 0 : whole > 127 ? 127 : whole < -128 ? -128 : whole;
}

/* A value that lies next to a tie may go either way. */
static void assert_number(const struct layout *y, int64_t i, double value)
{
    const double found = (double)whole_of(y, i);
    const bool is_near_tie = fabs(value - floor(value) - .5) < 1e-6 * (1 + fabs(value));
    if (!(fabs(found - limited(value)) <= (is_near_tie ? 1 : 0)))
        fail_msg("element %d is %g; %g, that is %g, is expected", (int)i, found, value, limited(value));
}

/* GroupedMatmul. */

static long double activated(long double v, int64_t type)
{
    const long double tanh_of = tanhl(0.79788456080286535588L * (v + 0.044715L * v * v * v));
    return type == 0   ? v
           : type == 1 ? (v > 0 ? v : 0)
           : type == 2 ? v * (1 + tanh_of) / 2
           : type == 3 ? v * erfcl(-v / sqrtl(2)) / 2
           : type == 4 ? v / (1 + expl(-1.702L * v))
                       : v / (1 + expl(-v));
}

static struct named_call call_of_grouped(struct whole_case *c, int64_t *activation)
{
    static const char *const names[] = {"aclnnGroupedMatmulV4", "aclnnGroupedMatmulV5",
                                        "aclnnGroupedMatmulWeightNz"};
    static const aclDataType outs[] = {ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_INT8, ACL_INT32};
    static const struct case_names parts = {"x", "weight", "scale", "bias", "offset", "perTokenScale"};
    aclDataType out = outs[random_below(5)];
    *c = draw_case();
    if (is_mixed(c) && out == ACL_INT32)
        out = ACL_FLOAT;
    if (out == ACL_INT32)
        c->parts = 1, c->has_row_scale = false, c->bias_dtype = ACL_INT32;
    c->has_offset = c->has_offset || (out == ACL_INT8 && random_below(2) == 0);
    if (out == ACL_INT8 && c->has_offset)
        c->parts = 1, c->has_bits = true;
    *activation = out == ACL_INT32 ? 0 : random_below(6);
    struct named_call call = call_begin_named(names[random_below(3)]);
    give_case(&call, c, &parts);
    if (out == ACL_INT32) {
        layout_destroy(tensor_named(&call, "scale"));
        call.is_given[place_named(&call, "scale")] = false;
        call.argument[place_named(&call, "scale")].tensors = NULL;
    }
    GIVE(&call, "out", out, c->rows, c->columns);
    const bool is_split = !c->weight_has_4 && random_below(2) == 0;
    list_named(&call, "x", 0);
    list_named(&call, "weight", is_split ? c->groups : 0);
    if (call.is_given[place_named(&call, "scale")])
        list_named(&call, "scale", is_split ? c->groups : 0);
    list_named(&call, "bias", is_split ? c->groups : 0);
    list_named(&call, "offset", is_split ? c->groups : 0);
    list_named(&call, "perTokenScale", 0);
    list_named(&call, "out", 0);
    give_number(&call, "splitItem", (double)(2 + random_below(2)));
    give_number(&call, "groupType", 0);
    give_number(&call, "actType", (double)*activation);
    return call;
}

static void judge_grouped(struct named_call *call, const struct whole_case *c, int64_t activation)
{
    const struct layout *out = tensor_named(call, "out");
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t row = i / c->columns, column = i % c->columns, g = row_group(c, row);
        struct whole_case plain = *c;
        plain.has_offset = c->has_offset && out->dtype != ACL_INT8;
        for (int64_t k = 0; out->dtype == ACL_INT32 && k < c->groups * c->columns; k++)
            plain.scale[k] = 1;
        long double value = case_value(&plain, row, column);
        const double end =
            out->dtype == ACL_INT8 && c->has_offset && g >= 0 ? c->offset[g * c->columns + column] : 0;
        value = activated(value + (long double)end, activation);
        if (out->dtype == ACL_INT32)
            assert_int_equal(whole_of(out, i), (int64_t)value);
        else if (out->dtype == ACL_INT8)
            assert_number(out, i, (double)value);
        else
            assert_near("grouped product", out, i, value, out->dtype, slack * (1 + fabsl(value)));
    }
}

static void groups_are_exact_and_scaled(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(160); round++) {
        struct whole_case c;
        int64_t activation;
        struct named_call call = call_of_grouped(&c, &activation);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        judge_grouped(&call, &c, activation);
        end_named(&call);
    }
}

/* Gated rows. */

static const struct case_names gated_names[] = {
    {"x", "weight", "weightScale", "bias", "offset", "xScale"},
    {"x", "weight", "weightScale", "weightAssistMatrix", "offset", "xScale"}};

static struct named_call call_of_gated(struct whole_case *c)
{
    static const char *const names[][2] = {
        {"aclnnGroupedMatmulSwigluQuant", "aclnnGroupedMatmulSwigluQuantWeightNZ"},
        {"aclnnGroupedMatmulSwigluQuantV2", "aclnnGroupedMatmulSwigluQuantWeightNzV2"}};
    const bool is_later = random_below(2) == 0;
    do
        *c = draw_case();
    while (c->has_offset && is_later);
    c->has_row_scale = true;
    c->has_bias = c->has_bias && is_mixed(c);
    c->bias_dtype = ACL_FLOAT;
    if (!is_later)
        c->list_type = 0;
    for (int64_t g = 0; !is_later && g < c->groups; g++)
        c->order[g] = g;
    struct named_call call = call_begin_named(names[is_later][random_below(2)]);
    give_case(&call, c, &gated_names[is_later]);
    GIVE(&call, "output", ACL_INT8, c->rows, c->columns / 2);
    GIVE(&call, "outputScale", ACL_FLOAT, c->rows);
    if (is_later) {
        list_named(&call, "weight", 0);
        list_named(&call, "weightScale", 0);
        list_named(&call, "weightAssistMatrix", 0);
        if (random_below(2) == 0) {
            const struct layout *smooth =
                random_below(2) == 0 ? GIVE(&call, "smoothScale", ACL_FLOAT, c->groups)
                                     : GIVE(&call, "smoothScale", ACL_FLOAT, c->groups, c->columns / 2);
            for (int64_t i = 0; i < smooth->count; i++)
                set_element(smooth, i, (double)(1 + random_below(8)) / 4);
        }
    }
    return call;
}

static void gated_rows_are_int8_with_a_scale(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        struct whole_case c;
        struct named_call call = call_of_gated(&c);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        const struct layout *scale = tensor_named(&call, "outputScale");
        const int64_t half = c.columns / 2;
        for (int64_t row = 0; row < c.rows; row++) {
            double s[CASE_COLUMNS], greatest = 0;
            for (int64_t j = 0; j < half; j++) {
                s[j] = (double)(activated(case_value(&c, row, j), 5) * case_value(&c, row, half + j));
                if (is_named(&call, "smoothScale") && row_group(&c, row) >= 0) {
                    const struct layout *smooth = tensor_named(&call, "smoothScale");
                    s[j] *= element_of(smooth, smooth->rank == 1 ? row_group(&c, row)
                                                                 : row_group(&c, row) * half + j);
                }
                greatest = fmax(greatest, fabs(s[j]));
            }
            assert_near("scale", scale, row, (long double)greatest / 127, ACL_FLOAT, 0x1p-40L);
            const double own = element_of(scale, row);
            for (int64_t j = 0; j < half; j++)
                assert_number(tensor_named(&call, "output"), row * half + j, own == 0 ? 0 : s[j] / own);
        }
        end_named(&call);
    }
}

/* Added up. */

static struct named_call call_of_sums(struct whole_case *c, int64_t *tokens)
{
    static const char *const names[] = {
        "aclnnGroupedMatmulFinalizeRoutingV2", "aclnnGroupedMatmulFinalizeRoutingV3",
        "aclnnGroupedMatmulFinalizeRoutingWeightNzV2", "aclnnGroupedMatmulFinalizeRoutingWeightNz"};
    static const struct case_names parts = {"x1", "x2", "scale", "bias", "offset", "pertokenScale"};
    const int64_t which = random_below(4);
    do
        *c = draw_case();
    while (c->has_offset && which == 3);
    struct named_call call = call_begin_named(names[which]);
    give_case(&call, c, &parts);
    *tokens = c->rows;
    if (random_below(3) > 0) {
        *tokens = 1 + random_below(c->rows + 3);
        const struct layout *index =
            GIVE(&call, "rowIndex", random_below(2) == 0 ? ACL_INT32 : ACL_INT64, c->rows);
        for (int64_t i = 0; i < c->rows; i++)
            set_whole(index, i, random_below(*tokens));
    }
    if (random_below(3) > 0)
        GIVE(&call, "logit", ACL_FLOAT, c->rows);
    if (random_below(2) == 0) {
        const int64_t shared = 1 + random_below(*tokens);
        GIVE(&call, "sharedInput", random_below(2) == 0 ? ACL_BF16 : ACL_FLOAT, shared, c->columns);
        give_number(&call, "sharedInputOffset", (double)random_below(*tokens - shared + 1));
        give_number(&call, "sharedInputWeight", .75);
    }
    GIVE(&call, "out", ACL_FLOAT, *tokens, c->columns);
    return call;
}

static void rows_are_added_up_where_their_tokens_are(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        struct whole_case c;
        int64_t tokens;
        struct named_call call = call_of_sums(&c, &tokens);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        const struct layout *out = tensor_named(&call, "out");
        const int64_t first = call.argument[place_named(&call, "sharedInputOffset")].int64;
        for (int64_t i = 0; i < out->count; i++) {
            const int64_t token = i / c.columns, column = i % c.columns;
            long double sum = 0, size = 0;
            if (is_named(&call, "sharedInput")) {
                const struct layout *shared = tensor_named(&call, "sharedInput");
                if (token >= first && token < first + shared->shape[0])
                    sum = .75L * (long double)element_of(shared, (token - first) * c.columns + column);
            }
            for (int64_t row = 0; row < c.rows; row++) {
                const int64_t to =
                    is_named(&call, "rowIndex") ? whole_of(tensor_named(&call, "rowIndex"), row) : row;
                if (to != token || row_group(&c, row) < 0)
                    continue;
                const long double term =
                    case_value(&c, row, column) *
                    (is_named(&call, "logit") ? (long double)element_of(tensor_named(&call, "logit"), row)
                                              : 1);
                sum += term, size += fabsl(term);
            }
            assert_near("sums of rows", out, i, sum, ACL_FLOAT, slack * (1 + size));
        }
        end_named(&call);
    }
}

/* Floats by numbers with scales. */

static void numbers_with_scales_meet_floats(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(80); round++) {
        struct whole_case c = draw_case();
        const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
        const int64_t weight[] = {c.groups, c.depth, c.columns}, parts[] = {c.groups, c.parts, c.columns};
        const int64_t activation = random_below(6);
        struct named_call call = call_begin_named("aclnnGroupedMatmulV5");
        struct layout *x = GIVE(&call, "x", dtype, c.rows, c.depth);
        give_whole(&call, "weight", c.weight, 3, weight, c.weight_has_4, c.form);
        set_numbers(give_tensor(&call, "antiquantScale", dtype, 3, parts), c.scale);
        const struct layout *scale = tensor_named(&call, "antiquantScale");
        if (random_below(2) == 0)
            set_numbers(give_tensor(&call, "antiquantOffset", dtype, 3, parts), c.offset);
        if (c.has_bias)
            GIVE(&call, "bias", random_below(2) == 0 ? dtype : ACL_FLOAT, c.groups, c.columns);
        give_list(&call, &c);
        const struct layout *out = GIVE(&call, "out", dtype, c.rows, c.columns);
        static const char *const lists[] = {"x",    "weight", "antiquantScale", "antiquantOffset",
                                            "bias", "out"};
        for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++)
            list_named(&call, lists[i], 0);
        give_number(&call, "splitItem", 3);
        give_number(&call, "groupType", 0);
        give_number(&call, "actType", (double)activation);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            const int64_t row = i / c.columns, column = i % c.columns, g = row_group(&c, row);
            long double sum = 0, size = 0;
            for (int64_t k = 0; g >= 0 && k < c.depth; k++) {
                const int64_t at = (g * c.parts + k / (c.depth / c.parts)) * c.columns + column;
                const double offset = is_named(&call, "antiquantOffset")
                                          ? element_of(tensor_named(&call, "antiquantOffset"), at)
                                          : 0;
                const double number = c.weight[(g * c.depth + k) * c.columns + column];
                const long double term = (long double)element_of(x, row * c.depth + k) *
                                         (long double)((number + offset) * element_of(scale, at));
                sum += term, size += fabsl(term);
            }
            if (g >= 0 && c.has_bias)
                sum += (long double)element_of(tensor_named(&call, "bias"), g * c.columns + column);
            assert_near("weights with scales", out, i, activated(sum, activation), dtype,
                        0x1p-16L * (1 + size));
        }
        end_named(&call);
    }
}

#include "ops/whole_products_refused.h"

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 16; round++) {
        struct whole_case c;
        int64_t some;
        struct named_call calls[] = {call_of_grouped(&c, &some), call_of_gated(&c), call_of_sums(&c, &some)};
        for (int i = 0; i < 3; i++) {
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
        cmocka_unit_test(groups_are_exact_and_scaled),
        cmocka_unit_test(gated_rows_are_int8_with_a_scale),
        cmocka_unit_test(rows_are_added_up_where_their_tokens_are),
        cmocka_unit_test(numbers_with_scales_meet_floats),
        cmocka_unit_test(weights_may_be_in_blocks),
        cmocka_unit_test(four_bits_are_as_worked_out),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
        cmocka_unit_test(lists_and_rows_outside_fail),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
