/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pairs of a token and an expert whose rank is another one: where the rows of each go, by what all ranks of a
 * group have in common, so that who sends them and who gets them back know it alike.
 */
#ifndef BELAY_OPS_WITH_RANKS_PAIRS_H
#define BELAY_OPS_WITH_RANKS_PAIRS_H

#include "ops/with_ranks/with_ranks.h"

/* The first ranks have experts that all tokens share, each on several ranks; the others as many of the rest. */
struct layout_of_experts {
    uint32_t ranks, rank, shared_ranks;
    uint64_t tokens, top_k, experts, special, shared; /* of a token's experts, and those that are not sent */
    uint64_t each;                                    /* experts of a rank that has no shared one */
};

/* Numbers of the call that the functions have in common. */
enum {
    GROUP_NAME,
    WORLD,
    OWN_RANK,
    EXPERT_COUNT,
    TP_WORLD,
    SHARD_TYPE,
    SHARED,
    SHARED_RANKS,
    GLOBAL_BATCH,
    ZERO,
    COPY,
    CONSTANT,
    COMMON_NUMBERS
};

/* Parameters that dispatching and combining have alike, and where forms find the numbers among them. */
#define RANKS_OF_EXPERTS(X, of)                 \
    GROUP(X, of, groupEp)                       \
    X(of, INT64, epWorldSize, .usual = "1")     \
    X(of, INT64, epRankId, .usual = "0")        \
    X(of, INT64, moeExpertNum, .usual = "4")    \
    GROUP_ABSENT(X, of, groupTp)                \
    X(of, INT64, tpWorldSize, .usual = "0")     \
    X(of, INT64, tpRankId, .usual = "0")        \
    X(of, INT64, expertShardType, .usual = "0") \
    X(of, INT64, sharedExpertNum, .usual = "1") \
    X(of, INT64, sharedExpertRankNum, .usual = "0")
#define COMM_ALG(X, of)    X(of, CONST_TEXT, commAlg, .is_optional = true, .usual = "")
#define PERFORMANCE(X, of) X(of, IN, performanceInfo, &dtypes_int64, .is_optional = true, .sample = "1:INT64")
#define COMMON_NUMBERS_OF(of)                                                                        \
    [GROUP_NAME] = AT(of##_groupEp), [WORLD] = AT(of##_epWorldSize), [OWN_RANK] = AT(of##_epRankId), \
    [EXPERT_COUNT] = AT(of##_moeExpertNum), [TP_WORLD] = AT(of##_tpWorldSize),                       \
    [SHARD_TYPE] = AT(of##_expertShardType), [SHARED] = AT(of##_sharedExpertNum),                    \
    [SHARED_RANKS] = AT(of##_sharedExpertRankNum), [GLOBAL_BATCH] = AT(of##_globalBs)
#define SPECIAL_OF(of) \
    [ZERO] = AT(of##_zeroExpertNum), [COPY] = AT(of##_copyExpertNum), [CONSTANT] = AT(of##_constExpertNum)

/* The tensors of dispatching and combining that say who goes where. */
aclnnStatus read_layout(const struct call *call, unsigned ids, unsigned mask, struct met *met,
                        struct layout_of_experts *layout);

static inline uint64_t experts_at(const struct layout_of_experts *layout, uint32_t rank)
{
    return rank < layout->shared_ranks ? 1 : layout->each;
}

/* The most experts that a rank has. */
static inline uint64_t experts_most(const struct layout_of_experts *layout)
{
    return layout->each > 0 ? layout->each : 1;
}

/* What goes to others, in the order of ranks, their experts and tokens. A pair with a choice of topK or more
 * is of shared expert choice - topK. */
struct pair {
    int64_t token, choice, expert; /* expert: among all, those that are shared first */
};
struct pairs {
    int64_t *id;     /* tokens * topK; -1: masked out */
    bool *is_active; /* tokens */
    int64_t *row;    /* tokens * (topK + shared): the place among the pairs; -1: none */
    int64_t *count;  /* ranks * experts_most: pairs for each expert of each rank */
    struct pair *pair;
    uint64_t pairs;
};

size_t pairs_bytes(const struct layout_of_experts *layout);

/* 0, or operation_fail where an expert does not exist. */
int find_pairs(const struct layout_of_experts *layout, const struct ports *ports, unsigned ids, unsigned mask,
               void *const *address, void *scratch, size_t *used, struct pairs *pairs);

#endif
