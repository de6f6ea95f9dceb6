/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Which core runs, and how pipes and cores wait for one another.
 */
#ifndef ASCENDC_CORES_H
#define ASCENDC_CORES_H

#include "ascendc/lanes.h"

/* What a kernel is: its first statements. */
#define KERNEL_TYPE_AIV_ONLY           BELAY_KERNEL_VECTOR
#define KERNEL_TYPE_AIC_ONLY           BELAY_KERNEL_CUBE
#define KERNEL_TYPE_MIX_AIV_1_0        BELAY_KERNEL_VECTOR
#define KERNEL_TYPE_MIX_AIC_1_0        BELAY_KERNEL_CUBE
#define KERNEL_TYPE_MIX_AIC_1_1        BELAY_KERNEL_MIXED_1_1
#define KERNEL_TYPE_MIX_AIC_1_2        BELAY_KERNEL_MIXED_1_2
#define KERNEL_TYPE_AICORE             BELAY_KERNEL_VECTOR
#define KERNEL_TASK_TYPE_DEFAULT(type) ::belay_kernel_become(type)
#define KERNEL_TASK_TYPE(key, type)    ::AscendC::become_for_key(key, type)
#define ASCEND_IS_NOT_AIV              (!::AscendC::is_vector())
#define ASCEND_IS_NOT_AIC              (!::AscendC::is_cube())
#define ASCEND_IS_AIV                  (::AscendC::is_vector())
#define ASCEND_IS_AIC                  (::AscendC::is_cube())

namespace AscendC
{
/* The others have a turn, and may write what loads that wait read. */
inline void settle_and_yield()
{
    belay_chip_settle(belay_chip_now());
    belay_kernel_yield();
}

inline bool is_vector()
{
    return belay_kernel_block()->core == BELAY_CORE_VECTOR;
}

inline bool is_cube()
{
    return belay_kernel_block()->core == BELAY_CORE_CUBE;
}

/* Vector cores of mixed kernels are counted through; everything else has the number of its block. */
inline int64_t GetBlockIdx()
{
    const struct belay_kernel_block *block = ::belay_kernel_block();
    return block->core == BELAY_CORE_VECTOR ? (int64_t)block->index * block->sub_count + block->sub_index
                                            : (int64_t)block->index;
}

inline int64_t GetBlockNum()
{
    return ::belay_kernel_block()->count;
}

inline int64_t GetSubBlockIdx()
{
    return ::belay_kernel_block()->sub_index;
}

inline int64_t GetSubBlockNum()
{
    return ::belay_kernel_block()->core == BELAY_CORE_VECTOR ? ::belay_kernel_block()->sub_count : 1;
}

inline int64_t GetTaskRation()
{
    return ::belay_kernel_block()->sub_count;
}

/* Counts calls: a kernel's results do not depend on a clock. */
inline int64_t GetSystemCycle()
{
    settle_and_yield();
    static thread_local int64_t cycles;
    return cycles += 50;
}

inline void become_for_key(uint64_t key, uint32_t kind)
{
    if (belay_chip_now()->tiling_key == key)
        belay_kernel_become(kind);
}

template <HardEvent event> void SetFlag(int32_t id, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("SetFlag");
    belay_chip_set_flag(&place, pipes_of(event).from, pipes_of(event).to, id);
}

template <HardEvent event> void WaitFlag(int32_t id, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("WaitFlag");
    belay_chip_wait_flag(&place, pipes_of(event).from, pipes_of(event).to, id);
}

template <pipe_t pipe> void PipeBarrier(const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("PipeBarrier");
    belay_chip_barrier(&place, pipe == PIPE_ALL ? -1 : pipe);
}

/* Between a store of one pipe and a load of another to the same place in global memory. */
enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
template <MemDsbT = MemDsbT::ALL> void DataSyncBarrier()
{
}

template <bool isAIVOnly = true> void SyncAll(const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("SyncAll");
    belay_chip_sync_all(&place, isAIVOnly);
}

/* The form by words in global memory, which are left as they were. */
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t> &, const LocalTensor<int32_t> &, int32_t = 0,
             const Where &at = BELAY_HERE)
{
    SyncAll<isAIVOnly>(at);
}

template <uint8_t modeId, pipe_t pipe> void CrossCoreSetFlag(uint16_t flagId, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("CrossCoreSetFlag");
    belay_chip_cross_set(&place, modeId, flagId);
}

template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("CrossCoreWaitFlag");
    belay_chip_cross_wait(&place, flagId);
}

/* A word of 32 bytes for each block and event tells a neighbour how far a block is. */
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t> &words, const LocalTensor<int32_t> &, int32_t block, int32_t event,
           const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("IBSet");
    int32_t *word = words.address + (GetBlockNum() * event + block) * 8;
    belay_chip_global(&place, word, 32, words.base, words.count * 4, false);
    belay_chip_neighbour_set(&place, word);
}

template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t> &words, const LocalTensor<int32_t> &, int32_t block, int32_t event,
            const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("IBWait");
    int32_t *word = words.address + (GetBlockNum() * event + block) * 8;
    belay_chip_global(&place, word, 32, words.base, words.count * 4, false);
    belay_chip_neighbour_wait(&place, word);
}

/* The older name of CrossCoreWaitFlag. */
template <pipe_t pipe = PIPE_S> void WaitEvent(uint16_t flag, const Where &at = BELAY_HERE)
{
    CrossCoreWaitFlag<2, pipe>(flag, at);
}

/* Whoever looks again at what another core writes gives that one a turn. */
template <typename T, CacheLine = CacheLine::SINGLE_CACHE_LINE, DcciDst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &)
{
    settle_and_yield();
}

template <typename T, CacheLine = CacheLine::SINGLE_CACHE_LINE, DcciDst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const LocalTensor<T> &)
{
    settle_and_yield();
}

template <typename T> void DataCachePreload(const GlobalTensor<uint64_t> &, const T)
{
}

inline void ICachePreLoad(int64_t)
{
}

inline int64_t GetICachePreloadStatus()
{
    return 0;
}

/* What the core is told about how it computes. */
template <typename T> void SetAtomicAdd()
{
    belay_chip_now()->atomic = CHIP_ADD;
}

template <typename T> void SetAtomicMax()
{
    belay_chip_now()->atomic = CHIP_MAXIMUM;
}

template <typename T> void SetAtomicMin()
{
    belay_chip_now()->atomic = CHIP_MINIMUM;
}

inline void SetAtomicNone()
{
    belay_chip_now()->atomic = CHIP_STORE;
}

template <typename T> void SetAtomicType()
{
}

inline void InitSocState()
{
    belay_chip *chip = belay_chip_now();
    chip->atomic = CHIP_STORE;
    chip->counting = false;
    chip->mask[0] = chip->mask[1] = ~(uint64_t)0;
}

template <int8_t start, int8_t end> int64_t GetCtrlSpr()
{
    const uint64_t field = low_bits(end - start + 1);
    return (int64_t)(belay_chip_now()->control >> start & field);
}

template <int8_t start, int8_t end> void SetCtrlSpr(int64_t value)
{
    const uint64_t field = low_bits(end - start + 1);
    uint64_t &control = belay_chip_now()->control;
    control = (control & ~(field << start)) | ((uint64_t)value & field) << start;
}

template <int8_t start, int8_t end> void ResetCtrlSpr()
{
    SetCtrlSpr<start, end>(0);
}

/* Numbers of the scalar unit. */
template <int countValue> int64_t ScalarGetCountOfValue(uint64_t value)
{
    const int ones = __builtin_popcountll(value);
    return countValue ? ones : 64 - ones;
}

inline int64_t ScalarCountLeadingZero(uint64_t value)
{
    return value ? __builtin_clzll(value) : 64;
}

inline int64_t CountBitsCntSameAsSignBit(int64_t value)
{
    return __builtin_clrsbll(value);
}

template <int countValue> int64_t ScalarGetSFFValue(uint64_t value)
{
    const uint64_t bits = countValue ? value : ~value;
    return bits ? __builtin_ctzll(bits) : -1;
}

inline float ToFloat(const bfloat16_t &x)
{
    return (float)x;
}

inline float ToFloat(const half &x)
{
    return (float)x;
}

inline bfloat16_t ToBfloat16(const float &x)
{
    return bfloat16_t(x);
}

inline bfloat16_t Cast(const float &x)
{
    return bfloat16_t(x);
}

inline float Cast(const bfloat16_t &x)
{
    return (float)x;
}
} // namespace AscendC

/* The older names, global and of C. */
template <typename P> void set_flag(P from, P to, int32_t id, const AscendC::Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("set_flag");
    belay_chip_set_flag(&place, from, to, id);
}

template <typename P> void wait_flag(P from, P to, int32_t id, const AscendC::Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("wait_flag");
    belay_chip_wait_flag(&place, from, to, id);
}

inline void pipe_barrier(pipe_t pipe, const AscendC::Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("pipe_barrier");
    belay_chip_barrier(&place, pipe == PIPE_ALL ? -1 : pipe);
}

inline int64_t get_block_idx()
{
    return ::belay_kernel_block()->index;
}

inline int64_t get_block_num()
{
    return AscendC::GetBlockNum();
}

inline int64_t get_subblockid()
{
    return AscendC::GetSubBlockIdx();
}

inline int64_t get_subblockdim()
{
    return AscendC::GetSubBlockNum();
}

inline void dcci(const void *, uint64_t)
{
    AscendC::settle_and_yield();
}

template <typename A, typename B> void dcci(const void *, A, B)
{
    AscendC::settle_and_yield();
}

inline void dsb(int)
{
}

#define g_coreType (::belay_kernel_block()->core == BELAY_CORE_CUBE ? ::AscendC::AIC : ::AscendC::AIV)

template <typename T> inline T min(T a, T b)
{
    return a < b ? a : b;
}

template <typename T> inline T max(T a, T b)
{
    return a > b ? a : b;
}

#endif
