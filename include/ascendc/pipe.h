/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * TPipe, which shares out the memories of a core, and what it shares out: buffers, and queues of buffers between two
 * pipes. A queue's rules always hold; a kernel that breaks one ends.
 */
#ifndef ASCENDC_PIPE_H
#define ASCENDC_PIPE_H

#include "ascendc/buffers.h"

namespace AscendC
{
template <TPosition src, TPosition dst, int32_t depth, auto configuration = 0> struct TQueBind {
    static constexpr TPosition position = dst == TPosition::GM || dst == TPosition::VECOUT ? TPosition::VECOUT
                                          : src == TPosition::GM                           ? dst
                                                                                           : src;
    static constexpr pipe_t producer = producer_of(src == TPosition::GM ? TPosition::VECIN : src);
    static constexpr pipe_t consumer = consumer_of(dst);
    Buffers buffers;

    template <typename T> LocalTensor<T> tensor(int each) const
    {
        LocalTensor<T> result;
        result.address = result.low = buffers.first + (uint64_t)each * buffers.bytes;
        result.high = result.low + buffers.bytes;
        result.count = (uint32_t)(buffers.bytes / sizeof(T));
        result.position = position;
        return result;
    }
    template <typename T> LocalTensor<T> AllocTensor(const Where &at = BELAY_HERE)
    {
        return tensor<T>(buffers.take(at.of("AllocTensor"), producer));
    }
    template <typename T> void AllocTensor(LocalTensor<T> &result, const Where &at = BELAY_HERE)
    {
        result = AllocTensor<T>(at);
    }
    template <typename T> bool EnQue(const LocalTensor<T> &what, const Where &at = BELAY_HERE)
    {
        buffers.put(at.of("EnQue"), what.address, depth, producer);
        return true;
    }
    template <TPosition from, TPosition to, typename T>
    bool EnQue(const LocalTensor<T> &what, const Where &at = BELAY_HERE)
    {
        buffers.put(at.of("EnQue"), what.address, depth,
                    producer_of(from == TPosition::GM ? TPosition::VECIN : from));
        return true;
    }
    template <typename T> LocalTensor<T> DeQue(const Where &at = BELAY_HERE)
    {
        return tensor<T>(buffers.out(at.of("DeQue"), consumer));
    }
    template <typename T> void DeQue(LocalTensor<T> &result, const Where &at = BELAY_HERE)
    {
        result = DeQue<T>(at);
    }
    template <TPosition from, TPosition to, typename T> LocalTensor<T> DeQue(const Where &at = BELAY_HERE)
    {
        return tensor<T>(buffers.out(at.of("DeQue"), consumer_of(to)));
    }
    template <typename T> void FreeTensor(const LocalTensor<T> &what, const Where &at = BELAY_HERE)
    {
        buffers.give(at.of("FreeTensor"), what.address, consumer);
    }
    void FreeAllEvent()
    {
    }
    bool VacantInQue() const
    {
        return buffers.queued < (depth > buffers.number ? depth : buffers.number);
    }
    bool HasTensorInQue() const
    {
        return buffers.queued != 0;
    }
    bool HasIdleBuffer() const
    {
        for (int each = 0; each < buffers.number; each++)
            if (buffers.states[each] == Buffers::FREE)
                return true;
        return false;
    }
    int32_t GetTensorCountInQue() const
    {
        return buffers.queued;
    }
};

constexpr TPosition source_of(TPosition position)
{
    return position == TPosition::VECIN    ? TPosition::GM
           : position == TPosition::VECOUT ? TPosition::VECCALC
                                           : position;
}

constexpr TPosition target_of(TPosition position)
{
    return position == TPosition::VECIN    ? TPosition::VECCALC
           : position == TPosition::VECOUT ? TPosition::GM
                                           : position;
}

template <TPosition position, int32_t depth, auto configuration = 0>
struct TQue : TQueBind<source_of(position), target_of(position), depth, configuration> {
};

/* Memory without a queue: nothing orders its use but flags and barriers. */
template <TPosition position = TPosition::VECCALC> struct TBuf {
    uint8_t *first = nullptr;
    uint32_t bytes = 0;

    template <typename T> LocalTensor<T> Get(uint32_t count, const Where &at = BELAY_HERE) const
    {
        const belay_chip_place place = at.of("TBuf::Get");
        if (!first)
            belay_chip_fault(&place, "the buffer has no memory; TPipe::InitBuffer before it is expected");
        LocalTensor<T> result;
        result.address = result.low = first;
        result.high = first + bytes;
        result.count = count;
        result.position = position;
        return result;
    }
    template <typename T> LocalTensor<T> Get(const Where &at = BELAY_HERE) const
    {
        return Get<T>((uint32_t)(bytes / sizeof(T)), at);
    }
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset, const Where &at = BELAY_HERE) const
    {
        LocalTensor<T> result = Get<T>(count, at);
        result.address += offset;
        return result;
    }
    template <typename T> LocalTensor<T> AllocTensor(const Where &at = BELAY_HERE) const
    {
        return Get<T>(at);
    }
    template <typename T> void FreeTensor(const LocalTensor<T> &) const
    {
    }
    template <typename T> void EnQue(const LocalTensor<T> &) const
    {
    }
    template <typename T> LocalTensor<T> DeQue(const Where &at = BELAY_HERE) const
    {
        return Get<T>(at);
    }
    uint32_t GetBufLen() const
    {
        return bytes;
    }
};

/* So many bytes of a memory, in whole blocks. */
inline uint8_t *take_memory(const belay_chip_place &place, int memory, uint64_t bytes)
{
    belay_chip *chip = belay_chip_now();
    const uint64_t whole = in_whole_blocks(bytes), left = bytes_of_memory(memory) - chip->taken[memory];
    if (!bytes)
        belay_chip_fault(&place, "0 bytes; at least one is expected");
    if (whole > left)
        belay_chip_fault(
            &place, "asks for %llu bytes of %s, of which %llu are left of %u; smaller buffers are expected",
            (unsigned long long)whole, belay_chip_memory_name(memory), (unsigned long long)left,
            bytes_of_memory(memory));
    uint8_t *first = chip->memory + start_of_memory(memory) + chip->taken[memory];
    chip->taken[memory] += (uint32_t)whole;
    if (chip->used[memory] < chip->taken[memory])
        chip->used[memory] = chip->taken[memory];
    return first;
}

inline void make_buffers(Buffers &buffers, uint8_t *first, uint32_t number, uint64_t bytes, const Where &at)
{
    buffers.first = first;
    buffers.bytes = (uint32_t)in_whole_blocks(bytes);
    buffers.number = (uint8_t)number;
    buffers.next = buffers.head = buffers.queued = 0;
    buffers.made = at;
    for (int each = 0; each < Buffers::MOST; each++) {
        buffers.states[each] = Buffers::FREE;
        buffers.was_freed[each] = false;
    }
    buffers.slots = belay_chip_slots(belay_chip_now(), 2 * number);
}

inline void judge_buffers(const belay_chip_place &place, uint64_t number)
{
    if (number < 1 || number > Buffers::MOST)
        belay_chip_fault(&place, "%llu buffers; 1 to %d are expected", (unsigned long long)number,
                         (int)Buffers::MOST);
}

/* A part of UB that is shared out again and again. */
template <TPosition position, uint32_t most = 4> struct TBufPool {
    uint8_t *first = nullptr;
    uint32_t bytes = 0, taken = 0;

    uint8_t *take(const belay_chip_place &place, uint64_t wanted)
    {
        const uint64_t whole = in_whole_blocks(wanted);
        if (!wanted || whole > bytes - taken)
            belay_chip_fault(&place, "asks for %llu bytes of a pool that has %u left of %u",
                             (unsigned long long)wanted, bytes - taken, bytes);
        uint8_t *result = first + taken;
        taken += (uint32_t)whole;
        return result;
    }
    template <TPosition src, TPosition dst, int32_t depth, auto configuration>
    bool InitBuffer(TQueBind<src, dst, depth, configuration> &queue, uint8_t number, uint32_t length,
                    const Where &at = BELAY_HERE)
    {
        const belay_chip_place place = at.of("TBufPool::InitBuffer");
        judge_buffers(place, number);
        make_buffers(queue.buffers, take(place, number * in_whole_blocks(length)), number, length, at);
        return true;
    }
    template <TPosition where>
    bool InitBuffer(TBuf<where> &buffer, uint32_t length, const Where &at = BELAY_HERE)
    {
        buffer.first = take(at.of("TBufPool::InitBuffer"), length);
        buffer.bytes = (uint32_t)in_whole_blocks(length);
        return true;
    }
    template <typename Pool> bool InitBufPool(Pool &pool, uint32_t length, const Where &at = BELAY_HERE)
    {
        pool.first = take(at.of("TBufPool::InitBufPool"), length);
        pool.bytes = (uint32_t)in_whole_blocks(length);
        pool.taken = 0;
        return true;
    }
    void Reset()
    {
        taken = 0;
    }
};

struct TPipe {
    TPipe()
    {
        Init();
    }
    TPipe(const TPipe &) = default;
    void Init()
    {
        belay_chip_now()->pipe = this;
        Reset();
    }
    void Reset()
    {
        belay_chip *chip = belay_chip_now();
        memset(chip->taken, 0, sizeof chip->taken);
        memset(chip->events, 0, sizeof chip->events);
    }
    void Destroy()
    {
    }
    template <TPosition src, TPosition dst, int32_t depth, auto configuration>
    bool InitBuffer(TQueBind<src, dst, depth, configuration> &queue, uint32_t number, uint64_t length,
                    const Where &at = BELAY_HERE)
    {
        using Queue = TQueBind<src, dst, depth, configuration>;
        const belay_chip_place place = at.of("InitBuffer");
        judge_buffers(place, number);
        uint8_t *first = take_memory(place, memory_of(Queue::position), number * in_whole_blocks(length));
        make_buffers(queue.buffers, first, number, length, at);
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position> &buffer, uint64_t length, const Where &at = BELAY_HERE)
    {
        buffer.first = take_memory(at.of("InitBuffer"), memory_of(position), length);
        buffer.bytes = (uint32_t)in_whole_blocks(length);
        return true;
    }
    template <TPosition position, uint32_t most>
    bool InitBufPool(TBufPool<position, most> &pool, uint32_t length, const Where &at = BELAY_HERE)
    {
        pool.first = take_memory(at.of("InitBufPool"), memory_of(position), length);
        pool.bytes = (uint32_t)in_whole_blocks(length);
        pool.taken = 0;
        return true;
    }
    TEventID FetchEventID(HardEvent event) const
    {
        const uint8_t taken = belay_chip_now()->events[static_cast<int>(event)];
        return (TEventID)(taken == 0xff ? 0 : __builtin_ctz(~(unsigned)taken));
    }
    template <HardEvent event> TEventID FetchEventID() const
    {
        return FetchEventID(event);
    }
    template <HardEvent event> TEventID AllocEventID(const Where &at = BELAY_HERE)
    {
        const belay_chip_place place = at.of("AllocEventID");
        uint8_t &taken = belay_chip_now()->events[static_cast<int>(event)];
        if (taken == 0xff)
            belay_chip_fault(
                &place, "all %d events of the pair of pipes are taken; ReleaseEventID of one is expected",
                (int)CHIP_EVENTS);
        const int id = __builtin_ctz(~(unsigned)taken);
        taken = (uint8_t)(taken | 1 << id);
        return (TEventID)id;
    }
    template <HardEvent event> void ReleaseEventID(TEventID id, const Where &at = BELAY_HERE)
    {
        const belay_chip_place place = at.of("ReleaseEventID");
        uint8_t &taken = belay_chip_now()->events[static_cast<int>(event)];
        if (id < 0 || id >= CHIP_EVENTS || !(taken >> id & 1))
            belay_chip_fault(&place, "event %d is not taken; one of AllocEventID is expected", id);
        taken = (uint8_t)(taken & ~(1 << id));
    }
    template <TPosition position> LocalTensor<uint8_t> GetAbsAddr(int32_t offset, int32_t size) const
    {
        return LocalTensor<uint8_t>(position, (uint32_t)offset, (uint32_t)size);
    }
    template <TPosition position, typename T> LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size) const
    {
        return LocalTensor<T>(position, (uint32_t)offset, (uint32_t)size);
    }
};

/* The block's pipe; kernels that made none have one without buffers. */
inline TPipe *GetTPipePtr()
{
    belay_chip *chip = belay_chip_now();
    alignas(TPipe) static char none[sizeof(TPipe)];
    return static_cast<TPipe *>(chip->pipe ? chip->pipe : (void *)none);
}

/* A flag between two pipes, with its set and wait. */
template <pipe_t from, pipe_t to> struct TQueSync {
    void SetFlag(TEventID id, const Where &at = BELAY_HERE)
    {
        const belay_chip_place place = at.of("TQueSync::SetFlag");
        belay_chip_set_flag(&place, from, to, id);
    }
    void WaitFlag(TEventID id, const Where &at = BELAY_HERE)
    {
        const belay_chip_place place = at.of("TQueSync::WaitFlag");
        belay_chip_wait_flag(&place, from, to, id);
    }
};

/* Memory by hand, without a pipe: from the start of a memory on. */
template <TPosition position> struct MemoryInTurn {
    uint32_t offset = 0;

    template <typename T> LocalTensor<T> Alloc(uint32_t count)
    {
        LocalTensor<T> result(position, offset, count);
        offset += (uint32_t)in_whole_blocks(count * sizeof(T));
        return result;
    }
    template <TPosition, typename T, uint32_t count> LocalTensor<T> Alloc()
    {
        return Alloc<T>(count);
    }
    template <TPosition, typename T> LocalTensor<T> Alloc(uint32_t count)
    {
        return Alloc<T>(count);
    }
};
template <Hardware = Hardware::UB> struct LocalMemAllocator : MemoryInTurn<TPosition::VECCALC> {
};
template <> struct LocalMemAllocator<Hardware::L1> : MemoryInTurn<TPosition::A1> {
};
} // namespace AscendC

using AscendC::GetTPipePtr;

#endif
