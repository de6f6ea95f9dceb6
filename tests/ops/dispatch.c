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

#include "ops/dispatch_case.h"
#include "support/effort.h"

#define NUMBERS(...) ((const double[]){__VA_ARGS__})
enum { FAULT = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, MOST = 4096 };

static const char *const dispatches[] = {"aclnnMoeDistributeDispatch", "aclnnMoeDistributeDispatchV2",
                                         "aclnnMoeDistributeDispatchV3", "aclnnMoeDistributeDispatchV4"};

static const char *const combines[] = {
    "aclnnMoeDistributeCombine",           "aclnnMoeDistributeCombineV2",
    "aclnnMoeDistributeCombineV3",         "aclnnMoeDistributeCombineV4",
    "aclnnMoeDistributeCombineAddRmsNorm", "aclnnMoeDistributeCombineAddRmsNormV2"};

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
            const struct setting s = draw_setting(dispatches[round % 4], round % 4);
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
        {"quantMode", 1, 0,
         "quantMode is 1; 0 (none) or 2 (a scale for each row) is, and on Ascend950 1 to 5"},
        {"quantMode", 3, 0, "quantMode is 3; 0 (none) or 2"},
        {"quantMode", 4, 0, "quantMode is 4; 0 (none) or 2"},
        {"quantMode", 5, 0, "quantMode is 5; 0 (none) or 2"},
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

/* More rows than can be counted, which take no memory: each has no elements. */
static void rows_without_number_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        aclDataType dtype;
        int64_t rows;
        const char *sentence;
    } tensors[] = {
        {"x", ACL_FLOAT16, 2, "expandX has shape [4, 3]"},
        {"expandX", ACL_FLOAT16, INT64_C(1) << 40,
         "expandX has 1099511627776 rows; 2^31 - 1 at most are expected"},
        {"expertIds", ACL_INT32, INT64_C(1) << 40,
         "expertIds has shape [1099511627776, 0]; 2^31 - 1 tokens and elements at most are expected"},
    };
    open_ranks(&ranks, 2);
    give_example(0, NUMBERS(1, 0), 4);
    give_example(1, NUMBERS(1, 0), 4);
    assert_int_equal(aclrtSetDevice(0), 0);
    struct named_call *call = &ranks.call[0];
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        layout_destroy(tensor_named(call, tensors[i].name));
        GIVE(call, tensors[i].name, tensors[i].dtype, tensors[i].rows, 0);
        assert_named_refused(call, ACLNN_ERR_PARAM_INVALID, tensors[i].sentence);
    }
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
        cmocka_unit_test(rows_without_number_are_refused),
        cmocka_unit_test(ranks_wait_at_a_barrier),
    };
    setenv("BELAY_DEVICES", "4", 1);
    setenv("HCCL_EXEC_TIMEOUT", "10", 1);
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
