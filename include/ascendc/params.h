/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What instructions are told beside their tensors: how blocks lie. Each has a constructor of all its fields, so that
 * braces with so many numbers name one of them alone.
 */
#ifndef ASCENDC_PARAMS_H
#define ASCENDC_PARAMS_H

#include "ascendc/types.h"

namespace AscendC
{
/* Blocks of 32 bytes; strides are the gaps between them, in blocks. DataCopyPad: bytes, and bytes of global memory. */
struct DataCopyParams {
    uint16_t blockCount = 1, blockLen = 0, srcStride = 0, dstStride = 0;

    DataCopyParams() = default;
    DataCopyParams(uint16_t count, uint16_t length, uint16_t source, uint16_t destination)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination)
    {
    }
};

/* Those of DataCopyPad with more room: lengths and gaps in global memory in bytes, gaps on chip in blocks. */
struct DataCopyExtParams {
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    int64_t srcStride = 0, dstStride = 0;
    uint32_t rsv = 0;

    DataCopyExtParams() = default;
    DataCopyExtParams(uint16_t count, uint32_t length, int64_t source, int64_t destination, uint32_t reserved)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination), rsv(reserved)
    {
    }
};

struct DataCopyPadParams {
    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    uint64_t paddingValue = 0;

    DataCopyPadParams() = default;
    DataCopyPadParams(bool pads, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pads), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }
};

template <typename T> struct DataCopyPadExtParams {
    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    T paddingValue{};

    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool pads, uint8_t left, uint8_t right, T value)
        : isPad(pads), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }
};

/* How blocks of a matrix change on their way; normal ones do not. */
struct DataCopyEnhancedParams {
    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    uint64_t deqScale = 0, deqValue = 0;
    bool isRelu = false;
    uint8_t sidStoreMode = 0;
};

/* A matrix of rows becomes fractals: blocks of 16 rows by 32 bytes, column after column. */
struct Nd2NzParams {
    uint16_t ndNum = 0, nValue = 0, dValue = 0;
    uint64_t srcNdMatrixStride = 0;
    uint32_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0, dstNzNStride = 0;
    uint32_t dstNzMatrixStride = 0;

    Nd2NzParams() = default;
    Nd2NzParams(uint16_t matrices, uint16_t rows, uint16_t columns, uint64_t source_matrix,
                uint32_t source_row, uint16_t column_stride, uint16_t row_stride, uint32_t matrix_stride)
        : ndNum(matrices), nValue(rows), dValue(columns), srcNdMatrixStride(source_matrix),
          srcDValue(source_row), dstNzC0Stride(column_stride), dstNzNStride(row_stride),
          dstNzMatrixStride(matrix_stride)
    {
    }
};

struct SliceInfo {
    uint32_t startIndex = 0, endIndex = 0, stride = 0, burstLen = 0, shapeValue = 0;
};

/* Strides of a repeat's blocks, and of repeats, in blocks of 32 bytes. */
struct UnaryRepeatParams {
    uint16_t dstBlkStride = 1, srcBlkStride = 1;
    uint16_t dstRepStride = 8, srcRepStride = 8;
    bool halfBlock = false;

    UnaryRepeatParams() = default;
    UnaryRepeatParams(uint16_t destination, uint16_t source, uint16_t destination_repeat,
                      uint16_t source_repeat, bool half_block = false)
        : dstBlkStride(destination), srcBlkStride(source), dstRepStride(destination_repeat),
          srcRepStride(source_repeat), halfBlock(half_block)
    {
    }
};

struct BinaryRepeatParams {
    uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
    uint8_t dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
    uint32_t blockNumber = 8;
    bool repeatStrideMode = false, strideSizeMode = false;

    BinaryRepeatParams() = default;
    BinaryRepeatParams(uint8_t destination, uint8_t source0, uint8_t source1, uint8_t destination_repeat,
                       uint8_t source0_repeat, uint8_t source1_repeat)
        : dstBlkStride(destination), src0BlkStride(source0), src1BlkStride(source1),
          dstRepStride(destination_repeat), src0RepStride(source0_repeat), src1RepStride(source1_repeat)
    {
    }
};

struct CopyRepeatParams {
    uint16_t dstStride = 1, srcStride = 1, dstRepeatSize = 8, srcRepeatSize = 8;

    CopyRepeatParams() = default;
    CopyRepeatParams(uint16_t destination, uint16_t source, uint16_t destination_repeat,
                     uint16_t source_repeat)
        : dstStride(destination), srcStride(source), dstRepeatSize(destination_repeat),
          srcRepeatSize(source_repeat)
    {
    }
};

struct BrcbRepeatParams {
    uint16_t dstBlkStride = 1, dstRepStride = 8;

    BrcbRepeatParams() = default;
    BrcbRepeatParams(uint16_t block, uint16_t repeat) : dstBlkStride(block), dstRepStride(repeat)
    {
    }
};

struct GatherRepeatParams {
    uint16_t dstBlkStride = 1, dstRepStride = 8;

    GatherRepeatParams() = default;
    GatherRepeatParams(uint16_t block, uint16_t repeat) : dstBlkStride(block), dstRepStride(repeat)
    {
    }
};

struct GatherMaskParams {
    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0, src0RepeatStride = 8;
    uint16_t src1RepeatStride = 8;

    GatherMaskParams() = default;
    GatherMaskParams(uint8_t block, uint16_t repeats, uint16_t repeat, uint16_t pattern_repeat)
        : src0BlockStride(block), repeatTimes(repeats), src0RepeatStride(repeat),
          src1RepeatStride(pattern_repeat)
    {
    }
};

struct MrgSort4Info {
    uint16_t elementLengths[4] = {0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0, repeatTimes = 1;

    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t lengths[4], bool suspends, uint16_t valid, uint16_t repeats)
        : elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]}, ifExhaustedSuspension(suspends),
          validBit(valid), repeatTimes(repeats)
    {
    }
};

struct TransDataTo5HDParams {
    bool dstHighHalf = false, srcHighHalf = false;
    uint16_t repeatTimes = 1, dstRepStride = 0, srcRepStride = 0;

    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(bool destination_high, bool source_high, uint16_t repeats,
                         uint16_t destination_repeat, uint16_t source_repeat)
        : dstHighHalf(destination_high), srcHighHalf(source_high), repeatTimes(repeats),
          dstRepStride(destination_repeat), srcRepStride(source_repeat)
    {
    }
};

struct SumParams {
    uint32_t outter = 1, inner = 0, n = 0;
};

template <typename T> struct InitConstValueParams {
    uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
    T initValue{};

    InitConstValueParams() = default;
    InitConstValueParams(uint16_t repeats, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeats), blockNum(blocks), dstGap(gap), initValue(value)
    {
    }
};
} // namespace AscendC

#endif
