/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sorting: entries of 8 bytes, a value and the index that belongs to it, in descending order of values. What is equal
 * keeps its order; NaN is the least. A half's value stands in the first 2 of the 8 bytes.
 */
#ifndef ASCENDC_SORT_H
#define ASCENDC_SORT_H

#include "ascendc/gather.h"

namespace AscendC
{
/* The lists that are merged: up to four. */
template <typename T> struct MrgSortSrcList {
    LocalTensor<T> src1, src2, src3, src4;

    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T> &first, const LocalTensor<T> &second, const LocalTensor<T> &third,
                   const LocalTensor<T> &fourth)
        : src1(first), src2(second), src3(third), src4(fourth)
    {
    }
};

template <typename T> T value_of_entry(const uint8_t *entry)
{
    T value;
    memcpy(static_cast<void *>(&value), entry, sizeof(T));
    return value;
}

/* Whether b is to stand before a. */
template <typename T> bool is_greater(T b, T a)
{
    return (float)b > (float)a || ((float)a != (float)a && (float)b == (float)b);
}

/* Merges runs of so many entries until all is one. */
template <typename T> void merge_runs(uint8_t *entries, uint8_t *room, uint32_t count, uint32_t run)
{
    for (; run < count; run *= 2) {
        for (uint32_t first = 0; first < count; first += 2 * run) {
            const uint32_t middle = first + run < count ? first + run : count;
            const uint32_t end = first + 2 * run < count ? first + 2 * run : count;
            uint32_t a = first, b = middle;
            for (uint32_t to = first; to < end; to++) {
                const bool second =
                    b < end && (a >= middle || is_greater(value_of_entry<T>(entries + b * 8),
                                                          value_of_entry<T>(entries + a * 8)));
                memcpy(room + to * 8, entries + (second ? b++ : a++) * 8, 8);
            }
        }
        memcpy(entries, room, count * 8ull);
    }
}

/* 32 values and their indices a repeat. */
template <typename T>
void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
            int64_t repeatTimes, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Sort32");
    belay_chip *chip = belay_chip_now();
    judge_repeats(place, repeatTimes);
    issue(chip, PIPE_V);
    const uint64_t count = (uint64_t)repeatTimes * 32;
    access_tensor(place, chip, PIPE_V, src0, count * sizeof(T), false);
    access_tensor(place, chip, PIPE_V, src1, count * 4, false);
    access_tensor(place, chip, PIPE_V, dst, count * 8, true);
    for (int64_t repeat = 0; repeat < repeatTimes; repeat++) {
        uint8_t entries[256] = {0}, room[256];
        for (uint32_t i = 0; i < 32; i++) {
            memcpy(entries + i * 8, static_cast<const void *>(src0.at((uint64_t)repeat * 32 + i)), sizeof(T));
            memcpy(entries + i * 8 + 4, src1.at((uint64_t)repeat * 32 + i), 4);
        }
        merge_runs<T>(entries, room, 32, 1);
        memcpy(dst.address + repeat * 256, entries, 256);
    }
}

/* Merges lists; where it suspends, it stops when one is used up. Says how many entries of each it took. */
template <typename T>
void merge_lists(const belay_chip_place &place, const LocalTensor<T> &d, const MrgSortSrcList<T> &lists,
                 const uint16_t lengths[4], uint32_t taken[4], bool suspends, uint16_t valid,
                 uint32_t repeats)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const LocalTensor<T> *sources[4] = {&lists.src1, &lists.src2, &lists.src3, &lists.src4};
    if (valid != 3 && valid != 7 && valid != 15)
        belay_chip_fault(&place, "valid bits %d; 3, 7 or 15 are expected, for 2, 3 or 4 lists", valid);
    uint64_t total = 0;
    for (int list = 0; list < 4; list++)
        total += valid >> list & 1 ? lengths[list] : 0;
    for (int list = 0; list < 4; list++) {
        taken[list] = 0;
        if (valid >> list & 1)
            access_chip(place, chip, PIPE_V, sources[list]->address,
                        (repeats - 1) * total * 8 + lengths[list] * 8ull, sources[list]->low,
                        sources[list]->high, false, 8);
    }
    for (uint32_t repeat = 0; repeat < repeats; repeat++) {
        uint32_t next[4] = {0, 0, 0, 0};
        for (uint64_t to = 0; to < total; to++) {
            int best = -1;
            for (int list = 0; list < 4; list++) {
                if (!(valid >> list & 1) || next[list] >= lengths[list])
                    continue;
                const uint8_t *entry = sources[list]->address + (repeat * total + next[list]) * 8;
                if (best < 0 ||
                    is_greater(value_of_entry<T>(entry),
                               value_of_entry<T>(sources[best]->address + (repeat * total + next[best]) * 8)))
                    best = list;
            }
            uint8_t *target = d.address + (repeat * total + to) * 8;
            access_chip(place, chip, PIPE_V, target, 8, d.low, d.high, true, 8);
            memcpy(target, sources[best]->address + (repeat * total + next[best]) * 8, 8);
            if (++next[best] == lengths[best] && suspends)
                break;
        }
        for (int list = 0; list < 4; list++)
            taken[list] += next[list];
    }
    uint64_t packed = 0;
    for (int list = 0; list < 4; list++)
        packed |= (uint64_t)(taken[list] & 0xffff) << 16 * list;
    chip->merged = packed;
}

template <typename T>
void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params,
             const Where &at = BELAY_HERE)
{
    uint32_t taken[4];
    merge_lists(at.of("MrgSort"), dst, src, params.elementLengths, taken, params.ifExhaustedSuspension,
                params.validBit, params.repeatTimes);
}

template <typename T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const uint16_t elementCountList[4],
             uint32_t sortedNum[4], uint16_t validBit, int32_t repeatTimes, const Where &at = BELAY_HERE)
{
    merge_lists(at.of("MrgSort"), dst, src, elementCountList, sortedNum, isExhaustedSuspension, validBit,
                (uint32_t)repeatTimes);
}

inline void GetMrgSortResult(uint16_t &first, uint16_t &second, uint16_t &third, uint16_t &fourth)
{
    const uint64_t packed = belay_chip_now()->merged;
    first = (uint16_t)packed;
    second = (uint16_t)(packed >> 16);
    third = (uint16_t)(packed >> 32);
    fourth = (uint16_t)(packed >> 48);
}

/* How many elements of T so many entries are. */
template <typename T> uint32_t GetSortLen(uint32_t entries)
{
    return (uint32_t)(entries * 8 / sizeof(T));
}

template <typename T> uint32_t GetSortOffset(uint32_t entries)
{
    return GetSortLen<T>(entries);
}

/* What is sorted is the source itself. */
template <typename T>
void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &, int32_t)
{
    concat = src;
}

/* Each 32 entries, or all of them. */
template <typename T, bool isFullSort>
void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
          LocalTensor<T> &tmp, int32_t repeatTimes, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Sort");
    Sort32(dst, concat, index, repeatTimes, at);
    if constexpr (isFullSort) {
        belay_chip *chip = belay_chip_now();
        const uint64_t bytes = (uint64_t)repeatTimes * 256;
        access_tensor(place, chip, PIPE_V, tmp, bytes, true);
        merge_runs<T>(dst.address, tmp.address, (uint32_t)repeatTimes * 32, 32);
    }
}

/* The values and the indices of 32 entries a repeat. */
template <typename T>
void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
             const LocalTensor<T> &sorted, int32_t repeatTimes, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Extract");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const uint64_t count = (uint64_t)repeatTimes * 32;
    access_tensor(place, chip, PIPE_V, sorted, count * 8, false);
    access_tensor(place, chip, PIPE_V, dstValue, count * sizeof(T), true);
    access_tensor(place, chip, PIPE_V, dstIndex, count * 4, true);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(static_cast<void *>(dstValue.at(i)), sorted.address + i * 8, sizeof(T));
        memcpy(dstIndex.at(i), sorted.address + i * 8 + 4, 4);
    }
}
} // namespace AscendC

#endif
