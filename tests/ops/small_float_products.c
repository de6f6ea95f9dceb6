/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of floats of 8 and of 4 bits under Ascend950 against loops in long double: scales of tensors, rows,
 * columns and blocks, and those of MX.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ops/small_floats.h"
#include "support/effort.h"

static const aclDataType outs[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
static const aclDataType pairs[][2] = {
    {ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E4M3FN}, {ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN},
    {ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2},   {ACL_HIFLOAT8, ACL_HIFLOAT8},
    {ACL_FLOAT4_E2M1, ACL_FLOAT4_E2M1},     {ACL_FLOAT8_E4M3FN, ACL_FLOAT4_E2M1}};
enum { PAIRS_OF_8 = 4, ALL_PAIRS = 6 };

static int64_t parts_of(int64_t size, int64_t part)
{
    return (size - 1) / part + 1;
}

struct float_product {
    int64_t rows, columns, depth, part, batches;
    bool turns;
    struct small left, right;
};

/* x1 [batches, rows, depth] by x2, which may be the other way round, as a view or by transposeX2. */
static struct float_product begin_product(struct named_call *call, const aclDataType *dtypes, int64_t batches)
{
    struct float_product p = {.rows = 1 + random_below(9),
                              .columns = 2 * (1 + random_below(40)),
                              .depth = 2 * (1 + random_below(80)),
                              .batches = batches,
                              .turns = random_below(2) == 0};
    const int64_t x[] = {batches, p.rows, p.depth}, w[] = {batches, p.depth, p.columns},
                  turned[] = {batches, p.columns, p.depth};
    *call = call_begin_named(random_below(2) == 0 ? "aclnnQuantMatmulV5" : "aclnnQuantMatmulWeightNz");
    const unsigned without = batches == 1 ? 1 : 0;
    p.left = give_small(call, "x1", dtypes[0], 3 - without, x + without);
    p.right = give_small(call, "x2", dtypes[1], 3 - without, (p.turns ? turned : w) + without);
    give_number(call, "transposeX2", p.turns);
    return p;
}

static double left_at(const struct float_product *p, int64_t batch, int64_t m, int64_t k)
{
    return small_value(&p->left, (batch * p->rows + m) * p->depth + k);
}

static double right_at(const struct float_product *p, int64_t batch, int64_t k, int64_t n)
{
    const int64_t at = p->turns ? n * p->depth + k : k * p->columns + n;
    return small_value(&p->right, batch * p->depth * p->columns + at);
}

/* The sum of a part, and of the sizes of what is in it. */
static long double sum_of(const struct float_product *p, int64_t batch, int64_t m, int64_t n, int64_t first,
                          int64_t end, long double *size)
{
    long double sum = 0;
    for (int64_t k = first; k < end && k < p->depth; k++) {
        const long double term = (long double)left_at(p, batch, m, k) * (long double)right_at(p, batch, k, n);
        sum += term, *size += fabsl(term);
    }
    return sum;
}

/* The element of a tensor as its dims stand, or with the last two (of MX: but for the pairs) turned. */
static long double scale_at(const struct layout *scale, bool is_turned, int64_t batch, int64_t i, int64_t j,
                            int64_t rows, int64_t columns)
{
    return (long double)element_of(scale,
                                   batch * rows * columns + (is_turned ? j * rows + i : i * columns + j));
}

static void by_rows_and_columns(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        struct named_call call;
        struct float_product p = begin_product(&call, pairs[random_below(PAIRS_OF_8)], 1);
        const bool has_rows = random_below(3) > 0, has_bits = !has_rows && random_below(2) == 0;
        const struct layout *own = NULL, *bias = NULL;
        const int64_t lanes = random_below(2) == 0 ? 1 : p.columns;
        const struct layout *scale = GIVE(&call, "x2Scale", has_bits ? ACL_UINT64 : ACL_FLOAT, lanes);
        for (int64_t i = 0; i < lanes; i++) {
            const float value = (float)(1 + random_below(100)) / 64;
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            has_bits ? set_whole(scale, i, bits) : set_element(scale, i, (double)value);
        }
        if (has_rows)
            own = GIVE(&call, "x1Scale", ACL_FLOAT, random_below(2) == 0 ? 1 : p.rows);
        if (random_below(2) == 0)
            bias = GIVE(&call, "bias", ACL_FLOAT, p.columns);
        const struct layout *out = GIVE(&call, "out", outs[random_below(3)], p.rows, p.columns);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            const int64_t m = i / p.columns, n = i % p.columns;
            long double size = 0, value = sum_of(&p, 0, m, n, 0, p.depth, &size), factor;
            float read;
            const uint32_t bits = (uint32_t)(has_bits ? whole_of(scale, lanes > 1 ? n : 0) : 0);
            memcpy(&read, &bits, sizeof read);
            factor = has_bits ? (long double)read : (long double)element_of(scale, lanes > 1 ? n : 0);
            const long double more = bias != NULL ? (long double)element_of(bias, n) : 0;
            value = has_bits ? (value + more) * factor : value * factor;
            if (own != NULL)
                factor *= (long double)element_of(own, own->count > 1 ? m : 0),
                    value *= (long double)element_of(own, own->count > 1 ? m : 0);
            value += has_bits ? 0 : more;
            assert_near("rows and columns", out, i, value, out->dtype,
                        0x1p-50L * (size * fabsl(factor) + fabsl(more)));
        }
        end_small(&p.left), end_small(&p.right);
        end_named(&call);
    }
}

/* Blocks of 128 by 128, or rows of 128, and of MX; in batches too. */
static void by_blocks(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(30); round++) {
        struct named_call call;
        const bool has_powers = random_below(2) == 0;
        struct float_product p = begin_product(
            &call, pairs[random_below(has_powers ? ALL_PAIRS : PAIRS_OF_8)], 1 + random_below(2));
        const int64_t part = has_powers ? 32 : 1 + random_below(64), column_block = has_powers ? 1 : 16,
                      row_block = has_powers || random_below(2) == 0 ? 1 : 4;
        const int64_t parts = parts_of(p.depth, part), down = parts_of(p.rows, row_block),
                      across = parts_of(p.columns, column_block), pairs_of = (parts + 1) / 2;
        const int64_t own_dims[] = {p.batches, down, has_powers ? pairs_of : parts, 2},
                      dims[] = {p.batches,
                                p.turns      ? across
                                : has_powers ? pairs_of
                                             : parts,
                                p.turns ? has_powers ? pairs_of : parts : across, 2};
        const unsigned without = p.batches == 1, rank = 3 - without + has_powers;
        const aclDataType dtype = has_powers ? ACL_FLOAT8_E8M0 : ACL_FLOAT;
        const struct layout *own = give_tensor(&call, "x1Scale", dtype, rank, own_dims + without),
                            *scale = give_tensor(&call, "x2Scale", dtype, rank, dims + without);
        if (has_powers)
            fill_powers(own), fill_powers(scale);
        const struct layout *bias = random_below(2) == 0 ? GIVE(&call, "bias", ACL_FLOAT, p.columns) : NULL;
        give_number(&call, "groupSize",
                    has_powers ? 32 : (double)(row_block << 32 | column_block << 16 | part));
        const int64_t shape[] = {p.batches, p.rows, p.columns};
        const struct layout *out =
            give_tensor(&call, "out", outs[random_below(3)], 3 - without, shape + without);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            const int64_t batch = i / p.columns / p.rows, m = i / p.columns % p.rows, n = i % p.columns;
            long double value = 0, all = 0;
            for (int64_t j = 0; j < parts; j++) {
                const int64_t r = m / row_block, c = n / column_block;
                long double size = 0, sum = sum_of(&p, batch, m, n, j * part, (j + 1) * part, &size), factor;
                if (has_powers)
                    factor = power_at(own, ((batch * down + r) * pairs_of + j / 2) * 2 + j % 2) *
                             power_at(scale, (batch * pairs_of * across +
                                              (p.turns ? c * pairs_of + j / 2 : j / 2 * across + c)) *
                                                     2 +
                                                 j % 2);
                else
                    factor = scale_at(own, false, batch, r, j, down, parts) *
                             scale_at(scale, p.turns, batch, j, c, parts, across);
                value += sum * factor, all += size * fabsl(factor);
            }
            value += bias != NULL ? (long double)element_of(bias, n) : 0;
            assert_near("blocks", out, i, value, out->dtype, 0x1p-45L * (all + fabsl(value)));
        }
        end_small(&p.left), end_small(&p.right);
        end_named(&call);
    }
}

/* Scales of BFLOAT16 of 32 weights each, and others, as bits, behind them. */
static void weights_of_4_bits_have_scales_of_parts_and_columns(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(30); round++) {
        struct named_call call;
        struct float_product p = begin_product(&call, pairs[ALL_PAIRS - 1], 1);
        const int64_t parts = parts_of(p.depth, 32),
                      dims[] = {p.turns ? p.columns : parts, p.turns ? parts : p.columns};
        const struct layout *scale = give_tensor(&call, "x2Scale", ACL_BF16, 2, dims),
                            *last = GIVE(&call, "yScale", ACL_INT64, 1, p.columns);
        give_number(&call, "groupSize", 32);
        for (int64_t i = 0; i < p.columns; i++)
            set_whole(last, i, i % 2 ? 0x3f000000 : 0x3fc00000); /* .5, 1.5 */
        const struct layout *out = GIVE(&call, "out", outs[1 + random_below(2)], p.rows, p.columns);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            const int64_t m = i / p.columns, n = i % p.columns;
            long double value = 0, all = 0;
            for (int64_t j = 0; j < parts; j++) {
                long double size = 0, factor = scale_at(scale, p.turns, 0, j, n, parts, p.columns);
                value += sum_of(&p, 0, m, n, j * 32, (j + 1) * 32, &size) * factor;
                all += size * fabsl(factor);
            }
            assert_near("columns last", out, i, value * (n % 2 ? .5L : 1.5L), out->dtype, 0x1p-45L * all);
        }
        end_small(&p.left), end_small(&p.right);
        end_named(&call);
    }
}

/* Rows of groups by their weights, with scales of columns, of blocks of 128, or of MX. */
struct groups {
    struct float_product p;
    int64_t groups, count[3], part, parts, pairs_of, across;
    bool has_powers, has_blocks;
    const struct layout *own, *scale;
};

/* x and weight under these names; weights in a list where is_list. */
static struct groups begin_groups(struct named_call *call, const char *const *names)
{
    struct groups g = {.has_powers = random_below(2) == 0, .groups = 1 + random_below(3)};
    g.has_blocks = !g.has_powers && random_below(3) == 0;
    const aclDataType *dtypes = pairs[random_below(g.has_powers ? ALL_PAIRS : PAIRS_OF_8)];
    struct float_product *p = &g.p;
    *p = (struct float_product){.rows = 1 + random_below(12),
                                .columns = 4 * (1 + random_below(40)),
                                .depth = 2 * (1 + random_below(90)),
                                .batches = g.groups};
    int64_t left = p->rows;
    for (int64_t i = 0; i < g.groups; i++, left -= g.count[i - 1])
        g.count[i] = random_below(left + 1);
    const int64_t x[] = {p->rows, p->depth}, w[] = {g.groups, p->depth, p->columns};
    p->left = give_small(call, names[0], dtypes[0], 2, x);
    p->right = give_small(call, names[1], dtypes[1], 3, w);
    g.part = g.has_powers ? 32 : g.has_blocks ? 128 : p->depth;
    g.parts = parts_of(p->depth, g.part);
    g.pairs_of = (g.parts + 1) / 2;
    g.across = g.has_blocks ? parts_of(p->columns, 128) : p->columns;
    const int64_t own[] = {p->rows, g.has_powers ? g.pairs_of : g.parts, 2},
                  scale[] = {g.groups, g.has_powers ? g.pairs_of : g.parts, g.across, 2};
    const bool has_rows_alone = !g.has_powers && g.parts == 1;
    g.own = give_tensor(call, names[3], g.has_powers ? ACL_FLOAT8_E8M0 : ACL_FLOAT,
                        has_rows_alone ? 1 : 2 + g.has_powers, own);
    g.scale =
        give_tensor(call, names[2], g.has_powers ? ACL_FLOAT8_E8M0 : ACL_FLOAT, 3 + g.has_powers, scale);
    if (g.has_powers)
        fill_powers(g.own), fill_powers(g.scale);
    const struct layout *list = GIVE(call, "groupList", ACL_INT64, g.groups);
    for (int64_t i = 0; i < g.groups; i++)
        set_whole(list, i, g.count[i]);
    give_number(call, "groupListType", 1);
    return g;
}

static long double group_value(const struct groups *g, int64_t m, int64_t n, long double *all)
{
    const struct float_product *p = &g->p;
    long double value = 0;
    int64_t group = 0, end = g->count[0];
    while (group < g->groups && m >= end)
        end += ++group < g->groups ? g->count[group] : 0;
    *all = 0;
    for (int64_t j = 0; group < g->groups && j < g->parts; j++) {
        const int64_t c = g->has_blocks ? n / 128 : n;
        long double size = 0, sum = 0, factor;
        for (int64_t k = j * g->part; k < (j + 1) * g->part && k < p->depth; k++) {
            const long double term =
                (long double)small_value(&p->left, m * p->depth + k) * (long double)right_at(p, group, k, n);
            sum += term, size += fabsl(term);
        }
        if (g->has_powers)
            factor = power_at(g->own, (m * g->pairs_of + j / 2) * 2 + j % 2) *
                     power_at(g->scale, ((group * g->pairs_of + j / 2) * g->across + c) * 2 + j % 2);
        else
            factor = (long double)element_of(g->own, m * g->parts + j) *
                     (long double)element_of(g->scale, (group * g->parts + j) * g->across + c);
        value += sum * factor, *all += size * fabsl(factor);
    }
    return value;
}

static void end_groups(struct named_call *call, struct groups *g)
{
    end_small(&g->p.left), end_small(&g->p.right);
    end_named(call);
}

static void by_groups(void **state)
{
    static const char *const names[] = {"x", "weight", "scale", "perTokenScale"};
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        struct named_call call =
            call_begin_named(random_below(2) == 0 ? "aclnnGroupedMatmulV5" : "aclnnGroupedMatmulV4");
        struct groups g = begin_groups(&call, names);
        give_number(&call, "splitItem", 3), give_number(&call, "groupType", 0);
        const struct layout *out = GIVE(&call, "out", outs[random_below(3)], g.p.rows, g.p.columns);
        list_tensors(&call);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            long double all, value = group_value(&g, i / g.p.columns, i % g.p.columns, &all);
            assert_near("groups", out, i, value, out->dtype, 0x1p-45L * all);
        }
        end_groups(&call, &g);
    }
}

/* Rows of tokens, each once or more, with weights of their own. */
static void by_groups_and_added_to_tokens(void **state)
{
    static const char *const names[] = {"x1", "x2", "scale", "pertokenScale"};
    (void)state;
    for (int round = 0; round < times_effort(30); round++) {
        struct named_call call = call_begin_named("aclnnGroupedMatmulFinalizeRoutingV3");
        struct groups g = begin_groups(&call, names);
        const int64_t tokens = 1 + random_below(4);
        const struct layout *logit = GIVE(&call, "logit", ACL_FLOAT, g.p.rows),
                            *index = GIVE(&call, "rowIndex", ACL_INT64, g.p.rows);
        int64_t end = 0;
        for (int64_t i = 0; i < g.p.rows; i++)
            set_whole(index, i, random_below(tokens));
        for (int64_t i = 0; i < g.groups; i++)
            end += g.count[i];
        const struct layout *out = GIVE(&call, "out", ACL_FLOAT, tokens, g.p.columns);
        list_tensors(&call);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < out->count; i++) {
            long double value = 0, sizes = 0;
            for (int64_t m = 0; m < end; m++) {
                long double all, own = group_value(&g, m, i % g.p.columns, &all);
                const long double weight =
                    whole_of(index, m) == i / g.p.columns ? (long double)element_of(logit, m) : 0;
                value += weight * own, sizes += fabsl(weight) * all;
            }
            assert_near("tokens", out, i, value, ACL_FLOAT, 0x1p-45L * sizes);
        }
        end_groups(&call, &g);
    }
}

/* The gated halves as floats of 8 bits with a scale for each row, or as MX, of which each block has the least
 * power of two that all fit with, FLOAT4 but that of the greatest one's exponent. */
static void by_groups_and_gated(void **state)
{
    static const char *const names[] = {"x", "weight", "weightScale", "xScale"};
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        struct named_call call = call_begin_named("aclnnGroupedMatmulSwigluQuantV2");
        struct groups g = begin_groups(&call, names);
        const bool has_mx = random_below(2) == 0, has_4 = has_mx && random_below(3) == 0;
        const int64_t half = g.p.columns / 2, shape[] = {g.p.rows, half};
        const aclDataType dtype = has_4                  ? ACL_FLOAT4_E2M1
                                  : random_below(2) == 0 ? ACL_FLOAT8_E4M3FN
                                                         : ACL_FLOAT8_E5M2;
        give_number(&call, "dequantMode", g.has_powers ? 2 : 0);
        give_number(&call, "quantMode", has_mx ? 2 : 0);
        struct small out = give_small(&call, "output", dtype, 2, shape);
        const struct layout *scale =
            has_mx ? GIVE(&call, "outputScale", ACL_FLOAT8_E8M0, g.p.rows, parts_of(half, 64), 2)
                   : GIVE(&call, "outputScale", ACL_FLOAT, g.p.rows);
        list_tensors(&call);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        const long double most = has_4                        ? 6
                                 : dtype == ACL_FLOAT8_E4M3FN ? 448
                                                              : 57344,
                          loose = has_4                        ? .51L
                                  : dtype == ACL_FLOAT8_E4M3FN ? 0x1.01p-4L
                                                               : 0x1.01p-3L;
        for (int64_t m = 0; m < g.p.rows; m++) {
            long double value[160], sizes = 0;
            for (int64_t n = 0; n < half; n++) {
                long double all, a = group_value(&g, m, n, &all), b = group_value(&g, m, half + n, &all);
                value[n] = a / (1 + expl(-a)) * b;
                sizes = fabsl(value[n]) > sizes ? fabsl(value[n]) : sizes;
            }
            for (int64_t n = 0; n < half; n++) {
                long double own = 0, greatest = 0;
                if (has_mx) {
                    for (int64_t i = n / 32 * 32; i < half && i < n / 32 * 32 + 32; i++)
                        greatest = fabsl(value[i]) > greatest ? fabsl(value[i]) : greatest;
                    own = power_at(scale, m * parts_of(half, 64) * 2 + n / 32);
                } else {
                    greatest = sizes, own = (long double)element_of(scale, m);
                }
                const long double made = own * (long double)small_value(&out, m * half + n);
                const long double least = greatest == 0 ? 0
                                          : has_mx      ? greatest / most / 2
                                                        : greatest / most * .99999L;
                if (greatest > 0 && ldexpl(1, -100) < greatest) {
                    assert_true(own >= (has_4 ? least * .999L * .75L : least * .99999L));
                    assert_true(own <= (has_mx ? greatest / most * 2.0001L : greatest / most * 1.0001L));
                }
                const long double near =
                    fabsl(value[n]) * loose + own * (has_4 ? 1.01L : 0x1p-9L) + sizes * 0x1p-40L + 1e-300L;
                if (fabsl(made - value[n]) > near && !(has_4 && fabsl(value[n]) > 5 * own))
                    fail_msg("gated: %Lg is %Lg, scale %Lg", value[n], made, own);
            }
        }
        end_small(&out);
        end_groups(&call, &g);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    (void)state;
    struct named_call call = call_begin_named("aclnnQuantMatmulV5");
    GIVE(&call, "x1", ACL_FLOAT8_E4M3FN, 3, 64);
    GIVE(&call, "x2", ACL_INT8, 64, 5);
    GIVE(&call, "x2Scale", ACL_FLOAT, 5);
    GIVE(&call, "out", ACL_FLOAT16, 3, 5);
    assert_named_refused(&call, invalid, "x1 is FLOAT8_E4M3FN and x2 INT8; FLOAT8 by FLOAT8");
    GIVE(&call, "x2", ACL_FLOAT8_E5M2, 64, 5);
    GIVE(&call, "bias", ACL_INT32, 5);
    assert_named_refused(&call, invalid,
                         "biasOptional is INT32; floats are expected where x1 is FLOAT8_E4M3FN");
    GIVE(&call, "bias", ACL_FLOAT, 5);
    GIVE(&call, "out", ACL_INT8, 3, 5);
    assert_named_refused(&call, invalid, "out is INT8; FLOAT, FLOAT16 or BFLOAT16 is expected of floats");
    GIVE(&call, "out", ACL_FLOAT16, 3, 5);
    GIVE(&call, "yScale", ACL_INT64, 5);
    assert_named_refused(&call, invalid, "yScaleOptional has shape [5] and dtype INT64");
    call = call_begin_named("aclnnQuantMatmulV5");
    GIVE(&call, "x1", ACL_FLOAT8_E4M3FN, 3, 64);
    GIVE(&call, "x2", ACL_FLOAT8_E5M2, 64, 5);
    GIVE(&call, "x2Scale", ACL_FLOAT8_E8M0, 1, 5, 2);
    GIVE(&call, "out", ACL_FLOAT16, 3, 5);
    assert_named_refused(&call, invalid,
                         "x2Scale is FLOAT8_E8M0; floats of 8 or of 4 bits and an x1Scale like it");
    GIVE(&call, "x1Scale", ACL_FLOAT8_E8M0, 3, 2, 2);
    assert_named_refused(&call, invalid,
                         "x1Scale has shape [3, 2, 2]; x1's dims, of which one is 1 for pairs");
    GIVE(&call, "x2Scale", ACL_FLOAT, 5);
    assert_named_refused(&call, invalid, "x1Scale is FLOAT8_E8M0 and x2Scale FLOAT; both or none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_rows_and_columns),
        cmocka_unit_test(by_blocks),
        cmocka_unit_test(weights_of_4_bits_have_scales_of_parts_and_columns),
        cmocka_unit_test(by_groups),
        cmocka_unit_test(by_groups_and_added_to_tokens),
        cmocka_unit_test(by_groups_and_gated),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
