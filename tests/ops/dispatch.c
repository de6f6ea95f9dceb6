/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens to the ranks of their experts and back, by several devices of this process: whole tensors in any
 * layout beside references, the worked example, and what is refused.
 */
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/rank_case.h"
#include "support/effort.h"

#define NUMBERS(...) ((const double[]){__VA_ARGS__})
enum { FAULT = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, MOST = 4096 };

static const char *const dispatches[] = {"aclnnMoeDistributeDispatch", "aclnnMoeDistributeDispatchV2",
                                         "aclnnMoeDistributeDispatchV3", "aclnnMoeDistributeDispatchV4"};
static const char *const combines[] = {
    "aclnnMoeDistributeCombine",           "aclnnMoeDistributeCombineV2",
    "aclnnMoeDistributeCombineV3",         "aclnnMoeDistributeCombineV4",
    "aclnnMoeDistributeCombineAddRmsNorm", "aclnnMoeDistributeCombineAddRmsNormV2"};

static struct rank_case ranks;
static struct named_call sent[RANKS_AT_MOST]; /* the calls of dispatch, while those of combine run */

/* What the ranks have in common. */
struct setting {
    int64_t k, experts, width, shared, shared_ranks, special, each, rows;
    int64_t tokens[RANKS_AT_MOST], batch;
    int version, mask; /* none, tokens, pairs */
    bool is_quantised, has_factors, has_weights, is_cumulated;
    aclDataType dtype;
};

static struct setting draw_setting(int version)
{
    struct setting s = {.version = version, .width = 1 + random_below(600), .mask = (int)random_below(3)};
    if (ranks.count > 2 && random_below(2) == 0) {
        s.shared = 1 + random_below(2);
        s.shared_ranks = s.shared;
    }
    const int64_t others = ranks.count - s.shared_ranks;
    s.each = 1 + random_below(3);
    s.experts = s.each * others;
    s.special = version >= 2 ? 3 : 0;
    s.k = 1 + random_below(s.experts < 4 ? s.experts : 4);
    for (uint32_t rank = 0; rank < ranks.count; rank++) {
        s.tokens[rank] = random_below(7);
        s.batch = s.tokens[rank] > s.batch ? s.tokens[rank] : s.batch;
    }
    s.rows = s.batch * ranks.count * (s.each > 1 || s.k > 1 ? s.k : 1) + 2;
    s.is_quantised = random_below(2) == 0;
    s.has_factors = s.is_quantised && random_below(2) == 0;
    s.has_weights = random_below(2) == 0;
    s.is_cumulated = random_below(2) == 0;
    s.dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    return s;
}

static int64_t experts_of(const struct setting *s, uint32_t rank)
{
    return rank < s->shared_ranks ? 1 : s->each;
}

static void give_places(struct named_call *call, const struct setting *s, uint32_t rank)
{
    give_number(call, "epWorldSize", ranks.count);
    give_number(call, "epRankId", rank);
    give_number(call, "moeExpertNum", (double)s->experts);
    give_number(call, "sharedExpertNum", (double)(s->shared > 0 ? s->shared : random_below(2)));
    give_number(call, "sharedExpertRankNum", (double)s->shared_ranks);
    give_number(call, "globalBs", (double)(s->batch * ranks.count));
    give_number(call, "zeroExpertNum", s->special > 0);
    give_number(call, "copyExpertNum", s->special > 0);
    give_number(call, "constExpertNum", s->special > 0);
}

static void give_dispatch(const struct setting *s, uint32_t rank)
{
    struct named_call *call = begin_rank(&ranks, rank, dispatches[s->version]);
    const int64_t tokens = s->tokens[rank];
    GIVE(call, "x", s->dtype, tokens, s->width);
    const struct layout *ids = GIVE(call, "expertIds", ACL_INT32, tokens, s->k);
    for (int64_t t = 0; t < tokens; t++)
        for (int64_t k = 0, before; k < s->k; k++) { /* distinct ones of a token */
            do {
                set_whole(ids, t * s->k + k, random_below(s->experts + s->special));
                for (before = 0;
                     before < k && whole_of(ids, t * s->k + before) != whole_of(ids, t * s->k + k); before++)
                    continue;
            } while (before < k);
        }
    const struct layout *mask = s->mask == 0   ? NULL
                                : s->mask == 1 ? GIVE(call, "xActiveMask", ACL_BOOL, tokens)
                                               : GIVE(call, "xActiveMask", ACL_BOOL, tokens, s->k);
    for (int64_t i = 0; mask != NULL && i < mask->count; i++)
        *(unsigned char *)layout_element(mask, i) = random_below(3) > 0;
    if (s->has_factors)
        GIVE(call, "scales", ACL_FLOAT, s->shared + s->experts, s->width);
    if (s->has_weights)
        GIVE(call, "expertScales", ACL_FLOAT, tokens, s->k);
    give_places(call, s, rank);
    give_number(call, "quantMode", s->is_quantised ? 2 : 0);
    give_number(call, "expertTokenNumsType", s->is_cumulated ? 0 : 1);
    GIVE(call, "expandX", s->is_quantised ? ACL_INT8 : s->dtype, s->rows, s->width);
    GIVE(call, "dynamicScales", ACL_FLOAT, s->rows);
    GIVE(call, "expandIdx", ACL_INT32, tokens * s->k + random_below(2));
    GIVE(call, "assistInfoForCombine", ACL_INT32, s->rows * 128 + random_below(2));
    GIVE(call, "expertTokenNums", ACL_INT64, experts_of(s, rank));
    GIVE(call, "epRecvCounts", ACL_INT32, ranks.count * experts_of(s, rank) + random_below(3));
    GIVE(call, "tpRecvCounts", ACL_INT32, random_below(3));
    GIVE(call, "expandScales", ACL_FLOAT, s->rows);
}

/* Whether choice k of a token of a rank counts, shared experts behind the others. */
static bool is_active(const struct setting *s, uint32_t rank, int64_t token, int64_t k)
{
    if (s->mask == 0)
        return true;
    const struct layout *mask = tensor_named(&sent[rank], "xActiveMask");
    if (s->mask == 1)
        return *(unsigned char *)layout_element(mask, token);
    for (int64_t i = 0; k >= s->k && i < s->k; i++)
        if (*(unsigned char *)layout_element(mask, token * s->k + i))
            return true;
    return k < s->k && *(unsigned char *)layout_element(mask, token * s->k + k);
}

/* Whether it goes to an expert of a rank. */
static bool goes_to(const struct setting *s, uint32_t rank, int64_t token, int64_t k, uint32_t goal,
                    int64_t expert)
{
    if (!is_active(s, rank, token, k))
        return false;
    if (k >= s->k)
        return expert == 0 && goal < s->shared_ranks && goal == k - s->k; /* each shared one is on one rank */
    return goal >= s->shared_ranks && whole_of(tensor_named(&sent[rank], "expertIds"), token * s->k + k) ==
                                          (goal - s->shared_ranks) * s->each + expert;
}

static void judge_row(const struct setting *s, uint32_t rank, int64_t row, uint32_t from, int64_t token,
                      int64_t k)
{
    struct named_call *call = &ranks.call[rank];
    const struct layout *x = tensor_named(&sent[from], "x"), *out = tensor_named(call, "expandX");
    const int64_t factors =
        k >= s->k ? k - s->k : s->shared + whole_of(tensor_named(&sent[from], "expertIds"), token * s->k + k);
    double value[600], greatest = 0;
    for (int64_t h = 0; h < s->width; h++) {
        value[h] = element_of(x, token * s->width + h);
        if (s->has_factors)
            value[h] *= element_of(tensor_named(&sent[from], "scales"), factors * s->width + h);
        greatest = fabs(value[h]) > greatest ? fabs(value[h]) : greatest;
    }
    const double scale = (double)(float)(greatest / 127);
    for (int64_t h = 0; h < s->width; h++)
        if (s->is_quantised)
            assert_int_equal(whole_of(out, row * s->width + h),
                             scale == 0 ? 0 : (int64_t)nearbyint(value[h] / scale));
        else
            assert_true(element_of(out, row * s->width + h) == value[h]);
    if (s->is_quantised)
        assert_true(element_of(tensor_named(call, "dynamicScales"), row) == scale);
    assert_true(element_of(tensor_named(call, "expandScales"), row) ==
                (s->has_weights && k < s->k
                     ? element_of(tensor_named(&sent[from], "expertScales"), token * s->k + k)
                     : 0));
    if (s->version > 0) {
        const struct layout *assist = tensor_named(call, "assistInfoForCombine");
        assert_int_equal(whole_of(assist, row * 128), from);
        assert_int_equal(whole_of(assist, row * 128 + 1), token);
        assert_int_equal(whole_of(assist, row * 128 + 2), k);
        assert_int_equal(whole_of(assist, row * 128 + 3), 0);
    }
}

static void judge_dispatch(const struct setting *s, uint32_t rank)
{
    struct named_call *call = &ranks.call[rank];
    int64_t row = 0;
    for (int64_t expert = 0; expert < experts_of(s, rank); expert++) {
        const int64_t before = row;
        for (uint32_t from = 0; from < ranks.count; from++) {
            for (int64_t i = 0; i < s->tokens[from] * (s->k + s->shared); i++)
                if (goes_to(s, from, i / (s->k + s->shared), i % (s->k + s->shared), rank, expert))
                    judge_row(s, rank, row++, from, i / (s->k + s->shared), i % (s->k + s->shared));
            assert_int_equal(whole_of(tensor_named(call, "epRecvCounts"), expert * ranks.count + from), row);
        }
        assert_int_equal(whole_of(tensor_named(call, "expertTokenNums"), expert),
                         s->is_cumulated ? row : row - before);
    }
    for (int64_t i = row * s->width; i < s->rows * s->width; i++)
        assert_true(element_of(tensor_named(call, "expandX"), i) == 0);
    const struct layout *counts = tensor_named(call, "epRecvCounts");
    for (int64_t i = ranks.count * experts_of(s, rank); i < counts->count; i++)
        assert_int_equal(whole_of(counts, i), 0);
    for (int64_t i = 0; s->version == 0 && i < s->tokens[rank] * s->k; i++) {
        int64_t earlier = 0;
        for (int64_t j = 0; j < i; j++)
            earlier +=
                is_active(s, rank, j / s->k, j % s->k) && is_active(s, rank, i / s->k, i % s->k) &&
                whole_of(tensor_named(call, "expertIds"), i) < s->experts &&
                whole_of(tensor_named(call, "expertIds"), i) == whole_of(tensor_named(call, "expertIds"), j);
        assert_int_equal(whole_of(tensor_named(call, "expandIdx"), i), earlier);
    }
}

/* A tensor of the call of dispatch, in place of one of its own. */
static void take_tensor(struct named_call *call, const char *name, uint32_t rank, const char *from)
{
    const int place = place_named(call, name), source = place_named(&sent[rank], from);
    if (place >= 0 && source >= 0)
        call->argument[place] = sent[rank].argument[source];
}

static void give_combine(const struct setting *s, uint32_t rank, int kind)
{
    struct named_call *call = begin_rank(&ranks, rank, combines[kind]);
    const int64_t tokens = s->tokens[rank];
    GIVE(call, "expandX", s->dtype, s->rows, s->width);
    take_tensor(call, "expertIds", rank, "expertIds");
    take_tensor(call, "expandIdx", rank, s->version == 0 ? "expandIdx" : "assistInfoForCombine");
    take_tensor(call, "assistInfoForCombine", rank, s->version == 0 ? "expandIdx" : "assistInfoForCombine");
    take_tensor(call, "epSendCounts", rank, "epRecvCounts");
    take_tensor(call, "xActiveMask", rank, "xActiveMask");
    GIVE(call, "expertScales", ACL_FLOAT, tokens, s->k);
    give_places(call, s, rank);
    if (random_below(2) == 0)
        GIVE(call, "sharedExpertX", s->dtype, tokens, 1, s->width);
    if (s->special > 0) {
        GIVE(call, "oriX", s->dtype, tokens, s->width);
        GIVE(call, "constExpertAlpha1", s->dtype, 1, s->width);
        GIVE(call, "constExpertAlpha2", s->dtype, 1, s->width);
        GIVE(call, "constExpertV", s->dtype, 1, s->width);
    }
    if (kind < 4) {
        GIVE(call, "x", s->dtype, tokens, s->width);
        return;
    }
    GIVE(call, "residualX", s->dtype, tokens, 1, s->width);
    GIVE(call, "gamma", s->dtype, s->width);
    GIVE(call, "y", s->dtype, tokens, 1, s->width);
    GIVE(call, "rstd", ACL_FLOAT, tokens, 1, 1);
    GIVE(call, "x", s->dtype, tokens, 1, s->width);
}

/* The row that a choice's expert has for it; -1: none. */
static int64_t row_of(const struct setting *s, uint32_t rank, int64_t token, int64_t k, uint32_t goal)
{
    int64_t row = 0;
    for (int64_t expert = 0; expert < experts_of(s, goal); expert++)
        for (uint32_t from = 0; from < ranks.count; from++)
            for (int64_t i = 0; i < s->tokens[from] * (s->k + s->shared); i++) {
                if (!goes_to(s, from, i / (s->k + s->shared), i % (s->k + s->shared), goal, expert))
                    continue;
                if (from == rank && i == token * (s->k + s->shared) + k)
                    return row;
                row++;
            }
    return -1;
}

static long double number_in(struct named_call *call, const char *name, int64_t i)
{
    return is_named(call, name) ? (long double)element_of(tensor_named(call, name), i) : 0;
}

static void judge_token(const struct setting *s, uint32_t rank, int64_t token, int kind)
{
    struct named_call *call = &ranks.call[rank];
    static long double sum[600];
    long double squares = 0;
    for (int64_t h = 0; h < s->width; h++)
        sum[h] = number_in(call, "sharedExpertX", token * s->width + h) +
                 number_in(call, "residualX", token * s->width + h);
    for (int64_t k = 0; k < s->k + s->shared; k++) {
        const long double weight = k < s->k ? number_in(call, "expertScales", token * s->k + k) : 1;
        for (uint32_t goal = 0; goal < ranks.count; goal++) {
            const int64_t row = row_of(s, rank, token, k, goal);
            for (int64_t h = 0; row >= 0 && h < s->width; h++)
                sum[h] += weight * number_in(&ranks.call[goal], "expandX", row * s->width + h);
        }
        const int64_t special =
            k < s->k && is_active(s, rank, token, k)
                ? whole_of(tensor_named(&sent[rank], "expertIds"), token * s->k + k) - s->experts
                : -1;
        for (int64_t h = 0; special >= 1 && h < s->width; h++) {
            const long double own = number_in(call, "oriX", token * s->width + h);
            sum[h] += weight * (special == 1 ? own
                                             : number_in(call, "constExpertAlpha1", h) * own +
                                                   number_in(call, "constExpertAlpha2", h) *
                                                       number_in(call, "constExpertV", h));
        }
    }
    for (int64_t h = 0; h < s->width; h++) {
        assert_near("x", tensor_named(call, "x"), token * s->width + h, sum[h], s->dtype, 0x1p-40L);
        squares += sum[h] * sum[h];
    }
    if (kind < 4)
        return;
    const long double rstd = 1 / sqrtl(squares / (long double)s->width + 1e-6L);
    assert_near("rstd", tensor_named(call, "rstd"), token, rstd, ACL_FLOAT, rstd * 0x1p-20L);
    for (int64_t h = 0; h < s->width; h++)
        assert_near("y", tensor_named(call, "y"), token * s->width + h,
                    sum[h] * rstd * number_in(call, "gamma", h), s->dtype, 0x1p-20L);
}

static void tokens_go_to_other_ranks_and_back(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= RANKS_AT_MOST; count++) {
        open_ranks(&ranks, count);
        for (int round = 0; round < times_effort(24); round++) {
            const struct setting s = draw_setting(round % 4);
            for (uint32_t rank = 0; rank < count; rank++)
                give_dispatch(&s, rank);
            run_ranks(&ranks);
            memcpy(sent, ranks.call, sizeof sent);
            for (uint32_t rank = 0; rank < count; rank++)
                judge_dispatch(&s, rank);
            const int kind = s.version < 2        ? (round / 4 % 2 == 0 ? s.version : 4)
                             : round / 4 % 2 == 0 ? s.version
                                                  : 5;
            for (uint32_t rank = 0; rank < count; rank++)
                give_combine(&s, rank, kind);
            run_ranks(&ranks);
            for (uint32_t rank = 0; rank < count; rank++)
                for (int64_t token = 0; token < s.tokens[rank]; token++)
                    judge_token(&s, rank, token, kind);
            end_ranks(&ranks);
            memcpy(ranks.call, sent, sizeof sent);
            end_ranks(&ranks);
        }
        close_ranks(&ranks);
    }
}

/* Two ranks, an expert each, two tokens each of one choice. */
static void give_example(uint32_t rank, const double *ids, int64_t rows)
{
    struct named_call *call = begin_rank(&ranks, rank, dispatches[0]);
    GIVE(call, "x", ACL_FLOAT16, 2, 3);
    set_numbers(GIVE(call, "expertIds", ACL_INT32, 2, 1), ids);
    give_number(call, "epWorldSize", 2);
    give_number(call, "epRankId", rank);
    give_number(call, "moeExpertNum", 2);
    give_number(call, "quantMode", 0);
    GIVE(call, "expandX", ACL_FLOAT16, rows, 3);
    GIVE(call, "expandIdx", ACL_INT32, 2);
    GIVE(call, "expertTokenNums", ACL_INT64, 1);
    GIVE(call, "epRecvCounts", ACL_INT32, 2);
}

static void the_example_is_as_worked_out(void **state)
{
    (void)state;
    open_ranks(&ranks, 2);
    give_example(0, NUMBERS(1, 0), 4);
    give_example(1, NUMBERS(1, 1), 4);
    run_ranks(&ranks);
    assert_numbers(&ranks.call[0], "expertTokenNums", NUMBERS(1), 0);
    assert_numbers(&ranks.call[0], "epRecvCounts", NUMBERS(1, 1), 0);
    assert_numbers(&ranks.call[0], "expandIdx", NUMBERS(0, 0), 0);
    assert_numbers(&ranks.call[1], "expertTokenNums", NUMBERS(3), 0);
    assert_numbers(&ranks.call[1], "epRecvCounts", NUMBERS(1, 3), 0);
    assert_numbers(&ranks.call[1], "expandIdx", NUMBERS(0, 1), 0);
    end_ranks(&ranks);
    close_ranks(&ranks);
}

/* What goes wrong on one rank ends the others' work at once. */
static void failures_of_one_rank_are_told_to_all(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        open_ranks(&ranks, 2);
        give_example(0, NUMBERS(1, kind == 0 ? 2 : 0), 4);
        give_example(1, NUMBERS(1, 1), kind == 0 ? 4 : 2);
        for (uint32_t rank = 0; rank < 2; rank++)
            assert_int_equal(queue_rank(&ranks, rank), 0);
        wait_for_ranks(&ranks);
        assert_rank_failed(&ranks, kind == 0 ? 0 : 1, FAULT,
                           kind == 0 ? "expertIds holds 2 at [1, 0]; 0 up to the experts, 2, is expected"
                                     : "expandX has 2 rows and 3 come; room for all is expected");
        assert_true(ranks.status[kind == 0 ? 1 : 0] != 0 &&
                    ranks.status[kind == 0 ? 1 : 0] != ACL_ERROR_RT_TASK_TIMEOUT);
        end_ranks(&ranks);
        close_ranks(&ranks);
    }
}

/* Counts of dispatch that another rank's tokens do not fit. */
static void counts_that_do_not_fit_fail(void **state)
{
    (void)state;
    open_ranks(&ranks, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct named_call *call = begin_rank(&ranks, rank, combines[0]);
        GIVE(call, "expandX", ACL_FLOAT16, 4, 3);
        set_numbers(GIVE(call, "expertIds", ACL_INT32, 2, 1), NUMBERS(1, 1));
        GIVE(call, "expandIdx", ACL_INT32, 2);
        set_numbers(GIVE(call, "epSendCounts", ACL_INT32, 2), rank == 0 ? NUMBERS(0, 0) : NUMBERS(1, 3));
        GIVE(call, "expertScales", ACL_FLOAT, 2, 1);
        give_number(call, "epWorldSize", 2);
        give_number(call, "epRankId", rank);
        give_number(call, "moeExpertNum", 2);
        GIVE(call, "x", ACL_FLOAT16, 2, 3);
        assert_int_equal(queue_rank(&ranks, rank), 0);
    }
    wait_for_ranks(&ranks);
    assert_rank_failed(&ranks, 0, ACL_ERROR_RT_AICPU_EXCEPTION,
                       "rank 1 sends 6 bytes to rank 0, which expects 12");
    end_ranks(&ranks);
    close_ranks(&ranks);
    open_ranks(&ranks, 1);
    struct named_call *call = begin_rank(&ranks, 0, combines[0]);
    GIVE(call, "expandX", ACL_FLOAT16, 2, 3);
    set_numbers(GIVE(call, "expertIds", ACL_INT32, 2, 1), NUMBERS(0, 0));
    GIVE(call, "expandIdx", ACL_INT32, 2);
    set_numbers(GIVE(call, "epSendCounts", ACL_INT32, 1), NUMBERS(3));
    GIVE(call, "expertScales", ACL_FLOAT, 2, 1);
    give_number(call, "moeExpertNum", 1);
    GIVE(call, "x", ACL_FLOAT16, 2, 3);
    set_numbers(tensor_named(call, "epSendCounts"), NUMBERS(1));
    assert_int_equal(queue_rank(&ranks, 0), 0);
    wait_for_ranks(&ranks);
    assert_rank_failed(&ranks, 0, ACL_ERROR_RT_AICPU_EXCEPTION, "rank 0 sends itself 6 bytes and expects 12");
    set_numbers(tensor_named(call, "epSendCounts"), NUMBERS(3));
    assert_int_equal(queue_rank(&ranks, 0), 0);
    wait_for_ranks(&ranks);
    assert_rank_failed(&ranks, 0, FAULT,
                       "epSendCounts holds 3 at 0; sums that do not fall, up to the rows of expandX, 2");
    end_ranks(&ranks);
    close_ranks(&ranks);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    static const struct {
        const char *name;
        double value, usual;
        const char *sentence;
    } numbers[] = {
        {"epWorldSize", 3, 2, "epWorldSize is 3; the ranks of "},
        {"epRankId", 1, 0, "epRankId is 1; this rank's of "},
        {"moeExpertNum", 3, 2, "moeExpertNum is 3; a multiple of the ranks that have them, 2"},
        {"tpWorldSize", 2, 0, "tpWorldSize is 2; 0 or 1 is expected"},
        {"expertShardType", 1, 0, "expertShardType is 1"},
        {"sharedExpertRankNum", 2, 0, "sharedExpertRankNum is 2; 0 to 1 is expected"},
        {"quantMode", 1, 0, "quantMode is 1; 0 (none) or 2"},
        {"expertTokenNumsType", 2, 1, "expertTokenNumsType is 2"},
    };
    open_ranks(&ranks, 2);
    give_example(0, NUMBERS(1, 0), 4);
    give_example(1, NUMBERS(1, 0), 4);
    assert_int_equal(aclrtSetDevice(0), 0);
    struct named_call *call = &ranks.call[0];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        give_number(call, numbers[i].name, numbers[i].value);
        assert_named_refused(call, invalid, numbers[i].sentence);
        give_number(call, numbers[i].name, numbers[i].usual);
    }
    give_text(call, "groupEp", "nobody");
    assert_named_refused(call, invalid, "groupEp is \"nobody\"");
    give_text(call, "groupEp", ranks.name);
    GIVE(call, "scales", ACL_FLOAT, 2, 3);
    assert_named_refused(call, invalid, "scales is given; NULL is expected with quantMode 0");
    end_ranks(&ranks);
    close_ranks(&ranks);
}

static void ranks_wait_at_a_barrier(void **state)
{
    (void)state;
    open_ranks(&ranks, 3);
    for (uint32_t rank = 0; rank < 3; rank++) {
        struct named_call *call =
            begin_rank(&ranks, rank, rank % 2 == 0 ? "aclnnDistributeBarrier" : "aclnnDistributeBarrierV2");
        GIVE(call, "xRef", ACL_FLOAT16, 2, 3);
        give_number(call, "worldSize", 3);
    }
    assert_int_equal(queue_rank(&ranks, 0), 0);
    assert_int_equal(queue_rank(&ranks, 1), 0);
    aclrtStreamStatus status;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtStreamQuery(ranks.streams[0], &status), 0);
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    assert_int_equal(queue_rank(&ranks, 2), 0);
    wait_for_ranks(&ranks);
    for (uint32_t rank = 0; rank < 3; rank++)
        assert_int_equal(ranks.status[rank], 0);
    give_number(&ranks.call[2], "worldSize", 2);
    assert_failure(queue_rank(&ranks, 2), ACLNN_ERR_PARAM_INVALID, "worldSize is 2; the ranks of ");
    end_ranks(&ranks);
    close_ranks(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_go_to_other_ranks_and_back),
        cmocka_unit_test(the_example_is_as_worked_out),
        cmocka_unit_test(failures_of_one_rank_are_told_to_all),
        cmocka_unit_test(counts_that_do_not_fit_fail),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
        cmocka_unit_test(ranks_wait_at_a_barrier),
    };
    setenv("BELAY_DEVICES", "4", 1);
    setenv("HCCL_EXEC_TIMEOUT", "10", 1);
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
