/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What collectives deliver: every type and reduction, lengths around all boundaries, in place and not, for 1
 * to 8 ranks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hccl/ranks.h"
#include "hccl/reference.h"

static const uint32_t rank_counts[] = {1, 2, 3, 4, 8};
enum { RANK_COUNTS = sizeof rank_counts / sizeof rank_counts[0] };

/* What every rank puts in. */
static unsigned char *inputs[RANKS_MOST];

static void make_inputs(struct ranks *ranks, HcclDataType type, uint64_t count, size_t bytes)
{
    for (uint32_t rank = 0; rank < ranks->count; rank++) {
        inputs[rank] = (unsigned char *)malloc(bytes * count + 1);
        reference_fill(type, inputs[rank], count * ((int)type < REDUCED_TYPES ? 1 : bytes), 100 + rank);
        ranks_memory(ranks, rank, 0, inputs[rank], bytes * count);
    }
}

static void free_inputs(const struct ranks *ranks)
{
    for (uint32_t rank = 0; rank < ranks->count; rank++)
        free(inputs[rank]);
}

/* The elements from first on, in a buffer, are the reduction of the inputs there. Of long results every so
 * many are looked at. */
static void assert_reduced(struct ranks *ranks, uint32_t rank, int buffer, uint64_t offset, HcclDataType type,
                           HcclReduceOp reduction, uint64_t first, uint64_t count)
{
    const size_t bytes = reference_bytes(type);
    const uint64_t step = count > 20000 ? 61 : 1;
    unsigned char *found = (unsigned char *)malloc((offset + count) * bytes + 1);
    ranks_read(ranks, rank, buffer, found, (offset + count) * bytes);
    for (uint64_t i = 0; i < count; i = i + step < count || i == count - 1 ? i + step : count - 1) {
        const void *element[RANKS_MOST];
        unsigned char expected[8];
        for (uint32_t other = 0; other < ranks->count; other++)
            element[other] = inputs[other] + (first + i) * bytes;
        reference_reduce(type, reduction, element, ranks->count, expected);
        if (memcmp(expected, found + (offset + i) * bytes, bytes) != 0) {
            print_error("rank %u of %u, type %d, reduction %d, element %llu of %llu\n", rank, ranks->count,
                        (int)type, (int)reduction, (unsigned long long)i, (unsigned long long)count);
            fail();
        }
    }
    free(found);
}

static void check_all_reduce(struct ranks *ranks, HcclDataType type, HcclReduceOp reduction, uint64_t count)
{
    const size_t bytes = reference_bytes(type);
    make_inputs(ranks, type, count, bytes);
    for (uint32_t rank = 0; rank < ranks->count; rank++)
        assert_int_equal(HcclAllReduce(ranks->buffer[rank][0],
                                       ranks_memory(ranks, rank, 1, NULL, bytes * count), count, type,
                                       reduction, ranks->comm[rank], ranks->stream[rank]),
                         0);
    ranks_wait(ranks);
    for (uint32_t rank = 0; rank < ranks->count; rank++)
        assert_int_equal(HcclAllReduce(ranks->buffer[rank][0], ranks->buffer[rank][0], count, type, reduction,
                                       ranks->comm[rank], ranks->stream[rank]),
                         0);
    ranks_wait(ranks);
    for (uint32_t rank = 0; rank < ranks->count; rank++)
        for (int buffer = 0; buffer < 2; buffer++)
            assert_reduced(ranks, rank, buffer, 0, type, reduction, 0, count);
    free_inputs(ranks);
}

static void all_reduce_every_type(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 7, 300};
    for (size_t n = 0; n < RANK_COUNTS; n++) {
        struct ranks ranks;
        ranks_open(&ranks, rank_counts[n]);
        for (int type = 0; type < REDUCED_TYPES; type++)
            for (int reduction = 0; reduction < REDUCTIONS; reduction++)
                for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                    check_all_reduce(&ranks, (HcclDataType)type, (HcclReduceOp)reduction, counts[i]);
        ranks_close(&ranks);
    }
}

/* Around the length at which parts are reduced by different ranks, and over several rounds of them. */
static void all_reduce_every_length(void **state)
{
    (void)state;
    static const uint64_t counts[] = {16383, 16384, 16385, 65535, 65536, 100003, 4194307};
    for (size_t n = 1; n < RANK_COUNTS; n++) {
        struct ranks ranks;
        ranks_open(&ranks, rank_counts[n]);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            if (counts[i] < 1000000 || rank_counts[n] < 4)
                check_all_reduce(&ranks, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, counts[i]);
        check_all_reduce(&ranks, HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_SUM, 70001);
        check_all_reduce(&ranks, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_MAX, 200001);
        ranks_close(&ranks);
    }
}

static void reduce_to_each_root(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 1000, 16385, 50000, 3000001};
    const HcclDataType type = HCCL_DATA_TYPE_FP32;
    for (size_t n = 0; n < RANK_COUNTS; n++) {
        struct ranks ranks;
        ranks_open(&ranks, rank_counts[n]);
        for (uint32_t root = 0; root < ranks.count; root++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                const uint64_t count = counts[i];
                if (count > 1000000 && (root != 1 || ranks.count > 3))
                    continue;
                make_inputs(&ranks, type, count, 4);
                for (uint32_t rank = 0; rank < ranks.count; rank++)
                    assert_int_equal(
                        HcclReduce(ranks.buffer[rank][0],
                                   rank == root ? ranks_memory(&ranks, rank, 1, NULL, 4 * count) : NULL,
                                   count, type, HCCL_REDUCE_SUM, root, ranks.comm[rank], ranks.stream[rank]),
                        0);
                ranks_wait(&ranks);
                assert_reduced(&ranks, root, 1, 0, type, HCCL_REDUCE_SUM, 0, count);
                for (uint32_t rank = 0; rank < ranks.count; rank++) {
                    unsigned char *after = (unsigned char *)malloc(4 * count + 1);
                    ranks_read(&ranks, rank, 0, after, 4 * count);
                    assert_memory_equal(after, inputs[rank], 4 * count);
                    free(after);
                }
                free_inputs(&ranks);
            }
        ranks_close(&ranks);
    }
}

static void reduce_scatter(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 999, 40000, 1200001};
    const HcclDataType type = HCCL_DATA_TYPE_FP16;
    for (size_t n = 0; n < RANK_COUNTS; n++) {
        struct ranks ranks;
        ranks_open(&ranks, rank_counts[n]);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            for (int in_place = 0; in_place < 2; in_place++) {
                const uint64_t count = counts[i];
                if (count > 1000000 && ranks.count > 3)
                    continue;
                make_inputs(&ranks, type, count * ranks.count, 2);
                for (uint32_t rank = 0; rank < ranks.count; rank++) {
                    unsigned char *from = (unsigned char *)ranks.buffer[rank][0];
                    void *to =
                        in_place ? from + rank * count * 2 : ranks_memory(&ranks, rank, 1, NULL, 2 * count);
                    assert_int_equal(HcclReduceScatter(from, to, count, type, HCCL_REDUCE_SUM,
                                                       ranks.comm[rank], ranks.stream[rank]),
                                     0);
                }
                ranks_wait(&ranks);
                for (uint32_t rank = 0; rank < ranks.count; rank++)
                    assert_reduced(&ranks, rank, in_place ? 0 : 1, in_place ? rank * count : 0, type,
                                   HCCL_REDUCE_SUM, rank * count, count);
                free_inputs(&ranks);
            }
        ranks_close(&ranks);
    }
}

/* Part r has 5 r elements, in the reverse order of ranks and with gaps. */
static void parts_of(uint32_t ranks, uint64_t *counts, uint64_t *offsets)
{
    uint64_t at = 3;
    for (uint32_t rank = ranks; rank-- > 0;) {
        counts[rank] = 5 * rank;
        offsets[rank] = at;
        at += counts[rank] + 2;
    }
}
enum { PARTS_MOST = 3 + 5 * 28 + 2 * 8 };

static void reduce_scatter_of_unequal_parts(void **state)
{
    (void)state;
    for (size_t n = 0; n < RANK_COUNTS; n++) {
        struct ranks ranks;
        uint64_t counts[RANKS_MOST], offsets[RANKS_MOST];
        ranks_open(&ranks, rank_counts[n]);
        parts_of(ranks.count, counts, offsets);
        make_inputs(&ranks, HCCL_DATA_TYPE_INT32, PARTS_MOST, 4);
        for (uint32_t rank = 0; rank < ranks.count; rank++)
            assert_int_equal(HcclReduceScatterV(ranks.buffer[rank][0], counts, offsets,
                                                ranks_memory(&ranks, rank, 1, NULL, 400), counts[rank],
                                                HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MIN, ranks.comm[rank],
                                                ranks.stream[rank]),
                             0);
        ranks_wait(&ranks);
        for (uint32_t rank = 0; rank < ranks.count; rank++)
            assert_reduced(&ranks, rank, 1, 0, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MIN, offsets[rank],
                           counts[rank]);
        free_inputs(&ranks);
        ranks_close(&ranks);
    }
}

/* The bytes from offset on in a buffer are these. */
static void assert_bytes(const struct ranks *ranks, uint32_t rank, int buffer, size_t offset,
                         const void *expected, size_t bytes)
{
    unsigned char *found = (unsigned char *)malloc(offset + bytes + 1);
    ranks_read(ranks, rank, buffer, found, offset + bytes);
    assert_memory_equal(found + offset, expected, bytes);
    free(found);
}

/* All 17 types, by their sizes. */
static const struct {
    HcclDataType type;
    size_t bytes;
} moved[] = {
    {HCCL_DATA_TYPE_INT8, 1},    {HCCL_DATA_TYPE_INT16, 2},   {HCCL_DATA_TYPE_INT32, 4},
    {HCCL_DATA_TYPE_FP16, 2},    {HCCL_DATA_TYPE_FP32, 4},    {HCCL_DATA_TYPE_INT64, 8},
    {HCCL_DATA_TYPE_UINT64, 8},  {HCCL_DATA_TYPE_UINT8, 1},   {HCCL_DATA_TYPE_UINT16, 2},
    {HCCL_DATA_TYPE_UINT32, 4},  {HCCL_DATA_TYPE_FP64, 8},    {HCCL_DATA_TYPE_BFP16, 2},
    {HCCL_DATA_TYPE_INT128, 16}, {HCCL_DATA_TYPE_HIF8, 1},    {HCCL_DATA_TYPE_FP8E4M3, 1},
    {HCCL_DATA_TYPE_FP8E5M2, 1}, {HCCL_DATA_TYPE_FP8E8M0, 1},
};

static void check_moves(struct ranks *ranks, HcclDataType type, size_t bytes, uint64_t count)
{
    const size_t part = bytes * count, whole = part * ranks->count;
    const uint32_t root = ranks->count - 1;
    make_inputs(ranks, type, count * ranks->count, bytes);
    for (uint32_t rank = 0; rank < ranks->count; rank++) {
        void *own = ranks->buffer[rank][0];
        HcclComm comm = ranks->comm[rank];
        aclrtStream stream = ranks->stream[rank];
        unsigned char *gathered = (unsigned char *)ranks_memory(ranks, rank, 1, NULL, whole);
        assert_int_equal(HcclAllGather(own, gathered, count, type, comm, stream), 0);
        void *exchanged = ranks_memory(ranks, rank, 2, NULL, whole);
        assert_int_equal(HcclAlltoAll(own, count, type, exchanged, count, type, comm, stream), 0);
        void *scattered = ranks_memory(ranks, rank, 3, NULL, part);
        assert_int_equal(HcclScatter(rank == root ? own : NULL, scattered, count, type, root, comm, stream),
                         0);
    }
    ranks_wait(ranks);
    for (uint32_t rank = 0; rank < ranks->count; rank++) {
        for (uint32_t other = 0; other < ranks->count; other++) {
            assert_bytes(ranks, rank, 1, other * part, inputs[other], part);
            assert_bytes(ranks, rank, 2, other * part, inputs[other] + rank * part, part);
        }
        assert_bytes(ranks, rank, 3, 0, inputs[root] + rank * part, part);
        assert_int_equal(
            HcclBroadcast(ranks->buffer[rank][0], count, type, 0, ranks->comm[rank], ranks->stream[rank]), 0);
        /* In place: the own part lies where it belongs. */
        ranks_memory(ranks, rank, 1, NULL, whole);
        unsigned char *gathered = (unsigned char *)ranks->buffer[rank][1];
        if (part > 0)
            assert_int_equal(
                aclrtMemcpy(gathered + rank * part, part, inputs[rank], part, ACL_MEMCPY_HOST_TO_DEVICE), 0);
        assert_int_equal(HcclAllGather(gathered + rank * part, gathered, count, type, ranks->comm[rank],
                                       ranks->stream[rank]),
                         0);
    }
    ranks_wait(ranks);
    for (uint32_t rank = 0; rank < ranks->count; rank++) {
        assert_bytes(ranks, rank, 0, 0, inputs[0], part);
        for (uint32_t other = 0; other < ranks->count; other++)
            assert_bytes(ranks, rank, 1, other * part, inputs[other], part);
    }
    free_inputs(ranks);
}

static void moves_of_every_type(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 7, 1000};
    for (size_t n = 0; n < RANK_COUNTS; n++) {
        struct ranks ranks;
        ranks_open(&ranks, rank_counts[n]);
        for (size_t type = 0; type < sizeof moved / sizeof moved[0]; type++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                check_moves(&ranks, moved[type].type, moved[type].bytes, counts[i]);
        ranks_close(&ranks);
    }
}

static void moves_of_every_length(void **state)
{
    (void)state;
    static const uint64_t counts[] = {65535, 65536, 1048579};
    for (size_t n = 1; n < RANK_COUNTS; n++) {
        struct ranks ranks;
        ranks_open(&ranks, rank_counts[n]);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            if (counts[i] < 1000000 || rank_counts[n] == 2)
                check_moves(&ranks, HCCL_DATA_TYPE_FP32, 4, counts[i]);
        ranks_close(&ranks);
    }
}

/* Rank s sends rank r s + 2 r elements. */
static void unequal_parts(void **state)
{
    (void)state;
    enum { SPACE = 400 };
    for (size_t n = 0; n < RANK_COUNTS; n++) {
        struct ranks ranks;
        ranks_open(&ranks, rank_counts[n]);
        uint64_t matrix[RANKS_MOST * RANKS_MOST], counts[RANKS_MOST], offsets[RANKS_MOST];
        for (uint32_t s = 0; s < ranks.count; s++)
            for (uint32_t r = 0; r < ranks.count; r++)
                matrix[s * ranks.count + r] = s + 2 * r;
        parts_of(ranks.count, counts, offsets);
        make_inputs(&ranks, HCCL_DATA_TYPE_INT16, SPACE, 2);
        for (uint32_t rank = 0; rank < ranks.count; rank++) {
            uint64_t sends[RANKS_MOST], sends_at[RANKS_MOST], receives[RANKS_MOST], receives_at[RANKS_MOST];
            for (uint32_t other = 0; other < ranks.count; other++) {
                sends[other] = matrix[rank * ranks.count + other];
                receives[other] = matrix[other * ranks.count + rank];
                sends_at[other] = 40 * other + 1;
                receives_at[other] = 350 - 40 * other;
            }
            void *own = ranks.buffer[rank][0];
            assert_int_equal(HcclAlltoAllV(own, sends, sends_at, HCCL_DATA_TYPE_INT16,
                                           ranks_memory(&ranks, rank, 1, NULL, 2 * SPACE), receives,
                                           receives_at, HCCL_DATA_TYPE_INT16, ranks.comm[rank],
                                           ranks.stream[rank]),
                             0);
            /* The arrays are the caller's again. */
            memset(sends, 0xff, sizeof sends);
            memset(receives_at, 0xff, sizeof receives_at);
            assert_int_equal(HcclAlltoAllVC(own, matrix, HCCL_DATA_TYPE_INT16,
                                            ranks_memory(&ranks, rank, 2, NULL, 2 * SPACE),
                                            HCCL_DATA_TYPE_INT16, ranks.comm[rank], ranks.stream[rank]),
                             0);
            assert_int_equal(HcclAllGatherV(own, counts[rank], ranks_memory(&ranks, rank, 3, NULL, 2 * SPACE),
                                            counts, offsets, HCCL_DATA_TYPE_INT16, ranks.comm[rank],
                                            ranks.stream[rank]),
                             0);
        }
        ranks_wait(&ranks);
        for (uint32_t rank = 0; rank < ranks.count; rank++) {
            uint64_t at = 0;
            for (uint32_t other = 0; other < ranks.count; other++) {
                const uint64_t count = matrix[other * ranks.count + rank];
                uint64_t sent_at = 0;
                for (uint32_t before = 0; before < rank; before++)
                    sent_at += matrix[other * ranks.count + before];
                assert_bytes(&ranks, rank, 1, 2 * (350 - 40 * other), inputs[other] + 2 * (40 * rank + 1),
                             2 * count);
                assert_bytes(&ranks, rank, 2, 2 * at, inputs[other] + 2 * sent_at, 2 * count);
                assert_bytes(&ranks, rank, 3, 2 * offsets[other], inputs[other], 2 * counts[other]);
                at += count;
            }
            unsigned char gap[6];
            memset(gap, 0xA5, sizeof gap);
            assert_bytes(&ranks, rank, 3, 0, gap, 6); /* nothing else is written */
        }
        free_inputs(&ranks);
        ranks_close(&ranks);
    }
}

int main(void)
{
    ranks_prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_reduce_every_type),
        cmocka_unit_test(all_reduce_every_length),
        cmocka_unit_test(reduce_to_each_root),
        cmocka_unit_test(reduce_scatter),
        cmocka_unit_test(reduce_scatter_of_unequal_parts),
        cmocka_unit_test(moves_of_every_type),
        cmocka_unit_test(moves_of_every_length),
        cmocka_unit_test(unequal_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
