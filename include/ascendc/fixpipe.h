/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The ways out of L0C: rows or fractals of a product, rounded, scaled or cut at 0, to global memory or L1.
 */
#ifndef ASCENDC_FIXPIPE_H
#define ASCENDC_FIXPIPE_H

#include "ascendc/cube.h"

namespace AscendC
{
/* What leaves L0C: as rows (ROW_MAJOR), or as fractals. */
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
    uint16_t nSize = 0, mSize = 0, srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1;
    uint32_t srcNdStride = 0, dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;

    FixpipeParamsV220() = default;
    FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t source, uint32_t target, bool relu)
        : nSize(columns), mSize(rows), srcStride(source), dstStride(target), reluEn(relu)
    {
    }
};

inline void SetFixpipeNz2ndFlag(uint16_t count, uint16_t source, uint16_t target)
{
    uint32_t *flags = belay_chip_now()->transposed;
    flags[0] = count;
    flags[1] = source;
    flags[2] = target;
}

/* A number on its way out. The scale of a quantising mode is the float in the low 32 bits. */
template <typename D, typename C> D fixed(C x, const FixpipeParamsV220 &p, uint64_t scale)
{
    C value = p.reluEn && x < C(0) ? C(0) : x;
    if constexpr (std::is_same_v<D, C>) {
        return value;
    } else {
        float number = static_cast<float>(value);
        if (p.quantPre >= QuantMode_t::DEQF16)
            number *= belay_kernel::float_of((uint32_t)scale);
        if constexpr (std::is_integral_v<D>)
            return saturated<D>(whole_of(number, RoundMode::CAST_RINT));
        else
            return static_cast<D>(number);
    }
}

/* dstStride: elements between rows; of fractals blocks of 32 bytes between columns. srcStride: of C0 columns, in blocks
 * of 16 elements. */
template <typename D, typename C, typename Target>
void fix_out(const belay_chip_place &place, const Target &target_of, const LocalTensor<C> &src,
             const uint64_t *scales, const FixpipeParamsV220 &p, bool by_rows)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_FIX);
    constexpr uint32_t each = 32 / sizeof(D) < 16 ? 16 : 32 / sizeof(D); /* columns of a fractal */
    for (uint32_t matrix = 0; matrix < (by_rows ? p.ndNum : 1u); matrix++) {
        const uint64_t first = (uint64_t)matrix * p.srcNdStride * 256;
        for (uint32_t column = 0; column < p.nSize; column += 16)
            for (uint32_t row = 0; row < p.mSize; row++) {
                const C *from =
                    src.at(first + (uint64_t)(column / 16) * p.srcStride * 16 + (uint64_t)row * 16);
                access_chip(place, chip, PIPE_FIX, reinterpret_cast<const uint8_t *>(from), 64, src.low,
                            src.high, false, 32);
                const uint32_t some = by_rows && p.nSize - column < 16 ? p.nSize - column : 16;
                D values[16];
                for (uint32_t i = 0; i < some; i++)
                    values[i] = fixed<D>(from[i], p,
                                         scales && column + i < p.nSize ? scales[column + i] : p.deqScalar);
                if (by_rows) {
                    target_of((uint64_t)matrix * p.dstNdStride + (uint64_t)row * p.dstStride + column, values,
                              some);
                    continue;
                }
                for (uint32_t i = 0; i < 16; i += each < 16 ? each : 16) {
                    const uint32_t at = column + i;
                    target_of((uint64_t)(at / each) * p.dstStride * (32 / sizeof(D)) + (uint64_t)row * each +
                                  at % each,
                              values + i, each < 16 ? each : 16);
                }
            }
    }
}

template <typename D, typename C>
void fix_to_global(const belay_chip_place &place, const GlobalTensor<D> &dst, const LocalTensor<C> &src,
                   const uint64_t *scales, const FixpipeParamsV220 &p, bool by_rows)
{
    belay_chip *chip = belay_chip_now();
    fix_out<D>(
        place,
        [&](uint64_t at, const D *values, uint32_t count) {
            belay_chip_global(&place, dst.address + at, count * sizeof(D), dst.base, dst.count * sizeof(D),
                              true);
            store_global<D>(chip, dst.address + at, values, count * sizeof(D));
        },
        src, scales, p, by_rows);
}

template <typename D, typename C, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<D> &dst, const LocalTensor<C> &src, const FixpipeParamsV220 &params,
             const Where &at = BELAY_HERE)
{
    fix_to_global(at.of("Fixpipe"), dst, src, nullptr, params, config.format == CO2Layout::ROW_MAJOR);
}

template <typename D, typename C, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<D> &dst, const LocalTensor<C> &src, const LocalTensor<uint64_t> &scales,
             const FixpipeParamsV220 &params, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Fixpipe");
    access_tensor(place, belay_chip_now(), PIPE_FIX, scales, params.nSize * 8ull, false);
    fix_to_global(place, dst, src, scales.at(), params, config.format == CO2Layout::ROW_MAJOR);
}

/* To L1, as fractals, for the next product. */
template <typename D, typename C, const FixpipeConfig &config = CFG_NZ>
void Fixpipe(const LocalTensor<D> &dst, const LocalTensor<C> &src, const FixpipeParamsV220 &params,
             const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Fixpipe");
    belay_chip *chip = belay_chip_now();
    fix_out<D>(
        place,
        [&](uint64_t to, const D *values, uint32_t count) {
            access_chip(place, chip, PIPE_FIX, reinterpret_cast<uint8_t *>(dst.at(to)), count * sizeof(D),
                        dst.low, dst.high, true, sizeof(D));
            memcpy(static_cast<void *>(dst.at(to)), values, count * sizeof(D));
        },
        src, nullptr, params, config.format == CO2Layout::ROW_MAJOR);
}

/* What the parameters of DataCopy from L0C do not name: one scale for all, the bits of a float... */
inline void SetFixpipePreQuantFlag(uint64_t scale)
{
    belay_chip_now()->scale_out = scale;
}

/* ... or one for each column, in the table of Fixpipe. */
template <typename T, bool setRelu = false>
void SetFixPipeConfig(const LocalTensor<T> &scales, bool isUnitFlag = false, const Where &at = BELAY_HERE)
{
    static_assert(!setRelu, "SetFixPipeConfig: factors of relu are not there");
    static_assert(sizeof(T) == 8, "SetFixPipeConfig: scales of uint64_t are expected");
    (void)isUnitFlag;
    const belay_chip_place place = at.of("SetFixPipeConfig");
    if (memory_of(scales.position) != CHIP_FACTORS)
        belay_chip_fault(&place, "the scales are in %s; a tensor of C2PIPE2GM is expected",
                         belay_chip_memory_name(memory_of(scales.position)));
    access_tensor(place, belay_chip_now(), PIPE_FIX, scales, scales.count * sizeof(T), false);
    belay_chip_now()->scales_out = scales.address;
}

constexpr bool has_scale_of_columns(QuantMode_t mode)
{
    return mode == QuantMode_t::VDEQF16 || mode == QuantMode_t::VQF322B8_PRE || mode == QuantMode_t::VREQ8;
}

/* How numbers are scaled on their way, by one factor or one of each column. */
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

/* The older way out: rows by nz2ndEn, whose matrices SetFixpipeNz2ndFlag counts. */
struct DataCopyCO12DstParams {
    uint8_t sid = 0;
    uint16_t nSize = 0, mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false, nz2ndEn = false;

    DataCopyCO12DstParams() = default;
    DataCopyCO12DstParams(uint16_t columns, uint16_t rows, uint32_t target, uint16_t source,
                          QuantMode_t quantise, uint8_t relu, bool splits, bool to_rows)
        : nSize(columns), mSize(rows), dstStride(target), srcStride(source), quantPre(quantise),
          reluPre(relu), channelSplit(splits), nz2ndEn(to_rows)
    {
    }
};

template <typename D, typename C>
void DataCopy(const GlobalTensor<D> &dst, const LocalTensor<C> &src, const DataCopyCO12DstParams &params,
              const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("DataCopy");
    const belay_chip *chip = belay_chip_now();
    const uint32_t *flags = chip->transposed;
    FixpipeParamsV220 p(params.nSize, params.mSize, params.srcStride, params.dstStride, params.reluPre != 0);
    p.quantPre = params.quantPre;
    p.deqScalar = chip->scale_out;
    p.ndNum = flags[0] ? (uint16_t)flags[0] : (uint16_t)1;
    p.srcNdStride = flags[1];
    p.dstNdStride = flags[2];
    const bool by_columns = has_scale_of_columns(params.quantPre);
    if (by_columns && !chip->scales_out)
        belay_chip_fault(&place,
                         "a scale of each column was not named; SetFixPipeConfig before it is expected");
    fix_to_global(place, dst, src,
                  by_columns ? reinterpret_cast<const uint64_t *>(chip->scales_out) : nullptr, p,
                  params.nz2ndEn);
}

/* The oldest: columns of 16, burstLen blocks of 32 bytes each, with gaps between them in blocks. */
struct QuantParams {
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
};

struct Nz2NdParams {
    bool nz2ndEn = false;
    uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0, originalNSize = 0;
};

template <typename C> struct FixpipeParams {
    uint16_t cburstNum = 0, burstLen = 1, srcStride = 0;
    uint32_t dstStride = 0;
    QuantParams quantParams;
    bool reluEn = false;
    Nz2NdParams nz2ndParams;
    uint8_t unitFlag = 0;

    FixpipeParams() = default;
    FixpipeParams(uint16_t columns, uint16_t blocks, uint16_t source, uint32_t target)
        : cburstNum(columns), burstLen(blocks), srcStride(source), dstStride(target)
    {
    }
};

template <typename D, typename C> FixpipeParamsV220 by_rows_of(const FixpipeParams<C> &old)
{
    constexpr uint32_t column = 16 * sizeof(C), fractal = 32 / sizeof(D) < 16 ? 16 : 32 / sizeof(D);
    const uint32_t rows = old.burstLen * 32u / column;
    FixpipeParamsV220 p((uint16_t)(old.cburstNum * 16), (uint16_t)rows,
                        (uint16_t)(rows + old.srcStride * 32u / column),
                        (uint32_t)(rows * fractal * sizeof(D) / 32) + old.dstStride, old.reluEn);
    p.quantPre = old.quantParams.quantPre;
    p.deqScalar = old.quantParams.deqScalar;
    p.unitFlag = old.unitFlag;
    if (old.nz2ndParams.nz2ndEn) {
        p.nSize = old.nz2ndParams.originalNSize ? old.nz2ndParams.originalNSize : p.nSize;
        p.dstStride = old.dstStride;
        p.ndNum = old.nz2ndParams.ndNum;
        p.srcNdStride = old.nz2ndParams.srcNdStride;
        p.dstNdStride = old.nz2ndParams.dstNdStride;
    }
    return p;
}

template <typename D, typename C>
void Fixpipe(const GlobalTensor<D> &dst, const LocalTensor<C> &src, const FixpipeParams<C> &params,
             const Where &at = BELAY_HERE)
{
    fix_to_global(at.of("Fixpipe"), dst, src, static_cast<const uint64_t *>(nullptr), by_rows_of<D>(params),
                  params.nz2ndParams.nz2ndEn);
}

template <typename D, typename C>
void Fixpipe(const GlobalTensor<D> &dst, const LocalTensor<C> &src, const LocalTensor<uint64_t> &scales,
             const FixpipeParams<C> &params, const Where &at = BELAY_HERE)
{
    const FixpipeParamsV220 p = by_rows_of<D>(params);
    const belay_chip_place place = at.of("Fixpipe");
    access_tensor(place, belay_chip_now(), PIPE_FIX, scales, p.nSize * 8ull, false);
    fix_to_global(place, dst, src, scales.at(), p, params.nz2ndParams.nz2ndEn);
}
} // namespace AscendC

#endif
