/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of the rows of a matrix: norms, means, running sums, the greatest ones. Computed in float, and rounded once to
 * the elements' type; the order of sums is that of ReduceSum.
 */
#ifndef ASCENDC_ROWS_H
#define ASCENDC_ROWS_H

#include "ascendc/reduce.h"
#include "ascendc/softmax.h"
#include "ascendc/sort.h"

namespace AscendC
{
enum { ROW_MOST = CHIP_UB_BYTES / 4 };

/* A row of `count` elements as floats, and their sum. */
template <typename T> void take_row(float *to, const T *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = static_cast<float>(from[i]);
}

inline void judge_row(const belay_chip_place &place, uint32_t count, uint32_t length)
{
    if (!count || count > length || count > ROW_MOST)
        belay_chip_fault(&place, "rows of %u elements of which %u count; 1 to %u are expected to", length,
                         count, length < ROW_MOST ? length : (uint32_t)ROW_MOST);
}

/* So many rows of `length` elements, of which the first `columns` count. */
struct Rows {
    uint32_t rows, length, columns;
};

/* The rows that the tiling of a norm names. */
template <typename Tiling> Rows rows_of(const belay_chip_place &place, const Tiling &tiling)
{
    const uint32_t length = tiling.hLength;
    const uint32_t columns = tiling.originalHLength ? tiling.originalHLength : length;
    judge_row(place, columns, length);
    return {tiling.bLength * tiling.sLength, length, columns};
}

inline float root_of(float x)
{
    belay_kernel_sqrt_fp32s(&x, &x, 1);
    return x;
}

/* x / sqrt(mean of x^2 + epsilon) * gamma. */
template <typename T, bool isBasicBlock = false, IsTiling Tiling>
void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,
             const T epsilon, const Tiling &tiling, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("RmsNorm");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const auto [rows, length, columns] = rows_of(place, tiling);
    const uint64_t bytes = (uint64_t)rows * length * sizeof(T);
    access_tensor(place, chip, PIPE_V, src, bytes, false);
    access_tensor(place, chip, PIPE_V, gamma, columns * sizeof(T), false);
    access_tensor(place, chip, PIPE_V, dst, bytes, true);
    for (uint32_t row = 0; row < rows; row++) {
        float x[ROW_MOST], squares[ROW_MOST];
        take_row(x, src.at((uint64_t)row * length), columns);
        for (uint32_t i = 0; i < columns; i++)
            squares[i] = x[i] * x[i];
        const float mean = reduced(squares, columns, formula::Add()) / (float)columns;
        const float norm = root_of(mean + static_cast<float>(epsilon));
        for (uint32_t i = 0; i < columns; i++)
            *dst.at((uint64_t)row * length + i) =
                static_cast<T>(x[i] / norm * static_cast<float>(*gamma.at(i)));
    }
}

template <typename T, bool isBasicBlock = false, IsTiling Tiling>
void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,
             const LocalTensor<uint8_t> &, const T epsilon, const Tiling &tiling,
             const Where &at = BELAY_HERE)
{
    RmsNorm<T, isBasicBlock>(dst, src, gamma, epsilon, tiling, at);
}

/* (x - mean) / sqrt(variance + epsilon) * gamma + beta; mean and variance of each row. */
template <typename T, bool isReuseSource = false, IsTiling Tiling>
void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
               const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
               const LocalTensor<T> &gamma, const LocalTensor<T> &beta, const T epsilon, const Tiling &tiling,
               const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("LayerNorm");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const auto [rows, length, columns] = rows_of(place, tiling);
    const uint64_t bytes = (uint64_t)rows * length * sizeof(T);
    access_tensor(place, chip, PIPE_V, inputX, bytes, false);
    access_tensor(place, chip, PIPE_V, gamma, columns * sizeof(T), false);
    access_tensor(place, chip, PIPE_V, beta, columns * sizeof(T), false);
    access_tensor(place, chip, PIPE_V, output, bytes, true);
    access_tensor(place, chip, PIPE_V, outputMean, rows * sizeof(T), true);
    access_tensor(place, chip, PIPE_V, outputVariance, rows * sizeof(T), true);
    for (uint32_t row = 0; row < rows; row++) {
        float x[ROW_MOST], squares[ROW_MOST];
        take_row(x, inputX.at((uint64_t)row * length), columns);
        const float mean = reduced(x, columns, formula::Add()) / (float)columns;
        for (uint32_t i = 0; i < columns; i++) {
            x[i] -= mean;
            squares[i] = x[i] * x[i];
        }
        const float variance = reduced(squares, columns, formula::Add()) / (float)columns;
        const float norm = root_of(variance + static_cast<float>(epsilon));
        for (uint32_t i = 0; i < columns; i++)
            *output.at((uint64_t)row * length + i) = static_cast<T>(
                x[i] / norm * static_cast<float>(*gamma.at(i)) + static_cast<float>(*beta.at(i)));
        *outputMean.at(row) = static_cast<T>(mean);
        *outputVariance.at(row) = static_cast<T>(variance);
    }
}

template <typename T, bool isReuseSource = false, IsTiling Tiling>
void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
               const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
               const LocalTensor<T> &gamma, const LocalTensor<T> &beta, const LocalTensor<uint8_t> &,
               const T epsilon, const Tiling &tiling, const Where &at = BELAY_HERE)
{
    LayerNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, epsilon, tiling, at);
}

struct MeanParams {
    uint32_t outter = 1, inner = 0, n = 0;
};

/* The mean of the first n of each row of inner elements. */
template <typename T, typename Sum = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const MeanParams &params,
          const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Mean");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    judge_row(place, params.n, params.inner);
    access_tensor(place, chip, PIPE_V, src, (uint64_t)params.outter * params.inner * sizeof(T), false);
    access_tensor(place, chip, PIPE_V, dst, params.outter * sizeof(T), true);
    for (uint32_t row = 0; row < params.outter; row++) {
        float x[ROW_MOST];
        take_row(x, src.at((uint64_t)row * params.inner), params.n);
        *dst.at(row) = static_cast<T>(reduced(x, params.n, formula::Add()) / (float)params.n);
    }
}

template <typename T, typename Sum = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
          const MeanParams &params, const Where &at = BELAY_HERE)
{
    Mean<T, Sum, isReuseSource, isBasicBlock, reduceDim>(dst, src, params, at);
}

struct CumSumInfo {
    uint32_t outter = 0, inner = 0;
};

struct CumSumConfig {
    bool isLastAxis = true, isReuseSource = false, outputLastRow = false;
};
constexpr CumSumConfig defaultCumSumConfig = {};

/* Sums of all elements so far, of a row or of a column; the last row of what that gives. */
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
void CumSum(const LocalTensor<T> &dst, const LocalTensor<T> &lastRow, const LocalTensor<T> &src,
            const CumSumInfo &info, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("CumSum");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    judge_row(place, info.inner, info.inner);
    if (info.inner * sizeof(T) % 32)
        belay_chip_not_whole(&place, info.inner * sizeof(T));
    const uint64_t bytes = (uint64_t)info.outter * info.inner * sizeof(T);
    access_tensor(place, chip, PIPE_V, src, bytes, false);
    access_tensor(place, chip, PIPE_V, dst, bytes, true);
    if (config.outputLastRow)
        access_tensor(place, chip, PIPE_V, lastRow, info.inner * sizeof(T), true);
    float sums[ROW_MOST];
    for (uint32_t row = 0; row < info.outter; row++) {
        for (uint32_t i = 0; i < info.inner; i++) {
            const uint64_t element = (uint64_t)row * info.inner + i;
            const float x = static_cast<float>(*src.at(element));
            if (config.isLastAxis)
                sums[i] = i ? sums[i - 1] + x : x;
            else
                sums[i] = row ? sums[i] + x : x;
            *dst.at(element) = static_cast<T>(sums[i]);
        }
    }
    for (uint32_t i = 0; i < info.inner && config.outputLastRow && info.outter; i++)
        *lastRow.at(i) = *dst.at((uint64_t)(info.outter - 1) * info.inner + i);
}

template <typename T, const CumSumConfig &config = defaultCumSumConfig>
void CumSum(const LocalTensor<T> &dst, const LocalTensor<T> &lastRow, const LocalTensor<T> &src,
            const LocalTensor<uint8_t> &, const CumSumInfo &info, const Where &at = BELAY_HERE)
{
    CumSum<T, config>(dst, lastRow, src, info, at);
}

enum class TopKMode : uint8_t { TOPK_NORMAL, TOPK_NSMALL };

struct TopKInfo {
    int32_t outter = 1, inner = 0, n = 0;
};

enum { TOPK_ROW_MOST = 4096 };

/* The places of a row's elements in descending order (ascending ones where the least are asked for), the first of equal
 * ones in front. */
template <typename T> void rank_row(uint8_t *entries, const T *from, uint32_t count, bool isLargest)
{
    uint8_t room[TOPK_ROW_MOST * 8];
    for (uint32_t i = 0; i < count; i++) {
        const float x = static_cast<float>(from[i]), value = isLargest ? x : -x;
        memcpy(entries + i * 8ull, &value, 4);
        memcpy(entries + i * 8ull + 4, &i, 4);
    }
    merge_runs<float>(entries, room, count, 1);
}

/*
 * The k greatest (or least) of the first n elements of each row, and their indices: those of srcIndex, which is one row
 * for all (NSMALL: one each), or their places. Rows of results take whole blocks, of NSMALL k elements. A row that
 * finish says is done has n for its indices.
 */
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL, auto configuration = 0, IsTiling Tiling>
void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex, const LocalTensor<T> &src,
          const LocalTensor<int32_t> &srcIndex, const LocalTensor<bool> &finish, int32_t k, const Tiling &,
          const TopKInfo &info, bool isLargest = true, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("TopK");
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    constexpr bool small = topkMode == TopKMode::TOPK_NSMALL;
    if (info.outter < 1 || info.inner < 1 || info.inner % 32 || info.inner > TOPK_ROW_MOST ||
        (small && info.inner != 32) || info.n < 1 || info.n > info.inner)
        belay_chip_fault(&place,
                         "%d rows of %d elements, %d of them in use; rows of %s elements are expected, and "
                         "at least one in use",
                         info.outter, info.inner, info.n, small ? "32" : "32, 64, ..., 4096");
    if (k < 1 || k > info.n)
        belay_chip_fault(&place, "k is %d; 1 to n, %d, is expected", k, info.n);
    const uint32_t rows = (uint32_t)info.outter, inner = (uint32_t)info.inner, most = (uint32_t)k;
    const uint32_t values = small ? most : (uint32_t)(in_whole_blocks(most * sizeof(T)) / sizeof(T));
    const uint32_t indices = small ? most : (uint32_t)(in_whole_blocks(most * 4ull) / 4);
    access_tensor(place, chip, PIPE_V, src, (uint64_t)rows * inner * sizeof(T), false);
    if (isInitIndex)
        access_tensor(place, chip, PIPE_V, srcIndex, (small ? rows : 1) * inner * 4ull, false);
    if (isHasfinish)
        access_tensor(place, chip, PIPE_V, finish, rows, false);
    access_tensor(place, chip, PIPE_V, dstValue, ((rows - 1ull) * values + most) * sizeof(T), true);
    access_tensor(place, chip, PIPE_V, dstIndex, ((rows - 1ull) * indices + most) * 4, true);
    for (uint32_t row = 0; row < rows; row++) {
        uint8_t entries[TOPK_ROW_MOST * 8];
        rank_row(entries, src.at((uint64_t)row * inner), (uint32_t)info.n, isLargest);
        const bool done = isHasfinish && *finish.at(row);
        for (uint32_t i = 0; i < most; i++) {
            uint32_t from;
            memcpy(&from, entries + i * 8ull + 4, 4);
            *dstValue.at((uint64_t)row * values + i) = *src.at((uint64_t)row * inner + from);
            *dstIndex.at((uint64_t)row * indices + i) = done ? info.n
                                                        : isInitIndex
                                                            ? *srcIndex.at((small ? row * inner : 0) + from)
                                                            : (int32_t)from;
        }
    }
}

template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL, auto configuration = 0, IsTiling Tiling>
void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex, const LocalTensor<T> &src,
          const LocalTensor<int32_t> &srcIndex, const LocalTensor<bool> &finish, const LocalTensor<uint8_t> &,
          int32_t k, const Tiling &tiling, const TopKInfo &info, bool isLargest = true,
          const Where &at = BELAY_HERE)
{
    TopK<T, isInitIndex, isHasfinish, isReuseSrc, topkMode>(dstValue, dstIndex, src, srcIndex, finish, k,
                                                            tiling, info, isLargest, at);
}
} // namespace AscendC

#endif
