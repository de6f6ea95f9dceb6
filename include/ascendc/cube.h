/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The cube unit of arch 2201: matrices in fractals of 16 rows by 32 bytes go from L1 to L0A and L0B, products are added
 * up in L0C, and Fixpipe (fixpipe.h) takes them out. A product of floats is added in fp32, k ascending; integers wrap.
 */
#ifndef ASCENDC_CUBE_H
#define ASCENDC_CUBE_H

#include "ascendc/cast.h"
#include "ascendc/copy.h"
#include "ascendc/gather.h"

namespace AscendC
{
/* Rows of a matrix in global memory to fractals in L1: nValue rows of dValue columns, ndNum times. */
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p,
              const Where &at = BELAY_HERE)
{
    constexpr uint32_t each = 32 / sizeof(T);
    const belay_chip_place place = at.of("DataCopy");
    belay_chip *chip = belay_chip_now();
    const pipe_t pipe = PIPE_MTE2;
    issue(chip, pipe);
    for (uint32_t matrix = 0; matrix < p.ndNum; matrix++) {
        for (uint32_t row = 0; row < p.nValue; row++) {
            const uint64_t from = matrix * p.srcNdMatrixStride + (uint64_t)row * p.srcDValue;
            belay_chip_global(&place, src.address + from, p.dValue * sizeof(T), src.base,
                              src.count * sizeof(T), false);
            for (uint32_t first = 0; first < p.dValue; first += each) {
                const uint32_t some = p.dValue - first < each ? p.dValue - first : each;
                uint8_t *to = dst.address + (uint64_t)matrix * p.dstNzMatrixStride * sizeof(T) +
                              (uint64_t)(first / each) * p.dstNzC0Stride * 32 +
                              (uint64_t)row * p.dstNzNStride * 32;
                access_chip(place, chip, pipe, to, 32, dst.low, dst.high, true, 32);
                memcpy(to, src.address + from + first, some * sizeof(T));
                memset(to + some * sizeof(T), 0, 32 - some * sizeof(T));
            }
        }
    }
}

/* Fractals of 512 bytes, counted from startIndex on; dst one behind another, with dstGap between. */
struct LoadData2DParams {
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint8_t sid = 0;
    uint16_t dstGap = 0;
    bool ifTranspose = false;
    uint8_t addrMode = 0;

    LoadData2DParams() = default;
    LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t source, uint8_t stream, uint16_t gap,
                     bool transposes, uint8_t mode)
        : startIndex(start), repeatTimes(repeats), srcStride(source), sid(stream), dstGap(gap),
          ifTranspose(transposes), addrMode(mode)
    {
    }
};
using LoadData2dParams = LoadData2DParams;

/* Squares of fractals that are transposed: of 2 bytes one fractal, of 1 byte two, of 4 bytes two that make one of 16. */
struct LoadData2dTransposeParams {
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
    uint8_t addrMode = 0;

    LoadData2dTransposeParams() = default;
    LoadData2dTransposeParams(uint16_t start, uint8_t repeats, uint16_t source, uint16_t gap,
                              uint16_t fractal_gap, uint8_t mode = 0)
        : startIndex(start), repeatTimes(repeats), srcStride(source), dstGap(gap), dstFracGap(fractal_gap),
          addrMode(mode)
    {
    }
};

enum { FRACTAL_BYTES = 512 };

template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &p,
              const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("LoadData");
    belay_chip *chip = belay_chip_now();
    if (p.ifTranspose && sizeof(T) != 2)
        belay_chip_fault(&place,
                         "transposes elements of %zu bytes; 2 are expected, LoadDataWithTranspose for others",
                         sizeof(T));
    issue(chip, PIPE_MTE1);
    for (uint32_t each = 0; each < p.repeatTimes; each++) {
        const uint8_t *from =
            src.address + ((uint64_t)p.startIndex + (uint64_t)each * p.srcStride) * FRACTAL_BYTES;
        uint8_t *to = dst.address + (uint64_t)each * (p.dstGap + 1) * FRACTAL_BYTES;
        access_chip(place, chip, PIPE_MTE1, from, FRACTAL_BYTES, src.low, src.high, false, 32);
        access_chip(place, chip, PIPE_MTE1, to, FRACTAL_BYTES, dst.low, dst.high, true, 32);
        if (p.ifTranspose)
            transpose_square(to, from);
        else
            memmove(to, from, FRACTAL_BYTES);
    }
}

/* From global memory, as it lies. */
template <typename T>
void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParams &p,
              const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("LoadData");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_MTE2);
    for (uint32_t each = 0; each < p.repeatTimes; each++) {
        const uint8_t *from =
            src.bytes() + ((uint64_t)p.startIndex + (uint64_t)each * p.srcStride) * FRACTAL_BYTES;
        uint8_t *to = dst.address + (uint64_t)each * (p.dstGap + 1) * FRACTAL_BYTES;
        belay_chip_global(&place, from, FRACTAL_BYTES, src.base, src.count * sizeof(T), false);
        access_chip(place, chip, PIPE_MTE2, to, FRACTAL_BYTES, dst.low, dst.high, true, 32);
        memcpy(to, from, FRACTAL_BYTES);
    }
}

/*
 * A square of as many rows as a fractal has columns, transposed: of 1 byte two fractals make a square of 32, of 4 bytes
 * two fractals side by side make one of 16. Source squares are srcStride squares apart, targets dstGap fractals.
 */
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const LoadData2dTransposeParams &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("LoadDataWithTranspose");
    constexpr uint32_t columns = 32 / sizeof(T), fractals = sizeof(T) == 2 ? 1 : 2;
    constexpr uint32_t side = columns > 16 ? columns : 16, bytes = fractals * FRACTAL_BYTES;
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_MTE1);
    for (uint32_t each = 0; each < p.repeatTimes; each++) {
        const uint8_t *from = src.address + ((uint64_t)p.startIndex + (uint64_t)each * p.srcStride) * bytes;
        access_chip(place, chip, PIPE_MTE1, from, bytes, src.low, src.high, false, 32);
        T square[side][side];
        const T *elements = reinterpret_cast<const T *>(from);
        for (uint32_t row = 0; row < side; row++)
            for (uint32_t column = 0; column < side; column++)
                square[row][column] =
                    elements[((row / 16 + column / columns) * 16 + row % 16) * columns + column % columns];
        for (uint32_t fractal = 0; fractal < fractals; fractal++) {
            uint8_t *to = dst.address +
                          ((uint64_t)each * (p.dstGap + 1) + fractal * (p.dstFracGap + 1)) * FRACTAL_BYTES;
            access_chip(place, chip, PIPE_MTE1, to, FRACTAL_BYTES, dst.low, dst.high, true, 32);
            T *target = reinterpret_cast<T *>(to);
            for (uint32_t row = 0; row < 16; row++)
                for (uint32_t column = 0; column < columns; column++) {
                    const uint32_t r = columns > 16 ? fractal * 16 + row : row;
                    const uint32_t c = columns < 16 ? fractal * columns + column : column;
                    target[row * columns + column] = square[c][r];
                }
        }
    }
}

/* The same value in all of a matrix of L1, L0A or L0B: blocks of 32 bytes of L1, of 512 of the others. */
template <typename T, typename S>
void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<S> &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("InitConstValue");
    belay_chip *chip = belay_chip_now();
    const uint32_t block = memory_of(dst.position) == CHIP_L1 ? 32 : FRACTAL_BYTES;
    const pipe_t pipe = block == 32 ? PIPE_MTE2 : PIPE_MTE1;
    issue(chip, pipe);
    for (uint32_t repeat = 0; repeat < p.repeatTimes; repeat++) {
        uint8_t *to = dst.address + (uint64_t)repeat * (p.blockNum + p.dstGap) * block;
        access_chip(place, chip, pipe, to, (uint64_t)p.blockNum * block, dst.low, dst.high, true, 32);
        const S value = p.initValue;
        for (uint64_t i = 0; i < (uint64_t)p.blockNum * block / sizeof(S); i++)
            memcpy(to + i * sizeof(S), static_cast<const void *>(&value), sizeof(S));
    }
}

struct MmadParams {
    uint16_t m = 0, n = 0, k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false, enWinogradA = false, enWinogradB = false;
    uint8_t unitFlag = 0;
    bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true;

    MmadParams() = default;
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, uint8_t unit, bool source, bool initial)
        : m(rows), n(columns), k(depth), unitFlag(unit), cmatrixSource(source), cmatrixInitVal(initial)
    {
    }
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, bool bias, int32_t offset, bool sparse,
               bool winograd_a, bool winograd_b)
        : m(rows), n(columns), k(depth), isBias(bias), fmOffset(offset), enSsparse(sparse),
          enWinogradA(winograd_a), enWinogradB(winograd_b), cmatrixInitVal(!bias)
    {
    }
};

/* A [m, k] as rows of fractals of L0A, [k, n] as rows of fractals of L0B, each of which is transposed; C as columns of
 * fractals of 16 x 16. */
template <typename C, typename A, typename B>
void multiply(const belay_chip_place &place, const LocalTensor<C> &c, const LocalTensor<A> &a,
              const LocalTensor<B> &b, const C *bias, const MmadParams &p)
{
    constexpr uint32_t depth = 32 / sizeof(A);
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_M);
    const uint32_t m = (p.m + 15u) / 16, n = (p.n + 15u) / 16, k = (p.k + depth - 1u) / depth;
    if (memory_of(a.position) != CHIP_L0A || memory_of(b.position) != CHIP_L0B ||
        memory_of(c.position) != CHIP_L0C)
        belay_chip_fault(
            &place, "matrices in %s, %s and %s; L0A and L0B are expected, and L0C for the product",
            belay_chip_memory_name(memory_of(a.position)), belay_chip_memory_name(memory_of(b.position)),
            belay_chip_memory_name(memory_of(c.position)));
    access_chip(place, chip, PIPE_M, a.address, (uint64_t)m * k * FRACTAL_BYTES, a.low, a.high, false, 512);
    access_chip(place, chip, PIPE_M, b.address, (uint64_t)n * k * FRACTAL_BYTES, b.low, b.high, false, 512);
    const bool adds = !bias && !p.cmatrixInitVal;
    if (adds)
        access_chip(place, chip, PIPE_M, c.address, (uint64_t)m * n * 1024, c.low, c.high, false, 512);
    access_chip(place, chip, PIPE_M, c.address, (uint64_t)m * n * 1024, c.low, c.high, true, 512);
    using wide = std::conditional_t<std::is_integral_v<C>, uint32_t, float>;
    for (uint32_t column = 0; column < p.n; column++) {
        for (uint32_t row = 0; row < p.m; row++) {
            C &to = *c.at(((uint64_t)(column / 16) * m + row / 16) * 256 + row % 16 * 16 + column % 16);
            wide sum = bias ? static_cast<wide>(bias[column]) : adds ? static_cast<wide>(to) : wide(0);
            for (uint32_t i = 0; i < p.k; i++) {
                const A x = *a.at(((uint64_t)(row / 16) * k + i / depth) * (FRACTAL_BYTES / sizeof(A)) +
                                  row % 16 * depth + i % depth);
                const B y = *b.at(((uint64_t)(i / depth) * n + column / 16) * (FRACTAL_BYTES / sizeof(B)) +
                                  column % 16 * depth + i % depth);
                if constexpr (std::is_integral_v<C>)
                    sum += static_cast<uint32_t>(static_cast<int32_t>(x) * static_cast<int32_t>(y));
                else
                    sum += static_cast<float>(x) * static_cast<float>(y);
            }
            to = static_cast<C>(sum);
        }
    }
}

template <typename C, typename A, typename B>
void Mmad(const LocalTensor<C> &dst, const LocalTensor<A> &fm, const LocalTensor<B> &filter,
          const MmadParams &params, const Where &at = BELAY_HERE)
{
    multiply(at.of("Mmad"), dst, fm, filter, static_cast<const C *>(nullptr), params);
}

template <typename C, typename A, typename B, typename S>
void Mmad(const LocalTensor<C> &dst, const LocalTensor<A> &fm, const LocalTensor<B> &filter,
          const LocalTensor<S> &bias, const MmadParams &params, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Mmad");
    access_tensor(place, belay_chip_now(), PIPE_M, bias, params.n * sizeof(S), false);
    multiply(place, dst, fm, filter, reinterpret_cast<const C *>(bias.address), params);
}

/* How a device may compute fp32 less exactly, or in another order: nothing changes here. */
inline void SetHF32Mode(bool)
{
}

inline void SetHF32TransMode(bool)
{
}

inline void SetMMLayoutTransform(bool)
{
}
} // namespace AscendC

#endif
