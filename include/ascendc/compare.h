/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Compare, which writes a bit for each lane, eight a byte and the lowest first; Select, which chooses by them.
 */
#ifndef ASCENDC_COMPARE_H
#define ASCENDC_COMPARE_H

#include "ascendc/lanes.h"

namespace AscendC
{
template <typename T> bool holds(T u, T v, CMPMODE mode)
{
    const computed<T> x = static_cast<computed<T>>(u), y = static_cast<computed<T>>(v);
    switch (mode) {
    case CMPMODE::LT:
        return x < y;
    case CMPMODE::GT:
        return x > y;
    case CMPMODE::EQ:
        return x == y;
    case CMPMODE::LE:
        return x <= y;
    case CMPMODE::GE:
        return x >= y;
    default:
        return x != y;
    }
}

inline void set_bit(uint8_t *bits, int64_t at, bool value)
{
    bits[at / 8] = (uint8_t)((bits[at / 8] & ~(1 << at % 8)) | value << at % 8);
}

inline bool get_bit(const uint8_t *bits, int64_t at)
{
    return bits[at / 8] >> at % 8 & 1;
}

/* Begins an instruction that reads one tensor or two, and says how many repeats it has. */
template <typename T>
int64_t begin_reads(const belay_chip_place &place, belay_chip *chip, const Lanes &l, const Side<T> &a,
                    const Side<T> *b)
{
    constexpr uint32_t lanes = lanes_for<T>;
    issue(chip, PIPE_V);
    const int64_t repeats = repeats_of(l, lanes);
    if (repeats) {
        judge<lanes>(place, chip, a, l, false);
        if (b)
            judge<lanes>(place, chip, *b, l, false);
    }
    return repeats;
}

/* A bit for each lane, also of lanes that the mask leaves out, which keep theirs. */
template <typename T, typename F>
void compare(const belay_chip_place &place, const Lanes &l, uint8_t *bits, const uint8_t *low,
             const uint8_t *high, const Side<T> &a, const Side<T> *b, F f)
{
    constexpr uint32_t lanes = lanes_for<T>;
    belay_chip *chip = belay_chip_now();
    const int64_t repeats = begin_reads(place, chip, l, a, b);
    if (!repeats)
        return;
    if (low) {
        const uint64_t bytes = l.count >= 0 ? ((uint64_t)l.count + 7) / 8 : (uint64_t)repeats * lanes / 8;
        access_chip(place, chip, PIPE_V, bits, bytes, low, high, true, 32);
    }
    each_lane<lanes>(l, [&](int64_t repeat, uint32_t lane) {
        const T x = *lane_at<lanes>(a, l, repeat, lane);
        const T y = b ? *lane_at<lanes>(*b, l, repeat, lane) : T{};
        set_bit(bits, repeat * lanes + lane, f(x, y));
    });
}

template <typename T, typename U>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
             uint32_t count, const Where &at = BELAY_HERE)
{
    const Side<T> b = plain(src1);
    compare(at.of("Compare"), lanes_of_count(count), dst.address, dst.low, dst.high, plain(src0), &b,
            [mode](T x, T y) { return holds(x, y, mode); });
}

template <typename T, typename U, bool isSetMask = true, typename Mask>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
             Mask mask, int64_t repeatTimes, const BinaryRepeatParams &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Compare");
    const Side<T> b{src1, p.src1BlkStride, p.src1RepStride};
    const Lanes l = lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask);
    compare(place, l, dst.address, dst.low, dst.high, Side<T>{src0, p.src0BlkStride, p.src0RepStride}, &b,
            [mode](T x, T y) { return holds(x, y, mode); });
}

/* To the register that Select without a mask reads: one repeat. */
template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, uint64_t mask,
             const BinaryRepeatParams &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Compare");
    const Side<T> b{src1, p.src1BlkStride, p.src1RepStride};
    compare(place, lanes_of_mask(place, mask, 1, lanes_for<T>, isSetMask), belay_chip_now()->comparison,
            nullptr, nullptr, Side<T>{src0, p.src0BlkStride, p.src0RepStride}, &b,
            [mode](T x, T y) { return holds(x, y, mode); });
}

template <typename T, typename U, typename S>
void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const S &scalar, CMPMODE mode,
                   uint32_t count, const Where &at = BELAY_HERE)
{
    const T value = static_cast<T>(scalar);
    compare(at.of("CompareScalar"), lanes_of_count(count), dst.address, dst.low, dst.high, plain(src0),
            static_cast<const Side<T> *>(nullptr), [=](T x, T) { return holds(x, value, mode); });
}

template <typename T, typename U, bool isSetMask = true, typename S, typename Mask>
void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const S &scalar, CMPMODE mode,
                   Mask mask, int64_t repeatTimes, const UnaryRepeatParams &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("CompareScalar");
    const T value = static_cast<T>(scalar);
    const Lanes l = lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask);
    compare(place, l, dst.address, dst.low, dst.high, Side<T>{src0, p.srcBlkStride, p.srcRepStride},
            static_cast<const Side<T> *>(nullptr), [=](T x, T) { return holds(x, value, mode); });
}

template <typename T, typename U, typename S>
void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const S &scalar, CMPMODE mode,
              uint32_t count, const Where &at = BELAY_HERE)
{
    CompareScalar<T, U, S>(dst, src0, scalar, mode, count, at);
}

template <typename T> void GetCmpMask(const LocalTensor<T> &dst, const Where &at = BELAY_HERE)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    access_chip(at.of("GetCmpMask"), chip, PIPE_V, dst.address, 16, dst.low, dst.high, true, 16);
    memcpy(dst.address, chip->comparison, 16);
}

template <typename T> void SetCmpMask(const LocalTensor<T> &src, const Where &at = BELAY_HERE)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    access_chip(at.of("SetCmpMask"), chip, PIPE_V, src.address, 16, src.low, src.high, false, 16);
    memcpy(chip->comparison, src.address, 16);
}

/* One repeat's bits serve all where the mode says so, or the bits go on. */
template <typename T, typename F>
void select(const belay_chip_place &place, const Lanes &l, SELMODE mode, const uint8_t *bits,
            const uint8_t *low, const uint8_t *high, const Side<T> &d, const Side<T> &a, const Side<T> *b,
            F other)
{
    constexpr uint32_t lanes = lanes_for<T>;
    belay_chip *chip = belay_chip_now();
    const int64_t repeats = begin_reads(place, chip, l, a, b);
    if (!repeats)
        return;
    const bool same = mode == SELMODE::VSEL_CMPMASK_SPR;
    if (low) {
        const uint64_t bytes = same           ? lanes / 8
                               : l.count >= 0 ? ((uint64_t)l.count + 7) / 8
                                              : (uint64_t)repeats * lanes / 8;
        access_chip(place, chip, PIPE_V, bits, bytes, low, high, false, 32);
    }
    judge<lanes>(place, chip, d, l, true);
    each_lane<lanes>(l, [&](int64_t repeat, uint32_t lane) {
        const T x = *lane_at<lanes>(a, l, repeat, lane);
        const T y = b ? *lane_at<lanes>(*b, l, repeat, lane) : other;
        *lane_at<lanes>(d, l, repeat, lane) = get_bit(bits, same ? lane : repeat * lanes + lane) ? x : y;
    });
}

template <typename T, typename U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0,
            const LocalTensor<T> &src1, SELMODE mode, uint32_t count, const Where &at = BELAY_HERE)
{
    const Side<T> b = plain(src1);
    select(at.of("Select"), lanes_of_count(count), mode, mask.address, mask.low, mask.high, plain(dst),
           plain(src0), &b, T{});
}

template <typename T, typename U, typename S,
          std::enable_if_t<std::is_convertible_v<S, T> || std::is_constructible_v<T, S>, int> = 0>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0, const S &src1,
            SELMODE mode, uint32_t count, const Where &at = BELAY_HERE)
{
    select(at.of("Select"), lanes_of_count(count), mode, mask.address, mask.low, mask.high, plain(dst),
           plain(src0), static_cast<const Side<T> *>(nullptr), static_cast<T>(src1));
}

template <typename T, typename U, bool isSetMask = true, typename Mask>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src0,
            const LocalTensor<T> &src1, SELMODE mode, Mask mask, int64_t repeatTimes,
            const BinaryRepeatParams &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Select");
    const Side<T> b{src1, p.src1BlkStride, p.src1RepStride};
    const Lanes l = lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask);
    select(place, l, mode, bits.address, bits.low, bits.high, Side<T>{dst, p.dstBlkStride, p.dstRepStride},
           Side<T>{src0, p.src0BlkStride, p.src0RepStride}, &b, T{});
}

template <typename T, typename U, bool isSetMask = true, typename S, typename Mask,
          std::enable_if_t<std::is_convertible_v<S, T> || std::is_constructible_v<T, S>, int> = 0>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src0, const S &src1,
            SELMODE mode, Mask mask, int64_t repeatTimes, const BinaryRepeatParams &p,
            const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Select");
    const Lanes l = lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask);
    select(place, l, mode, bits.address, bits.low, bits.high, Side<T>{dst, p.dstBlkStride, p.dstRepStride},
           Side<T>{src0, p.src0BlkStride, p.src0RepStride}, static_cast<const Side<T> *>(nullptr),
           static_cast<T>(src1));
}

/* By the register that Compare without a destination wrote. */
template <typename T, SELMODE mode = SELMODE::VSEL_CMPMASK_SPR>
void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
            int64_t repeatTimes, const BinaryRepeatParams &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Select");
    const Side<T> b{src1, p.src1BlkStride, p.src1RepStride};
    select(place, lanes_of_mask(place, MASK_PLACEHOLDER, repeatTimes, lanes_for<T>, false), mode,
           belay_chip_now()->comparison, nullptr, nullptr, Side<T>{dst, p.dstBlkStride, p.dstRepStride},
           Side<T>{src0, p.src0BlkStride, p.src0RepStride}, &b, T{});
}

/* Rows of the source and of the mask, which may be longer: whole blocks of 32 bytes. */
struct SelectWithBytesMaskShapeInfo {
    uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};

template <typename T, typename M, typename F>
void select_by_bytes(const belay_chip_place &place, const LocalTensor<T> &d, const LocalTensor<T> &source,
                     const LocalTensor<M> &mask, const SelectWithBytesMaskShapeInfo &info, F choose)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    if (info.srcLastAxis > info.maskLastAxis || info.srcLastAxis * sizeof(T) % 32 ||
        info.maskLastAxis * sizeof(M) % 32)
        belay_chip_fault(
            &place,
            "rows of %u elements and of %u of the mask; whole blocks of 32 bytes are expected, and "
            "no fewer of the mask",
            info.srcLastAxis, info.maskLastAxis);
    const uint64_t count = (uint64_t)info.firstAxis * info.srcLastAxis;
    access_tensor(place, chip, PIPE_V, source, count * sizeof(T), false);
    access_tensor(place, chip, PIPE_V, mask, (uint64_t)info.firstAxis * info.maskLastAxis * sizeof(M), false);
    access_tensor(place, chip, PIPE_V, d, count * sizeof(T), true);
    for (uint64_t row = 0; row < info.firstAxis; row++)
        for (uint64_t i = 0; i < info.srcLastAxis; i++) {
            const uint64_t element = row * info.srcLastAxis + i;
            *d.at(element) = choose(*source.at(element), *mask.at(row * info.maskLastAxis + i) != M(0));
        }
}

/* src0 where a number of the mask is 0, else src1; either may be one number. */
template <typename T, typename M, bool isReuseMask = true>
void SelectWithBytesMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, T src1,
                         const LocalTensor<M> &mask, const LocalTensor<uint8_t> &,
                         const SelectWithBytesMaskShapeInfo &info, const Where &at = BELAY_HERE)
{
    select_by_bytes(at.of("SelectWithBytesMask"), dst, src0, mask, info,
                    [=](T x, bool set) { return set ? src1 : x; });
}

template <typename T, typename M, bool isReuseMask = true>
void SelectWithBytesMask(const LocalTensor<T> &dst, T src0, const LocalTensor<T> &src1,
                         const LocalTensor<M> &mask, const LocalTensor<uint8_t> &,
                         const SelectWithBytesMaskShapeInfo &info, const Where &at = BELAY_HERE)
{
    select_by_bytes(at.of("SelectWithBytesMask"), dst, src1, mask, info,
                    [=](T x, bool set) { return set ? x : src0; });
}
} // namespace AscendC

#endif
