/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gate of a mixture of experts by scores, and its gradient, in any layout and dtype, against loops that
 * know no order; worked examples, what is refused, tasks that fail, and that bits depend neither on the level
 * nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/named_call.h"
#include "support/effort.h"

enum { FAULT = 507035, SIZE_MAX_ = 400 };

#define NUMBERS(...) ((const double[]){__VA_ARGS__})

static long double score_of(const struct layout *x, int64_t first, int64_t experts, int64_t i, int64_t norm)
{
    const long double value = (long double)element_of(x, first + i);
    long double sum = 0;
    if (norm == 1)
        return 1 / (1 + expl(-value));
    if (norm == 2)
        return sqrtl(value > 0 ? value + log1pl(expl(-value)) : log1pl(expl(value)));
    for (int64_t j = 0; j < experts; j++)
        sum += expl((long double)element_of(x, first + j) - value);
    return 1 / sum;
}

struct gate {
    int64_t rows, experts, k, groups, kept, mode, renorm, norm;
    double factor;
};

static struct gate draw_gate(void)
{
    struct gate gate = {.rows = 1 + random_below(9),
                        .groups = random_below(2) == 0 ? 1 : 1 + random_below(5),
                        .mode = random_below(2),
                        .renorm = random_below(2),
                        .norm = random_below(3),
                        .factor = 2.5};
    const int64_t size = 2 + random_below(random_below(8) == 0 ? 300 : 6);
    gate.experts = gate.groups * size;
    gate.kept = 1 + random_below(gate.groups);
    gate.k = 1 + random_below(gate.kept * size < 9 ? gate.kept * size : 9);
    return gate;
}

static struct named_call call_of_gate(const struct gate *gate, bool is_v2, bool has_bias, bool has_table)
{
    struct named_call call = call_begin_named(is_v2 ? "aclnnMoeGatingTopKV2" : "aclnnMoeGatingTopK");
    const struct layout *x = GIVE(&call, "x", short_dtypes[random_below(3)], gate->rows, gate->experts);
    for (int64_t i = 0; i < x->count; i++) /* whole numbers, so that some are equal and none is nearly */
        set_element(x, i, (double)random_below(7) - 3);
    if (has_bias) {
        const struct layout *bias = GIVE(&call, "bias", ACL_FLOAT, gate->experts);
        for (int64_t i = 0; i < bias->count; i++)
            set_element(bias, i, (double)random_below(3) * 4);
    }
    if (has_table) {
        const struct layout *keys = GIVE(&call, "inputIds", ACL_INT64, gate->rows);
        const struct layout *table = GIVE(&call, "tid2eid", ACL_INT32, 5, gate->k);
        for (int64_t i = 0; i < keys->count; i++)
            set_whole(keys, i, random_below(5));
        for (int64_t i = 0; i < table->count; i++)
            set_whole(table, i, random_below(gate->experts));
    }
    give_number(&call, "k", (double)gate->k);
    give_number(&call, "kGroup", (double)gate->kept);
    give_number(&call, "groupCount", (double)gate->groups);
    give_number(&call, "groupSelectMode", (double)gate->mode);
    give_number(&call, "renorm", (double)gate->renorm);
    give_number(&call, "normType", (double)gate->norm);
    give_number(&call, "routedScalingFactor", gate->factor);
    GIVE(&call, "y", x->dtype, gate->rows, gate->k);
    GIVE(&call, "expertIdx", ACL_INT32, gate->rows, gate->k);
    if (random_below(3) > 0)
        GIVE(&call, "out", ACL_FLOAT, gate->rows, gate->experts);
    return call;
}

/* The order of groups, or of the experts of groups that are kept: how many come before. */
static int64_t before(const long double *value, const bool *counts, int64_t count, int64_t i)
{
    int64_t found = 0;
    for (int64_t j = 0; j < count; j++)
        found += counts[j] && (value[j] > value[i] || (value[j] == value[i] && j < i));
    return found;
}

static void judge_gate(struct named_call *call, const struct gate *gate, int64_t row)
{
    long double score[SIZE_MAX_ * 5], value[SIZE_MAX_ * 5], group[5], sum = 0;
    bool counts[SIZE_MAX_ * 5], all[5] = {true, true, true, true, true};
    const int64_t size = gate->experts / gate->groups, first = row * gate->experts;
    const struct layout *x = tensor_named(call, "x"), *y = tensor_named(call, "y");
    for (int64_t i = 0; i < gate->experts; i++) {
        score[i] = score_of(x, first, gate->experts, i, gate->norm);
        value[i] =
            score[i] + (is_named(call, "bias") ? (long double)element_of(tensor_named(call, "bias"), i) : 0);
        if (is_named(call, "out"))
            assert_near("scores", tensor_named(call, "out"), first + i, score[i], ACL_FLOAT, 0x1p-40L);
    }
    for (int64_t g = 0; g < gate->groups; g++) {
        long double best[2] = {-(long double)INFINITY, -(long double)INFINITY};
        for (int64_t i = g * size; i < (g + 1) * size; i++) {
            const long double own = value[i];
            best[1] = own > best[0] ? best[0] : own > best[1] ? own : best[1];
            best[0] = own > best[0] ? own : best[0];
        }
        group[g] = gate->mode == 1 ? best[0] + best[1] : best[0];
    }
    for (int64_t i = 0; i < gate->experts; i++)
        counts[i] = before(group, all, gate->groups, i / size) < gate->kept;
    int64_t chosen[9];
    for (int64_t i = 0; i < gate->experts; i++)
        if (counts[i] && before(value, counts, gate->experts, i) < gate->k)
            chosen[before(value, counts, gate->experts, i)] = i;
    for (int64_t j = 0; j < gate->k; j++) {
        if (is_named(call, "tid2eid"))
            chosen[j] = whole_of(tensor_named(call, "tid2eid"),
                                 whole_of(tensor_named(call, "inputIds"), row) * gate->k + j);
        sum += score[chosen[j]];
    }
    for (int64_t j = 0; j < gate->k; j++) {
        assert_int_equal(whole_of(tensor_named(call, "expertIdx"), row * gate->k + j), chosen[j]);
        assert_near("weights", y, row * gate->k + j,
                    score[chosen[j]] / (gate->norm > 0 || gate->renorm == 1 ? sum : 1) *
                        (long double)gate->factor,
                    y->dtype, 0x1p-40L);
    }
}

static void gates_choose_the_best(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(150); round++) {
        const struct gate gate = draw_gate();
        const bool is_v2 = round % 2 != 0;
        struct named_call call =
            call_of_gate(&gate, is_v2, random_below(2) == 0, is_v2 && random_below(2) == 0);
        assert_int_equal(run_named(&call), 0);
        for (int64_t row = 0; row < gate.rows; row++)
            judge_gate(&call, &gate, row);
        end_named(&call);
    }
}

/* The gradient against differences of the gate's formula. */
static long double weight_of(const long double *score, const int64_t *chosen, const struct gate *gate,
                             int64_t j)
{
    long double sum = 0;
    for (int64_t i = 0; i < gate->k; i++)
        sum += score[chosen[i]];
    return score[chosen[j]] / (gate->norm > 0 || gate->renorm == 1 ? sum : 1) * (long double)gate->factor;
}

static long double loss_of(const struct layout *x, const struct layout *grad, const int64_t *chosen,
                           const struct gate *gate, int64_t row, int64_t moved, double by)
{
    long double score[64], loss = 0;
    const int64_t at = row * gate->experts + moved;
    const double kept = element_of(x, at);
    set_element(x, at, kept + by);
    for (int64_t i = 0; i < gate->experts; i++)
        score[i] = score_of(x, row * gate->experts, gate->experts, i, gate->norm);
    set_element(x, at, kept);
    for (int64_t j = 0; j < gate->k; j++)
        loss += weight_of(score, chosen, gate, j) * (long double)element_of(grad, row * gate->k + j);
    return loss;
}

static void gradients_are_those_of_the_gate(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        struct gate gate = {.rows = 1 + random_below(4),
                            .experts = 1 + random_below(12),
                            .renorm = random_below(2),
                            .norm = round % 3,
                            .factor = 2.5};
        gate.k = 1 + random_below(gate.experts);
        struct layout x =
            layout_create(ACL_DOUBLE, 2, (int64_t[]){gate.rows, gate.experts}, LAYOUT_CONTIGUOUS);
        layout_fill(&x, 2, NO_SPECIALS);
        struct named_call call = call_begin_named("aclnnMoeGatingTopKBackward");
        const struct layout *norm = GIVE(&call, "xNorm", ACL_FLOAT, gate.rows, gate.experts);
        const struct layout *grad = GIVE(&call, "gradY", ACL_FLOAT, gate.rows, gate.k);
        const struct layout *index = GIVE(&call, "expertIdx", ACL_INT32, gate.rows, gate.k);
        const struct layout *out = GIVE(&call, "gradX", ACL_FLOAT, gate.rows, gate.experts);
        give_number(&call, "renorm", (double)gate.renorm);
        give_number(&call, "normType", (double)gate.norm);
        give_number(&call, "routedScalingFactor", gate.factor);
        for (int64_t i = 0; i < x.count; i++)
            set_element(norm, i,
                        (double)score_of(&x, i / gate.experts * gate.experts, gate.experts, i % gate.experts,
                                         gate.norm));
        for (int64_t i = 0; i < index->count; i++) /* different ones */
            set_whole(index, i, (i / gate.k * 5 + i % gate.k) % gate.experts);
        assert_int_equal(run_named(&call), 0);
        for (int64_t i = 0; i < x.count; i++) {
            int64_t chosen[12];
            for (int64_t j = 0; j < gate.k; j++)
                chosen[j] = whole_of(index, i / gate.experts * gate.k + j);
            const double step = 0x1p-20;
            const int64_t row = i / gate.experts, moved = i % gate.experts;
            const long double exact = (loss_of(&x, grad, chosen, &gate, row, moved, step) -
                                       loss_of(&x, grad, chosen, &gate, row, moved, -step)) /
                                      (2 * (long double)step);
            if (fabsl((long double)element_of(out, i) - exact) > 2e-6L)
                fail_msg("gradX[%d] of normType %d is %g; %Lg is expected", (int)i, (int)gate.norm,
                         element_of(out, i), exact);
        }
        end_named(&call);
        layout_destroy(&x);
    }
}

static void gates_are_as_worked_out(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        struct named_call call = call_begin_named("aclnnMoeGatingTopK");
        set_numbers(GIVE(&call, "x", ACL_FLOAT, 1, 6), NUMBERS(1, 2, 0, -1, 3, .5));
        if (round == 0)
            set_numbers(GIVE(&call, "bias", ACL_FLOAT, 6), NUMBERS(0, 0, 0, 1, 0, 0));
        give_number(&call, "k", 2);
        give_number(&call, "groupCount", round == 0 ? 2 : 1);
        give_number(&call, "groupSelectMode", round == 0);
        give_number(&call, "normType", round == 0);
        give_number(&call, "renorm", round == 1);
        give_number(&call, "routedScalingFactor", round == 0 ? 2.5 : 1);
        GIVE(&call, "y", ACL_FLOAT, 1, 2);
        GIVE(&call, "expertIdx", ACL_INT32, 1, 2);
        assert_int_equal(run_named(&call), 0);
        assert_numbers(&call, "expertIdx", round == 0 ? NUMBERS(3, 4) : NUMBERS(4, 1), 0);
        assert_numbers(&call, "y",
                       round == 0   ? NUMBERS(.550426, 1.949574)
                       : round == 1 ? NUMBERS(.731059, .268941)
                                    : NUMBERS(.604813, .222498),
                       1e-6);
        end_named(&call);
    }
    struct named_call call = call_begin_named("aclnnMoeGatingTopKBackward");
    set_numbers(GIVE(&call, "xNorm", ACL_FLOAT, 1, 4), NUMBERS(.5, .7, .3, .8));
    set_numbers(GIVE(&call, "gradY", ACL_FLOAT, 1, 2), NUMBERS(1, .5));
    set_numbers(GIVE(&call, "expertIdx", ACL_INT32, 1, 2), NUMBERS(3, 1));
    give_number(&call, "routedScalingFactor", 2.5);
    GIVE(&call, "gradX", ACL_FLOAT, 1, 4);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "gradX", NUMBERS(0, -.093333, 0, .062222), 1e-6);
    set_numbers(tensor_named(&call, "expertIdx"), NUMBERS(3, 4));
    assert_failure(run_named(&call), FAULT, "expertIdx holds 4");
    end_named(&call);
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    const int invalid = ACLNN_ERR_PARAM_INVALID, null = ACLNN_ERR_PARAM_NULLPTR;
    const struct gate plain = {.rows = 2, .experts = 6, .k = 2, .groups = 3, .kept = 2, .mode = 1};
    struct named_call call = call_of_gate(&plain, true, false, false);
    static const struct {
        const char *name;
        double bad, good;
        const char *text;
    } faults[] = {{"k", 5, 2, "k is 5; 1 to 4 is expected"},
                  {"kGroup", 4, 2, "kGroup is 4; 1 to 3 is expected"},
                  {"groupCount", 4, 3, "x has rows of 6 experts; a multiple of groupCount, 4"},
                  {"groupCount", 6, 3, "groups have 1 expert each"},
                  {"groupSelectMode", 2, 1, "groupSelectMode is 2; 0 to 1 is expected"},
                  {"renorm", -1, 0, "renorm is -1; 0 to 1 is expected"},
                  {"normType", 3, 0, "normType is 3; 0 to 2 is expected"}};
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        give_number(&call, faults[i].name, faults[i].bad);
        assert_named_refused(&call, invalid, faults[i].text);
        give_number(&call, faults[i].name, faults[i].good);
    }
    set_numbers(GIVE(&call, "inputIds", ACL_INT32, 2), NUMBERS(0, 5));
    assert_named_refused(&call, null, "tid2eidOptional is NULL, which inputIdsOptional asks for");
    GIVE(&call, "tid2eid", ACL_INT32, 5, 2);
    for (int64_t i = 0; i < 10; i++)
        set_whole(tensor_named(&call, "tid2eid"), i, i == 9 ? 6 : 0);
    assert_failure(run_named(&call), FAULT, "inputIds holds 5 as element 1");
    set_whole(tensor_named(&call, "inputIds"), 1, 0);
    assert_failure(run_named(&call), FAULT, "tid2eid holds 6 as element 9");
    end_named(&call);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 24; round++) {
        const struct gate gate = draw_gate();
        struct named_call call = call_of_gate(&gate, round % 2 != 0, true, false);
        if (run_named(&call) != 0)
            return 0;
        hash = hash_named(&call, hash);
        end_named(&call);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gates_choose_the_best),
        cmocka_unit_test(gradients_are_those_of_the_gate),
        cmocka_unit_test(gates_are_as_worked_out),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
