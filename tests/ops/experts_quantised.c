/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens that become numbers of few bits on their way to the experts, under Ascend950: every mode of quantising of
 * MoeInitRouting, in any layout, with both kinds of maps and with and without capacities, beside loops over codes; rows
 * that have few bits already; what is refused; and that bits depend neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/made_row.h"
#include "ops/routing_case.h"
#include "support/effort.h"

enum { INVALID = ACLNN_ERR_PARAM_INVALID, MODES = 18, NO_MODE = 10 };

static const struct made_row modes[MODES] = {
    {ACL_INT8, NO_SCALE, false, 0},      {ACL_INT8, ROW, false, 0},
    {ACL_FLOAT8_E5M2, MX, false, 0},     {ACL_FLOAT8_E4M3FN, MX, false, 0},
    {ACL_FLOAT8_E5M2, BLOCK, false, 0},  {ACL_FLOAT8_E4M3FN, BLOCK, false, 0},
    {ACL_HIFLOAT8, NO_SCALE, false, 0},  {ACL_HIFLOAT8, NO_SCALE, false, 0},
    {ACL_HIFLOAT8, ROW, false, 0},       {ACL_FLOAT4_E2M1, MX, false, 0},
    {ACL_INT8, NO_SCALE, false, 0},      {ACL_FLOAT8_E5M2, BLOCK, true, 0},
    {ACL_FLOAT8_E4M3FN, BLOCK, true, 0}, {ACL_INT4, ROW, false, 0},
    {ACL_FLOAT8_E5M2, BLOCK, false, 0},  {ACL_FLOAT8_E4M3FN, BLOCK, false, 0},
    {ACL_FLOAT8_E5M2, MX, false, 1e-4F}, {ACL_FLOAT8_E4M3FN, MX, false, 1e-4F},
};

static const char *const routings[] = {"aclnnMoeInitRoutingV3", "aclnnMoeInitRoutingCustom"};

static bool are_words; /* of the call: INT4 in INT32 */

static void give_codes_of_rows(struct named_call *call, const struct routing *r, aclDataType dtype)
{
    const int64_t width = are_words ? r->width / 8 : r->width, flat[] = {r->rows, width},
                  padded[] = {r->experts, r->capacity, width};
    const unsigned rank = r->capacity > 0 ? 3 : 2;
    if (are_words)
        give_tensor(call, "expandedX", ACL_INT32, rank, rank == 3 ? padded : flat);
    else
        give_codes(call, "expandedX", dtype, rank, rank == 3 ? padded : flat);
}

static void give_made(struct named_call *call, const struct routing *r)
{
    const struct made_row *made = &modes[r->quant];
    give_codes_of_rows(call, r, made->dtype);
    if (made->scales != NO_SCALE)
        give_made_scales(call, "expandedScale", made, r->rows, r->width);
}

/* Tensors of x with ends of floats, numbers that are small, and tokens of zeros, each sometimes. */
static void set_ends(const struct layout *x)
{
    const int64_t width = x->shape[1], token = random_below(x->shape[0]);
    const int what = (int)random_below(5);
    for (int64_t i = 0; what < 3 && i < width; i++)
        set_element(x, token * width + i,
                    what == 0 ? 0 : element_of(x, token * width + i) * (what == 1 ? 0x1p-12 : 64));
    if (what == 3)
        set_element(x, random_below(x->count), random_below(2) == 0 ? (double)INFINITY : (double)NAN);
}

static struct named_call call_of_mode(struct routing *r, int round)
{
    static const int wide[] = {1, 31, 64, 66, 127, 130, 300, 520, 1000};
    *r = draw_routing(routings[round % 2], 2);
    r->quant = round / 2 % MODES;
    r->quant += r->quant == NO_MODE;
    r->width = wide[random_below(9)];
    r->has_scale = r->quant == 0 || r->quant == 7 || random_below(2) == 0;
    r->give_made = give_made;
    are_words = r->quant == 13 && random_below(2) == 0;
    if (dtype_is_packed(modes[r->quant].dtype))
        r->width = (r->width + 7) / 8 * 8 - (are_words ? 0 : 2 * random_below(3));
    struct named_call call = call_of_routing(r);
    set_ends(tensor_named(&call, "x"));
    return call;
}

static void judge_made(struct named_call *call, const struct routing *r, int64_t row, int64_t pair)
{
    const struct made_row *made = &modes[r->quant];
    const struct layout *x = tensor_named(call, "x"), *y = tensor_named(call, "expandedX"),
                        *scales = made->scales != NO_SCALE ? tensor_named(call, "expandedScale") : NULL,
                        *factor = r->has_scale ? tensor_named(call, "scale") : NULL;
    const bool is_one = r->quant == 0 || r->quant == 7, is_by_column = r->quant == 1 || r->quant == 13;
    if (pair < 0) {
        expect_nothing(made, y, are_words, scales, row, r->width);
        return;
    }
    for (int64_t h = 0; h < r->width; h++) {
        wanted[h] = element_of(x, pair / r->k * r->width + h);
        const int64_t own = whole_of(tensor_named(call, "expertIdx"), pair) - r->low;
        if (factor != NULL && (is_one || is_by_column))
            wanted[h] *= element_of(factor, is_one ? 0 : (factor->shape[0] == 1 ? 0 : own * r->width) + h);
        wanted[h] += r->quant == 0 ? element_of(tensor_named(call, "offset"), 0) : 0;
    }
    expect_made(made, y, are_words, scales, row, r->width, wanted);
}

static void tokens_become_numbers_of_every_mode(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(8 * MODES); round++) {
        struct routing r;
        struct named_call call = call_of_mode(&r, round);
        judge_routing(&call, &r, judge_made);
        end_named(&call);
    }
}

static void give_moved(struct named_call *call, const struct routing *r)
{
    give_codes_of_rows(call, r, r->x);
    if (r->has_scale)
        give_codes(call, "expandedScale", ACL_FLOAT8_E8M0, 3, (int64_t[]){r->rows, (r->width + 63) / 64, 2});
}

static void judge_moved(struct named_call *call, const struct routing *r, int64_t row, int64_t pair)
{
    const struct layout *x = tensor_named(call, "x"), *y = tensor_named(call, "expandedX");
    const bool is_packed = dtype_is_packed(r->x);
    const int64_t token = pair / r->k, scales = (r->width + 63) / 64 * 2;
    for (int64_t h = 0; h < r->width; h++)
        assert_int_equal(code_at(y, row * r->width + h, is_packed),
                         pair < 0 ? 0 : code_at(x, token * r->width + h, is_packed));
    for (int64_t i = 0; r->has_scale && i < scales; i++)
        assert_int_equal(code_at(tensor_named(call, "expandedScale"), row * scales + i, false),
                         pair < 0 ? 0 : code_at(tensor_named(call, "scale"), token * scales + i, false));
}

static void numbers_of_few_bits_stay_as_they_are(void **state)
{
    (void)state;
    static const aclDataType dtypes[] = {ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_HIFLOAT8, ACL_FLOAT4_E2M1,
                                         ACL_FLOAT4_E1M2};
    for (int round = 0; round < times_effort(40); round++) {
        struct routing r = draw_routing(routings[round % 2], 2);
        r.quant = -1;
        r.x = dtypes[round % 5];
        r.width = 2 * (1 + random_below(150));
        r.give_made = give_moved;
        are_words = false;
        struct named_call call = call_of_routing(&r);
        judge_routing(&call, &r, judge_moved);
        end_named(&call);
    }
}

/* Three tokens of 63, two choices each; quantMode 3. */
static struct named_call plain_call(aclDataType x, aclDataType made, aclDataType scale)
{
    struct named_call call = call_begin_named("aclnnMoeInitRoutingV3");
    if (x == ACL_FLOAT)
        GIVE(&call, "x", ACL_FLOAT, 3, 63);
    else
        give_codes(&call, "x", x, 2, SHAPE(3, 63));
    set_numbers(GIVE(&call, "expertIdx", ACL_INT32, 3, 2), (const double[]){1, 2, 0, 1, 0, 2});
    give_number(&call, "expertNum", 3);
    give_number(&call, "expertTokensNumFlag", 0);
    give_number(&call, "quantMode", 3);
    give_codes(&call, "expandedX", made, 2, SHAPE(6, 63));
    GIVE(&call, "expandedRowIdx", ACL_INT32, 6);
    if (scale == ACL_FLOAT)
        GIVE(&call, "expandedScale", ACL_FLOAT, 6, 2);
    else
        give_codes(&call, "expandedScale", scale, 2, SHAPE(6, 2));
    return call;
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    struct named_call call = plain_call(ACL_FLOAT, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0);
    assert_int_equal(run_named(&call), 0);
    for (int mode = 0; mode < MODES; mode++)
        if (mode != 3 && mode != 17) { /* another dtype, or other scales */
            give_number(&call, "quantMode", mode);
            assert_named_refused(&call, mode == 0 || mode == 7 ? ACLNN_ERR_PARAM_NULLPTR : INVALID,
                                 mode == NO_MODE ? "quantMode is 10; -1 (none), 0 (a scale for all), or 1 to "
                                                   "17 without 10, is expected"
                                 : mode == 0 || mode == 7 ? "scaleOptional is NULL, which quantMode "
                                 : mode == 9 || mode == 13
                                     ? "x has shape [3, 63]; a last dim of a multiple of 2"
                                 : mode == 5 || mode == 12 || mode == 15 ? "expandedScaleOut"
                                                                         : "expandedXOut");
        }
    give_number(&call, "quantMode", 18);
    assert_named_refused(&call, INVALID, "quantMode is 18");
    give_number(&call, "quantMode", 3);
    const int place = place_named(&call, "expandedScale");
    const aclTensor *kept = call.argument[place].tensor;
    call.argument[place].tensor = NULL;
    assert_named_refused(&call, ACLNN_ERR_PARAM_NULLPTR, "expandedScaleOut is NULL");
    call.argument[place].tensor = kept;
    GIVE(&call, "scale", ACL_FLOAT, 2);
    give_number(&call, "quantMode", 7);
    assert_named_refused(&call, INVALID, "scaleOptional");
    end_named(&call);
    call = plain_call(ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0);
    assert_named_refused(&call, INVALID, "x is FLOAT8_E5M2; FLOAT, FLOAT16 or BFLOAT16 is expected");
    end_named(&call);
    call = plain_call(ACL_FLOAT8_E5M2, ACL_FLOAT8_E5M2, ACL_FLOAT8_E8M0);
    give_number(&call, "quantMode", -1);
    give_codes(&call, "scale", ACL_FLOAT8_E8M0, 2, SHAPE(3, 2));
    assert_named_refused(&call, INVALID, "scaleOptional has shape [3, 2]; [3, 1, 2] is expected");
    end_named(&call);
    call = plain_call(ACL_FLOAT, ACL_INT8, ACL_FLOAT);
    give_number(&call, "quantMode", 1);
    give_codes(&call, "scale", ACL_FLOAT8_E8M0, 2, SHAPE(1, 63));
    assert_named_refused(&call, INVALID, "scaleOptional is FLOAT8_E8M0; FLOAT is expected with quantMode 1");
    end_named(&call);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 2 * MODES; round++) {
        struct routing r;
        struct named_call call = call_of_mode(&r, round);
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
        cmocka_unit_test(tokens_become_numbers_of_every_mode),
        cmocka_unit_test(numbers_of_few_bits_stay_as_they_are),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
