/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two products with an activation between them, of floats, of INT8, and of floats by INT8 with scales, for all
 * rows and for experts, against loops in long double; and what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/named_call.h"
#include "support/effort.h"
#include "support/open_stream.h"
#include "support/random.h"

enum kind { FLOATS, WHOLE, SCALED, KINDS };
enum { MOST = 80 };

static const char *const activations[] = {"relu", "gelu", "fastgelu", "silu", "reglu", "geglu", "swiglu"};

static long double activated(unsigned activation, long double x)
{
    static const unsigned plain[] = {0, 1, 2, 3, 0, 1, 3};
    switch (plain[activation]) {
    case 0:
        return x > 0 ? x : 0;
    case 1:
        return x * 0.5L * erfcl(-x / sqrtl(2));
    default:
        return x / (1 + expl(-x * (plain[activation] == 2 ? 1.702L : 1)));
    }
}

struct sizes {
    int64_t experts, m, k1, n1, k2, n2; /* experts 0: weights without their dim */
    unsigned activation;
    enum kind kind;
    aclDataType x, y;
    double step; /* of the dtype between the products */
};

static struct sizes draw_sizes(void)
{
    struct sizes s = {.experts = random_below(4),
                      .m = 1 + random_below(9),
                      .k1 = 1 + random_below(40),
                      .k2 = 1 + random_below(MOST),
                      .n2 = 1 + random_below(30),
                      .activation = (unsigned)random_below(7),
                      .kind = (enum kind)random_below(KINDS)};
    s.n1 = s.k2 * (s.activation > 3 ? 2 : 1);
    s.y = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    s.x = s.kind == WHOLE ? ACL_INT8 : s.y;
    s.step = s.y == ACL_FLOAT16 ? 0x1p-10 : 0x1p-7;
    return s;
}

/* A row of each expert. */
static const struct layout *give_row(struct named_call *call, const char *name, aclDataType dtype,
                                     const struct sizes *s, int64_t columns, double least, double step)
{
    const struct layout *row =
        s->experts > 0 ? GIVE(call, name, dtype, s->experts, columns) : GIVE(call, name, dtype, columns);
    for (int64_t i = 0; i < row->count; i++)
        set_element(row, i, least + step * (double)random_below(8));
    return row;
}

static const struct layout *give_weight(struct named_call *call, const char *name, const struct sizes *s,
                                        int64_t rows, int64_t columns)
{
    const aclDataType dtype = s->kind == FLOATS ? s->x : ACL_INT8;
    const struct layout *weight = s->experts > 0 ? GIVE(call, name, dtype, s->experts, rows, columns)
                                                 : GIVE(call, name, dtype, rows, columns);
    for (int64_t i = 0; i < weight->count; i++)
        set_element(weight, i,
                    dtype == ACL_INT8 ? (double)(random_below(15) - 7)
                                      : (double)(random_below(65) - 32) / 64);
    return weight;
}

static long double in_row(struct named_call *call, const char *name, int64_t expert, int64_t column,
                          long double otherwise)
{
    if (!is_named(call, name))
        return otherwise;
    const struct layout *row = tensor_named(call, name);
    const int64_t columns = row->shape[row->rank - 1];
    return (long double)element_of(row, row->rank == 2 ? expert * columns + column : column);
}

struct layer_names {
    const char *weight, *bias, *deq_scale, *scale, *offset;
};
static const struct layer_names names[] = {
    {"weight1", "bias1Optional", "deqScale1Optional", "antiquantScale1Optional", "antiquantOffset1Optional"},
    {"weight2", "bias2Optional", "deqScale2Optional", "antiquantScale2Optional", "antiquantOffset2Optional"}};

/* One element of a layer's product, and the sum of the sizes of its terms. */
static long double product_of(struct named_call *call, const struct sizes *s, unsigned layer,
                              const double *left, int64_t expert, int64_t column, long double *size)
{
    const struct layer_names *name = &names[layer];
    const struct layout *weight = tensor_named(call, name->weight);
    const int64_t depth = layer == 0 ? s->k1 : s->k2, columns = layer == 0 ? s->n1 : s->n2;
    long double sum = in_row(call, name->bias, expert, column, 0);
    *size = fabsl(sum);
    for (int64_t k = 0; k < depth; k++) {
        long double w = (long double)element_of(weight, (expert * depth + k) * columns + column);
        if (s->kind == SCALED)
            w = (w + in_row(call, name->offset, expert, column, 0)) *
                in_row(call, name->scale, expert, column, 0);
        sum += (long double)left[k] * w;
        *size += fabsl((long double)left[k] * w);
    }
    const long double scale = s->kind == WHOLE ? in_row(call, name->deq_scale, expert, column, 0) : 1;
    *size *= fabsl(scale);
    return sum * scale;
}

static double rounded_to(aclDataType dtype, long double value)
{
    const int bits = dtype == ACL_FLOAT16 ? 11 : 8;
    int exponent;
    (void)frexpl(value, &exponent);
    if (dtype == ACL_FLOAT16 && exponent < -13)
        exponent = -13;
    return value == 0 ? 0 : (double)(rintl(ldexpl(value, bits - exponent)) * ldexpl(1, exponent - bits));
}

/* What lies between the products. */
static double hidden_of(struct named_call *call, const struct sizes *s, const double *x, int64_t expert,
                        int64_t column)
{
    long double size, sum = product_of(call, s, 0, x, expert, column, &size);
    if (s->kind == WHOLE)
        sum = (long double)rounded_to(s->y, sum);
    long double value = activated(s->activation, sum);
    if (s->activation > 3) {
        long double gate = product_of(call, s, 0, x, expert, s->k2 + column, &size);
        value *= s->kind == WHOLE ? (long double)rounded_to(s->y, gate) : gate;
    }
    if (s->kind != WHOLE)
        return rounded_to(s->y, value);
    value = rintl(
        value * in_row(call, "scaleOptional", expert, column, 0) +
        (is_named(call, "offsetOptional")
             ? (long double)element_of(tensor_named(call, "offsetOptional"), s->experts > 0 ? expert : 0)
             : 0));
    return (double)(value > 127 ? 127 : value < -128 ? -128 : value);
}

static void judge(struct named_call *call, const struct sizes *s, const int64_t *end)
{
    const struct layout *x = tensor_named(call, "x"), *y = tensor_named(call, "y");
    for (int64_t row = 0, expert = 0; row < s->m; row++) {
        double own[MOST], hidden[MOST];
        while (end[expert] <= row)
            expert++;
        for (int64_t k = 0; k < s->k1; k++)
            own[k] = element_of(x, row * s->k1 + k);
        for (int64_t k = 0; k < s->k2; k++)
            hidden[k] = hidden_of(call, s, own, expert, k);
        for (int64_t column = 0; column < s->n2; column++) {
            long double size, weights = 0;
            const long double value = product_of(call, s, 1, hidden, expert, column, &size);
            /* INT8 is exact up to an activation that is not a choice, whose result may be next to a tie. */
            if (s->kind == WHOLE && s->activation != 0 && s->activation != 4)
                for (int64_t k = 0; k < s->k2; k++)
                    weights += fabsl((long double)element_of(tensor_named(call, "weight2"),
                                                             (expert * s->k2 + k) * s->n2 + column)) *
                               in_row(call, "deqScale2Optional", expert, column, 0);
            assert_near(activations[s->activation], y, row * s->n2 + column, value, s->y,
                        s->kind == WHOLE ? 0x1p-20L * size + weights : (long double)s->step * size);
        }
    }
}

static void give_all(struct named_call *call, const struct sizes *s, bool is_first, int64_t end[4])
{
    const struct layout *x =
        random_below(2) == 0 ? GIVE(call, "x", s->x, s->m, s->k1) : GIVE(call, "x", s->x, 1, s->m, s->k1);
    for (int64_t i = 0; i < x->count; i++)
        set_element(
            x, i, s->kind == WHOLE ? (double)(random_below(21) - 10) : (double)(random_below(65) - 32) / 32);
    give_weight(call, "weight1", s, s->k1, s->n1);
    give_weight(call, "weight2", s, s->k2, s->n2);
    const aclDataType bias = s->kind == WHOLE ? ACL_INT32 : random_below(2) == 0 ? ACL_FLOAT : s->y;
    if (random_below(2) == 0)
        give_row(call, "bias1Optional", bias, s, s->n1, -4, 1);
    if (random_below(2) == 0)
        give_row(call, "bias2Optional", bias, s, s->n2, -4, 1);
    if (s->kind == WHOLE) {
        give_row(call, "deqScale1Optional", ACL_FLOAT, s, s->n1, 0x1p-7, 0x1p-7);
        give_row(call, "deqScale2Optional", ACL_BF16, s, s->n2, 0x1p-7, 0x1p-7);
        give_row(call, "scaleOptional", ACL_FLOAT, s, s->k2, 1, 0.5);
        if (random_below(2) == 0)
            set_element(GIVE(call, "offsetOptional", ACL_FLOAT, s->experts > 0 ? s->experts : 1), 0, 3);
    }
    for (unsigned layer = 0; s->kind == SCALED && layer < 2; layer++) {
        give_row(call, names[layer].scale, s->x, s, layer == 0 ? s->n1 : s->n2, 0x1p-6, 0x1p-7);
        if (random_below(2) == 0)
            give_row(call, names[layer].offset, s->x, s, layer == 0 ? s->n1 : s->n2, -3, 1);
    }
    give_text(call, "activation", activations[s->activation]);
    int64_t number[4], last = 0;
    const bool are_ends = !is_first && random_below(2) == 0;
    for (int64_t e = 0; e < s->experts; e++) {
        const int64_t count = e + 1 < s->experts ? random_below(s->m - last + 1) : s->m - last;
        end[e] = last += count;
        number[e] = are_ends ? last : count;
    }
    if (s->experts == 0)
        end[0] = s->m;
    else
        give_array(call, "expertTokensOptional", number, (uint64_t)s->experts);
    if (!is_first)
        give_number(call, "tokensIndexFlag", are_ends);
    if (x->rank == 3)
        GIVE(call, "y", s->y, 1, s->m, s->n2);
    else
        GIVE(call, "y", s->y, s->m, s->n2);
}

static void two_products_are_right(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(120); round++) {
        const bool is_first = round % 4 == 0;
        struct named_call call = call_begin_named(is_first ? "aclnnFFN" : "aclnnFFNV2");
        const struct sizes s = draw_sizes();
        int64_t end[4];
        give_all(&call, &s, is_first, end);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        judge(&call, &s, end);
        end_named(&call);
    }
}

/* Many rows come in pieces. */
static void many_rows_are_as_few(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnFFNV2");
    enum { ROWS = 600 };
    give_text(&call, "activation", "relu");
    const struct layout *x = GIVE(&call, "x", ACL_FLOAT16, ROWS, 2),
                        *w1 = GIVE(&call, "weight1", ACL_FLOAT16, 2, 2, 1),
                        *w2 = GIVE(&call, "weight2", ACL_FLOAT16, 2, 1, 1);
    for (int64_t i = 0; i < x->count; i++)
        set_element(x, i, (double)(i % 90));
    for (int64_t i = 0; i < 4; i++)
        set_element(w1, i, (double)(1 + i / 2));
    set_element(w2, 0, 1), set_element(w2, 1, -1);
    give_array(&call, "expertTokensOptional", (const int64_t[]){270, 330}, 2);
    const struct layout *y = GIVE(&call, "y", ACL_FLOAT16, ROWS, 1);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; i < ROWS; i++)
        assert_true(element_of(y, i) ==
                    (element_of(x, 2 * i) + element_of(x, 2 * i + 1)) * (i < 270 ? 1 : -2));
    end_named(&call);
}

static void what_is_no_such_call_is_refused(void **state)
{
    (void)state;
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    struct named_call call = call_begin_named("aclnnFFNV2");
    GIVE(&call, "x", ACL_FLOAT16, 3, 4);
    GIVE(&call, "weight1", ACL_FLOAT16, 4, 6);
    GIVE(&call, "weight2", ACL_FLOAT16, 6, 5);
    GIVE(&call, "y", ACL_FLOAT16, 3, 5);
    give_text(&call, "activation", "tanh");
    assert_named_refused(&call, invalid, "activation is \"tanh\"; \"relu\", \"gelu\"");
    give_text(&call, "activation", "swiglu");
    assert_named_refused(&call, invalid, "weight2 has shape [6, 5]; [3, columns] is expected");
    give_text(&call, "activation", "relu");
    give_array(&call, "expertTokensOptional", (const int64_t[]){1, 2}, 2);
    assert_named_refused(&call, invalid, "weight1 has shape [4, 6]; [experts, 4, columns] is expected");
    end_named(&call);
    call = call_begin_named("aclnnFFNV2");
    GIVE(&call, "x", ACL_FLOAT16, 3, 4);
    GIVE(&call, "weight1", ACL_FLOAT16, 2, 4, 6);
    GIVE(&call, "weight2", ACL_FLOAT16, 2, 6, 5);
    GIVE(&call, "y", ACL_FLOAT16, 3, 5);
    give_text(&call, "activation", "relu");
    give_array(&call, "expertTokensOptional", (const int64_t[]){1, 1}, 2);
    assert_named_refused(&call, invalid, "expertTokensOptional has 2 rows; those of x, 3, are expected");
    give_array(&call, "expertTokensOptional", (const int64_t[]){2, 2}, 2);
    assert_named_refused(&call, invalid, "expertTokensOptional holds 2 at [1]; counts of 3 rows in order");
    give_array(&call, "expertTokensOptional", (const int64_t[]){3, 1}, 2);
    give_number(&call, "tokensIndexFlag", 1);
    assert_named_refused(&call, invalid, "expertTokensOptional holds 1 at [1]; ends of 3 rows in order");
    give_array(&call, "expertTokensOptional", (const int64_t[]){1, 3}, 2);
    GIVE(&call, "deqScale1Optional", ACL_FLOAT, 2, 6);
    assert_named_refused(&call, invalid, "deqScale1Optional is given; it is expected where x is INT8");
    end_named(&call);
    call = call_begin_named("aclnnFFNV2");
    GIVE(&call, "x", ACL_INT8, 3, 4);
    GIVE(&call, "weight1", ACL_INT8, 4, 6);
    GIVE(&call, "weight2", ACL_INT8, 6, 5);
    GIVE(&call, "y", ACL_FLOAT16, 3, 5);
    give_text(&call, "activation", "relu");
    assert_named_refused(&call, invalid, "deqScale1Optional is NULL");
    GIVE(&call, "deqScale1Optional", ACL_FLOAT, 6);
    GIVE(&call, "deqScale2Optional", ACL_FLOAT, 5);
    assert_named_refused(&call, invalid, "scaleOptional is NULL");
    GIVE(&call, "scaleOptional", ACL_FLOAT, 4);
    assert_named_refused(&call, invalid, "scaleOptional has shape [4]; [6], or one number for each expert");
    end_named(&call);
    call = call_begin_named("aclnnFFNV2");
    GIVE(&call, "x", ACL_BF16, 3, 4);
    GIVE(&call, "weight1", ACL_INT8, 4, 6);
    GIVE(&call, "weight2", ACL_INT8, 6, 5);
    GIVE(&call, "y", ACL_BF16, 3, 5);
    give_text(&call, "activation", "relu");
    assert_named_refused(&call, invalid, "weight1 is INT8 and has no scale; the dtype of x is expected");
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_products_are_right),
        cmocka_unit_test(many_rows_are_as_few),
        cmocka_unit_test(what_is_no_such_call_is_refused),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
