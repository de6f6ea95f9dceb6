/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Communicators of some ranks of another: who joins, and what becomes of both where the ranks do not ask for
 * the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>

#include "hccl/own_ranks.h"

enum { MEMBERS_MOST = 4 };

/* One rank's call, on a thread of its own as it waits for the others. */
struct member {
    struct ranks *ranks;
    uint32_t rank_ids[MEMBERS_MOST], count, own;
    uint64_t id;
    const char *name;
    HcclComm sub;
    HcclResult result;
    char sentence[512];
};

static void *become_member(void *context)
{
    struct member *own = (struct member *)context;
    const uint32_t rank = own->rank_ids[own->own];
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    if (own->name != NULL)
        strcpy(config.hcclCommName, own->name);
    own->result = (HcclResult)aclrtSetDevice((int32_t)rank);
    if (own->result == HCCL_SUCCESS)
        own->result = HcclCreateSubCommConfig(&own->ranks->comm[rank], own->count, own->rank_ids, own->id,
                                              own->own, &config, &own->sub);
    const char *sentence = own->result != HCCL_SUCCESS ? aclGetRecentErrMsg() : NULL;
    snprintf(own->sentence, sizeof own->sentence, "%s", sentence != NULL ? sentence : "");
    return NULL;
}

static void become_members(struct member *member, uint32_t count, struct ranks *ranks)
{
    pthread_t thread[MEMBERS_MOST];
    for (uint32_t i = 0; i < count; i++) {
        member[i].ranks = ranks;
        assert_int_equal(pthread_create(&thread[i], NULL, become_member, &member[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

static void assert_refused(const struct member *member, HcclResult expected, const char *text)
{
    if (member->result != expected || strstr(member->sentence, text) == NULL)
        fail_msg("rank %u: %d, %s; %d and '%s' are expected", member->rank_ids[member->own],
                 (int)member->result, member->sentence, (int)expected, text);
}

static void some_ranks_of_another(void **state)
{
    (void)state;
    struct ranks ranks;
    uint32_t rank_ids[] = {3, 1, 0};
    struct member member[3];
    ranks_open(&ranks, 4);
    for (uint32_t i = 0; i < 3; i++)
        member[i] = (struct member){.rank_ids = {3, 1, 0}, .count = 3, .own = i, .id = 9};
    become_members(member, 3, &ranks);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(member[i].result, 0);
    for (uint32_t i = 0; i < 3; i++) {
        int32_t value = 1 << i;
        char name[COMM_NAME_MAX_LENGTH], parent[COMM_NAME_MAX_LENGTH];
        uint32_t number;
        ranks_memory(&ranks, rank_ids[i], 0, &value, 4);
        assert_int_equal(HcclGetRankId(member[i].sub, &number), 0);
        assert_int_equal(number, i);
        assert_int_equal(HcclGetCommName(ranks.comm[0], parent), 0);
        assert_int_equal(HcclGetCommName(member[i].sub, name), 0);
        strcat(parent, "_9");
        assert_string_equal(name, parent);
        ranks_memory(&ranks, rank_ids[i], 1, NULL, 12);
        assert_int_equal(HcclAllGather(ranks.buffer[rank_ids[i]][0], ranks.buffer[rank_ids[i]][1], 1,
                                       HCCL_DATA_TYPE_INT32, member[i].sub, ranks.stream[rank_ids[i]]),
                         0);
    }
    ranks_wait(&ranks);
    for (uint32_t i = 0; i < 3; i++) {
        int32_t values[3];
        ranks_read(&ranks, rank_ids[i], 1, values, 12);
        for (int j = 0; j < 3; j++)
            assert_int_equal(values[j], 1 << j);
        assert_int_equal(HcclCommDestroy(member[i].sub), 0);
    }

    HcclCommConfig config;
    HcclComm sub = (HcclComm)&ranks;
    HcclCommConfigInit(&config);
    assert_int_equal(HcclCreateSubCommConfig(&ranks.comm[2], 3, NULL, 0xFFFFFFFFu, 0, &config, &sub), 0);
    assert_null(sub);
    uint32_t twice[] = {0, 1, 1}, unknown[] = {0, 4};
    assert_failure(HcclCreateSubCommConfig(NULL, 3, rank_ids, 1, 0, &config, &sub), HCCL_E_PTR,
                   "comm is NULL");
    assert_failure(HcclCreateSubCommConfig(&ranks.comm[0], 3, NULL, 1, 0, &config, &sub), HCCL_E_PTR,
                   "rankIds is NULL");
    assert_failure(HcclCreateSubCommConfig(&ranks.comm[0], 3, rank_ids, 1, 0, NULL, &sub), HCCL_E_PTR,
                   "config is NULL");
    assert_failure(HcclCreateSubCommConfig(&ranks.comm[0], 3, rank_ids, 1, 0, &config, NULL), HCCL_E_PTR,
                   "subComm is NULL");
    assert_failure(HcclCreateSubCommConfig(&ranks.comm[0], 3, twice, 1, 0, &config, &sub), HCCL_E_PARA,
                   "named twice");
    assert_failure(HcclCreateSubCommConfig(&ranks.comm[0], 2, unknown, 1, 0, &config, &sub), HCCL_E_PARA,
                   "rankIds[1] is 4");
    assert_failure(HcclCreateSubCommConfig(&ranks.comm[0], 3, rank_ids, 1, 0, &config, &sub), HCCL_E_PARA,
                   "rankIds[0] is 3");
    assert_failure(HcclCreateSubCommConfig(&ranks.comm[0], 3, rank_ids, 1, 3, &config, &sub), HCCL_E_PARA,
                   "rank is 3");
    ranks_close(&ranks);
}

static void assert_error(const struct ranks *ranks, uint32_t rank, HcclResult expected)
{
    HcclResult error = HCCL_E_RESERVED;
    assert_int_equal(HcclGetCommAsyncError(ranks->comm[rank], &error), 0);
    assert_int_equal(error, expected);
}

/* All that wait for it are told, after HCCL_CONNECT_TIMEOUT, and the old communicator remembers why. */
static void a_member_that_does_not_come(void **state)
{
    (void)state;
    struct ranks ranks;
    struct member member[2];
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    ranks_open(&ranks, 3);
    for (uint32_t i = 0; i < 2; i++)
        member[i] = (struct member){.rank_ids = {0, 1, 2}, .count = 3, .own = i, .id = 4};
    become_members(member, 2, &ranks);
    for (uint32_t i = 0; i < 2; i++) {
        /* One of the two is the first whose time is up; the other finds that out, or is as early. */
        const HcclResult result = member[i].result;
        assert_true(result == HCCL_E_TIMEOUT || result == HCCL_E_REMOTE);
        assert_refused(&member[i], result,
                       result == HCCL_E_TIMEOUT ? "rank 2 of belay_process_"
                                                : "has left the communicator (rank 2 did not come in time)");
        if (result == HCCL_E_TIMEOUT)
            assert_refused(&member[i], result, "with subCommId 4, within HCCL_CONNECT_TIMEOUT");
        assert_error(&ranks, i, result);
        assert_failure(HcclBarrier(ranks.comm[i], ranks.stream[i]), (int)result,
                       "the communicator has failed before: HcclCreateSubCommConfig: ");
    }
    assert_true(member[0].result == HCCL_E_TIMEOUT || member[1].result == HCCL_E_TIMEOUT);
    assert_int_equal(HcclBarrier(ranks.comm[2], ranks.stream[2]), 0);
    assert_failure(aclrtSynchronizeStream(ranks.stream[2]), 507057, "did not come in time)");
    ranks_close(&ranks);
    setenv("HCCL_CONNECT_TIMEOUT", "120", 1);
}

/* Nobody joins, and whoever is among the other's ranks is told; the old communicator is as good as before. */
static void members_that_differ(void **state)
{
    (void)state;
    static const struct {
        struct member member[3];
        uint32_t count;
    } cases[] = {
        {{{.rank_ids = {0, 1}, .count = 2, .own = 0}, {.rank_ids = {1, 0}, .count = 2, .own = 0}}, 2},
        {{{.rank_ids = {0, 1, 2}, .count = 3, .own = 0},
          {.rank_ids = {0, 1}, .count = 2, .own = 1},
          {.rank_ids = {0, 2}, .count = 2, .own = 1}},
         3},
        {{{.rank_ids = {0, 1, 2}, .count = 3, .own = 0},
          {.rank_ids = {0, 2, 1}, .count = 3, .own = 2},
          {.rank_ids = {0, 1, 2}, .count = 3, .own = 2}},
         3},
        {{{.rank_ids = {0, 1}, .count = 2, .own = 0, .name = "a name of this rank alone"},
          {.rank_ids = {0, 1}, .count = 2, .own = 1, .name = "another"}},
         2},
    };
    struct ranks ranks;
    ranks_open(&ranks, 3);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct member member[3];
        memcpy(member, cases[i].member, sizeof member);
        become_members(member, cases[i].count, &ranks);
        for (uint32_t rank = 0; rank < cases[i].count; rank++)
            assert_refused(&member[rank], HCCL_E_PARA,
                           member[rank].name == NULL ? "the same rankIds in the same order on all ranks"
                                                     : "the same hcclCommName on all ranks");
        if (member[0].name != NULL)
            assert_refused(&member[1], HCCL_E_PARA,
                           "rank 1 calls the communicator 'another' and rank 0 'a name of this rank alo'");
        for (uint32_t rank = 0; rank < 3; rank++) {
            assert_error(&ranks, rank, HCCL_SUCCESS);
            assert_int_equal(HcclBarrier(ranks.comm[rank], ranks.stream[rank]), 0);
        }
        ranks_wait(&ranks);
    }
    ranks_close(&ranks);
}

/* Rank 2 waits for rank 0, which does not name it: the others are told at once, and rank 2 when its time is
 * up. */
static void a_member_whom_others_do_not_name(void **state)
{
    (void)state;
    struct ranks ranks;
    struct member member[3] = {{.rank_ids = {0, 1}, .count = 2, .own = 0},
                               {.rank_ids = {0, 2, 1}, .count = 3, .own = 2},
                               {.rank_ids = {0, 1, 2}, .count = 3, .own = 2}};
    setenv("HCCL_CONNECT_TIMEOUT", "2", 1);
    ranks_open(&ranks, 3);
    become_members(member, 3, &ranks);
    assert_refused(&member[0], HCCL_E_PARA, "rank 0 of 2 says that rank 1 is rank 2 of 3");
    assert_refused(&member[1], HCCL_E_PARA, "the same rankIds");
    assert_refused(&member[2], HCCL_E_TIMEOUT, "rank 0 of belay_process_");
    assert_error(&ranks, 0, HCCL_SUCCESS);
    assert_error(&ranks, 2, HCCL_E_TIMEOUT);
    ranks_close(&ranks);
    setenv("HCCL_CONNECT_TIMEOUT", "120", 1);
}

int main(void)
{
    ranks_prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_ranks_of_another),
        cmocka_unit_test(a_member_that_does_not_come),
        cmocka_unit_test(members_that_differ),
        cmocka_unit_test(a_member_whom_others_do_not_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
