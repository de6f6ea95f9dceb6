/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The forms of elementwise instructions: by a count, by a mask and repeats, by a mask of bits, and operators of tensors.
 * Each instruction is one line at the end of its kind.
 */
#ifndef ASCENDC_ELEMENTWISE_H
#define ASCENDC_ELEMENTWISE_H

#include "ascendc/dtypes.h"
#include "ascendc/formula.h"
#include "ascendc/lanes.h"

namespace AscendC
{
/* Of two tensors. */
template <typename F, typename T>
void two(const Where &at, const Lanes &l, const LocalTensor<T> &d, const LocalTensor<T> &a,
         const LocalTensor<T> &b, const BinaryRepeatParams &p = {})
{
    run(at.of(F::instruction), l, F(), Side<T>{d, p.dstBlkStride, p.dstRepStride},
        Side<T>{a, p.src0BlkStride, p.src0RepStride}, Side<T>{b, p.src1BlkStride, p.src1RepStride});
}

/* The lanes of the forms by mask. */
template <typename T>
Lanes masked(const Where &at, const char *instruction, uint64_t mask, int64_t repeats, bool sets)
{
    return lanes_of_mask(at.of(instruction), mask, repeats, lanes_for<T>, sets);
}

template <typename T>
Lanes masked(const Where &at, const char *instruction, const uint64_t *mask, int64_t repeats, bool sets)
{
    return lanes_of_bits(at.of(instruction), mask, repeats, lanes_for<T>, sets);
}

#define BELAY_OF_TWO(name, sort)                                                                       \
    template <typename T, bool isSetMask = true>                                                       \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,       \
              int32_t count, const Where &at = BELAY_HERE)                                             \
    {                                                                                                  \
        BELAY_TAKES(name, T, sort);                                                                    \
        two<formula::name, T>(at, lanes_of_count(count), dst, src0, src1);                             \
    }                                                                                                  \
    template <typename T, bool isSetMask = true>                                                       \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,       \
              uint64_t mask, int64_t repeatTimes, const BinaryRepeatParams &params,                    \
              const Where &at = BELAY_HERE)                                                            \
    {                                                                                                  \
        BELAY_TAKES(name, T, sort);                                                                    \
        two<formula::name, T>(at, masked<T>(at, #name, mask, repeatTimes, isSetMask), dst, src0, src1, \
                              params);                                                                 \
    }                                                                                                  \
    template <typename T, bool isSetMask = true>                                                       \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,       \
              uint64_t mask[], int64_t repeatTimes, const BinaryRepeatParams &params,                  \
              const Where &at = BELAY_HERE)                                                            \
    {                                                                                                  \
        BELAY_TAKES(name, T, sort);                                                                    \
        two<formula::name, T>(at, masked<T>(at, #name, mask, repeatTimes, isSetMask), dst, src0, src1, \
                              params);                                                                 \
    }
BELAY_OF_TWO(Add, NUMBERS)
BELAY_OF_TWO(Sub, NUMBERS)
BELAY_OF_TWO(Mul, NUMBERS)
BELAY_OF_TWO(Div, FLOATS)
BELAY_OF_TWO(Max, NUMBERS)
BELAY_OF_TWO(Min, NUMBERS)
BELAY_OF_TWO(And, INTEGERS)
BELAY_OF_TWO(Or, INTEGERS)
BELAY_OF_TWO(Xor, INTEGERS)
BELAY_OF_TWO(AddRelu, NUMBERS)
BELAY_OF_TWO(SubRelu, NUMBERS)
#undef BELAY_OF_TWO

/* Of two tensors and dst itself. */
template <typename F, typename D, typename T>
void two_and_dst(const Where &at, const Lanes &l, const LocalTensor<D> &d, const LocalTensor<T> &a,
                 const LocalTensor<T> &b, const BinaryRepeatParams &p = {})
{
    const Side<D> own{d, p.dstBlkStride, p.dstRepStride};
    run(at.of(F::instruction), l, F(), own, own, Side<T>{a, p.src0BlkStride, p.src0RepStride},
        Side<T>{b, p.src1BlkStride, p.src1RepStride});
}

#define BELAY_OF_TWO_AND_DST(name, sort)                                                                    \
    template <typename D, typename T, bool isSetMask = true>                                                \
    void name(const LocalTensor<D> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,            \
              int32_t count, const Where &at = BELAY_HERE)                                                  \
    {                                                                                                       \
        BELAY_TAKES(name, T, sort);                                                                         \
        two_and_dst<formula::name>(at, lanes_of_count(count), dst, src0, src1);                             \
    }                                                                                                       \
    template <typename D, typename T, bool isSetMask = true>                                                \
    void name(const LocalTensor<D> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,            \
              uint64_t mask, int64_t repeatTimes, const BinaryRepeatParams &params,                         \
              const Where &at = BELAY_HERE)                                                                 \
    {                                                                                                       \
        BELAY_TAKES(name, T, sort);                                                                         \
        two_and_dst<formula::name>(at, masked<D>(at, #name, mask, repeatTimes, isSetMask), dst, src0, src1, \
                                   params);                                                                 \
    }                                                                                                       \
    template <typename D, typename T, bool isSetMask = true>                                                \
    void name(const LocalTensor<D> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,            \
              uint64_t mask[], int64_t repeatTimes, const BinaryRepeatParams &params,                       \
              const Where &at = BELAY_HERE)                                                                 \
    {                                                                                                       \
        BELAY_TAKES(name, T, sort);                                                                         \
        two_and_dst<formula::name>(at, masked<D>(at, #name, mask, repeatTimes, isSetMask), dst, src0, src1, \
                                   params);                                                                 \
    }
BELAY_OF_TWO_AND_DST(MulAddDst, FLOATS)
BELAY_OF_TWO_AND_DST(FusedMulAdd, FLOATS)
BELAY_OF_TWO_AND_DST(FusedMulAddRelu, FLOATS)
#undef BELAY_OF_TWO_AND_DST

/* Of one tensor. */
template <typename F, typename T>
void one(const Where &at, const char *instruction, const Lanes &l, F f, const LocalTensor<T> &d,
         const LocalTensor<T> &a, const UnaryRepeatParams &p = {})
{
    run(at.of(instruction), l, f, Side<T>{d, p.dstBlkStride, p.dstRepStride},
        Side<T>{a, p.srcBlkStride, p.srcRepStride});
}

#define BELAY_OF_ONE(name, sort)                                                                          \
    template <typename T, bool isSetMask = true>                                                          \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t count,                        \
              const Where &at = BELAY_HERE)                                                               \
    {                                                                                                     \
        BELAY_TAKES(name, T, sort);                                                                       \
        one(at, #name, lanes_of_count(count), formula::name(), dst, src);                                 \
    }                                                                                                     \
    template <typename T, bool isSetMask = true>                                                          \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, int64_t repeatTimes,   \
              const UnaryRepeatParams &params, const Where &at = BELAY_HERE)                              \
    {                                                                                                     \
        BELAY_TAKES(name, T, sort);                                                                       \
        one(at, #name, masked<T>(at, #name, mask, repeatTimes, isSetMask), formula::name(), dst, src,     \
            params);                                                                                      \
    }                                                                                                     \
    template <typename T, bool isSetMask = true>                                                          \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[], int64_t repeatTimes, \
              const UnaryRepeatParams &params, const Where &at = BELAY_HERE)                              \
    {                                                                                                     \
        BELAY_TAKES(name, T, sort);                                                                       \
        one(at, #name, masked<T>(at, #name, mask, repeatTimes, isSetMask), formula::name(), dst, src,     \
            params);                                                                                      \
    }
BELAY_OF_ONE(Abs, FLOATS)
BELAY_OF_ONE(Exp, FLOATS)
BELAY_OF_ONE(Ln, FLOATS)
BELAY_OF_ONE(Sqrt, FLOATS)
BELAY_OF_ONE(Rsqrt, FLOATS)
BELAY_OF_ONE(Reciprocal, FLOATS)
BELAY_OF_ONE(Relu, NUMBERS)
BELAY_OF_ONE(Not, INTEGERS)
BELAY_OF_ONE(Neg, NUMBERS)
#undef BELAY_OF_ONE

/* Of a tensor and a scalar, which may be a number of any type. */
#define BELAY_OF_SCALAR(name, of, sort)                                                                    \
    template <typename T, bool isSetMask = true, typename S>                                               \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const S &scalar, int32_t count,        \
              const Where &at = BELAY_HERE)                                                                \
    {                                                                                                      \
        BELAY_TAKES(name, T, sort);                                                                        \
        one(at, #name, lanes_of_count(count), formula::WithScalar<formula::of, T>{static_cast<T>(scalar)}, \
            dst, src);                                                                                     \
    }                                                                                                      \
    template <typename T, bool isSetMask = true, typename S>                                               \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const S &scalar, uint64_t mask,        \
              int64_t repeatTimes, const UnaryRepeatParams &params, const Where &at = BELAY_HERE)          \
    {                                                                                                      \
        BELAY_TAKES(name, T, sort);                                                                        \
        one(at, #name, masked<T>(at, #name, mask, repeatTimes, isSetMask),                                 \
            formula::WithScalar<formula::of, T>{static_cast<T>(scalar)}, dst, src, params);                \
    }                                                                                                      \
    template <typename T, bool isSetMask = true, typename S>                                               \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const S &scalar, uint64_t mask[],      \
              int64_t repeatTimes, const UnaryRepeatParams &params, const Where &at = BELAY_HERE)          \
    {                                                                                                      \
        BELAY_TAKES(name, T, sort);                                                                        \
        one(at, #name, masked<T>(at, #name, mask, repeatTimes, isSetMask),                                 \
            formula::WithScalar<formula::of, T>{static_cast<T>(scalar)}, dst, src, params);                \
    }
BELAY_OF_SCALAR(Adds, Add, NUMBERS)
BELAY_OF_SCALAR(Subs, Sub, NUMBERS)
BELAY_OF_SCALAR(Muls, Mul, NUMBERS)
BELAY_OF_SCALAR(Divs, Div, FLOATS)
BELAY_OF_SCALAR(Maxs, Max, NUMBERS)
BELAY_OF_SCALAR(Mins, Min, NUMBERS)
BELAY_OF_SCALAR(Ands, And, INTEGERS)
BELAY_OF_SCALAR(Ors, Or, INTEGERS)
BELAY_OF_SCALAR(ShiftLeft, ShiftLeft, INTEGERS)
BELAY_OF_SCALAR(ShiftRight, ShiftRight, INTEGERS)
BELAY_OF_SCALAR(ShiftLefts, ShiftLeft, INTEGERS)
BELAY_OF_SCALAR(ShiftRights, ShiftRight, INTEGERS)
BELAY_OF_SCALAR(LeakyRelu, LeakyRelu, FLOATS)
#undef BELAY_OF_SCALAR

template <typename D, typename T, bool isSetMask = true, typename S>
void Axpy(const LocalTensor<D> &dst, const LocalTensor<T> &src, const S &scalar, int32_t count,
          const Where &at = BELAY_HERE)
{
    BELAY_TAKES(Axpy, T, FLOATS);
    run(at.of("Axpy"), lanes_of_count(count), formula::Axpy<D, T>{static_cast<T>(scalar)}, plain(dst),
        plain(dst), plain(src));
}

template <typename D, typename T, bool isSetMask = true, typename S, typename Mask>
void Axpy(const LocalTensor<D> &dst, const LocalTensor<T> &src, const S &scalar, Mask mask,
          int64_t repeatTimes, const UnaryRepeatParams &p, const Where &at = BELAY_HERE)
{
    BELAY_TAKES(Axpy, T, FLOATS);
    const Side<D> own{dst, p.dstBlkStride, p.dstRepStride};
    const belay_chip_place place = at.of("Axpy");
    run(place, lanes_given<lanes_for<D, T>>(place, mask, repeatTimes, isSetMask),
        formula::Axpy<D, T>{static_cast<T>(scalar)}, own, own, Side<T>{src, p.srcBlkStride, p.srcRepStride});
}

/* The same value everywhere. A source that is not there is read as dst, whose value is not looked at. */
template <typename T> struct Value {
    T value;
    T operator()() const
    {
        return value;
    }
};

template <typename T>
void fill(const belay_chip_place &place, const Lanes &l, const LocalTensor<T> &d, T value, uint32_t block = 1,
          uint32_t repeat = 8)
{
    constexpr uint32_t lanes = lanes_for<T>;
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    if (l.repeats < 0 || (l.count >= 0 && block == 1 && repeat == 8)) {
        if (l.count <= 0)
            return;
        access_tensor(place, chip, PIPE_V, d, (uint64_t)l.count * sizeof(T), true);
        for (int64_t i = 0; i < l.count; i++)
            *d.at((uint64_t)i) = value;
        return;
    }
    belay_chip_side side = Side<T>{d, block, repeat}.bytes();
    T values[lanes + 32 / sizeof(T)];
    for (T &each : values)
        each = value;
    for (int64_t each = 0; each < repeats_of(l, lanes); each++) {
        const Lanes own = repeat_of<lanes>(l, each);
        judge_strided(place, chip, side, own.mask, lanes, 1, true);
        scatter_repeat<T>(const_cast<uint8_t *>(side.base), values, side.block_stride, lanes, own.mask);
        side.base += side.repeat_stride;
    }
}

template <typename T, bool isSetMask = true, typename S>
void Duplicate(const LocalTensor<T> &dst, const S &value, int32_t count, const Where &at = BELAY_HERE)
{
    BELAY_TAKES(Duplicate, T, WORDS);
    fill(at.of("Duplicate"), lanes_of_count(count), dst, static_cast<T>(value));
}

template <typename T, bool isSetMask = true, typename S>
void Duplicate(const LocalTensor<T> &dst, const S &value, uint64_t mask, int64_t repeatTimes,
               uint16_t blockStride, uint8_t repeatStride, const Where &at = BELAY_HERE)
{
    BELAY_TAKES(Duplicate, T, WORDS);
    const belay_chip_place place = at.of("Duplicate");
    fill(place, lanes_of_mask(place, mask, repeatTimes, lanes_for<T>, isSetMask), dst, static_cast<T>(value),
         blockStride, repeatStride);
}

template <typename T, bool isSetMask = true, typename S>
void Duplicate(const LocalTensor<T> &dst, const S &value, uint64_t mask[], int64_t repeatTimes,
               uint16_t blockStride, uint8_t repeatStride, const Where &at = BELAY_HERE)
{
    BELAY_TAKES(Duplicate, T, WORDS);
    const belay_chip_place place = at.of("Duplicate");
    fill(place, lanes_of_bits(place, mask, repeatTimes, lanes_for<T>, isSetMask), dst, static_cast<T>(value),
         blockStride, repeatStride);
}

struct Same {
    template <typename T> T operator()(T x) const
    {
        return x;
    }
};

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, int64_t repeatTimes,
          const CopyRepeatParams &p, const Where &at = BELAY_HERE)
{
    BELAY_TAKES(Copy, T, WORDS);
    const belay_chip_place place = at.of("Copy");
    run(place, lanes_of_mask(place, mask, repeatTimes, lanes_for<T>, isSetMask), Same(),
        Side<T>{dst, p.dstStride, p.dstRepeatSize}, Side<T>{src, p.srcStride, p.srcRepeatSize});
}

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[], int64_t repeatTimes,
          const CopyRepeatParams &p, const Where &at = BELAY_HERE)
{
    BELAY_TAKES(Copy, T, WORDS);
    const belay_chip_place place = at.of("Copy");
    run(place, lanes_of_bits(place, mask, repeatTimes, lanes_for<T>, isSetMask), Same(),
        Side<T>{dst, p.dstStride, p.dstRepeatSize}, Side<T>{src, p.srcStride, p.srcRepeatSize});
}

template <typename T>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, const Where &at = BELAY_HERE)
{
    run(at.of("Copy"), lanes_of_count(count), Same(), plain(dst), plain(src));
}

/* dst = src0 + src1 and its like: what is yet to be computed, over all of dst. */
template <typename F, typename T> struct Pending {
    const LocalTensor<T> a, b;
    void into(const LocalTensor<T> &d) const
    {
        two<F, T>(Where{nullptr, 0}, lanes_of_count(d.count), d, a, b);
    }
};

#define BELAY_OPERATOR(sign, name)                                                            \
    template <typename T>                                                                     \
    Pending<formula::name, T> operator sign(const LocalTensor<T> &a, const LocalTensor<T> &b) \
    {                                                                                         \
        return {a, b};                                                                        \
    }
BELAY_OPERATOR(+, Add)
BELAY_OPERATOR(-, Sub)
BELAY_OPERATOR(*, Mul)
BELAY_OPERATOR(/, Div)
BELAY_OPERATOR(&, And)
BELAY_OPERATOR(|, Or)
#undef BELAY_OPERATOR
} // namespace AscendC

#endif
