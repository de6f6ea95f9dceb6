/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The dialect of AscendC kernels: words that a host's compiler does not know, names of pipes and events, positions and
 * modes. The order of the enumerators is that of public programs where these store numbers.
 */
#ifndef ASCENDC_TYPES_H
#define ASCENDC_TYPES_H

#include "ascendc/chip.h"
#include "ascendc/half.h"
#include "ascendc/qualifiers.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#define MASK_PLACEHOLDER      (~(uint64_t)0)
#define MASK_PLACEHOLDER_LIST ((uint64_t *)nullptr)

/* Where a program called: the default of the last parameter of each instruction. Braces would give this line. */
#define BELAY_HERE ::AscendC::Where(__builtin_FILE(), __builtin_LINE())

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL, PIPE_V2 };
enum event_t : int { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace AscendC
{
struct Where {
    const char *file;
    int line;

    constexpr Where(const char *name, int number) : file(name), line(number)
    {
    }

    belay_chip_place of(const char *instruction) const
    {
        return {instruction, file, line};
    }
};

enum class TPosition : uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX
};
using QuePosition = TPosition;
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class HardEvent : uint8_t {
    MTE2_MTE1,
    MTE1_MTE2,
    MTE1_M,
    M_MTE1,
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    M_V,
    V_M,
    V_V,
    MTE3_MTE1,
    MTE1_MTE3,
    MTE1_V,
    MTE2_M,
    M_MTE2,
    V_MTE1,
    M_FIX,
    FIX_M,
    MTE3_MTE2,
    MTE2_MTE3,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
    MTE2_FIX,
    FIX_MTE2,
    FIX_S,
    M_S,
    FIX_MTE3,
    MTE1_FIX,
    FIX_MTE1,
    FIX_FIX,
    FIX_V,
    V_FIX,
    S_M,
    S_FIX,
    S_MTE1,
    MTE1_S,
    MTE3_FIX,
    M_MTE3,
    MTE3_M,
    MAX
};

struct Pipes {
    pipe_t from, to;
};

constexpr Pipes pipes_of(HardEvent event)
{
    constexpr Pipes table[] = {
        {PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE2}, {PIPE_MTE1, PIPE_M},  {PIPE_M, PIPE_MTE1},
        {PIPE_MTE2, PIPE_V},    {PIPE_V, PIPE_MTE2},    {PIPE_MTE3, PIPE_V},  {PIPE_V, PIPE_MTE3},
        {PIPE_M, PIPE_V},       {PIPE_V, PIPE_M},       {PIPE_V, PIPE_V},     {PIPE_MTE3, PIPE_MTE1},
        {PIPE_MTE1, PIPE_MTE3}, {PIPE_MTE1, PIPE_V},    {PIPE_MTE2, PIPE_M},  {PIPE_M, PIPE_MTE2},
        {PIPE_V, PIPE_MTE1},    {PIPE_M, PIPE_FIX},     {PIPE_FIX, PIPE_M},   {PIPE_MTE3, PIPE_MTE2},
        {PIPE_MTE2, PIPE_MTE3}, {PIPE_S, PIPE_V},       {PIPE_V, PIPE_S},     {PIPE_S, PIPE_MTE2},
        {PIPE_MTE2, PIPE_S},    {PIPE_S, PIPE_MTE3},    {PIPE_MTE3, PIPE_S},  {PIPE_MTE2, PIPE_FIX},
        {PIPE_FIX, PIPE_MTE2},  {PIPE_FIX, PIPE_S},     {PIPE_M, PIPE_S},     {PIPE_FIX, PIPE_MTE3},
        {PIPE_MTE1, PIPE_FIX},  {PIPE_FIX, PIPE_MTE1},  {PIPE_FIX, PIPE_FIX}, {PIPE_FIX, PIPE_V},
        {PIPE_V, PIPE_FIX},     {PIPE_S, PIPE_M},       {PIPE_S, PIPE_FIX},   {PIPE_S, PIPE_MTE1},
        {PIPE_MTE1, PIPE_S},    {PIPE_MTE3, PIPE_FIX},  {PIPE_M, PIPE_MTE3},  {PIPE_MTE3, PIPE_M}};
    return table[static_cast<int>(event)];
}

enum class RoundMode : uint8_t {
    CAST_NONE,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD,
    CAST_HYBRID
};
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CacheMode : uint8_t {
    CACHE_MODE_DISABLE,
    CACHE_MODE_NORMAL,
    CACHE_MODE_LAST,
    CACHE_MODE_PERSISTENT
};
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class DataFormat : uint8_t { ND, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_NZ };
enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
enum class QuantMode_t : uint8_t {
    NoQuant,
    F322F16,
    F322BF16,
    DEQF16,
    VDEQF16,
    QF322B8_PRE,
    VQF322B8_PRE,
    REQ8,
    VREQ8
};
enum class KernelMode : uint8_t { MIX_MODE, AIC_MODE, AIV_MODE };
using TEventID = int8_t;

constexpr int AIC = 1, AIV = 0, MIX = 2; /* what g_coreType is compared with */
constexpr int32_t ONE_BLK_SIZE = 32, ONE_REPEAT_BYTE_SIZE = 256, BLOCK_CUBE = 16, DEFAULT_BLK_STRIDE = 1;
constexpr int32_t DEFAULT_REPEAT_STRIDE = 8, HALF_DEFAULT_REPEAT_STRIDE = 4, DEFAULT_BLK_NUM = 8,
                  CUBE_MAX_SIZE = 256;
constexpr int32_t DEFAULT_C0_SIZE = 32, MAX_REPEAT_TIMES = 255, BYTE_PER_C0 = 32,
                  TOTAL_L1_SIZE = CHIP_L1_BYTES;
constexpr int32_t TOTAL_UB_SIZE = CHIP_UB_BYTES, TOTAL_L0A_SIZE = CHIP_L0A_BYTES,
                  TOTAL_L0B_SIZE = CHIP_L0B_BYTES;
constexpr int32_t TOTAL_L0C_SIZE = CHIP_L0C_BYTES, CACHE_LINE_SIZE = 64;

/* An integer of 4 bits; two stand in a byte. */
struct int4b_t {
    uint8_t storage;
};

template <typename T, typename U> struct IsSameType {
    static constexpr bool value = std::is_same_v<T, U>;
};

/* What a float of 16 bits is computed in; each step is rounded back. */
template <typename T>
using computed = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>, float, T>;
template <typename T>
constexpr bool is_float =
    std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;
} // namespace AscendC

#endif
