// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Programs with collectives between two devices and one mistake each, and the same programs mended:
//
//   collectives NAME [mended]
//
// Exits with 0 unless a call fails that should not.
#include <string>

#include "collectives.h"

namespace collectives
{

bool mended;
HcclComm comms[2];
aclrtStream streams[2], other;
void *buffers[2];

void open_ranks(bool is_filled)
{
    int32_t devices[] = {0, 1};
    for (int rank = 1; rank >= 0; rank--) {
        CALL(aclrtSetDevice(rank));
        CALL(aclrtCreateStream(&streams[rank]));
        CALL(aclrtMalloc(&buffers[rank], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        if (is_filled)
            CALL(aclrtMemset(buffers[rank], BYTES, 0, BYTES));
    }
    CALL(aclrtCreateStream(&other)); // on device 0
    CALL(HcclCommInitAll(2, devices, comms));
}

void all_reduce(int rank)
{
    CALL(HcclAllReduce(buffers[rank], buffers[rank], COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[rank],
                       streams[rank]));
}

void wait_for_all()
{
    for (aclrtStream stream : streams)
        CALL(aclrtSynchronizeStream(stream));
}

void close_ranks()
{
    CALL(aclrtSynchronizeStream(other));
    CALL(aclrtDestroyStream(other));
    for (int rank = 0; rank < 2; rank++) {
        CALL(aclrtSetDevice(rank));
        if (comms[rank] != nullptr)
            CALL(HcclCommDestroy(comms[rank]));
        if (buffers[rank] != nullptr)
            CALL(aclrtFree(buffers[rank]));
        CALL(aclrtDestroyStream(streams[rank]));
        CALL(aclrtResetDeviceForce(rank));
    }
}

namespace
{

// Whether both streams ended as they should.
void expect_ends()
{
    for (aclrtStream stream : streams)
        if ((aclrtSynchronizeStream(stream) == 0) != mended)
            std::exit(3);
    close_ranks();
}

// DC-025: one rank broadcasts what the other sums up.
void different_calls()
{
    open_ranks(true);
    all_reduce(0);
    if (mended)
        all_reduce(1);
    else
        CALL(HcclBroadcast(buffers[1], COUNT, HCCL_DATA_TYPE_FP32, 0, comms[1], streams[1]));
    expect_ends();
}

// DC-025: one rank has a shorter tensor.
void different_counts()
{
    open_ranks(true);
    CALL(HcclBroadcast(buffers[0], COUNT, HCCL_DATA_TYPE_FP32, 0, comms[0], streams[0]));
    CALL(HcclBroadcast(buffers[1], mended ? COUNT : 7, HCCL_DATA_TYPE_FP32, 0, comms[1], streams[1]));
    expect_ends();
}

// DC-025: two collectives the other way round; when the second is called, the first may have failed already.
void different_order()
{
    open_ranks(true);
    for (int rank = 0; rank < 2; rank++) {
        if (mended || rank == 0)
            all_reduce(rank);
        HcclResult result = HcclBarrier(comms[rank], streams[rank]);
        if (!mended && rank == 1)
            result = HcclAllReduce(buffers[rank], buffers[rank], COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                                   comms[rank], streams[rank]);
        if (mended)
            CALL(result);
    }
    expect_ends();
}

// DC-025: the receiver takes the elements for others than they are.
void different_messages()
{
    open_ranks(true);
    CALL(HcclSend(buffers[0], COUNT, HCCL_DATA_TYPE_FP32, 1, comms[0], streams[0]));
    CALL(HcclRecv(buffers[1], COUNT, mended ? HCCL_DATA_TYPE_FP32 : HCCL_DATA_TYPE_INT32, 0, comms[1],
                  streams[1]));
    expect_ends();
}

// DC-025: a message to oneself, of which a part would be left.
void different_sides()
{
    open_ranks(true);
    HcclSendRecvItem items[] = {{HCCL_SEND, buffers[0], COUNT / 2, HCCL_DATA_TYPE_FP32, 0},
                                {HCCL_RECV, static_cast<float *>(buffers[0]) + COUNT / 2,
                                 mended ? COUNT / 2 : COUNT / 4, HCCL_DATA_TYPE_FP32, 0}};
    if ((HcclBatchSendRecv(items, 2, comms[0], streams[0]) == HCCL_SUCCESS) != mended)
        std::exit(3);
    wait_for_all();
    close_ranks();
}

// DC-011: the host changes what a collective sends.
void changed_by_the_host()
{
    open_ranks(true);
    for (int rank = 0; rank < 2; rank++)
        all_reduce(rank);
    if (mended)
        wait_for_all();
    CALL(aclrtMemset(buffers[0], BYTES, 1, BYTES));
    wait_for_all();
    close_ranks();
}

// DC-012: another stream changes it.
void changed_by_a_stream()
{
    aclrtEvent event;
    open_ranks(true);
    CALL(aclrtCreateEvent(&event));
    for (int rank = 0; rank < 2; rank++)
        all_reduce(rank);
    CALL(aclrtRecordEvent(event, streams[0]));
    if (mended)
        CALL(aclrtStreamWaitEvent(other, event));
    CALL(aclrtMemsetAsync(buffers[0], BYTES, 1, BYTES, other));
    wait_for_all();
    CALL(aclrtSynchronizeStream(other));
    CALL(aclrtDestroyEvent(event));
    close_ranks();
}

// DC-008: it is freed.
void freed()
{
    open_ranks(true);
    for (int rank = 0; rank < 2; rank++)
        all_reduce(rank);
    if (mended)
        wait_for_all();
    CALL(aclrtFree(buffers[0]));
    buffers[0] = nullptr;
    wait_for_all();
    close_ranks();
}

// DC-010: it was never written.
void never_written()
{
    open_ranks(mended);
    if (!mended)
        CALL(aclrtMemset(buffers[1], BYTES, 0, BYTES));
    for (int rank = 0; rank < 2; rank++)
        all_reduce(rank);
    wait_for_all();
    close_ranks();
}

const struct {
    const char *name;
    void (*run)();
} programs[] = {
    {"DC-025-different-calls", different_calls},
    {"DC-025-different-counts", different_counts},
    {"DC-025-different-order", different_order},
    {"DC-025-different-messages", different_messages},
    {"DC-025-different-sides", different_sides},
    {"DC-011-changed-by-the-host", changed_by_the_host},
    {"DC-012-changed-by-a-stream", changed_by_a_stream},
    {"DC-008-freed", freed},
    {"DC-010-never-written", never_written},
    {"DC-011-behind-a-barrier", work_behind_a_barrier},
    {"DC-012-behind-a-message", work_behind_a_message},
    {"DC-012-behind-a-broadcast", work_behind_a_broadcast},
    {"DC-012-behind-a-reduction", work_behind_a_reduction},
    {"DC-012-called-the-other-way", called_the_other_way_round},
    {"DC-012-another-stream-meanwhile", another_stream_meanwhile},
    {"DC-011-host-behind-a-barrier", host_behind_no_barrier},
    {"DC-012-threads-in-any-order", threads_in_any_order},
    {"DC-008-destroyed-behind", destroyed_first},
    {"DC-010-sent-from-a-gap", sent_from_a_gap},
    {"DC-010-read-from-a-gap", read_from_a_gap},
    {"DC-012-set-in-a-gap", set_in_a_gap},
    {"DC-012-own-part-in-place", own_part_in_place},
};

} // namespace
} // namespace collectives

int main(int argc, char **argv)
{
    setenv("BELAY_DEVICES", "2", 1);
    collectives::mended = argc > 2;
    for (const auto &program : collectives::programs) {
        if (argc == 1)
            std::printf("%s\n", program.name);
        else if (std::string(argv[1]) == program.name)
            program.run();
    }
    return 0;
}
