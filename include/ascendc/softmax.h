/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Softmax of the rows of a matrix, and what attention adds to it, block of columns by block.
 */
#ifndef ASCENDC_SOFTMAX_H
#define ASCENDC_SOFTMAX_H

#include "ascendc/reduce.h"

namespace AscendC
{
/* Rows of a matrix: how many there are, and columns as they lie and as they count. */
struct SoftMaxShapeInfo {
    uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
};

enum class SoftmaxMode : uint8_t { SOFTMAX_NORMAL, SOFTMAX_OUTPUT_WITHOUT_BRC };

/* What is known when a kernel is compiled: nothing depends on it. */
struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0, oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {};

/* A row's number fills a block of 32 bytes. */
template <typename T> void fill_block(const LocalTensor<T> &tensor, uint32_t row, T value)
{
    constexpr uint32_t each = 32 / sizeof(T);
    for (uint32_t i = 0; i < each && tensor.address; i++)
        *tensor.at((uint64_t)row * each + i) = value;
}

/* Who is told no shape takes the tensor's: its last dim is a row. */
template <typename T>
SoftMaxShapeInfo shape_of_rows(const belay_chip_place &place, const SoftMaxShapeInfo &told,
                               const LocalTensor<T> &src)
{
    if (told.srcM && told.srcK)
        return told;
    const ShapeInfo &own = src.shape;
    if (!own.shapeDim || own.shapeDim > K_MAX_SHAPE_DIM || !GetShapeSize(own))
        belay_chip_fault(&place, "nothing says how many rows and columns there are; a SoftMaxShapeInfo with "
                                 "srcM and srcK, or SetShapeInfo of the source is expected");
    SoftMaxShapeInfo shape;
    shape.srcK = own.shape[own.shapeDim - 1];
    shape.srcM = (uint32_t)GetShapeSize(own) / shape.srcK;
    const uint32_t dims = own.originalShapeDim;
    shape.oriSrcK = dims && dims <= K_MAX_SHAPE_DIM ? own.originalShape[dims - 1] : shape.srcK;
    shape.oriSrcM = shape.srcM;
    return shape;
}

/* What rows before had: their sums and maxima, and where what scales them to the new maximum goes. */
template <typename T, typename S> struct RowsBefore {
    const LocalTensor<T> &scale;
    const LocalTensor<S> &sums, &maxima;
};

/* e^(x - max) of each row, divided by the sum or not. */
template <typename T, typename S>
void softmax_rows(const belay_chip_place &place, const LocalTensor<T> &dst, const LocalTensor<S> &sums,
                  const LocalTensor<S> &maxima, const LocalTensor<T> &src, const RowsBefore<T, S> *before,
                  bool divides, const SoftMaxShapeInfo &told)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const SoftMaxShapeInfo shape = shape_of_rows(place, told, src);
    const uint64_t bytes = (uint64_t)shape.srcM * shape.srcK * sizeof(T);
    access_tensor(place, chip, PIPE_V, src, bytes, false);
    access_tensor(place, chip, PIPE_V, dst, bytes, true);
    for (const LocalTensor<S> *each : {&sums, &maxima})
        if (each->address)
            access_tensor(place, chip, PIPE_V, *each, shape.srcM * 32ull, true);
    if (before) {
        access_tensor(place, chip, PIPE_V, before->sums, shape.srcM * 32ull, false);
        access_tensor(place, chip, PIPE_V, before->maxima, shape.srcM * 32ull, false);
        if (before->scale.address)
            access_tensor(place, chip, PIPE_V, before->scale, shape.srcM * 32ull, true);
    }
    const uint32_t columns = shape.oriSrcK ? shape.oriSrcK : shape.srcK;
    if (columns > shape.srcK)
        belay_chip_fault(&place, "oriSrcK is %u; at most srcK, %u, is expected", columns, shape.srcK);
    for (uint32_t row = 0; row < shape.srcM; row++) {
        float values[CHIP_UB_BYTES / sizeof(T)];
        const T *from = src.at((uint64_t)row * shape.srcK);
        T *to = dst.at((uint64_t)row * shape.srcK);
        float maximum = static_cast<float>(from[0]);
        for (uint32_t i = 1; i < columns; i++)
            maximum = static_cast<float>(from[i]) > maximum ? static_cast<float>(from[i]) : maximum;
        constexpr uint32_t each = 32 / sizeof(S);
        const float old = before ? static_cast<float>(*before->maxima.at((uint64_t)row * each)) : maximum;
        maximum = old > maximum ? old : maximum;
        for (uint32_t i = 0; i < columns; i++)
            values[i] = static_cast<float>(from[i]) - maximum;
        belay_kernel_exp_fp32s(values, values, columns);
        for (uint32_t i = 0; i < columns && !divides; i++)
            to[i] = static_cast<T>(values[i]);
        float sum = reduced(values, columns, formula::Add());
        if (before) {
            float factor = old - maximum;
            belay_kernel_exp_fp32s(&factor, &factor, 1);
            const float rest = factor * static_cast<float>(*before->sums.at((uint64_t)row * each));
            sum += rest;
            fill_block(before->scale, row, static_cast<T>(divides ? rest / sum : factor));
        }
        for (uint32_t i = 0; i < columns && divides; i++)
            to[i] = static_cast<T>(values[i] / sum);
        fill_block(sums, row, static_cast<S>(sum));
        fill_block(maxima, row, static_cast<S>(maximum));
    }
}

template <typename T> struct IsLocalTensor : std::false_type {
};
template <typename T> struct IsLocalTensor<LocalTensor<T>> : std::true_type {
};
template <typename T>
concept IsTiling = !IsLocalTensor<T>::value;

/* Each with and without a buffer, which is not used. */
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          auto configuration = 0, IsTiling Tiling>
void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Tiling &,
             const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    static_assert(!isDataFormatNZ, "SoftMax: rows are expected; fractals are not there");
    const LocalTensor<float> none;
    softmax_rows<T, float>(at.of("SoftMax"), dst, none, none, src, nullptr, true, shape);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          auto configuration = 0, IsTiling Tiling>
void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
             const Tiling &tiling, const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    SoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ>(dst, src, tiling, shape, at);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          auto configuration = 0, typename S, IsTiling Tiling>
void SoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
             const LocalTensor<T> &src, const Tiling &, const SoftMaxShapeInfo &shape = {},
             const Where &at = BELAY_HERE)
{
    static_assert(!isDataFormatNZ, "SoftMax: rows are expected; fractals are not there");
    softmax_rows<T, S>(at.of("SoftMax"), dst, sum, max, src, nullptr, true, shape);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          auto configuration = 0, typename S, IsTiling Tiling>
void SoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
             const LocalTensor<T> &src, const LocalTensor<uint8_t> &, const Tiling &tiling,
             const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    SoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ>(dst, sum, max, src, tiling, shape, at);
}

/* Divided by the sum; expMax is what rows before, which were divided by theirs, are worth now. */
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename S, IsTiling Tiling>
void SoftmaxFlash(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
                  const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<S> &inSum,
                  const LocalTensor<S> &inMax, const Tiling &, bool isUpdate = false,
                  const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    const RowsBefore<T, S> before = {expMax, inSum, inMax};
    softmax_rows<T, S>(at.of("SoftmaxFlash"), dst, sum, max, src, isUpdate ? &before : nullptr, true, shape);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename S, IsTiling Tiling>
void SoftmaxFlash(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
                  const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<S> &inSum,
                  const LocalTensor<S> &inMax, const LocalTensor<uint8_t> &, const Tiling &tiling,
                  bool isUpdate = false, const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    SoftmaxFlash<T, isReuseSource, isBasicBlock>(dst, sum, max, src, expMax, inSum, inMax, tiling, isUpdate,
                                                 shape, at);
}

/* Not divided; expMax is what rows before are worth by the new maximum. */
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, auto configuration = 0, typename S, IsTiling Tiling>
void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
                    const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<S> &inSum,
                    const LocalTensor<S> &inMax, const Tiling &, const SoftMaxShapeInfo &shape = {},
                    const Where &at = BELAY_HERE)
{
    static_assert(!isDataFormatNZ, "SoftmaxFlashV2: rows are expected; fractals are not there");
    const RowsBefore<T, S> before = {expMax, inSum, inMax};
    softmax_rows<T, S>(at.of("SoftmaxFlashV2"), dst, sum, max, src, isUpdate ? &before : nullptr, false,
                       shape);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, auto configuration = 0, typename S, IsTiling Tiling>
void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
                    const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<S> &inSum,
                    const LocalTensor<S> &inMax, const LocalTensor<uint8_t> &, const Tiling &tiling,
                    const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ>(dst, sum, max, src, expMax,
                                                                             inSum, inMax, tiling, shape, at);
}
} // namespace AscendC

#endif
