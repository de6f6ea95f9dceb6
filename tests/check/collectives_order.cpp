// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Programs of collectives.cpp about what collectives order between their ranks, and which bytes they touch.
#include <chrono>
#include <thread>

#include "collectives.h"

namespace collectives
{

namespace
{

void set(void *memory, aclrtStream stream)
{
    CALL(aclrtMemsetAsync(memory, BYTES, 1, BYTES, stream));
}

void barrier(int rank)
{
    CALL(HcclBarrier(comms[rank], streams[rank]));
}

void *device(int rank = 0)
{
    void *memory = nullptr;
    CALL(aclrtSetDevice(rank));
    CALL(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtSetDevice(0));
    return memory;
}

float *at(void *memory, uint64_t element)
{
    return static_cast<float *>(memory) + element;
}

} // namespace

// DC-011: the barrier is behind what rank 0 does before it, and not behind what it does afterwards.
void work_behind_a_barrier()
{
    char result[BYTES];
    open_ranks(true);
    if (mended)
        set(buffers[0], streams[0]);
    barrier(0);
    if (!mended)
        set(buffers[0], streams[0]);
    barrier(1);
    CALL(aclrtSynchronizeStream(streams[1]));
    CALL(aclrtMemcpy(result, BYTES, buffers[0], BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    wait_for_all();
    close_ranks();
}

// DC-012: so it is with a message.
void work_behind_a_message()
{
    open_ranks(true);
    void *shared = device();
    if (mended)
        set(shared, streams[0]);
    CALL(HcclSend(buffers[0], COUNT, HCCL_DATA_TYPE_FP32, 1, comms[0], streams[0]));
    if (!mended)
        set(shared, streams[0]);
    CALL(HcclRecv(buffers[1], COUNT, HCCL_DATA_TYPE_FP32, 0, comms[1], streams[1]));
    set(shared, streams[1]);
    wait_for_all();
    CALL(aclrtFree(shared));
    close_ranks();
}

// DC-012: a broadcast has ranks wait for its root, and the root for nobody.
void work_behind_a_broadcast()
{
    const uint32_t root = mended ? 0 : 1;
    open_ranks(true);
    void *shared = device();
    set(shared, streams[0]);
    for (int rank = 0; rank < 2; rank++)
        CALL(HcclBroadcast(buffers[rank], COUNT, HCCL_DATA_TYPE_FP32, root, comms[rank], streams[rank]));
    set(shared, streams[1]);
    wait_for_all();
    CALL(aclrtFree(shared));
    close_ranks();
}

// DC-012: a reduction has its root wait for the others alone.
void work_behind_a_reduction()
{
    const uint32_t root = mended ? 1 : 0;
    open_ranks(true);
    void *shared = device();
    set(shared, streams[0]);
    for (int rank = 0; rank < 2; rank++)
        CALL(HcclReduce(buffers[rank], buffers[rank], COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, root,
                        comms[rank], streams[rank]));
    set(shared, streams[1]);
    wait_for_all();
    CALL(aclrtFree(shared));
    close_ranks();
}

// DC-012: what is behind the barrier is called before what is in front of it.
void called_the_other_way_round()
{
    open_ranks(true);
    void *shared = device();
    barrier(1);
    set(shared, streams[1]);
    if (mended)
        set(shared, streams[0]);
    barrier(0);
    if (!mended)
        set(shared, streams[0]);
    wait_for_all();
    CALL(aclrtFree(shared));
    close_ranks();
}

// DC-012: a stream that is no rank's changes what a collective receives, which is called on one rank so far.
void another_stream_meanwhile()
{
    aclrtEvent event;
    open_ranks(true);
    const auto broadcast = [](int rank) {
        CALL(HcclBroadcast(buffers[rank], COUNT, HCCL_DATA_TYPE_FP32, 1, comms[rank], streams[rank]));
    };
    CALL(aclrtCreateEvent(&event));
    broadcast(0);
    if (mended)
        CALL(aclrtRecordEvent(event, streams[0]));
    if (mended)
        CALL(aclrtStreamWaitEvent(other, event));
    set(buffers[0], other);
    broadcast(1);
    wait_for_all();
    CALL(aclrtDestroyEvent(event));
    close_ranks();
}

// DC-011: what is behind a barrier that the host has not called on all ranks cannot have begun.
void host_behind_no_barrier()
{
    open_ranks(true);
    barrier(1);
    set(buffers[1], streams[1]);
    if (!mended)
        barrier(0);
    CALL(aclrtMemset(buffers[1], BYTES, 2, BYTES));
    if (mended)
        barrier(0);
    wait_for_all();
    close_ranks();
}

// DC-012: two threads hand memory to one another by barriers, whichever is ahead; in one round both have it.
void threads_in_any_order()
{
    open_ranks(true);
    void *shared = device();
    const auto work = [shared](int rank) {
        unsigned int seed = static_cast<unsigned int>(rank);
        CALL(aclrtSetDevice(rank));
        for (int round = 0; round < 40; round++) {
            if (round % 2 == rank || (!mended && round == 20))
                set(shared, streams[rank]);
            std::this_thread::sleep_for(std::chrono::microseconds(rand_r(&seed) % 200));
            barrier(rank);
        }
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    wait_for_all();
    CALL(aclrtFree(shared));
    close_ranks();
}

// DC-008: the end of a communicator waits for its work.
void destroyed_first()
{
    open_ranks(true);
    for (int rank = 0; rank < 2; rank++)
        all_reduce(rank);
    for (int rank = 0; rank < 2 && mended; rank++)
        CALL(HcclCommDestroy(comms[rank]));
    CALL(aclrtFree(buffers[0]));
    buffers[0] = nullptr;
    for (int rank = 0; rank < 2 && !mended; rank++)
        CALL(HcclCommDestroy(comms[rank]));
    comms[0] = comms[1] = nullptr;
    close_ranks();
}

// DC-010: of what is sent nothing is read but the parts.
void sent_from_a_gap()
{
    const uint64_t counts[] = {16, 16}, to[] = {0, 16};
    open_ranks(true);
    for (int rank = 0; rank < 2; rank++) {
        const uint64_t from[] = {100, mended || rank == 1 ? 300u : 280u};
        void *sent = device(rank);
        CALL(aclrtMemset(at(sent, 100), 64, 1, 64));
        CALL(aclrtMemset(at(sent, 300), 64, 1, 64));
        CALL(HcclAlltoAllV(sent, counts, from, HCCL_DATA_TYPE_FP32, buffers[rank], counts, to,
                           HCCL_DATA_TYPE_FP32, comms[rank], streams[rank]));
    }
    wait_for_all();
    close_ranks();
}

// DC-010: and of what is received nothing is written but the parts.
void read_from_a_gap()
{
    const uint64_t counts[] = {16, 16}, apart[] = {0, 32};
    char result[64];
    open_ranks(true);
    void *received[2] = {device(0), device(1)};
    for (int rank = 0; rank < 2; rank++)
        CALL(HcclAllGatherV(buffers[rank], 16, received[rank], counts, apart, HCCL_DATA_TYPE_FP32,
                            comms[rank], streams[rank]));
    wait_for_all();
    CALL(aclrtMemcpy(result, 64, at(received[0], mended ? 32 : 16), 64, ACL_MEMCPY_DEVICE_TO_HOST));
    close_ranks();
}

// DC-012: what another stream does in a gap is no matter of the collective's.
void set_in_a_gap()
{
    const uint64_t counts[] = {16, 16}, apart[] = {0, 32};
    open_ranks(true);
    void *received[2] = {device(0), device(1)};
    for (int rank = 0; rank < 2; rank++)
        CALL(HcclAllGatherV(buffers[rank], 16, received[rank], counts, apart, HCCL_DATA_TYPE_FP32,
                            comms[rank], streams[rank]));
    CALL(aclrtMemsetAsync(at(received[0], mended ? 16 : 20), 64, 1, 64, other));
    wait_for_all();
    close_ranks();
}

// DC-012: a part that is gathered where it lies is read and not written.
void own_part_in_place()
{
    const uint64_t half = COUNT / 2;
    open_ranks(true);
    void *read = device();
    for (int rank = 0; rank < 2; rank++)
        CALL(HcclAllGather(at(buffers[rank], static_cast<uint64_t>(rank) * half), buffers[rank], half,
                           HCCL_DATA_TYPE_FP32, comms[rank], streams[rank]));
    CALL(aclrtMemcpyAsync(read, BYTES / 2, at(buffers[0], mended ? 0 : 8), BYTES / 2,
                          ACL_MEMCPY_DEVICE_TO_DEVICE, other));
    wait_for_all();
    CALL(aclrtSynchronizeStream(other));
    close_ranks();
}

} // namespace collectives
