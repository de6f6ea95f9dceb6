/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LoadData in three dims: an image in L1, as blocks of channels [C1, height, width, C0], becomes the matrix that a
 * convolution multiplies: a row for each place of the filter, a column for each of its elements (C1, filter's height,
 * filter's width, C0), with zeros, or another value, around the image.
 */
#ifndef ASCENDC_IMAGE_H
#define ASCENDC_IMAGE_H

#include "ascendc/cube.h"

namespace AscendC
{
enum class FmatrixMode : uint8_t { FMATRIX_LEFT, FMATRIX_RIGHT };

/* What each LoadData sets by its parameters, or what SetFmatrix and SetLoadDataPaddingValue have set before. */
struct IsResetLoad3dConfig {
    bool isSetFMatrix = true, isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

template <typename T> struct LoadData3DParamsV2 {
    uint8_t padList[4] = {}; /* left, right, top, bottom */
    uint16_t l1H = 0, l1W = 0, channelSize = 0;
    uint16_t kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0; /* the part of the matrix */
    uint8_t strideW = 1, strideH = 1, filterW = 1, filterH = 1, dilationFilterW = 1, dilationFilterH = 1;
    bool enTranspose = false, enSmallK = false;
    T padValue{};
    bool filterSizeW = false, filterSizeH = false; /* 256 more */
    bool fMatrixCtrl = false;                      /* the image is the right one of SetFmatrix */

    LoadData3DParamsV2() = default;
    LoadData3DParamsV2(const uint8_t around[4], uint16_t height, uint16_t width, uint16_t channels,
                       uint16_t columns, uint16_t rows, uint16_t first_column, uint16_t first_row,
                       uint8_t stride_w, uint8_t stride_h, uint8_t filter_w, uint8_t filter_h,
                       uint8_t dilation_w, uint8_t dilation_h, bool transposes, bool small, T value,
                       bool wider = false, bool higher = false, bool right = false)
        : padList{around[0], around[1], around[2], around[3]}, l1H(height), l1W(width), channelSize(channels),
          kExtension(columns), mExtension(rows), kStartPt(first_column), mStartPt(first_row),
          strideW(stride_w), strideH(stride_h), filterW(filter_w), filterH(filter_h),
          dilationFilterW(dilation_w), dilationFilterH(dilation_h), enTranspose(transposes), enSmallK(small),
          padValue(value), filterSizeW(wider), filterSizeH(higher), fMatrixCtrl(right)
    {
    }
};

inline void SetFmatrix(uint16_t height, uint16_t width, const uint8_t around[4],
                       const FmatrixMode &mode = FmatrixMode::FMATRIX_LEFT)
{
    belay_chip_now()->images[mode == FmatrixMode::FMATRIX_RIGHT] = {
        height, width, {around[0], around[1], around[2], around[3]}};
}

template <typename T> void SetLoadDataPaddingValue(const T value)
{
    uint64_t &bits = belay_chip_now()->around_image;
    bits = 0;
    memcpy(&bits, static_cast<const void *>(&value), sizeof(T));
}

/* Where an element of the matrix stands in the image, or -1: around it. */
template <typename T>
int64_t place_in_image(const LoadData3DParamsV2<T> &p, const belay_chip_image &image, int64_t row,
                       int64_t column, int64_t across)
{
    constexpr int64_t each = 32 / sizeof(T);
    const int64_t width = p.filterW + (p.filterSizeW ? 256 : 0),
                  height = p.filterH + (p.filterSizeH ? 256 : 0);
    const int64_t of_filter = column / each, c1 = of_filter / (width * height);
    const int64_t y =
        row / across * p.strideH + of_filter / width % height * p.dilationFilterH - image.around[2];
    const int64_t x = row % across * p.strideW + of_filter % width * p.dilationFilterW - image.around[0];
    if (y < 0 || y >= image.height || x < 0 || x >= image.width)
        return -1;
    return ((c1 * image.height + y) * image.width + x) * each + column % each;
}

/* To L0A rows of fractals, or those of the transposed matrix; to L0B rows of fractals, each of them transposed. */
template <typename T, const IsResetLoad3dConfig &config = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<U> &told,
              const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("LoadData");
    belay_chip *chip = belay_chip_now();
    LoadData3DParamsV2<T> p(told.padList, told.l1H, told.l1W, told.channelSize, told.kExtension,
                            told.mExtension, told.kStartPt, told.mStartPt, told.strideW, told.strideH,
                            told.filterW, told.filterH, told.dilationFilterW, told.dilationFilterH,
                            told.enTranspose, told.enSmallK, static_cast<T>(told.padValue), told.filterSizeW,
                            told.filterSizeH, told.fMatrixCtrl);
    if constexpr (config.isSetFMatrix)
        SetFmatrix(p.l1H, p.l1W, p.padList,
                   p.fMatrixCtrl ? FmatrixMode::FMATRIX_RIGHT : FmatrixMode::FMATRIX_LEFT);
    if constexpr (config.isSetPadding)
        SetLoadDataPaddingValue(p.padValue);
    const belay_chip_image image = chip->images[p.fMatrixCtrl];
    constexpr uint32_t each = 32 / sizeof(T);
    const int memory = memory_of(dst.position);
    const int64_t wide = (p.filterW + (p.filterSizeW ? 256 : 0) - 1) * p.dilationFilterW + 1;
    const int64_t high = (p.filterH + (p.filterSizeH ? 256 : 0) - 1) * p.dilationFilterH + 1;
    const int64_t room_w = image.width + image.around[0] + image.around[1] - wide;
    const int64_t room_h = image.height + image.around[2] + image.around[3] - high;
    if (memory_of(src.position) != CHIP_L1 || (memory != CHIP_L0A && memory != CHIP_L0B))
        belay_chip_fault(&place, "from %s to %s; L1 is expected, and L0A or L0B",
                         belay_chip_memory_name(memory_of(src.position)), belay_chip_memory_name(memory));
    if (!image.height || !image.width || !p.strideW || !p.strideH || !p.filterW || !p.filterH || room_w < 0 ||
        room_h < 0)
        belay_chip_fault(
            &place,
            "an image of %u by %u and a filter of %lld by %lld with strides of %u and %u; a filter "
            "that the image with what is around it has room for, and strides from 1 on are expected",
            image.height, image.width, (long long)high, (long long)wide, p.strideH, p.strideW);
    if (p.mStartPt % 16 || p.kStartPt % each || p.kExtension % each || !p.kExtension || !p.mExtension)
        belay_chip_fault(
            &place, "rows from %u on, and %u columns from %u on; whole fractals of 16 by %u are expected",
            p.mStartPt, p.kExtension, p.kStartPt, each);
    if (p.enTranspose && (memory != CHIP_L0A || sizeof(T) != 2))
        belay_chip_fault(&place, "transposes elements of %zu bytes to %s; 2 bytes and L0A are expected",
                         sizeof(T), belay_chip_memory_name(memory));
    issue(chip, PIPE_MTE1);
    const int64_t across = room_w / p.strideW + 1, places = across * (room_h / p.strideH + 1);
    const uint64_t unit = memory == CHIP_L0B && each > 16 ? each : 16, columns = p.kExtension;
    const uint64_t rows = (p.mExtension + unit - 1) / unit * unit;
    const bool by_sixteen = memory == CHIP_L0B || p.enTranspose; /* both sides in fractals of 16 */
    const uint64_t wider = by_sixteen ? (columns + 15) / 16 * 16 : columns;
    access_tensor(place, chip, PIPE_MTE1, dst, rows * wider * sizeof(T), true);
    T around;
    memcpy(static_cast<void *>(&around), &chip->around_image, sizeof(T));
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t first = 0; first < wider; first += each) {
            const bool is_there = first < columns && (int64_t)row + p.mStartPt < places;
            const int64_t from = is_there ? place_in_image(p, image, (int64_t)row + p.mStartPt,
                                                           (int64_t)first + p.kStartPt, across)
                                          : -1;
            if (from >= 0)
                access_chip(place, chip, PIPE_MTE1, src.address + from * sizeof(T), 32, src.low, src.high,
                            false, 32);
            for (uint64_t i = 0; i < each; i++) {
                const uint64_t column = first + i;
                const uint64_t to =
                    memory == CHIP_L0B ? (row / each * (wider / 16) + column / 16) * 16 * each +
                                             column % 16 * each + row % each
                    : p.enTranspose ? (column / 16 * (rows / each) + row / each) * 16 * each +
                                          column % 16 * each + row % each
                                    : (row / 16 * (columns / each) + column / each) * 16 * each +
                                          row % 16 * each + column % each;
                *dst.at(to) = from >= 0 ? *src.at((uint64_t)from + i) : around;
            }
        }
}
} // namespace AscendC

#endif
