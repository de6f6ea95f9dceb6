/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens to the experts of a mixture and back, in any layout and dtype, against loops that know no order;
 * worked examples, what is refused, tasks that fail, and that bits depend neither on the level nor on the
 * number of threads. Which experts a token gets is in gating.c.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/routing_case.h"
#include "support/effort.h"

enum { FAULT = 507035 };

static const char *const routings[] = {"aclnnMoeInitRoutingV2", "aclnnMoeInitRoutingQuantV2",
                                       "aclnnMoeInitRoutingV3", "aclnnMoeInitRoutingCustom"};

#define NUMBERS(...) ((const double[]){__VA_ARGS__})

static void judge_row(struct named_call *call, const struct routing *r, int64_t row, int64_t pair)
{
    const struct layout *x = tensor_named(call, "x"), *out = tensor_named(call, "expandedX");
    const struct layout *scales =
        r->version > 0 ? tensor_named(call, r->version == 1 ? "dynamicQuantScale" : "expandedScale") : NULL;
    const struct layout *scale = r->has_scale ? tensor_named(call, "scale") : NULL;
    const int64_t token = pair / r->k;
    const double offset = r->quant == 0 ? element_of(tensor_named(call, "offset"), 0) : 0;
    double value[1024], greatest = 0;
    for (int64_t h = 0; h < r->width; h++) {
        value[h] = pair < 0 ? 0 : element_of(x, token * r->width + h);
        if (pair >= 0 && r->quant >= 0 && scale != NULL) {
            const int64_t own = whole_of(tensor_named(call, "expertIdx"), pair) - r->low;
            value[h] *=
                element_of(scale, r->quant == 0 ? 0 : (scale->shape[0] == 1 ? 0 : own * r->width) + h);
        }
        greatest = fabs(value[h]) > greatest ? fabs(value[h]) : greatest;
    }
    const float row_scale = (float)(greatest / 127);
    for (int64_t h = 0; h < r->width; h++) {
        const double q = r->quant == 1   ? (row_scale > 0 ? nearbyint(value[h] / (double)row_scale) : 0)
                         : pair < 0      ? 0
                         : r->quant == 0 ? nearbyint(value[h] + offset)
                                         : value[h];
        const double limited = r->quant < 0 ? q : q < -128 ? -128 : q > 127 ? 127 : q;
        assert_true(element_of(out, row * r->width + h) == limited);
    }
    if (r->quant == 1)
        assert_true(element_of(scales, row) == (double)row_scale);
    if (r->quant < 0 && r->has_scale)
        assert_true(element_of(scales, row) == (pair < 0 ? 0 : element_of(scale, token)));
}

static void tokens_go_to_their_experts(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(160); round++) {
        const struct routing r = draw_routing(routings[round % 4], round % 4);
        struct named_call call = call_of_routing(&r);
        judge_routing(&call, &r, judge_row);
        end_named(&call);
    }
}

static struct named_call example(const char *name, double rows)
{
    struct named_call call = call_begin_named(name);
    set_numbers(GIVE(&call, "x", ACL_FLOAT, 3, 1), NUMBERS(10, 11, 12));
    set_numbers(GIVE(&call, "expertIdx", ACL_INT32, 3, 2), NUMBERS(1, 2, 0, 1, 0, 2));
    give_number(&call, "expertNum", 3);
    GIVE(&call, "expandedX", ACL_FLOAT, (int64_t)rows, 1);
    GIVE(&call, "expandedRowIdx", ACL_INT32, 6);
    return call;
}

static void routings_are_as_worked_out(void **state)
{
    (void)state;
    struct named_call call = example("aclnnMoeInitRoutingV3", 6);
    GIVE(&call, "expertTokensCountOrCumsum", ACL_INT64, 3);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "expandedRowIdx", NUMBERS(2, 4, 0, 3, 1, 5), 0);
    assert_numbers(&call, "expertTokensCountOrCumsum", NUMBERS(2, 2, 2), 0);
    end_named(&call);
    call = example("aclnnMoeInitRoutingV3", 6);
    GIVE(&call, "expertTokensCountOrCumsum", ACL_INT64, 2);
    give_array(&call, "activeExpertRange", (int64_t[]){1, 3}, 2);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "expandedRowIdx", NUMBERS(0, 2, -1, 1, -1, 3), 0);
    assert_numbers(&call, "expandedX", NUMBERS(10, 11, 10, 12, 0, 0), 0);
    assert_numbers(&call, "expertTokensCountOrCumsum", NUMBERS(2, 2), 0);
    end_named(&call);
    call = call_begin_named("aclnnMoeInitRouting");
    set_numbers(GIVE(&call, "x", ACL_FLOAT, 3, 1), NUMBERS(10, 11, 12));
    set_numbers(GIVE(&call, "rowIdx", ACL_INT32, 3, 2), NUMBERS(0, 3, 1, 4, 2, 5));
    set_numbers(GIVE(&call, "expertIdx", ACL_INT32, 3, 2), NUMBERS(1, 2, 0, 1, 0, 2));
    give_number(&call, "activeNum", 3);
    GIVE(&call, "expandedX", ACL_FLOAT, 6, 1);
    GIVE(&call, "expandedRowIdx", ACL_INT32, 6);
    GIVE(&call, "expandedExpertIdx", ACL_INT32, 6);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "expandedRowIdx", NUMBERS(2, 0, 1, 4, 3, 5), 0);
    assert_numbers(&call, "expandedX", NUMBERS(11, 12, 10, 11, 10, 12), 0);
    assert_numbers(&call, "expandedExpertIdx", NUMBERS(0, 0, 1, 1, 2, 2), 0);
    set_numbers(tensor_named(&call, "rowIdx"), NUMBERS(0, 3, 1, 4, 2, 6));
    assert_failure(run_named(&call), FAULT, "rowIdx holds 6 at [2, 1]; 0 to 5 are expected");
    end_named(&call);
}

/* And back. */

static const char *const finals[] = {"aclnnMoeFinalizeRouting", "aclnnMoeFinalizeRoutingV2",
                                     "aclnnMoeFinalizeRoutingV3", "aclnnMoeFinalizeRoutingV4"};

struct final {
    int64_t tokens, k, width, rows, experts, mode;
};

static struct named_call call_of_final(struct final *f, int version)
{
    struct named_call call = call_begin_named(finals[version]);
    const bool has_scales = random_below(4) > 0;
    *f = (struct final){1 + random_below(20), has_scales ? 1 + random_below(4) : 1, 1 + random_below(40), 0,
                        1 + random_below(6),  version == 0 ? 0 : random_below(4)};
    if (version == 3 && !has_scales)
        f->k = 3;
    f->rows = f->tokens * f->k;
    const aclDataType dtype = short_dtypes[random_below(3)];
    if (f->mode % 2 != 0)
        GIVE(&call, "expandedX", dtype, f->rows, 1, f->width);
    else
        GIVE(&call, "expandedX", dtype, f->rows, f->width);
    const struct layout *map = GIVE(&call, "expandedRowIdx", ACL_INT32, f->tokens * f->k);
    for (int64_t i = 0; i < map->count; i++)
        set_whole(map, i, random_below(f->rows + 1) - 1);
    if (random_below(2) == 0)
        GIVE(&call, "x1", short_dtypes[random_below(3)], f->tokens, f->width);
    if (random_below(2) == 0)
        GIVE(&call, "x2", dtype, f->tokens, f->width);
    if (has_scales)
        GIVE(&call, "scales", short_dtypes[random_below(3)], f->tokens, f->k);
    const bool has_own = version >= 2 && random_below(2) == 0;
    if (random_below(2) == 0)
        GIVE(&call, "bias", dtype, f->experts + 5, f->width);
    if (is_named(&call, "bias") || has_own) {
        const struct layout *chosen = GIVE(&call, "expertIdx", ACL_INT32, f->tokens, f->k);
        for (int64_t i = 0; i < chosen->count; i++)
            set_whole(chosen, i, random_below(f->experts + 5));
    }
    if (has_own) { /* one that adds nothing, two copies, two constant ones */
        GIVE(&call, "x", dtype, f->tokens, f->width);
        GIVE(&call, "constExpertAlpha1", dtype, 2, f->width);
        GIVE(&call, "constExpertAlpha2", dtype, 2, f->width);
        GIVE(&call, "constExpertV", dtype, 2, f->width);
        give_array(&call, "zeroExpertRange", (int64_t[]){f->experts, f->experts + 1}, 2);
        give_array(&call, "copyExpertRange", (int64_t[]){f->experts + 1, f->experts + 3}, 2);
        give_array(&call, "constantExpertRange", (int64_t[]){f->experts + 3, f->experts + 5}, 2);
    } else if (random_below(2) == 0) {
        give_array(&call, "zeroExpertRange", (int64_t[]){-1, -1}, 2);
    }
    give_number(&call, "dropPadMode", (double)f->mode);
    give_number(&call, "k", (double)f->k);
    GIVE(&call, "out", dtype, f->tokens, f->width);
    return call;
}

static long double part_of(struct named_call *call, const char *name, int64_t i)
{
    return is_named(call, name) ? (long double)element_of(tensor_named(call, name), i) : 0;
}

static void judge_sum(struct named_call *call, const struct final *f, int64_t token, int64_t h)
{
    const int64_t at = token * f->width + h;
    long double sum = part_of(call, "x1", at) + part_of(call, "x2", at);
    const bool has_own = is_named(call, "constExpertV");
    for (int64_t k = 0; k < f->k; k++) {
        const int64_t pair = token * f->k + k;
        const long double scale = is_named(call, "scales") ? part_of(call, "scales", pair) : 1;
        const int64_t expert =
            is_named(call, "expertIdx") ? whole_of(tensor_named(call, "expertIdx"), pair) : 0;
        const int64_t own = has_own ? expert - f->experts : -1;
        const int64_t row =
            whole_of(tensor_named(call, "expandedRowIdx"), f->mode < 2 ? k * f->tokens + token : pair);
        if (own == 1 || own == 2)
            sum += scale * part_of(call, "x", at);
        else if (own > 2)
            sum += scale *
                   (part_of(call, "constExpertAlpha1", (own - 3) * f->width + h) * part_of(call, "x", at) +
                    part_of(call, "constExpertAlpha2", (own - 3) * f->width + h) *
                        part_of(call, "constExpertV", (own - 3) * f->width + h));
        else if (own < 0)
            sum += scale * ((row < 0 ? 0 : part_of(call, "expandedX", row * f->width + h)) +
                            part_of(call, "bias", expert * f->width + h));
    }
    assert_near("finalize", tensor_named(call, "out"), at, sum, tensor_named(call, "out")->dtype, 0x1p-40L);
}

static void rows_come_back_to_their_tokens(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(160); round++) {
        struct final f;
        struct named_call call = call_of_final(&f, round % 4);
        assert_int_equal(run_named(&call), 0);
        for (int64_t i = 0; i < f.tokens * f.width; i++)
            judge_sum(&call, &f, i / f.width, i % f.width);
        const double kept = element_of(tensor_named(&call, "out"), 0);
        if (!is_named(&call, "constExpertV")) {
            set_whole(tensor_named(&call, "expandedRowIdx"), 0, f.rows);
            assert_failure(run_named(&call), FAULT, "for expert 0 of token 0; -1, or 0 up to the rows");
            assert_true(element_of(tensor_named(&call, "out"), 0) == kept);
        }
        end_named(&call);
    }
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    const int invalid = ACLNN_ERR_PARAM_INVALID, null = ACLNN_ERR_PARAM_NULLPTR;
    struct named_call call = example("aclnnMoeInitRoutingV3", 6);
    assert_named_refused(&call, null, "expertTokensCountOrCumsumOut is NULL");
    give_number(&call, "expertTokensNumFlag", 0);
    give_number(&call, "quantMode", 2);
    assert_named_refused(&call, invalid, "quantMode is 2");
    give_number(&call, "quantMode", 0);
    assert_named_refused(&call, null, "scaleOptional is NULL, which quantMode 0 asks for");
    give_number(&call, "quantMode", -1);
    give_number(&call, "dropPadMode", 1);
    give_number(&call, "expertCapacity", 4);
    assert_named_refused(&call, invalid, "expertCapacity is 4; 1 to 3 is expected");
    give_number(&call, "expertCapacity", 2);
    give_array(&call, "activeExpertRange", (int64_t[]){0, 2}, 2);
    assert_named_refused(&call, invalid, "all experts are expected with dropPadMode 1");
    give_number(&call, "dropPadMode", 0);
    give_number(&call, "expertNum", 1);
    assert_named_refused(&call, invalid, "activeExpertRangeOptional is [0, 2]; rising numbers");
    give_number(&call, "expertNum", 0);
    assert_named_refused(&call, invalid, "expertNum is 0");
    end_named(&call);
    struct final f;
    do {
        call = call_of_final(&f, 3);
        if (is_named(&call, "constExpertV") || !is_named(&call, "bias") || f.tokens * f.k % 7 == 0)
            end_named(&call);
        else
            break;
    } while (true);
    const int chosen = place_named(&call, "expertIdx");
    const aclTensor *kept = call.argument[chosen].tensor;
    call.argument[chosen].tensor = NULL;
    assert_named_refused(&call, null, "expertIdxOptional is NULL, which bias asks for");
    call.argument[chosen].tensor = kept;
    give_number(&call, "dropPadMode", 4);
    assert_named_refused(&call, invalid, "dropPadMode is 4; 0 to 3 is expected");
    end_named(&call);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 24; round++) {
        const struct routing r = draw_routing(routings[round % 4], round % 4);
        struct final f;
        struct named_call calls[] = {call_of_routing(&r), call_of_final(&f, round % 4)};
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
        cmocka_unit_test(tokens_go_to_their_experts),
        cmocka_unit_test(routings_are_as_worked_out),
        cmocka_unit_test(rows_come_back_to_their_tokens),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
