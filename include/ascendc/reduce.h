/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reductions. The order is the same everywhere: neighbours are added, then the neighbours of what that gives, until one
 * is left of a repeat (a block, a pair); each step is rounded to the elements' type, and lanes that the mask leaves
 * out count as 0. By a count, the results of the repeats are reduced in the same way. Of equal ones the first is the
 * greatest or least.
 */
#ifndef ASCENDC_REDUCE_H
#define ASCENDC_REDUCE_H

#include "ascendc/elementwise.h"

namespace AscendC
{
enum { REPEAT_LANES_MAX = 128 };

/* Leaves the result in values[0]. */
template <typename F, typename T> T pairs(T *values, uint32_t count, F f)
{
    for (; count > 1; count = (count + 1) / 2)
        for (uint32_t i = 0; i < count; i += 2)
            values[i / 2] = i + 1 < count ? f(values[i], values[i + 1]) : values[i];
    return values[0];
}

/* The lanes of one repeat, those alone that the mask has: 0, or nothing, for the others. */
template <typename T> struct Taken {
    T value[REPEAT_LANES_MAX];
    uint32_t lane[REPEAT_LANES_MAX];
    bool is_on[REPEAT_LANES_MAX];
    uint32_t count;
};

template <uint32_t lanes, typename T>
void take(Taken<T> &taken, const Side<T> &side, const Lanes &l, int64_t repeat, bool with_holes)
{
    const Lanes own = repeat_of<lanes>(l, repeat);
    taken.count = 0;
    const uint32_t end = highest_lane(own.mask) + 1;
    for (uint32_t lane = 0; lane < end; lane++) {
        const bool on = own.mask.has(lane);
        if (!on && !with_holes)
            continue;
        taken.is_on[taken.count] = on;
        taken.value[taken.count] = on ? *lane_at<lanes>(side, l, repeat, lane) : T{};
        taken.lane[taken.count++] = lane;
    }
}

template <typename T>
void put(const belay_chip_place &place, belay_chip *chip, const LocalTensor<T> &d, uint64_t at,
         const T *values, uint32_t count)
{
    access_chip(place, chip, PIPE_V, reinterpret_cast<uint8_t *>(d.at(at)), count * sizeof(T), d.low, d.high,
                true, sizeof(T));
    memcpy(static_cast<void *>(d.at(at)), values, count * sizeof(T));
}

/* Of so many lanes each: a repeat, its blocks or its pairs. */
template <typename T, typename F>
void reduce_parts(const belay_chip_place &place, const Lanes &l, const LocalTensor<T> &d, const Side<T> &s,
                  uint32_t part, uint64_t step, F f, bool with_holes)
{
    constexpr uint32_t lanes = lanes_for<T>;
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    judge<lanes>(place, chip, s, l, false);
    for (int64_t repeat = 0; repeat < repeats_of(l, lanes); repeat++) {
        Taken<T> all;
        T results[REPEAT_LANES_MAX];
        uint32_t count = 0;
        take<lanes>(all, s, l, repeat, true);
        for (uint32_t first = 0; first < all.count; first += part) {
            T values[REPEAT_LANES_MAX];
            uint32_t some = 0;
            for (uint32_t i = first; i < first + part && i < all.count; i++)
                if (with_holes || all.is_on[i])
                    values[some++] = all.value[i];
            results[count++] = some ? pairs(values, some, f) : T{};
        }
        if (count)
            put(place, chip, d, (uint64_t)repeat * step, results, count);
    }
}

#define BELAY_REDUCTION_OF_PARTS(name, formula_name, part, step, holes)                                   \
    template <typename T, bool isSetMask = true, typename Mask>                                           \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t repeatTimes, Mask mask,       \
              int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,                           \
              const Where &at = BELAY_HERE)                                                               \
    {                                                                                                     \
        reduce_parts(at.of(#name), lanes_given<lanes_for<T>>(at.of(#name), mask, repeatTimes, isSetMask), \
                     dst, Side<T>{src, (uint32_t)srcBlkStride, (uint32_t)srcRepStride}, part,             \
                     (uint64_t)dstRepStride *step, formula::formula_name(), holes);                       \
    }

BELAY_REDUCTION_OF_PARTS(BlockReduceSum, Add, 32 / sizeof(T), 8, true)
BELAY_REDUCTION_OF_PARTS(BlockReduceMax, Max, 32 / sizeof(T), 8, false)
BELAY_REDUCTION_OF_PARTS(BlockReduceMin, Min, 32 / sizeof(T), 8, false)
BELAY_REDUCTION_OF_PARTS(PairReduceSum, Add, 2, (128 / sizeof(T)), true)
#undef BELAY_REDUCTION_OF_PARTS

template <typename T, bool isSetMask = true, typename Mask>
void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask, int64_t repeatTimes,
                    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,
                    const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("WholeReduceSum");
    reduce_parts(place, lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask), dst,
                 Side<T>{src, (uint32_t)srcBlkStride, (uint32_t)srcRepStride}, REPEAT_LANES_MAX,
                 (uint64_t)dstRepStride, formula::Add(), true);
}

template <typename T, bool isSetMask = true, typename Mask>
void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t repeatTimes, Mask mask,
                     int32_t, int32_t srcBlkStride, int32_t dstRepStride, int32_t srcRepStride,
                     const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("RepeatReduceSum");
    reduce_parts(place, lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask), dst,
                 Side<T>{src, (uint32_t)srcBlkStride, (uint32_t)srcRepStride}, REPEAT_LANES_MAX,
                 (uint64_t)dstRepStride, formula::Add(), true);
}

/* Where the greatest or least is. */
template <typename T> uint32_t extreme(const T *values, uint32_t count, bool greatest)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (greatest ? values[best] < values[i] : values[i] < values[best])
            best = i;
    return best;
}

/* An index in the bits of an element. */
template <typename T> T index_bits(uint32_t index)
{
    T bits{};
    memcpy(static_cast<void *>(&bits), &index, sizeof(T) < 4 ? sizeof(T) : 4);
    return bits;
}

template <typename T>
void reduce_to_extremes(const belay_chip_place &place, const Lanes &l, const LocalTensor<T> &d,
                        const Side<T> &s, uint64_t step, ReduceOrder order, bool greatest)
{
    constexpr uint32_t lanes = lanes_for<T>;
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    judge<lanes>(place, chip, s, l, false);
    for (int64_t repeat = 0; repeat < repeats_of(l, lanes); repeat++) {
        Taken<T> all;
        take<lanes>(all, s, l, repeat, false);
        if (!all.count)
            continue;
        const uint32_t best = extreme(all.value, all.count, greatest), lane = all.lane[best];
        const T value = all.value[best], index = index_bits<T>(lane);
        const T both[2] = {order == ReduceOrder::ORDER_INDEX_VALUE ? index : value,
                           order == ReduceOrder::ORDER_INDEX_VALUE ? value : index};
        if (order == ReduceOrder::ORDER_ONLY_VALUE)
            put(place, chip, d, (uint64_t)repeat * step, &value, 1);
        else if (order == ReduceOrder::ORDER_ONLY_INDEX)
            put(place, chip, d.template ReinterpretCast<uint32_t>(), (uint64_t)repeat * step, &lane, 1);
        else
            put(place, chip, d, (uint64_t)repeat * step * 2, both, 2);
    }
}

#define BELAY_EXTREMES(name, greatest)                                                                 \
    template <typename T, bool isSetMask = true, typename Mask>                                        \
    void WholeReduce##name(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,            \
                           int64_t repeatTimes, int32_t dstRepStride, int32_t srcBlkStride,            \
                           int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,   \
                           const Where &at = BELAY_HERE)                                               \
    {                                                                                                  \
        const belay_chip_place place = at.of("WholeReduce" #name);                                     \
        reduce_to_extremes(place, lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask), dst, \
                           Side<T>{src, (uint32_t)srcBlkStride, (uint32_t)srcRepStride},               \
                           (uint64_t)dstRepStride, order, greatest);                                   \
    }                                                                                                  \
    template <typename T, bool isSetMask = true>                                                       \
    void Reduce##name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,    \
                      int32_t count, bool calIndex = false, const Where &at = BELAY_HERE)              \
    {                                                                                                  \
        extreme_of_count(at.of("Reduce" #name), dst, src, count, calIndex, greatest);                  \
    }                                                                                                  \
    template <typename T, bool isSetMask = true, typename Mask>                                        \
    void Reduce##name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,    \
                      Mask mask, int64_t repeatTimes, int32_t srcRepStride, bool calIndex = false,     \
                      const Where &at = BELAY_HERE)                                                    \
    {                                                                                                  \
        const belay_chip_place place = at.of("Reduce" #name);                                          \
        extreme_of_repeats(place, lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask), dst, \
                           Side<T>{src, 1, (uint32_t)srcRepStride}, calIndex, greatest);               \
    }

template <typename T>
void extreme_of_count(const belay_chip_place &place, const LocalTensor<T> &d, const LocalTensor<T> &s,
                      int64_t count, bool with_index, bool greatest)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    if (count <= 0)
        return;
    access_tensor(place, chip, PIPE_V, s, (uint64_t)count * sizeof(T), false);
    const uint32_t best = extreme(s.at(), (uint32_t)count, greatest);
    const T both[2] = {*s.at(best), index_bits<T>(best)};
    put(place, chip, d, 0, both, with_index ? 2 : 1);
}

template <typename T>
void extreme_of_repeats(const belay_chip_place &place, const Lanes &l, const LocalTensor<T> &d,
                        const Side<T> &s, bool with_index, bool greatest)
{
    constexpr uint32_t lanes = lanes_for<T>;
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    judge<lanes>(place, chip, s, l, false);
    T both[2] = {};
    bool has = false;
    each_lane<lanes>(l, [&](int64_t repeat, uint32_t lane) {
        const T value = *lane_at<lanes>(s, l, repeat, lane);
        if (!has || (greatest ? both[0] < value : value < both[0])) {
            both[0] = value;
            both[1] = index_bits<T>((uint32_t)(repeat * lanes + lane));
        }
        has = true;
    });
    if (has)
        put(place, chip, d, 0, both, with_index ? 2 : 1);
}

BELAY_EXTREMES(Max, true)
BELAY_EXTREMES(Min, false)
#undef BELAY_EXTREMES

/* Of up to CHIP_UB_BYTES elements, one after another: by repeats, then by repeats of what those give. */
template <typename T, typename F> T reduced(const T *values, uint64_t count, F f)
{
    constexpr uint32_t lanes = lanes_for<T>;
    T results[CHIP_UB_BYTES / lanes + 1];
    uint32_t sums = 0;
    for (uint64_t first = 0; first < count; first += lanes) {
        T some[lanes];
        const uint32_t many = (uint32_t)(count - first < lanes ? count - first : lanes);
        memcpy(static_cast<void *>(some), values + first, many * sizeof(T));
        results[sums++] = pairs(some, many, f);
    }
    return sums <= 1 ? results[0] : reduced(results, sums, f);
}

template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &, int32_t count,
               const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("ReduceSum");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    if (count <= 0)
        return;
    access_tensor(place, chip, PIPE_V, src, (uint64_t)count * sizeof(T), false);
    const T sum = reduced(src.at(), (uint64_t)count, formula::Add());
    put(place, chip, dst, 0, &sum, 1);
}

template <typename T, bool isSetMask = true, typename Mask>
void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &, Mask mask,
               int64_t repeatTimes, int32_t srcRepStride, const Where &at = BELAY_HERE)
{
    constexpr uint32_t lanes = lanes_for<T>;
    const belay_chip_place place = at.of("ReduceSum");
    const Lanes l = lanes_given<lanes_for<T>>(place, mask, repeatTimes, isSetMask);
    const Side<T> s{src, 1, (uint32_t)srcRepStride};
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    judge<lanes>(place, chip, s, l, false);
    constexpr int64_t most = CHIP_UB_BYTES / 256;
    const int64_t repeats = repeats_of(l, lanes);
    if (!repeats)
        return;
    if (repeats > most)
        belay_chip_repeats(&place, repeats);
    T sums[most];
    for (int64_t repeat = 0; repeat < repeats; repeat++) {
        Taken<T> all;
        take<lanes>(all, s, l, repeat, true);
        sums[repeat] = pairs(all.value, all.count, formula::Add());
    }
    const T sum = reduced(sums, (uint64_t)repeats, formula::Add());
    put(place, chip, dst, 0, &sum, 1);
}

/* Rows, or columns, of a matrix: AR reduces the last dim, RA the first one. */
namespace Pattern::Reduce
{
struct AR {
};
struct RA {
};
} // namespace Pattern::Reduce

template <typename T, typename F>
void reduce_matrix(const belay_chip_place &place, const LocalTensor<T> &d, const LocalTensor<T> &s,
                   uint32_t rows, uint32_t columns, uint32_t pitch, bool along_rows, F f)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    if (!rows || !columns)
        return;
    access_tensor(place, chip, PIPE_V, s, ((uint64_t)(rows - 1) * pitch + columns) * sizeof(T), false);
    T values[CHIP_UB_BYTES / sizeof(T)];
    if (along_rows) {
        for (uint32_t row = 0; row < rows; row++) {
            const T result = reduced(s.at((uint64_t)row * pitch), columns, f);
            put(place, chip, d, row, &result, 1);
        }
        return;
    }
    for (uint32_t column = 0; column < columns; column++) {
        for (uint32_t row = 0; row < rows; row++)
            values[row] = *s.at((uint64_t)row * pitch + column);
        const T result = pairs(values, rows, f);
        put(place, chip, d, column, &result, 1);
    }
}

#define BELAY_REDUCTION_OF_MATRIX(name, formula_name)                                              \
    template <typename T, class pattern, bool isReuseSource = false>                               \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,  \
              const uint32_t shape[], bool srcInnerPad, const Where &at = BELAY_HERE)              \
    {                                                                                              \
        constexpr uint32_t each = 32 / sizeof(T);                                                  \
        const uint32_t pitch = srcInnerPad ? (shape[1] + each - 1) / each * each : shape[1];       \
        reduce_matrix(at.of(#name), dst, src, shape[0], shape[1], pitch,                           \
                      std::is_same_v<pattern, Pattern::Reduce::AR>, formula::formula_name());      \
    }                                                                                              \
    template <typename T, class pattern, bool isReuseSource = false>                               \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t shape[],        \
              bool srcInnerPad, const Where &at = BELAY_HERE)                                      \
    {                                                                                              \
        name<T, pattern, isReuseSource>(dst, src, LocalTensor<uint8_t>(), shape, srcInnerPad, at); \
    }
BELAY_REDUCTION_OF_MATRIX(ReduceSum, Add)
BELAY_REDUCTION_OF_MATRIX(ReduceMax, Max)
BELAY_REDUCTION_OF_MATRIX(ReduceMin, Min)
#undef BELAY_REDUCTION_OF_MATRIX

/* The first n of each row of inner elements. */
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SumParams &params,
         const Where &at = BELAY_HERE)
{
    reduce_matrix(at.of("Sum"), dst, src, params.outter, params.n, params.inner, true, formula::Add());
}

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
         const SumParams &params, const Where &at = BELAY_HERE)
{
    Sum<T, reduceDim, isReuseSource, isBasicBlock>(dst, src, params, at);
}
} // namespace AscendC

#endif
