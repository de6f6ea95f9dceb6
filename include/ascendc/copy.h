/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies between global memory and a vector core, and within UB: DataCopy of whole blocks, DataCopyPad of any number of
 * bytes.
 */
#ifndef ASCENDC_COPY_H
#define ASCENDC_COPY_H

#include "ascendc/params.h"
#include "ascendc/tensor.h"

namespace AscendC
{
/* Some bytes `count` times over, with what lies between two starts. */
struct Bursts {
    uint64_t count, bytes;
    int64_t source, target;

    uint64_t target_reach() const
    {
        return count ? (count - 1) * (uint64_t)target + bytes : 0;
    }
    uint64_t source_reach() const
    {
        return count ? (count - 1) * (uint64_t)source + bytes : 0;
    }
};

inline pipe_t pipe_between(TPosition from, TPosition to)
{
    if (memory_of(from) == CHIP_UB)
        return memory_of(to) == CHIP_UB ? PIPE_V : PIPE_MTE3;
    return memory_of(from) == CHIP_L0C ? PIPE_FIX : PIPE_MTE1;
}

/* Each burst's own check is only for strides that leave gaps: a shadow is told of what is touched alone. */
template <typename T>
void load_bursts(const belay_chip_place &place, const LocalTensor<T> &to, const GlobalTensor<T> &from,
                 const Bursts &b)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_MTE2);
    for (uint64_t burst = 0; burst < b.count; burst++) {
        uint8_t *target = to.address + (int64_t)burst * b.target;
        const uint8_t *source = from.bytes() + (int64_t)burst * b.source;
        access_late(place, chip, PIPE_MTE2, target, b.bytes, to.low, to.high, true, 32);
        belay_chip_global(&place, source, b.bytes, from.base, from.count * sizeof(T), false);
        if (!load_waits(chip, memory_of(to.position) == CHIP_UB, target, source, b.bytes))
            memcpy(target, source, b.bytes);
    }
}

template <typename T>
void store_bursts(const belay_chip_place &place, const GlobalTensor<T> &to, const LocalTensor<T> &from,
                  const Bursts &b)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_MTE3);
    for (uint64_t burst = 0; burst < b.count; burst++) {
        uint8_t *target = to.bytes() + (int64_t)burst * b.target;
        const uint8_t *source = from.address + (int64_t)burst * b.source;
        if (!is_result(chip, source, b.bytes))
            settle_for(chip, source, b.bytes);
        access_late(place, chip, PIPE_MTE3, source, b.bytes, from.low, from.high, false, 32);
        belay_chip_global(&place, target, b.bytes, to.base, to.count * sizeof(T), true);
        store_global<T>(chip, target, source, b.bytes);
    }
}

template <typename T, typename U>
void move_bursts(const belay_chip_place &place, const LocalTensor<T> &to, const LocalTensor<U> &from,
                 const Bursts &b)
{
    belay_chip *chip = belay_chip_now();
    const pipe_t pipe = pipe_between(from.position, to.position);
    issue(chip, pipe);
    for (uint64_t burst = 0; burst < b.count; burst++) {
        uint8_t *target = to.address + (int64_t)burst * b.target;
        const uint8_t *source = from.address + (int64_t)burst * b.source;
        access_chip(place, chip, pipe, source, b.bytes, from.low, from.high, false, 32);
        access_chip(place, chip, pipe, target, b.bytes, to.low, to.high, true, 32);
        memmove(target, source, b.bytes);
    }
}

inline Bursts whole_blocks(const belay_chip_place &place, uint64_t bytes)
{
    if (bytes % 32)
        belay_chip_not_whole(&place, bytes);
    return {1, bytes, 0, 0};
}

inline Bursts blocks_of(const DataCopyParams &p)
{
    return {p.blockCount, p.blockLen * 32u, (p.blockLen + p.srcStride) * 32ll,
            (p.blockLen + p.dstStride) * 32ll};
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count,
              const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("DataCopy");
    load_bursts(place, dst, src, whole_blocks(place, (uint64_t)count * sizeof(T)));
}

template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count,
              const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("DataCopy");
    store_bursts(place, dst, src, whole_blocks(place, (uint64_t)count * sizeof(T)));
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count,
              const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("DataCopy");
    move_bursts(place, dst, src, whole_blocks(place, (uint64_t)count * sizeof(T)));
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
              const Where &at = BELAY_HERE)
{
    load_bursts(at.of("DataCopy"), dst, src, blocks_of(params));
}

template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params,
              const Where &at = BELAY_HERE)
{
    store_bursts(at.of("DataCopy"), dst, src, blocks_of(params));
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params,
              const Where &at = BELAY_HERE)
{
    move_bursts(at.of("DataCopy"), dst, src, blocks_of(params));
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
              const DataCopyEnhancedParams &, const Where &at = BELAY_HERE)
{
    DataCopy(dst, src, params, at);
}

template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params,
              const DataCopyEnhancedParams &, const Where &at = BELAY_HERE)
{
    DataCopy(dst, src, params, at);
}

/* Slices: of each dim a range, in bursts of burstLen blocks. The first dim is the innermost. */
template <typename T>
void slice_offsets(const SliceInfo info[], uint32_t dims, uint64_t index, uint64_t &offset, uint64_t &bytes)
{
    uint64_t step = 1;
    offset = 0;
    bytes = info[0].burstLen * 32u;
    for (uint32_t dim = 0; dim < dims; dim++) {
        const uint64_t length = dim ? 1 : info[0].burstLen * 32u / sizeof(T);
        const uint64_t period = length + info[dim].stride;
        const uint64_t many = (info[dim].endIndex - info[dim].startIndex + info[dim].stride + 1) / period;
        offset += (info[dim].startIndex + index % many * period) * step * sizeof(T);
        index /= many;
        step *= info[dim].shapeValue;
    }
}

inline uint64_t slice_count(const SliceInfo info[], uint32_t dims, uint64_t bytes)
{
    uint64_t count = 1;
    for (uint32_t dim = 0; dim < dims; dim++) {
        const uint64_t length = dim ? 1 : info[0].burstLen * 32u / bytes;
        count *=
            (info[dim].endIndex - info[dim].startIndex + info[dim].stride + 1) / (length + info[dim].stride);
    }
    return count;
}

/* f(element of the target, element of the source, bytes) for each burst. */
template <typename T, typename F>
void each_slice(const SliceInfo targets[], const SliceInfo sources[], uint32_t dims, F f)
{
    const uint64_t count = slice_count(sources, dims, sizeof(T));
    for (uint64_t each = 0; each < count; each++) {
        uint64_t to, from, bytes;
        slice_offsets<T>(targets, dims, each, to, bytes);
        slice_offsets<T>(sources, dims, each, from, bytes);
        f(to / sizeof(T), from / sizeof(T), bytes);
    }
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dstSlices[],
              const SliceInfo srcSlices[], uint32_t dims = 1, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("DataCopy");
    each_slice<T>(dstSlices, srcSlices, dims, [&](uint64_t to, uint64_t from, uint64_t bytes) {
        load_bursts(place, dst[(uint32_t)to], src[from], {1, bytes, 0, 0});
    });
}

template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dstSlices[],
              const SliceInfo srcSlices[], uint32_t dims = 1, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("DataCopy");
    each_slice<T>(dstSlices, srcSlices, dims, [&](uint64_t to, uint64_t from, uint64_t bytes) {
        store_bursts(place, dst[to], src[(uint32_t)from], {1, bytes, 0, 0});
    });
}

/* Each burst begins on a block of UB; what its last block has behind it is the padding's value, or undefined. */
template <typename T, typename Params, typename Pad>
void load_padded(const belay_chip_place &place, const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                 const Params &params, const Pad &pad)
{
    belay_chip *chip = belay_chip_now();
    T value{};
    if constexpr (std::is_same_v<std::decay_t<decltype(pad.paddingValue)>, T>)
        value = pad.paddingValue;
    else
        memcpy(&value, &pad.paddingValue, sizeof(T));
    const uint64_t left = pad.isPad ? pad.leftPadding * sizeof(T) : 0,
                   right = pad.isPad ? pad.rightPadding * sizeof(T) : 0;
    if (__builtin_expect(left > 32 || right > 32, 0))
        belay_chip_fault(&place, "pads %d and %d elements; at most 32 bytes on either side are expected",
                         pad.leftPadding, pad.rightPadding);
    const uint64_t bytes = params.blockLen, whole = in_whole_blocks(left + bytes + right);
    const int64_t source_step = (int64_t)bytes + (int64_t)params.srcStride;
    const int64_t target_step = (int64_t)whole + (int64_t)params.dstStride * 32;
    if (__builtin_expect(bytes % sizeof(T) != 0, 0) && sizeof(T) > 1)
        belay_chip_fault(&place, "blocks of %llu bytes, which are no whole elements of %zu",
                         (unsigned long long)bytes, sizeof(T));
    issue(chip, PIPE_MTE2);
    for (uint64_t burst = 0; burst < params.blockCount; burst++) {
        uint8_t *target = dst.address + (int64_t)burst * target_step;
        const uint8_t *source = src.bytes() + (int64_t)burst * source_step;
        access_late(place, chip, PIPE_MTE2, target, whole, dst.low, dst.high, true, 32);
        belay_chip_global(&place, source, bytes, src.base, src.count * sizeof(T), false);
        if (whole == bytes && load_waits(chip, memory_of(dst.position) == CHIP_UB, target, source, bytes))
            continue;
        settle_for(chip, target, whole);
        T *elements = reinterpret_cast<T *>(target);
        for (uint64_t i = 0; i < left / sizeof(T); i++)
            elements[i] = value;
        memcpy(target + left, source, bytes);
        for (uint64_t i = (left + bytes) / sizeof(T); pad.isPad && i < whole / sizeof(T); i++)
            elements[i] = value;
    }
}

template <typename T, typename Params>
void store_unpadded(const belay_chip_place &place, const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                    const Params &params)
{
    const uint64_t bytes = params.blockLen, whole = in_whole_blocks(bytes);
    store_bursts(place, dst, src,
                 {params.blockCount, bytes, (int64_t)whole + (int64_t)params.srcStride * 32,
                  (int64_t)bytes + (int64_t)params.dstStride});
}

template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
                 const DataCopyPadParams &pad, const Where &at = BELAY_HERE)
{
    load_padded(at.of("DataCopyPad"), dst, src, params, pad);
}

template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &params,
                 const DataCopyPadExtParams<T> &pad, const Where &at = BELAY_HERE)
{
    load_padded(at.of("DataCopyPad"), dst, src, params, pad);
}

template <typename T, typename U>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &params,
                 const DataCopyPadExtParams<U> &pad, const Where &at = BELAY_HERE)
{
    const DataCopyPadExtParams<T> own(pad.isPad, pad.leftPadding, pad.rightPadding,
                                      static_cast<T>(pad.paddingValue));
    load_padded(at.of("DataCopyPad"), dst, src, params, own);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params,
                 const Where &at = BELAY_HERE)
{
    store_unpadded(at.of("DataCopyPad"), dst, src, params);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &params,
                 const Where &at = BELAY_HERE)
{
    store_unpadded(at.of("DataCopyPad"), dst, src, params);
}

template <typename T> void SetPadValue(T value)
{
    belay_chip *chip = belay_chip_now();
    chip->padding = 0;
    memcpy(&chip->padding, &value, sizeof(T) < 8 ? sizeof(T) : 8);
}
} // namespace AscendC

#endif
