/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Instructions that move elements about: by offsets, by masks, by blocks, and rows that count up.
 */
#ifndef ASCENDC_GATHER_H
#define ASCENDC_GATHER_H

#include "ascendc/elementwise.h"

namespace AscendC
{
/* dst[i] = what is at byte base + offset[i] of src. */
template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
            uint32_t base, uint32_t count, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Gather");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    access_tensor(place, chip, PIPE_V, offset, count * 4ull, false);
    access_tensor(place, chip, PIPE_V, dst, (uint64_t)count * sizeof(T), true);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *from = src.address + base + *offset.at(i);
        access_chip(place, chip, PIPE_V, from, sizeof(T), src.low, src.high, false, sizeof(T));
        memcpy(static_cast<void *>(dst.at(i)), from, sizeof(T));
    }
}

template <typename T, typename Mask>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
            uint32_t base, Mask mask, int64_t repeatTimes, uint16_t dstRepStride,
            const Where &at = BELAY_HERE)
{
    constexpr uint32_t lanes = lanes_for<T>;
    const belay_chip_place place = at.of("Gather");
    const Lanes l = lanes_given<lanes>(place, mask, repeatTimes, true);
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const Side<T> d{dst, 1, dstRepStride};
    judge<lanes>(place, chip, d, l, true);
    each_lane<lanes>(l, [&](int64_t repeat, uint32_t lane) {
        const uint64_t index = (uint64_t)repeat * lanes + lane;
        access_chip(place, chip, PIPE_V, reinterpret_cast<uint8_t *>(offset.at(index)), 4, offset.low,
                    offset.high, false, 4);
        const uint8_t *from = src.address + base + *offset.at(index);
        access_chip(place, chip, PIPE_V, from, sizeof(T), src.low, src.high, false, sizeof(T));
        memcpy(static_cast<void *>(lane_at<lanes>(d, l, repeat, lane)), from, sizeof(T));
    });
}

/* Eight blocks of 32 bytes a repeat, each from the byte that its offset says. */
template <typename T>
void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
             int64_t repeatTimes, const GatherRepeatParams &params, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Gatherb");
    belay_chip *chip = belay_chip_now();
    judge_repeats(place, repeatTimes);
    issue(chip, PIPE_V);
    access_tensor(place, chip, PIPE_V, offset, (uint64_t)repeatTimes * 32, false);
    for (int64_t block = 0; block < repeatTimes * 8; block++) {
        const uint8_t *from = src.address + *offset.at((uint64_t)block);
        uint8_t *to = dst.address + (block / 8 * params.dstRepStride + block % 8 * params.dstBlkStride) * 32;
        access_chip(place, chip, PIPE_V, from, 32, src.low, src.high, false, 32);
        access_chip(place, chip, PIPE_V, to, 32, dst.low, dst.high, true, 32);
        memmove(to, from, 32);
    }
}

/* What is at byte base + offset[i] of dst = src[i]. */
template <typename T>
void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
             uint32_t base, uint32_t count, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Scatter");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    access_tensor(place, chip, PIPE_V, offset, count * 4ull, false);
    access_tensor(place, chip, PIPE_V, src, (uint64_t)count * sizeof(T), false);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *to = dst.address + base + *offset.at(i);
        access_chip(place, chip, PIPE_V, to, sizeof(T), dst.low, dst.high, true, sizeof(T));
        memcpy(to, static_cast<const void *>(src.at(i)), sizeof(T));
    }
}

/* Whether a pattern by number takes an element: 1 and 2 every other one, 3 to 6 one of four, 7 all. */
constexpr bool pattern_takes(uint8_t pattern, uint32_t index)
{
    return pattern == 7 || (pattern <= 2 ? index % 2 == pattern - 1u : index % 4 == pattern - 3u);
}

/* Packs the elements that `takes` says of; each repeat is `count` of them. */
template <typename T, typename F>
void gather_mask(const belay_chip_place &place, const LocalTensor<T> &d, const LocalTensor<T> &s, bool counts,
                 uint32_t mask, const GatherMaskParams &p, uint64_t &taken, F takes)
{
    constexpr uint32_t each = 32 / sizeof(T);
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const uint32_t count = counts ? mask : lanes_for<T>;
    taken = 0;
    for (uint32_t repeat = 0; repeat < p.repeatTimes; repeat++) {
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *from =
                s.address + ((uint64_t)repeat * p.src0RepeatStride + i / each * p.src0BlockStride) * 32 +
                i % each * sizeof(T);
            access_chip(place, chip, PIPE_V, from, sizeof(T), s.low, s.high, false, sizeof(T));
            if (!takes(repeat, i))
                continue;
            uint8_t *to = reinterpret_cast<uint8_t *>(d.at(taken++));
            access_chip(place, chip, PIPE_V, to, sizeof(T), d.low, d.high, true, sizeof(T));
            memmove(to, from, sizeof(T));
        }
    }
    chip->selected = taken;
}

template <typename T>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t src1Pattern,
                bool reduceMode, uint32_t mask, const GatherMaskParams &params, uint64_t &rsvdCnt,
                const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("GatherMask");
    if (src1Pattern < 1 || src1Pattern > 7)
        belay_chip_fault(&place, "pattern %d; 1 to 7 are expected", src1Pattern);
    gather_mask(place, dst, src0, reduceMode, mask, params, rsvdCnt,
                [=](uint32_t, uint32_t i) { return pattern_takes(src1Pattern, i); });
}

template <typename T, typename U>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1Pattern,
                bool reduceMode, uint32_t mask, const GatherMaskParams &params, uint64_t &rsvdCnt,
                const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("GatherMask");
    gather_mask(place, dst, src0, reduceMode, mask, params, rsvdCnt, [&](uint32_t repeat, uint32_t i) {
        const uint8_t *byte = src1Pattern.address + (uint64_t)repeat * params.src1RepeatStride * 32 + i / 8;
        access_chip(place, belay_chip_now(), PIPE_V, byte, 1, src1Pattern.low, src1Pattern.high, false, 1);
        return (*byte >> i % 8 & 1) != 0;
    });
}

inline int64_t GetGatherMaskRemainCount()
{
    return (int64_t)belay_chip_now()->selected;
}

/* Eight elements a repeat, each spread over a block. */
template <typename T>
void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t repeatTimes,
          const BrcbRepeatParams &params, const Where &at = BELAY_HERE)
{
    constexpr uint32_t each = 32 / sizeof(T);
    const belay_chip_place place = at.of("Brcb");
    belay_chip *chip = belay_chip_now();
    judge_repeats(place, repeatTimes);
    issue(chip, PIPE_V);
    access_tensor(place, chip, PIPE_V, src, (uint64_t)repeatTimes * 8 * sizeof(T), false);
    for (int64_t repeat = 0; repeat < repeatTimes; repeat++) {
        T values[8];
        memcpy(static_cast<void *>(values), src.at((uint64_t)repeat * 8), sizeof values);
        for (uint32_t block = 0; block < 8; block++) {
            uint8_t *to = dst.address + (repeat * params.dstRepStride + block * params.dstBlkStride) * 32;
            access_chip(place, chip, PIPE_V, to, 32, dst.low, dst.high, true, 32);
            for (uint32_t i = 0; i < each; i++)
                memcpy(to + i * sizeof(T), static_cast<const void *>(values + block), sizeof(T));
        }
    }
}

/* first, first + 1, ... */
template <typename T>
void CreateVecIndex(const LocalTensor<T> &dst, const T &first, uint32_t count, const Where &at = BELAY_HERE)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    access_tensor(at.of("CreateVecIndex"), chip, PIPE_V, dst, (uint64_t)count * sizeof(T), true);
    for (uint32_t i = 0; i < count; i++)
        *dst.at(i) = formula::Add()(first, static_cast<T>(i));
}

template <typename T>
void CreateVecIndex(const LocalTensor<T> &dst, const T &first, uint64_t mask, int64_t repeatTimes,
                    uint16_t dstBlkStride, uint8_t dstRepStride, const Where &at = BELAY_HERE)
{
    constexpr uint32_t lanes = lanes_for<T>;
    const belay_chip_place place = at.of("CreateVecIndex");
    const Lanes l = lanes_of_mask(place, mask, repeatTimes, lanes, true);
    const Side<T> d{dst, dstBlkStride, dstRepStride};
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    judge<lanes>(place, chip, d, l, true);
    each_lane<lanes>(l, [&](int64_t repeat, uint32_t lane) {
        *lane_at<lanes>(d, l, repeat, lane) = formula::Add()(first, static_cast<T>(repeat * lanes + lane));
    });
}

/* first, first + step, first + 2 step, ...: each is the product, rounded, and the sum. */
template <typename T>
void ArithProgression(const LocalTensor<T> &dst, const T first, const T step, const int32_t count,
                      const Where &at = BELAY_HERE)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    access_tensor(at.of("ArithProgression"), chip, PIPE_V, dst, (uint64_t)count * sizeof(T), true);
    for (int32_t i = 0; i < count; i++)
        *dst.at((uint64_t)i) = formula::Add()(first, formula::Mul()(step, static_cast<T>(i)));
}

template <typename T>
void Arange(const LocalTensor<T> &dst, const T first, const T step, const int32_t count,
            const Where &at = BELAY_HERE)
{
    ArithProgression<T>(dst, first, step, count, at);
}

/* 16 x 16 elements of 2 bytes: rows become columns. */
inline void transpose_square(uint8_t *to, const uint8_t *from)
{
    uint16_t copy[256];
    memcpy(copy, from, sizeof copy);
    uint16_t *target = reinterpret_cast<uint16_t *>(to);
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++)
            target[column * 16 + row] = copy[row * 16 + column];
}

template <typename T>
void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Where &at = BELAY_HERE)
{
    static_assert(sizeof(T) == 2, "Transpose: elements of 2 bytes are expected");
    const belay_chip_place place = at.of("Transpose");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    access_tensor(place, chip, PIPE_V, src, 512, false);
    access_tensor(place, chip, PIPE_V, dst, 512, true);
    transpose_square(dst.address, src.address);
}

/* 16 rows of 32 bytes become columns: of 2 bytes 16 rows of 16, of 4 bytes 8 rows in two blocks each, of 1 byte halves. */
template <typename T>
void trans_data(const belay_chip_place &place, const uint64_t dst[16], const uint64_t src[16],
                const TransDataTo5HDParams &p)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const uint8_t *low = chip->memory, *high = low + CHIP_UB_BYTES;
    for (uint32_t repeat = 0; repeat < p.repeatTimes; repeat++) {
        T rows[16][32 / sizeof(T)];
        for (int row = 0; row < 16; row++) {
            const uint8_t *from = reinterpret_cast<const uint8_t *>(src[row]) + repeat * p.srcRepStride * 32;
            access_chip(place, chip, PIPE_V, from, 32, low, high, false, 32);
            memcpy(static_cast<void *>(rows[row]), from, 32);
        }
        for (int row = 0; row < 16; row++) {
            uint8_t *to = reinterpret_cast<uint8_t *>(dst[row]) + repeat * p.dstRepStride * 32;
            access_chip(place, chip, PIPE_V, to, 32, low, high, true, 32);
            T *block = reinterpret_cast<T *>(to);
            for (int i = 0; i < (int)(32 / sizeof(T)); i++) {
                if constexpr (sizeof(T) == 2)
                    block[i] = rows[i][row];
                else if constexpr (sizeof(T) == 4)
                    block[i] = rows[row % 2 * 8 + i][row / 2];
                else if (i / 16 == (p.dstHighHalf ? 1 : 0))
                    block[i] = rows[i % 16][row + (p.srcHighHalf ? 16 : 0)];
            }
        }
    }
}

template <typename T>
void TransDataTo5HD(uint64_t dst[16], uint64_t src[16], const TransDataTo5HDParams &params,
                    const Where &at = BELAY_HERE)
{
    trans_data<T>(at.of("TransDataTo5HD"), dst, src, params);
}

template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16],
                    const TransDataTo5HDParams &params, const Where &at = BELAY_HERE)
{
    uint64_t to[16], from[16];
    for (int row = 0; row < 16; row++) {
        to[row] = (uint64_t)dst[row].at();
        from[row] = (uint64_t)src[row].at();
    }
    trans_data<T>(at.of("TransDataTo5HD"), to, from, params);
}

/* dst of shape dstShape = src of srcShape, repeated along the axis where that is 1. */
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], const LocalTensor<uint8_t> &, const Where &at = BELAY_HERE)
{
    static_assert(dim == 1 || dim == 2, "Broadcast: 1 or 2 dims are expected");
    const belay_chip_place place = at.of("Broadcast");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const uint32_t rows = dim == 2 ? dstShape[0] : 1, columns = dstShape[dim - 1];
    const uint32_t source_rows = dim == 2 ? srcShape[0] : 1, source_columns = srcShape[dim - 1];
    access_tensor(place, chip, PIPE_V, src, (uint64_t)source_rows * source_columns * sizeof(T), false);
    access_tensor(place, chip, PIPE_V, dst, (uint64_t)rows * columns * sizeof(T), true);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++)
            *dst.at((uint64_t)row * columns + column) = *src.at(
                (uint64_t)(source_rows == 1 ? 0 : row) * source_columns + (source_columns == 1 ? 0 : column));
}

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], const Where &at = BELAY_HERE)
{
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, LocalTensor<uint8_t>(), at);
}

/* The name that newer kernels use. */
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], const LocalTensor<uint8_t> &tmp, const Where &at = BELAY_HERE)
{
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, tmp, at);
}

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], const Where &at = BELAY_HERE)
{
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, LocalTensor<uint8_t>(), at);
}

/*
 * A row of 8 blocks, vRepeat times: the sum over hRepeat of 8 blocks of src0, which the offsets name in bytes, each times
 * a number of src1: one for the 8 blocks, or one each where repeatMode is true. Products and sums are rounded to half.
 */
template <typename T>
void BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                           const LocalTensor<uint32_t> &src0Offset, const LocalTensor<T> &src1, uint64_t mask,
                           uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,
                           uint8_t vRepeat, const LocalTensor<uint8_t> &, const Where &at = BELAY_HERE)
{
    static_assert(std::is_same_v<T, half>, "BilinearInterpolation: half is expected");
    constexpr uint32_t each = 32 / sizeof(T), blocks = 8;
    const belay_chip_place place = at.of("BilinearInterpolation");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    if (mask > each * blocks)
        belay_chip_fault(&place, "a mask of %llu lanes; at most %u are expected", (unsigned long long)mask,
                         each * blocks);
    const uint64_t steps = (uint64_t)hRepeat * vRepeat;
    access_tensor(place, chip, PIPE_V, src0Offset, steps * blocks * 4, false);
    access_tensor(place, chip, PIPE_V, src1, steps * (repeatMode ? blocks : 1) * sizeof(T), false);
    for (uint64_t row = 0; row < vRepeat; row++) {
        T sums[each * blocks];
        for (uint64_t step = 0; step < hRepeat; step++)
            for (uint32_t block = 0; block * each < mask; block++) {
                const uint64_t number = row * hRepeat + step;
                const T factor = *src1.at(repeatMode ? number * blocks + block : number);
                const uint8_t *from = src0.address + *src0Offset.at(number * blocks + block);
                access_chip(place, chip, PIPE_V, from, 32, src0.low, src0.high, false, 32);
                for (uint32_t i = 0; i < each; i++) {
                    const T product = formula::Mul()(reinterpret_cast<const T *>(from)[i], factor);
                    T &sum = sums[block * each + i];
                    sum = step ? formula::Add()(sum, product) : product;
                }
            }
        for (uint32_t lane = 0; lane < mask && hRepeat; lane += each) {
            const uint64_t some = mask - lane < each ? mask - lane : each;
            uint8_t *to =
                dst.address + row * vROffset * sizeof(T) + (uint64_t)(lane / each) * dstBlkStride * 32;
            access_chip(place, chip, PIPE_V, to, some * sizeof(T), dst.low, dst.high, true, 32);
            memcpy(to, static_cast<const void *>(sums + lane), some * sizeof(T));
        }
    }
}
} // namespace AscendC

#endif
