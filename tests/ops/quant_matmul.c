/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * QuantMatmul of all its generations against loops in long double: INT4, INT8 by INT4, scales and offsets of
 * parts of the depth, scales of blocks; the worked example; what is refused. quantising.c has those of INT8
 * with batches.
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
static const aclDataType outs[] = {ACL_FLOAT16, ACL_BF16, ACL_FLOAT};
static const long double slack = 0x1p-38L;

static struct whole_case one_group(void)
{
    struct whole_case c;
    do
        c = draw_case();
    while (c.groups > 1);
    c.count[0] = c.rows;
    return c;
}

static void give_columns(struct named_call *call, const char *name, const struct whole_case *c)
{
    const int64_t shape[] = {c->parts, c->columns};
    set_numbers(give_tensor(call, name, ACL_FLOAT, c->parts > 1 ? 2 : 1, shape + (c->parts == 1)), c->scale);
}

/* V3 to V5 and WeightNz, of which the first two have no parts. */
static struct named_call call_of_products(struct whole_case *c)
{
    static const char *const names[] = {"aclnnQuantMatmulV3", "aclnnQuantMatmulV4", "aclnnQuantMatmulV5",
                                        "aclnnQuantMatmulWeightNz"};
    const int64_t which = random_below(4);
    do
        *c = one_group();
    while (which < 2 && c->parts > 1);
    const int64_t x[] = {c->rows, c->depth}, weight[] = {c->depth, c->columns};
    const bool is_mixed_bias = is_mixed(c) && c->has_bias && c->bias_dtype == ACL_FLOAT && which >= 2;
    struct named_call call = call_begin_named(names[which]);
    give_whole(&call, "x1", c->x, 2, x, c->x_has_4, c->form == AS_TURNED_INT4 ? AS_INT4 : c->form);
    give_whole(&call, "x2", c->weight, 2, weight, c->weight_has_4, c->form);
    give_columns(&call, which < 2 ? "scale" : "x2Scale", c);
    c->has_row_scale = c->has_row_scale && which > 0;
    c->has_bias = c->has_bias && (is_mixed_bias || !is_mixed(c) || c->bias_dtype == ACL_INT32);
    if (c->has_row_scale)
        set_numbers(random_below(2) == 0 || which < 2
                        ? GIVE(&call, which == 1 ? "pertokenScale" : "x1Scale", ACL_FLOAT, c->rows)
                        : GIVE(&call, "x1Scale", ACL_FLOAT, c->rows, 1),
                    c->row_scale);
    if (c->has_bias)
        set_numbers(GIVE(&call, is_mixed_bias ? "yOffset" : "bias", c->bias_dtype, c->columns), c->bias);
    c->has_offset = c->x_has_4 && which >= 2 && random_below(2) == 0;
    if (c->has_offset) {
        const int64_t shape[] = {c->parts, c->columns};
        set_numbers(
            give_tensor(&call, "x2Offset", ACL_FLOAT16, c->parts > 1 ? 2 : 1, shape + (c->parts == 1)),
            c->offset);
        /* The offset is one of the weight, within its scale. */
        for (int64_t i = 0; i < c->parts * c->columns; i++)
            c->offset[i] *= -c->scale[i];
    }
    GIVE(&call, "out", outs[random_below(3)], c->rows, c->columns);
    return call;
}

static void products_of_4_and_8_bits_are_exact_and_scaled(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(120); round++) {
        struct whole_case c;
        struct named_call call = call_of_products(&c);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        const struct layout *out = tensor_named(&call, "out");
        for (int64_t i = 0; i < out->count; i++) {
            const long double value = case_value(&c, i / c.columns, i % c.columns);
            assert_near("product", out, i, value, out->dtype, slack * (1 + fabsl(value)) * 64);
        }
        end_named(&call);
    }
}

/* Scales of blocks of rows, of columns and of the depth, of which the last ones may be shorter. */
static void scales_may_be_those_of_blocks(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        const int64_t rows = 1 + random_below(20), columns = 1 + random_below(90),
                      depth = 1 + random_below(90);
        const int64_t row_block = 1 + random_below(4), column_block = 1 + random_below(16),
                      part = 1 + random_below(16);
        const int64_t down = (rows - 1) / row_block + 1, across = (columns - 1) / column_block + 1,
                      parts = (depth - 1) / part + 1;
        struct named_call call = call_begin_named("aclnnQuantMatmulV5");
        const struct layout *x = GIVE(&call, "x1", ACL_INT8, rows, depth),
                            *w = GIVE(&call, "x2", ACL_INT8, depth, columns);
        for (int64_t i = 0; i < x->count; i++)
            set_whole(x, i, drawn_number(false));
        for (int64_t i = 0; i < w->count; i++)
            set_whole(w, i, drawn_number(false));
        const struct layout *own = GIVE(&call, "x1Scale", ACL_FLOAT, down, parts),
                            *scale = GIVE(&call, "x2Scale", ACL_FLOAT, parts, across);
        if (random_below(2) == 0)
            GIVE(&call, "bias", ACL_FLOAT, columns);
        give_number(&call, "groupSize", (double)(row_block << 32 | column_block << 16 | part));
        const struct layout *out = GIVE(&call, "out", outs[random_below(3)], rows, columns);

        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            const int64_t m = i / columns, n = i % columns;
            long double value = 0, size = 0;
            for (int64_t p = 0; p < parts; p++) {
                int64_t sum = 0;
                for (int64_t k = p * part; k < depth && k < (p + 1) * part; k++)
                    sum += whole_of(x, m * depth + k) * whole_of(w, k * columns + n);
                const long double term = (long double)sum *
                                         (long double)element_of(own, m / row_block * parts + p) *
                                         (long double)element_of(scale, p * across + n / column_block);
                value += term, size += fabsl(term);
            }
            if (is_named(&call, "bias"))
                value += (long double)element_of(tensor_named(&call, "bias"), n);
            assert_near("blocks", out, i, value, out->dtype, slack * (1 + size));
        }
        end_named(&call);
    }
}

/* x1 3, x2 2, scales of 1 and 8 times 2 for yOffset: (3 - 8) 2 + 16 = 6. */
static void int8_by_int4_is_as_worked_out(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnQuantMatmulV5");
    set_numbers(GIVE(&call, "x1", ACL_INT8, 1, 1), NUMBERS(3));
    set_numbers(GIVE(&call, "x2", ACL_INT32, 1, 1), NUMBERS(0x12));
    set_numbers(GIVE(&call, "x1Scale", ACL_FLOAT, 1, 1), NUMBERS(1));
    set_whole(GIVE(&call, "x2Scale", ACL_INT64, 1), 0, 0x3f800000);
    set_numbers(GIVE(&call, "yOffset", ACL_FLOAT, 8), NUMBERS(16, 0, 0, 0, 0, 0, 0, 0));
    GIVE(&call, "out", ACL_FLOAT16, 1, 8);
    if (run_named(&call) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_numbers(&call, "out", NUMBERS(6, -5, 0, 0, 0, 0, 0, 0), 0);
    end_named(&call);
}

static void what_does_not_fit_is_refused(void **state)
{
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    (void)state;
    struct named_call call = call_begin_named("aclnnQuantMatmulV4");
    GIVE(&call, "x1", ACL_INT8, 3, 8);
    GIVE(&call, "x2", ACL_INT8, 8, 5);
    GIVE(&call, "scale", ACL_FLOAT, 2, 5);
    GIVE(&call, "out", ACL_FLOAT16, 3, 5);
    assert_named_refused(&call, invalid, "scale has shape [2, 5]; 1 element or 5 are expected");
    GIVE(&call, "scale", ACL_FLOAT, 5);
    GIVE(&call, "pertokenScale", ACL_FLOAT, 2);
    assert_named_refused(&call, invalid, "pertokenScaleOptional has shape [2]; 1 element or 3");
    GIVE(&call, "pertokenScale", ACL_FLOAT, 3);
    GIVE(&call, "offset", ACL_FLOAT, 5);
    assert_named_refused(&call, invalid, "offsetOptional is given; NULL is expected unless out is INT8");
    GIVE(&call, "x1", ACL_INT32, 3, 1);
    assert_named_refused(&call, invalid, "x1 is INT32 and x2 INT8; INT8 by INT8 or INT4, or INT4 by INT4");
    call = call_begin_named("aclnnQuantMatmulV5");
    GIVE(&call, "x1", ACL_INT8, 3, 8);
    GIVE(&call, "x2", ACL_INT8, 8, 5);
    GIVE(&call, "x1Scale", ACL_FLOAT, 3, 3);
    GIVE(&call, "x2Scale", ACL_FLOAT, 2, 5);
    GIVE(&call, "out", ACL_FLOAT16, 3, 5);
    assert_named_refused(&call, invalid, "x1ScaleOptional has shape [3, 3]; 1 element or 3 are expected");
    GIVE(&call, "x1Scale", ACL_FLOAT, 3);
    give_number(&call, "groupSize", 3);
    assert_named_refused(&call, invalid,
                         "x2Scale has shape [2, 5]; 1 element or 5 are expected, or scales of blocks");
    give_number(&call, "groupSize", 0);
    GIVE(&call, "yOffset", ACL_FLOAT, 5);
    assert_named_refused(&call, invalid, "yOffsetOptional is given; NULL is expected unless INT8 meets INT4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_4_and_8_bits_are_exact_and_scaled),
        cmocka_unit_test(scales_may_be_those_of_blocks),
        cmocka_unit_test(int8_by_int4_is_as_worked_out),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
