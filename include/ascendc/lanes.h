/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How a vector instruction walks: by a count of elements that lie one after another, or by repeats of 256 bytes, 8
 * blocks of 32, with strides of blocks and repeats and a mask of lanes. A repeat reads all that it reads before it
 * writes. Each formula is compiled once for each set of types; this is the only place that knows the forms.
 */
#ifndef ASCENDC_LANES_H
#define ASCENDC_LANES_H

#include "ascendc/params.h"
#include "ascendc/tensor.h"

#if defined __clang__
/* Without optimisation nothing is vectorised, which is no news. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define BELAY_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define BELAY_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace AscendC
{
constexpr uint64_t low_bits(int64_t count)
{
    return count >= 64 ? ~(uint64_t)0 : count <= 0 ? 0 : ((uint64_t)1 << count) - 1;
}

/* A bit for each lane of a repeat: 256 of one byte. */
struct LaneMask {
    uint64_t words[4];

    constexpr uint64_t operator[](uint32_t word) const
    {
        return words[word];
    }
    constexpr bool has(uint32_t lane) const
    {
        return words[lane / 64] >> lane % 64 & 1;
    }
    constexpr bool is_empty() const
    {
        return !(words[0] | words[1] | words[2] | words[3]);
    }
    constexpr bool operator==(const LaneMask &other) const
    {
        return words[0] == other[0] && words[1] == other[1] && words[2] == other[2] && words[3] == other[3];
    }
};

constexpr LaneMask first_lanes(int64_t count)
{
    return {{low_bits(count), low_bits(count - 64), low_bits(count - 128), low_bits(count - 192)}};
}

/* Which elements an instruction is about. */
struct Lanes {
    LaneMask mask;
    int64_t repeats; /* -1: count alone says it */
    int64_t count;   /* -1: mask and repeats say it; else elements, which may be in strides */
};

inline Lanes lanes_of_count(int64_t count)
{
    return {{}, -1, count};
}

inline void judge_repeats(const belay_chip_place &place, int64_t repeats)
{
    if (__builtin_expect(repeats < 0 || repeats > CHIP_REPEATS_MAX, 0))
        belay_chip_repeats(&place, repeats);
}

/* The first lanes of each repeat; what SetVectorMask has set, where the instruction sets none; in all, where it counts. */
inline Lanes lanes_of_mask(const belay_chip_place &place, uint64_t mask, int64_t repeats, uint32_t lanes,
                           bool sets)
{
    const belay_chip *chip = belay_chip_now();
    const bool own = sets && mask != MASK_PLACEHOLDER;
    if (chip->counting)
        return {{}, 0, (int64_t)(own ? mask : chip->mask[0])};
    judge_repeats(place, repeats);
    if (!own) {
        /* Lanes of one byte beyond the register's 128 are on where all of those are. */
        const bool all = lanes > 128 && (chip->mask[0] & chip->mask[1]) == ~(uint64_t)0;
        const uint64_t rest = all ? ~(uint64_t)0 : 0;
        return {{{chip->mask[0], lanes > 64 ? chip->mask[1] : 0, rest, rest}}, repeats, -1};
    }
    if (mask == 0) /* the rest of a loop, where none is left: no lane does anything */
        return {{}, 0, -1};
    if (__builtin_expect(mask > lanes, 0))
        belay_chip_fault(&place, "a mask of %llu lanes; 1 to %u are expected for elements of this size",
                         (unsigned long long)mask, lanes);
    return {first_lanes((int64_t)mask), repeats, -1};
}

inline Lanes lanes_of_bits(const belay_chip_place &place, const uint64_t *mask, int64_t repeats,
                           uint32_t lanes, bool sets)
{
    if (!mask || !sets)
        return lanes_of_mask(place, MASK_PLACEHOLDER, repeats, lanes, false);
    judge_repeats(place, repeats);
    if (__builtin_expect(lanes <= 64 && lanes < 64 && mask[0] >> lanes, 0))
        belay_chip_fault(&place, "a mask with lanes beyond the %u of elements of this size", lanes);
    return {{{mask[0], lanes > 64 ? mask[1] : 0, lanes > 128 ? mask[2] : 0, lanes > 128 ? mask[3] : 0}},
            repeats,
            -1};
}

/* By either kind of mask. */
template <uint32_t lanes, typename Mask>
Lanes lanes_given(const belay_chip_place &place, Mask mask, int64_t repeats, bool sets)
{
    if constexpr (std::is_integral_v<Mask> || std::is_enum_v<Mask>)
        return lanes_of_mask(place, (uint64_t)mask, repeats, lanes, sets);
    else
        return lanes_of_bits(place, mask, repeats, lanes, sets);
}

inline int64_t repeats_of(const Lanes &l, uint32_t lanes)
{
    return l.count >= 0 ? (l.count + lanes - 1) / lanes : l.repeats;
}

/* One of the repeats, by its mask; by a count the last one may have fewer lanes. */
template <uint32_t lanes> Lanes repeat_of(const Lanes &l, int64_t repeat)
{
    if (l.count < 0)
        return {l.mask, 1, -1};
    const int64_t rest = l.count - repeat * lanes, count = rest < lanes ? rest : lanes;
    return {first_lanes(count), 1, -1};
}

/* An operand; strides in blocks. */
template <typename T> struct Side {
    const LocalTensor<T> &tensor;
    uint32_t block = 1, repeat = 8;

    belay_chip_side bytes() const
    {
        return {tensor.address, tensor.low, tensor.high, (uint32_t)sizeof(T), block * 32, repeat * 32};
    }
};

template <typename T> Side<T> plain(const LocalTensor<T> &tensor)
{
    return {tensor, 1, 8};
}

inline uint32_t highest_lane(const LaneMask &mask)
{
    for (uint32_t word = 4; word-- > 0;)
        if (mask[word])
            return word * 64 + 63 - (uint32_t)__builtin_clzll(mask[word]);
    return 0;
}

inline void judge_strided(const belay_chip_place &place, belay_chip *chip, const belay_chip_side &side,
                          const LaneMask &mask, uint32_t lanes, uint32_t repeats, bool writes,
                          uint32_t alignment = 32)
{
    if (!repeats || mask.is_empty())
        return;
    const uint32_t each = 32 / side.bytes, last = highest_lane(mask);
    const uint64_t reach = (uint64_t)(repeats - 1) * side.repeat_stride + last / each * side.block_stride +
                           (last % each + 1) * side.bytes;
    if (__builtin_expect(
            reach > (uint64_t)(side.high - side.base) || side.base < side.low || side.base > side.high, 0))
        belay_chip_outside(&place, side.base, reach, side.low, side.high);
    if (__builtin_expect((uintptr_t)side.base & (alignment - 1), 0))
        belay_chip_misaligned(&place, side.base, alignment);
    if (__builtin_expect(chip->load_count != 0, 0))
        belay_chip_settle(chip);
    if (__builtin_expect(chip->shadow != nullptr, 0))
        belay_chip_touch_lanes(chip, &place, PIPE_V, &side, mask.words, lanes, repeats, writes);
}

/* Elements that lie one after another, of which none is a result and another one's argument. */
template <typename F, typename D, typename... S> void elements(F f, int64_t count, D *to, const S *...from)
{
    if constexpr (requires { F::many(to, count, from...); }) {
        F::many(to, count, from...);
    } else {
        BELAY_INDEPENDENT
        for (int64_t i = 0; i < count; i++)
            to[i] = f(from[i]...);
    }
}

/* The elements of a repeat, as they lie in their blocks. */
template <typename T> void gather_repeat(T *to, const uint8_t *from, uint32_t block, uint32_t lanes)
{
    constexpr uint32_t each = 32 / sizeof(T);
    for (uint32_t lane = 0; lane < lanes; lane += each)
        memcpy(static_cast<void *>(to + lane), from + lane / each * block, 32);
}

template <typename T>
void scatter_repeat(uint8_t *to, const T *from, uint32_t block, uint32_t lanes, const LaneMask &mask)
{
    constexpr uint32_t each = 32 / sizeof(T);
    for (uint32_t lane = 0; lane < lanes; lane += each) {
        const uint64_t bits = mask[lane / 64] >> lane % 64;
        uint8_t *target = to + lane / each * block;
        if ((bits & low_bits(each)) == low_bits(each)) {
            memcpy(target, static_cast<const void *>(from + lane), 32);
            continue;
        }
        for (uint32_t i = 0; i < each; i++)
            if (bits >> i & 1)
                memcpy(target + i * sizeof(T), static_cast<const void *>(from + lane + i), sizeof(T));
    }
}

/* One repeat by way of copies: whatever overlaps. */
template <uint32_t lanes, typename F, typename D, typename... S, size_t... at>
void one_repeat(std::index_sequence<at...>, F f, int64_t repeat, const LaneMask &mask,
                const belay_chip_side &d, const belay_chip_side *sides, const S *...)
{
    constexpr uint32_t room = lanes + 32;
    std::tuple_element_t<0, std::pair<D, int>> result[room];
    struct Taken {
        alignas(8) uint8_t bytes[room * 8];
    } taken[sizeof...(S)];
    (gather_repeat<S>(reinterpret_cast<S *>(taken[at].bytes),
                      sides[at].base + repeat * sides[at].repeat_stride, sides[at].block_stride, lanes),
     ...);
    elements(f, lanes, result, reinterpret_cast<const S *>(taken[at].bytes)...);
    scatter_repeat<D>(const_cast<uint8_t *>(d.base) + repeat * d.repeat_stride, result, d.block_stride, lanes,
                      mask);
}

template <typename D, typename S> bool apart(const D *to, const S *from, int64_t count)
{
    const uint8_t *a = reinterpret_cast<const uint8_t *>(to), *b = reinterpret_cast<const uint8_t *>(from);
    return (a == b && sizeof(D) == sizeof(S)) || a + count * sizeof(D) <= b || b + count * sizeof(S) <= a;
}

template <typename T> constexpr T largest(T a)
{
    return a;
}
template <typename T, typename... More> constexpr T largest(T a, More... more)
{
    return a > largest(more...) ? a : largest(more...);
}

template <typename... T> constexpr uint32_t lanes_for = 256 / largest(sizeof(T)...);

template <typename F, typename D, typename... S, size_t... at>
void make_elements(const belay_chip_result &result, uint64_t first, uint64_t count,
                   std::index_sequence<at...>)
{
    F f = *reinterpret_cast<const F *>(result.formula);
    elements(f, (int64_t)count, reinterpret_cast<D *>(result.to) + first,
             reinterpret_cast<const S *>(result.from[at]) + first...);
}

/* What an instruction leaves waits for the store that mostly comes next, which makes it part by part. The formula is
 * copied and outlives the instruction: it refers to nothing of its caller's. False for what is short or has no room. */
template <typename F, typename D, typename... S>
bool result_waits(belay_chip *chip, F f, int64_t count, D *to, const S *...from)
{
    if constexpr (sizeof...(S) > CHIP_SOURCES || sizeof(F) > CHIP_FORMULA_BYTES ||
                  alignof(F) > alignof(uint64_t) || !std::is_trivially_copyable_v<F>) {
        return false;
    } else {
        belay_chip_result &result = chip->result;
        if (count * sizeof(D) < LATE_LEAST)
            return false;
        result.make = [](const belay_chip_result *waiting, uint64_t first, uint64_t some) {
            make_elements<F, D, S...>(*waiting, first, some, std::index_sequence_for<S...>{});
        };
        result.to = reinterpret_cast<uint8_t *>(to);
        result.bytes = count * sizeof(D);
        result.element = sizeof(D);
        result.sources = 0;
        ((result.from[result.sources++] = reinterpret_cast<const uint8_t *>(from)), ...);
        memcpy(result.formula, &f, sizeof f);
        return true;
    }
}

/* Elements one after another where loads wait: what waits is read in global memory. False: settled first is expected. */
template <typename F, typename D, typename... S>
bool run_late(const belay_chip_place &place, belay_chip *chip, F f, int64_t count, const LocalTensor<D> &d,
              const LocalTensor<S> &...s)
{
    make_result(chip);
    (access_late(place, chip, PIPE_V, s.address, (uint64_t)count * sizeof(S), s.low, s.high, false, 32), ...);
    access_late(place, chip, PIPE_V, d.address, (uint64_t)count * sizeof(D), d.low, d.high, true, 32);
    if (waits(chip, d.address, (uint64_t)count * sizeof(D)) ||
        !(where_read(chip, s.address, (uint64_t)count * sizeof(S)) && ...) ||
        !(apart(d.at(), reinterpret_cast<const S *>(where_read(chip, s.address, (uint64_t)count * sizeof(S))),
                count) &&
          ...))
        return false;
    const auto now = [&](const S *...from) {
        if (!result_waits(chip, f, count, d.at(), from...))
            elements(f, count, d.at(), from...);
    };
    now(reinterpret_cast<const S *>(where_read(chip, s.address, (uint64_t)count * sizeof(S)))...);
    return true;
}

template <typename F, typename D, typename... S>
void run(const belay_chip_place &place, const Lanes &l, F f, const Side<D> &d, const Side<S> &...s)
{
    constexpr uint32_t lanes = lanes_for<D, S...>;
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    /* Whole repeats without gaps are a count. */
    const bool tight = d.block == 1 && (l.repeats == 1 || d.repeat * 32 == lanes * sizeof(D)) &&
                       ((s.block == 1 && (l.repeats == 1 || s.repeat * 32 == lanes * sizeof(S))) && ...);
    constexpr LaneMask whole = first_lanes(lanes);
    int64_t count = l.count;
    if (count < 0 && tight && l.mask == whole)
        count = l.repeats * lanes;
    if (count >= 0 && (tight || l.repeats < 0)) {
        if (!count)
            return;
        if (__builtin_expect(chip->load_count != 0, 0) &&
            run_late(place, chip, f, count, d.tensor, s.tensor...))
            return;
        (access_chip(place, chip, PIPE_V, s.tensor.address, (uint64_t)count * sizeof(S), s.tensor.low,
                     s.tensor.high, false, 32),
         ...);
        access_chip(place, chip, PIPE_V, d.tensor.address, (uint64_t)count * sizeof(D), d.tensor.low,
                    d.tensor.high, true, 32);
        if ((apart(d.tensor.at(), s.tensor.at(), count) && ...)) {
            elements(f, count, d.tensor.at(), static_cast<const S *>(s.tensor.at())...);
            return;
        }
    }
    belay_chip_side target = d.bytes();
    belay_chip_side sides[] = {s.bytes()...};
    if (count >= 0 && l.repeats < 0) { /* they overlap */
        target.block_stride = 32, target.repeat_stride = lanes * sizeof(D);
        uint32_t at = 0;
        ((sides[at].block_stride = 32, sides[at++].repeat_stride = lanes * sizeof(S)), ...);
    }
    const int64_t repeats = count >= 0 ? (count + lanes - 1) / lanes : l.repeats;
    const int64_t rest = count >= 0 ? count - (repeats - 1) * lanes : 0;
    const LaneMask last = first_lanes(rest), mask = count >= 0 ? whole : l.mask;
    if (count < 0 || l.repeats >= 0) {
        const uint32_t all = (uint32_t)(count >= 0 ? repeats - 1 : repeats);
        for (const belay_chip_side &side : sides)
            judge_strided(place, chip, side, mask, lanes, all, false);
        judge_strided(place, chip, target, mask, lanes, all, true);
        for (belay_chip_side side : sides) {
            side.base += (uint64_t)all * side.repeat_stride;
            if (count >= 0)
                judge_strided(place, chip, side, last, lanes, 1, false);
        }
        belay_chip_side end = target;
        end.base += (uint64_t)all * end.repeat_stride;
        if (count >= 0)
            judge_strided(place, chip, end, last, lanes, 1, true);
    }
    for (int64_t repeat = 0; repeat < repeats; repeat++)
        one_repeat<lanes, F, D, S...>(std::index_sequence_for<S...>{}, f, repeat,
                                      count >= 0 && repeat == repeats - 1 ? last : mask, target, sides,
                                      static_cast<const S *>(nullptr)...);
}

/* For instructions of which a lane is more than a formula: each lane that is meant, in order. */
template <uint32_t lanes, typename F> void each_lane(const Lanes &l, F f)
{
    const int64_t repeats = repeats_of(l, lanes);
    for (int64_t repeat = 0; repeat < repeats; repeat++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            if (l.count >= 0 ? repeat * lanes + lane < l.count : l.mask.has(lane))
                f(repeat, lane);
}

template <uint32_t lanes, typename T>
T *lane_at(const Side<T> &side, const Lanes &l, int64_t repeat, uint32_t lane)
{
    if (l.repeats < 0)
        return side.tensor.at((uint64_t)(repeat * lanes + lane));
    constexpr uint32_t each = 32 / sizeof(T);
    return reinterpret_cast<T *>(side.tensor.address + repeat * side.repeat * 32 +
                                 lane / each * side.block * 32) +
           lane % each;
}

template <uint32_t lanes, typename T>
void judge(const belay_chip_place &place, belay_chip *chip, const Side<T> &side, const Lanes &l, bool writes)
{
    if (l.count >= 0 && (l.repeats < 0 || (side.block == 1 && side.repeat * 32 == lanes * sizeof(T)))) {
        access_chip(place, chip, PIPE_V, side.tensor.address, (uint64_t)l.count * sizeof(T), side.tensor.low,
                    side.tensor.high, writes, 32);
        return;
    }
    constexpr LaneMask whole = first_lanes(lanes);
    const int64_t repeats = repeats_of(l, lanes);
    judge_strided(place, chip, side.bytes(), l.count >= 0 ? whole : l.mask, lanes, (uint32_t)repeats, writes);
}

/* Masks that instructions take where they are given none. */
template <typename T = uint8_t, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(uint64_t high, uint64_t low)
{
    belay_chip *chip = belay_chip_now();
    chip->mask[0] = low;
    chip->mask[1] = high;
}

template <typename T = uint8_t, MaskMode mode = MaskMode::NORMAL> void SetVectorMask(int32_t count)
{
    if constexpr (mode == MaskMode::COUNTER)
        SetVectorMask<T, mode>(0, (uint64_t)count);
    else
        SetVectorMask<T, mode>(low_bits(count - 64), low_bits(count));
}

inline void ResetMask()
{
    SetVectorMask<uint8_t>(~(uint64_t)0, ~(uint64_t)0);
}

inline void SetMaskCount()
{
    belay_chip_now()->counting = true;
}

inline void SetMaskNorm()
{
    belay_chip_now()->counting = false;
}

struct AscendCUtils {
    template <typename T> static void SetMask(uint64_t high, uint64_t low)
    {
        SetVectorMask<T>(high, low);
    }
    template <typename T> static void SetMask(int32_t count)
    {
        SetVectorMask<T>(count);
    }
    static void ResetMask()
    {
        AscendC::ResetMask();
    }
    static void SetMaskNorm()
    {
        AscendC::SetMaskNorm();
    }
    static void SetMaskCount()
    {
        AscendC::SetMaskCount();
    }
    static constexpr int32_t GetC0Count(int32_t bytes)
    {
        return bytes ? 32 / bytes : 0;
    }
};
} // namespace AscendC

#endif
