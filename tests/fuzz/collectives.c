/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: collectives between the two devices, first called wrongly, which must queue
 * nothing, then rightly by both ranks, whose results are held against the meaning of each.
 */
#include "fuzz/collectives.h"

#include <string.h>

#include "fuzz/verdict.h"

enum { RANKS = 2, PART_MOST = 8, CELLS = 32, WRONG_KINDS = 9, SYNCHRONISED_FAILURE = 507018 };

struct rank {
    HcclComm comm;
    aclrtStream stream;
    int32_t *send, *receive;         /* CELLS each, of the device */
    int32_t sent[CELLS], due[CELLS]; /* what send holds, and receive must hold in the end */
    uint64_t to[RANKS], from[RANKS]; /* parts of unequal length, and where they begin */
    uint64_t to_at[RANKS], from_at[RANKS];
};

/* What one rank is asked for; a wrong call has one of these changed. */
struct asked {
    struct world *world;
    const struct rank *rank;
    uint32_t number;
    HcclComm comm;
    aclrtStream stream;
    void *send, *receive;
    uint64_t count;
    HcclDataType dtype;
    HcclReduceOp op;
    uint32_t root;
};

enum kind {
    ALL_REDUCE,
    REDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_V,
    BROADCAST,
    SCATTER,
    ALL_GATHER,
    ALL_GATHER_V,
    ALL_TO_ALL,
    ALL_TO_ALL_V,
    ALL_TO_ALL_V_C,
    BARRIER,
    SEND_AND_RECEIVE,
    BATCH,
    GROUP,
    KINDS
};

static bool has_op(enum kind kind)
{
    return kind <= REDUCE_SCATTER_V;
}

static bool has_root(enum kind kind)
{
    return kind == REDUCE || kind == BROADCAST || kind == SCATTER;
}

static HcclResult call_all_to_all_v_c(const struct asked *asked)
{
    const uint64_t matrix[RANKS * RANKS] = {asked->count, asked->count + 1, asked->count + 1, asked->count};
    return HcclAlltoAllVC(asked->send, matrix, asked->dtype, asked->receive, asked->dtype, asked->comm,
                          asked->stream);
}

static HcclResult call_batch(const struct asked *asked)
{
    const uint32_t other = 1 - asked->number;
    HcclSendRecvItem items[] = {{HCCL_RECV, asked->receive, asked->count, asked->dtype, other},
                                {HCCL_SEND, asked->send, asked->count, asked->dtype, other}};
    return HcclBatchSendRecv(items, 2, asked->comm, asked->stream);
}

/* Both of a group are noted, or none of them. */
static HcclResult call_group(const struct asked *asked)
{
    const uint32_t other = 1 - asked->number;
    DEMAND(HcclGroupStart() == 0 && HcclGroupStart() == 0, "a group");
    HcclResult noted = HcclSend(asked->send, asked->count, asked->dtype, other, asked->comm, asked->stream);
    if (noted == 0)
        noted = HcclRecv(asked->receive, asked->count, asked->dtype, other, asked->comm, asked->stream);
    DEMAND(HcclGroupEnd() == 0, "the inner end");
    const HcclResult ended = HcclGroupEnd();
    return noted != 0 ? noted : ended;
}

/* counts[0] changed where the count is wrong. */
static const uint64_t *counts(uint64_t own[RANKS], const uint64_t of[RANKS], const struct asked *asked)
{
    own[0] = asked->count > PART_MOST ? asked->count : of[0];
    own[1] = of[1];
    return own;
}

static HcclResult call_v(enum kind kind, const struct asked *asked)
{
    const struct rank *rank = asked->rank;
    uint64_t to[RANKS], from[RANKS];
    counts(to, rank->to, asked);
    counts(from, rank->from, asked);
    if (kind == REDUCE_SCATTER_V)
        return HcclReduceScatterV(asked->send, to, rank->to_at, asked->receive, rank->to[asked->number],
                                  asked->dtype, asked->op, asked->comm, asked->stream);
    if (kind == ALL_GATHER_V)
        return HcclAllGatherV(asked->send, rank->from[asked->number], asked->receive, from, rank->from_at,
                              asked->dtype, asked->comm, asked->stream);
    return HcclAlltoAllV(asked->send, to, rank->to_at, asked->dtype, asked->receive, from, rank->from_at,
                         asked->dtype, asked->comm, asked->stream);
}

static HcclResult call(enum kind kind, const struct asked *asked)
{
    void *const send = asked->send, *const receive = asked->receive;
    const uint64_t count = asked->count;
    switch (kind) {
    case ALL_REDUCE:
        return HcclAllReduce(send, receive, count, asked->dtype, asked->op, asked->comm, asked->stream);
    case REDUCE:
        return HcclReduce(send, receive, count, asked->dtype, asked->op, asked->root, asked->comm,
                          asked->stream);
    case REDUCE_SCATTER:
        return HcclReduceScatter(send, receive, count, asked->dtype, asked->op, asked->comm, asked->stream);
    case BROADCAST:
        return HcclBroadcast(asked->number == asked->root ? send : receive, count, asked->dtype, asked->root,
                             asked->comm, asked->stream);
    case SCATTER:
        return HcclScatter(send, receive, count, asked->dtype, asked->root, asked->comm, asked->stream);
    case ALL_GATHER:
        return HcclAllGather(send, receive, count, asked->dtype, asked->comm, asked->stream);
    case ALL_TO_ALL:
        return HcclAlltoAll(send, count, asked->dtype, receive, count, asked->dtype, asked->comm,
                            asked->stream);
    case ALL_TO_ALL_V_C:
        return call_all_to_all_v_c(asked);
    case BARRIER:
        return HcclBarrier(asked->comm, asked->stream);
    case SEND_AND_RECEIVE:
        return asked->number == 0 ? HcclSend(send, count, asked->dtype, 1, asked->comm, asked->stream)
                                  : HcclRecv(receive, count, asked->dtype, 0, asked->comm, asked->stream);
    case BATCH:
        return call_batch(asked);
    case GROUP:
        return call_group(asked);
    default:
        return call_v(kind, asked);
    }
}

static int32_t fold(HcclReduceOp op, int32_t a, int32_t b)
{
    return op == HCCL_REDUCE_SUM    ? (int32_t)((uint32_t)a + (uint32_t)b)
           : op == HCCL_REDUCE_PROD ? (int32_t)((uint32_t)a * (uint32_t)b)
           : op == HCCL_REDUCE_MAX  ? (a > b ? a : b)
                                    : (a < b ? a : b);
}

/* The unequal parts of a rank, as the kind wants them. */
static void lay_out(enum kind kind, struct rank *rank, uint32_t number, uint64_t count)
{
    for (uint32_t other = 0; other < RANKS; other++) {
        const bool is_exchange = kind == ALL_TO_ALL_V || kind == ALL_TO_ALL_V_C;
        rank->to[other] = rank->from[other] = count + (is_exchange ? other != number : other);
        rank->to_at[other] = rank->from_at[other] = other == 0 ? PART_MOST + 1 : 0;
        if (kind == ALL_TO_ALL_V_C)
            rank->to_at[other] = rank->from_at[other] = other == 0 ? 0 : rank->to[0];
    }
}

/* What the rank receives of the other or of itself. */
static void take(struct rank *rank, uint64_t at, const struct rank *source, uint64_t first, uint64_t count)
{
    memcpy(rank->due + at, source->sent + first, count * sizeof rank->due[0]);
}

static void take_reduced(struct rank *rank, const struct rank *of, HcclReduceOp op, uint64_t first,
                         uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        rank->due[i] = fold(op, of[0].sent[first + i], of[1].sent[first + i]);
}

static void expect(enum kind kind, struct rank of[RANKS], const struct asked *asked)
{
    const uint32_t number = asked->number, root = asked->root;
    const uint64_t count = asked->count;
    struct rank *own = &of[number];
    if (kind == ALL_REDUCE || (kind == REDUCE && number == root))
        take_reduced(own, of, asked->op, 0, count);
    else if (kind == REDUCE_SCATTER)
        take_reduced(own, of, asked->op, number * count, count);
    else if (kind == REDUCE_SCATTER_V)
        take_reduced(own, of, asked->op, own->to_at[number], own->to[number]);
    else if (kind == BROADCAST && number != root)
        take(own, 0, &of[root], 0, count);
    else if (kind == SCATTER)
        take(own, 0, &of[root], number * count, count);
    else if ((kind == SEND_AND_RECEIVE && number == 1) || kind == BATCH || kind == GROUP)
        take(own, 0, &of[1 - number], 0, count);
    for (uint32_t source = 0; source < RANKS; source++) {
        const struct rank *other = &of[source];
        if (kind == ALL_GATHER)
            take(own, source * count, other, 0, count);
        else if (kind == ALL_GATHER_V)
            take(own, own->from_at[source], other, 0, own->from[source]);
        else if (kind == ALL_TO_ALL)
            take(own, source * count, other, number * count, count);
        else if (kind == ALL_TO_ALL_V || kind == ALL_TO_ALL_V_C)
            take(own, own->from_at[source], other, other->to_at[number], own->from[source]);
    }
}

/* A call with one mistake, whichever of those that the kind can have. */
static void call_wrongly(enum kind kind, struct asked wrong)
{
    struct world *world = wrong.world;
    const uint32_t mistake = draw(world, WRONG_KINDS), how = draw(world, 4);
    int expected = HCCL_E_PARA;
    const bool moves_data = kind != BARRIER && (kind != REDUCE || wrong.number == wrong.root);
    if (mistake == 0) {
        wrong.comm = how == 0 ? NULL : (HcclComm)draw_forged(world, wrong.comm);
        expected = how == 0 ? HCCL_E_PTR : HCCL_E_PARA;
    } else if (mistake == 1) {
        wrong.stream =
            how == 0 ? draw_forged(world, wrong.stream) : wrong.rank[1 - 2 * (int)wrong.number].stream;
        expected = how == 0 ? HCCL_E_RUNTIME : HCCL_E_PARA;
    } else if (mistake == 2 && has_op(kind)) {
        wrong.op = (HcclReduceOp)(how == 0 ? -1 : 3 + (int)how);
    } else if (mistake == 3 && has_root(kind)) {
        wrong.root = how == 0 ? UINT32_MAX : RANKS - 1 + how;
    } else if (kind == BARRIER) {
        return;
    } else if (mistake == 4) {
        wrong.dtype = (HcclDataType)(how == 0 ? 13 : how == 1 ? -1 : 18);
    } else if (mistake == 5 && has_op(kind)) {
        wrong.dtype = HCCL_DATA_TYPE_FP8E4M3;
        expected = HCCL_E_NOT_SUPPORT;
    } else if (mistake == 6 && kind != ALL_TO_ALL_V_C) {
        wrong.count = how == 0 ? UINT64_MAX : how == 1 ? INT64_MAX / 4 + 1 : (uint64_t)1 << (40 + how);
    } else if (mistake >= 7 && moves_data && wrong.count > 0) {
        wrong.send = wrong.receive = mistake == 7 ? NULL : (void *)behind((unsigned char *)wrong.send, 2);
        expected = mistake == 7 ? HCCL_E_PTR : HCCL_E_PARA;
    } else {
        return;
    }
    const int status = (int)call(kind, &wrong);
    DEMAND(status == expected, "kind %d of rank %u with mistake %u, %u gave %d and not %d", (int)kind,
           wrong.number, mistake, how, status, expected);
}

static void fill(struct world *world, struct rank *rank)
{
    const uint64_t seed = draw_word(world);
    for (uint32_t i = 0; i < CELLS; i++) {
        rank->sent[i] = (int32_t)((seed + i) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
        rank->due[i] = -1;
    }
    DEMAND(aclrtMemcpy(rank->send, sizeof rank->sent, rank->sent, sizeof rank->sent,
                       ACL_MEMCPY_HOST_TO_DEVICE) == 0,
           "memory");
    DEMAND(aclrtMemcpy(rank->receive, sizeof rank->due, rank->due, sizeof rank->due,
                       ACL_MEMCPY_HOST_TO_DEVICE) == 0,
           "memory");
}

static void compare(const struct rank *rank, uint32_t number, enum kind kind)
{
    int32_t found[CELLS];
    DEMAND(aclrtMemcpy(found, sizeof found, rank->receive, sizeof found, ACL_MEMCPY_DEVICE_TO_HOST) == 0,
           "memory");
    for (uint32_t i = 0; i < CELLS; i++)
        DEMAND(found[i] == rank->due[i], "kind %d, rank %u, element %u is %d and not %d", (int)kind, number,
               i, found[i], rank->due[i]);
}

/* False where the ranks did not call the same, after which the communicator can do nothing more. */
static bool call_by_both(struct world *world, struct rank of[RANKS])
{
    const enum kind kind = (enum kind)draw(world, KINDS);
    const uint64_t count = draw(world, PART_MOST + 1);
    const HcclReduceOp op = (HcclReduceOp)draw(world, 4);
    const uint32_t root = draw(world, RANKS), differs = draw(world, 16);
    const bool is_mismatch = differs == 0 && kind == ALL_REDUCE;
    for (uint32_t number = 0; number < RANKS; number++) {
        fill(world, &of[number]);
        lay_out(kind, &of[number], number, count);
    }
    for (uint32_t number = 0; number < RANKS; number++) {
        struct asked asked = {world,
                              &of[number],
                              number,
                              of[number].comm,
                              of[number].stream,
                              of[number].send,
                              of[number].receive,
                              count,
                              HCCL_DATA_TYPE_INT32,
                              op,
                              root};
        while (draw(world, 2) != 0)
            call_wrongly(kind, asked);
        expect(kind, of, &asked);
        asked.count += is_mismatch && number == 1;
        const int status = (int)call(kind, &asked);
        DEMAND(status == 0, "kind %d of rank %u gave %d", (int)kind, number, status);
    }
    for (uint32_t number = 0; number < RANKS; number++) {
        const int ended = aclrtSynchronizeStream(of[number].stream);
        HcclResult error = HCCL_E_RESERVED;
        DEMAND(ended == (is_mismatch ? SYNCHRONISED_FAILURE : 0), "kind %d of rank %u ended with %d",
               (int)kind, number, ended);
        DEMAND(HcclGetCommAsyncError(of[number].comm, &error) == 0 &&
                   error == (is_mismatch ? HCCL_E_PARA : HCCL_SUCCESS),
               "rank %u has the error %d", number, (int)error);
        if (!is_mismatch)
            compare(&of[number], number, kind);
    }
    return !is_mismatch;
}

/* A stream and memory of each device; false where there is no memory. */
static bool open_ranks(struct world *world, struct rank of[RANKS])
{
    bool has_memory = true;
    memset(of, 0, RANKS * sizeof of[0]);
    for (uint32_t number = 0; number < RANKS; number++) {
        DEMAND(aclrtSetCurrentContext(world->context[number].handle) == 0, "device %u", number);
        DEMAND(aclrtCreateStream(&of[number].stream) == 0, "stream");
        has_memory =
            has_memory &&
            aclrtMalloc((void **)&of[number].send, sizeof of[number].sent, ACL_MEM_MALLOC_HUGE_FIRST) == 0 &&
            aclrtMalloc((void **)&of[number].receive, sizeof of[number].due, ACL_MEM_MALLOC_HUGE_FIRST) == 0;
    }
    return has_memory;
}

static void close_ranks(struct world *world, const struct rank of[RANKS])
{
    for (uint32_t number = 0; number < RANKS; number++) {
        DEMAND(aclrtSetCurrentContext(world->context[number].handle) == 0, "device %u", number);
        DEMAND(of[number].send == NULL || aclrtFree(of[number].send) == 0, "memory");
        DEMAND(of[number].receive == NULL || aclrtFree(of[number].receive) == 0, "memory");
        DEMAND(aclrtDestroyStream(of[number].stream) == 0, "stream");
    }
}

void step_collective(struct world *world)
{
    struct rank of[RANKS];
    HcclComm comms[RANKS];
    settle(world);
    if (open_ranks(world, of)) {
        make_communicators(world, comms);
        for (uint32_t number = 0; number < RANKS; number++)
            of[number].comm = comms[number];
        bool is_well = true;
        for (uint32_t times = 1 + draw(world, 3); is_well && times > 0; times--)
            is_well = call_by_both(world, of);
        ask_communicators(world, comms, is_well);
        end_communicators(world, comms);
    }
    close_ranks(world, of);
    DEMAND(aclrtSetCurrentContext(world->context[world->current].handle) == 0, "the context before");
}
