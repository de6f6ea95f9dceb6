/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of mixtures of experts in any layout and dtype against loops: the gate, tokens in the order of
 * their experts and back, their gradients; what is refused, and that bits depend neither on the level nor on
 * the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

enum { FAULT = 507035 };

static struct layout made(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    if (is_float_dtype(dtype))
        layout_fill(&layout, 2, false);
    return layout;
}

static int64_t whole_of(const struct layout *layout, int64_t i)
{
    int64_t value;
    if (layout->dtype == ACL_INT64)
        memcpy(&value, layout_element(layout, i), sizeof value);
    else
        conversion_reference(layout_element(layout, i), layout->dtype, &value, ACL_INT64);
    return value;
}

static void set_whole(const struct layout *layout, int64_t i, int64_t value)
{
    if (layout->dtype == ACL_INT64)
        memcpy(layout_element(layout, i), &value, sizeof value);
    else
        conversion_reference(&value, ACL_INT64, layout_element(layout, i), layout->dtype);
}

/* One round of tokens: permuted, back, and the gradients of both. */
struct round {
    int64_t tokens, top_k, width, count, permuted;
    struct layout token, index, rows, places, probs, sums, row_grads, token_grads, rows_out, probs_out;
};

static struct round draw_round(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct round r = {.tokens = 1 + random_below(60),
                      .top_k = 1 + random_below(4),
                      .width = random_below(6) == 0 ? 700 : 1 + random_below(40)};
    r.count = r.tokens * r.top_k;
    r.permuted = random_below(2) == 0 ? r.count : 1 + random_below(r.count);
    const int64_t token[] = {r.tokens, r.width}, index[] = {r.tokens, r.top_k},
                  rows[] = {r.permuted, r.width};
    r.token = made(dtype, 2, token, true);
    r.index = made(random_below(2) == 0 ? ACL_INT32 : ACL_INT64, r.top_k == 1 ? 1 : 2, index, false);
    r.rows = made(dtype, 2, rows, false);
    r.places = made(ACL_INT32, 1, &r.count, false);
    r.probs = made(short_dtypes[random_below(3)], 2, index, true);
    r.sums = made(dtype, 2, token, false);
    r.row_grads = made(dtype, 2, rows, true);
    r.token_grads = made(dtype, 2, token, false);
    r.rows_out = made(dtype, 2, rows, false);
    r.probs_out = made(r.probs.dtype, 2, index, false);
    for (int64_t i = 0; i < r.count; i++)
        set_whole(&r.index, i, random_below(7));
    return r;
}

static struct layout *layouts_of(struct round *r, unsigned i)
{
    struct layout *all[] = {&r->token, &r->index,     &r->rows,        &r->places,   &r->probs,
                            &r->sums,  &r->row_grads, &r->token_grads, &r->rows_out, &r->probs_out};
    return all[i];
}

/* All four calls: unpermute has probs, or topK 1 without. */
static void run_round(struct round *r, bool has_probs)
{
    const int64_t asked = r->permuted == r->count ? 0
                          : random_below(2) == 0  ? r->permuted
                                                  : r->permuted - r->count;
    const union argument permute[] = {{.tensor = r->token.tensor}, {.tensor = r->index.tensor},
                                      argument_of_integer(asked),  argument_of_bool(false),
                                      {.tensor = r->rows.tensor},  {.tensor = r->places.tensor}};
    const union argument permute_grad[] = {{.tensor = r->row_grads.tensor},
                                           {.tensor = r->places.tensor},
                                           argument_of_integer(r->top_k),
                                           argument_of_bool(false),
                                           {.tensor = r->token_grads.tensor}};
    const aclTensor *probs = has_probs ? r->probs.tensor : NULL;
    const union argument unpermute[] = {{.tensor = r->row_grads.tensor},
                                        {.tensor = r->places.tensor},
                                        {.tensor = probs},
                                        argument_of_bool(false),
                                        {.ints = NULL},
                                        {.tensor = r->sums.tensor}};
    const union argument unpermute_grad[] = {
        {.tensor = r->row_grads.tensor}, {.tensor = r->token.tensor},
        {.tensor = r->places.tensor},    {.tensor = probs},
        argument_of_bool(false),         {.ints = NULL},
        {.tensor = r->rows_out.tensor},  {.tensor = has_probs ? r->probs_out.tensor : NULL}};
    assert_int_equal(call_function(find("aclnnMoeTokenPermute"), permute), 0);
    assert_int_equal(call_function(find("aclnnMoeTokenPermuteGrad"), permute_grad), 0);
    assert_int_equal(call_function(find("aclnnMoeTokenUnpermute"), unpermute), 0);
    assert_int_equal(call_function(find("aclnnMoeTokenUnpermuteGrad"), unpermute_grad), 0);
}

/* How many numbers come before number i in the order of the experts. */
static int64_t place_of(const struct round *r, int64_t i)
{
    int64_t place = 0;
    for (int64_t k = 0; k < r->count; k++)
        place += whole_of(&r->index, k) < whole_of(&r->index, i) ||
                 (whole_of(&r->index, k) == whole_of(&r->index, i) && k < i);
    return place;
}

static void judge_number(struct round *r, int64_t i, bool has_probs)
{
    const int64_t place = place_of(r, i), token = i / r->top_k;
    const long double prob = has_probs ? (long double)element_of(&r->probs, i) : 1;
    long double product = 0, size = 0;
    assert_int_equal(whole_of(&r->places, i), place);
    for (int64_t h = 0; place < r->permuted && h < r->width; h++) {
        const int64_t at = place * r->width + h;
        const long double grad = (long double)element_of(&r->token, token * r->width + h);
        assert_memory_equal(layout_element(&r->rows, at), layout_element(&r->token, token * r->width + h),
                            r->rows.bytes);
        assert_near("unpermute's rows", &r->rows_out, at, grad * prob, r->rows.dtype, 0);
        product += grad * (long double)element_of(&r->row_grads, at);
        size += fabsl(grad * (long double)element_of(&r->row_grads, at));
    }
    if (has_probs)
        assert_near("unpermute's probs", &r->probs_out, i, product, r->probs.dtype, size * 0x1p-44L);
}

static void judge_token(struct round *r, int64_t token, bool has_probs)
{
    for (int64_t h = 0; h < r->width; h++) {
        long double sum = 0, weighted = 0, size = 0;
        for (int64_t i = token * r->top_k; i < (token + 1) * r->top_k; i++) {
            const int64_t place = place_of(r, i);
            if (place >= r->permuted)
                continue;
            const long double x = (long double)element_of(&r->row_grads, place * r->width + h);
            sum += x;
            weighted += x * (has_probs ? (long double)element_of(&r->probs, i) : 1);
            size += fabsl(x) * 8;
        }
        assert_near("permute's tokens", &r->token_grads, token * r->width + h, sum, r->token.dtype,
                    size * 0x1p-44L);
        assert_near("unpermute", &r->sums, token * r->width + h, weighted, r->token.dtype, size * 0x1p-44L);
    }
}

static void tokens_go_to_their_experts_and_back(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        struct round r = draw_round();
        const bool has_probs = r.top_k > 1 || random_below(2) == 0;
        run_round(&r, has_probs);
        for (int64_t i = 0; i < r.count; i++)
            judge_number(&r, i, has_probs);
        for (int64_t i = 0; i < r.tokens; i++)
            judge_token(&r, i, has_probs);
        for (unsigned i = 0; i < 10; i++)
            layout_destroy(layouts_of(&r, i));
    }
}

static void places_outside_fail(void **state)
{
    (void)state;
    static const int64_t shape[] = {4, 3}, four = 4;
    for (int64_t bad = -1; bad <= 4; bad += 5) {
        struct layout rows = made(ACL_FLOAT, 2, shape, false), places = made(ACL_INT32, 1, &four, false);
        struct layout out = made(ACL_FLOAT, 2, shape, false);
        for (int64_t i = 0; i < 4; i++)
            set_whole(&places, i, i == 2 ? bad : i);
        const double kept = element_of(&out, 5);
        const union argument argument[] = {{.tensor = rows.tensor}, {.tensor = places.tensor},
                                           {.tensor = NULL},        argument_of_bool(false),
                                           {.ints = NULL},          {.tensor = out.tensor}};
        char text[80];
        snprintf(text, sizeof text, "sortedIndices holds %d at [2]; 0 to 3 are expected", (int)bad);
        assert_failure(call_function(find("aclnnMoeTokenUnpermute"), argument), FAULT, text);
        assert_true(element_of(&out, 5) == kept);
        layout_destroy(&rows);
        layout_destroy(&places);
        layout_destroy(&out);
    }
}

static bool comes_before(const struct layout *x, int64_t first, int64_t a, int64_t b)
{
    const double u = element_of(x, first + a), v = element_of(x, first + b);
    if (isnan(u) || isnan(v))
        return isnan(u) && (!isnan(v) || a < b);
    return u > v || (u == v && a < b);
}

static long double share_of(const struct layout *x, int64_t first, int64_t experts, const bool *counts,
                            int64_t of)
{
    long double sum = 0;
    const long double greatest = (long double)element_of(x, first + of);
    for (int64_t i = 0; i < experts; i++)
        sum += counts[i] ? expl((long double)element_of(x, first + i) - greatest) : 0;
    return 1 / sum;
}

enum { EXPERTS = 5120 };

static void try_gate(bool is_v2, int64_t experts)
{
    const bool is_wide = experts > 200;
    const int64_t k = 1 + random_below(is_wide ? 3 : experts);
    const int64_t shape[] = {is_wide ? 1 : 1 + random_below(5), 1 + random_below(is_wide ? 2 : 20), experts};
    const unsigned rank = 2 + (unsigned)random_below(2), skipped = 3 - rank;
    const int64_t rows = rank == 2 ? shape[1] : shape[0] * shape[1], outs[] = {shape[0], shape[1], k};
    const bool has_finished = random_below(2) == 0, renorm = random_below(2) == 0,
               asks = random_below(2) == 0;
    struct layout x = made(short_dtypes[random_below(3)], rank, shape + skipped, true);
    struct layout finished = made(ACL_BOOL, rank - 1, shape + skipped, false);
    struct layout y = made(x.dtype, rank, outs + skipped, false);
    struct layout experts_out = made(ACL_INT32, rank, outs + skipped, false);
    struct layout third =
        is_v2 ? made(ACL_FLOAT, rank, shape + skipped, false) : made(ACL_INT32, rank, outs + skipped, false);
    for (int64_t i = 0; i < x.count; i++)
        if (random_below(3) == 0)
            set_element(&x, i, (double)random_below(4)); /* some are equal */
    for (int64_t i = 0; i < rows; i++)
        *layout_element(&finished, i) = random_below(4) == 0;
    const union argument v1[] = {
        {.tensor = x.tensor},           {.tensor = has_finished ? finished.tensor : NULL},
        argument_of_integer(k),         {.tensor = y.tensor},
        {.tensor = experts_out.tensor}, {.tensor = third.tensor}};
    const union argument v2[] = {v1[0],
                                 v1[1],
                                 v1[2],
                                 argument_of_integer(renorm),
                                 argument_of_bool(asks),
                                 v1[3],
                                 v1[4],
                                 {.tensor = asks && !renorm ? third.tensor : NULL}};
    assert_int_equal(call_function(find(is_v2 ? "aclnnMoeGatingTopKSoftmaxV2" : "aclnnMoeGatingTopKSoftmax"),
                                   is_v2 ? v2 : v1),
                     0);
    for (int64_t row = 0; row < rows; row++) {
        const int64_t first = row * experts;
        int64_t place[EXPERTS];
        bool all[EXPERTS], chosen[EXPERTS] = {false};
        for (int64_t i = 0; i < experts; i++) {
            int64_t before = 0;
            for (int64_t other = 0; other < experts && !(is_wide && before > k); other++)
                before += comes_before(&x, first, other, i);
            place[before] = i;
            all[i] = true;
            chosen[i] = before < k;
        }
        for (int64_t j = 0; j < k; j++) {
            const bool is_over = has_finished && *layout_element(&finished, row) != 0;
            const bool *counts = is_v2 && renorm ? chosen : all;
            assert_int_equal(whole_of(&experts_out, row * k + j), is_over ? experts : place[j]);
            assert_near("gate", &y, row * k + j, share_of(&x, first, experts, counts, place[j]), x.dtype,
                        0x1p-44L);
            if (!is_v2)
                assert_int_equal(whole_of(&third, row * k + j), j * rows + row);
        }
        for (int64_t i = 0; is_v2 && asks && !renorm && i < experts; i += is_wide ? 997 : 1)
            assert_near("softmax", &third, first + i, share_of(&x, first, experts, all, i), ACL_FLOAT,
                        0x1p-44L);
    }
    layout_destroy(&x);
    layout_destroy(&finished);
    layout_destroy(&y);
    layout_destroy(&experts_out);
    layout_destroy(&third);
}

static void the_greatest_are_chosen(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++)
        try_gate(round % 2 != 0, 1 + random_below(random_below(3) == 0 ? 200 : 12));
}

/* More than the stack has room for, which takes memory of the task. */
static void rows_may_be_wide(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++)
        try_gate(round % 2 != 0, round == 0 ? EXPERTS : 4097);
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnMoeTokenPermute"));
    attempt.argument[3] = argument_of_bool(true);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "paddedMode is true");
    attempt.argument[3] = argument_of_bool(false);
    attempt.argument[2].int64 = 4;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "permuteTokensOut has shape [6, 4]; [4, 4]");
    replace(&attempt, 1, tensor_with(ACL_INT32, 2, DIMS(2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indices has 2 rows");
    release(&attempt);
    attempt = accepted(find("aclnnMoeTokenPermuteGrad"));
    attempt.argument[2].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "numTopk is 0");
    attempt.argument[2].int64 = 4;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "sortedIndices has 6 elements; a multiple of topK, 4");
    release(&attempt);
    attempt = accepted(find("aclnnMoeTokenUnpermute"));
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 2, DIMS(2, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "probs has 2 rows; 3 are expected");
    release(&attempt);
    attempt = accepted(find("aclnnMoeTokenUnpermuteGrad"));
    replace(&attempt, 7, NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR,
                   "probsGradOut is NULL; a tensor is expected beside probs");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(2, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "unpermutedTokensGrad has shape [2, 4]");
    release(&attempt);
    attempt = accepted(find("aclnnMoeGatingTopKSoftmax"));
    attempt.argument[2].int64 = 5;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "k is 5; 1 to 4");
    replace(&attempt, 1, tensor_with(ACL_BOOL, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "finished has shape [2]");
    replace(&attempt, 1, tensor_with(ACL_BOOL, 12, DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "finished has 12 dims");
    release(&attempt);
    attempt = accepted(find("aclnnMoeGatingTopKSoftmaxV2"));
    attempt.argument[3].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "renorm is 2; 0 or 1 is expected");
    release(&attempt);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 20; round++) {
        struct round r = draw_round();
        run_round(&r, true);
        for (unsigned i = 0; i < 10; i++) {
            struct layout *layout = layouts_of(&r, i);
            hash = hash_of(layout->memory, (size_t)(layout->reach + 1) * layout->bytes, hash);
            layout_destroy(layout);
        }
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_go_to_their_experts_and_back),
        cmocka_unit_test(places_outside_fail),
        cmocka_unit_test(the_greatest_are_chosen),
        cmocka_unit_test(rows_may_be_wide),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
