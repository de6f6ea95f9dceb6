// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Functions of the rows of a matrix, selection by bytes, interpolation, layouts and what C++'s library gives kernels.
#include <algorithm>

#include "ascendc_support.h"
#include "kernel_tiling/kernel_tiling.h"

using namespace AscendC;

namespace
{
const std::vector<float> none = {0};

template <typename T> bool near(T is, double expected)
{
    const double error = std::fabs(number(is) - expected);
    return error <= (sizeof(T) == 4 ? 1e-5 : 2e-3) * (1 + std::fabs(expected));
}

/* Rows of 32 of which 24 count. */
template <typename T> void check_norms()
{
    constexpr int rows = 3, length = 32, columns = 24;
    const auto x = drawn<T>(rows * length, 90, 30), gamma = drawn<T>(2 * length, 91, 10);
    const auto rms = on_chip(std::vector<T>(rows * length, T(7)), x, gamma, [](auto &d, auto &u, auto &v) {
        RmsNormTiling tiling;
        tiling.bLength = 1, tiling.sLength = rows, tiling.hLength = length, tiling.originalHLength = columns;
        RmsNorm(d, u, v, LocalTensor<uint8_t>(), T(0.5f), tiling);
    });
    const auto layer = on_chip(std::vector<T>(rows * length + 64), x, gamma, [](auto &d, auto &u, auto &v) {
        LayerNormTiling tiling;
        tiling.bLength = rows, tiling.sLength = 1, tiling.hLength = length, tiling.originalHLength = columns;
        LayerNorm(d, d[rows * length], d[rows * length + 32], u, v, v[length], LocalTensor<uint8_t>(),
                  T(0.5f), tiling);
    });
    for (int row = 0; row < rows; row++) {
        double squares = 0, sum = 0, deviations = 0;
        for (int i = 0; i < columns; i++) {
            squares += number(x[row * length + i]) * number(x[row * length + i]);
            sum += number(x[row * length + i]);
        }
        const double mean = sum / columns;
        for (int i = 0; i < columns; i++)
            deviations += std::pow(number(x[row * length + i]) - mean, 2);
        const double variance = deviations / columns;
        CHECK(near(layer[rows * length + row], mean) && near(layer[rows * length + 32 + row], variance));
        for (int i = 0; i < columns; i++) {
            const double value = number(x[row * length + i]);
            CHECK(near(rms[row * length + i], value / std::sqrt(squares / columns + 0.5) * number(gamma[i])));
            CHECK(
                near(layer[row * length + i], (value - mean) / std::sqrt(variance + 0.5) * number(gamma[i]) +
                                                  number(gamma[length + i])));
        }
        CHECK(rms[row * length + columns] == T(7));
    }
}

struct Ranked {
    double value;
    int place;
};

/* The k first of a row by the standard library. */
template <typename T> std::vector<Ranked> ranked(const T *row, int n, bool largest)
{
    std::vector<Ranked> all;
    for (int i = 0; i < n; i++)
        all.push_back({number(row[i]), i});
    std::stable_sort(all.begin(), all.end(), [largest](const Ranked &u, const Ranked &v) {
        return largest ? u.value > v.value : u.value < v.value;
    });
    return all;
}

constexpr CumSumConfig down_with_last = {false, false, true};
constexpr SoftmaxConfig of_any_shape = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};
} // namespace

TEST(norms_of_rows)
{
    check_norms<float>();
    check_norms<half>();
}

TEST(means_of_rows)
{
    const auto x = drawn<float>(64, 92);
    const auto is = on_chip(std::vector<float>(8), x, none, [](auto &d, auto &u, auto &) {
        Mean(d, u, LocalTensor<uint8_t>(), MeanParams{2, 32, 20});
    });
    for (int row = 0; row < 2; row++) {
        double sum = 0;
        for (int i = 0; i < 20; i++)
            sum += x[row * 32 + i];
        CHECK(near(is[row], sum / 20));
    }
}

TEST(sums_so_far_of_rows_and_columns)
{
    const auto x = drawn<half>(3 * 16, 93, 20);
    const auto along = on_chip(std::vector<half>(64), x, none, [](auto &d, auto &u, auto &) {
        CumSum(d, d[48], u, LocalTensor<uint8_t>(), CumSumInfo{3, 16});
    });
    const auto down = on_chip(std::vector<half>(64), x, none, [](auto &d, auto &u, auto &) {
        CumSum<half, down_with_last>(d, d[48], u, CumSumInfo{3, 16});
    });
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 16; i++) {
            float of_row = 0, of_column = 0;
            for (int j = 0; j <= i; j++)
                of_row += (float)x[row * 16 + j];
            for (int j = 0; j <= row; j++)
                of_column += (float)x[j * 16 + i];
            CHECK(along[row * 16 + i] == half(of_row) && down[row * 16 + i] == half(of_column));
        }
    for (int i = 0; i < 16; i++)
        CHECK(down[48 + i] == down[32 + i] && along[48 + i] == half(0));
}

TEST(the_greatest_and_the_least_of_rows)
{
    constexpr int rows = 2, inner = 64, n = 50, k = 5;
    auto x = drawn<float>(rows * inner, 94, 20); /* equal ones among them */
    for (const bool largest : {true, false}) {
        const auto is = on_chip(std::vector<float>(2 * rows * 8, -1.0f), x,
                                std::vector<float>{largest ? 1.0f : 0.0f}, [](auto &d, auto &u, auto &v) {
                                    TopK(d, d[16].template ReinterpretCast<int32_t>(), u,
                                         LocalTensor<int32_t>(), LocalTensor<bool>(), LocalTensor<uint8_t>(),
                                         k, TopkTiling(), TopKInfo{rows, inner, n}, v.GetValue(0) != 0);
                                });
        for (int row = 0; row < rows; row++) {
            const auto expected = ranked(&x[row * inner], n, largest);
            for (int i = 0; i < k; i++) {
                int32_t index;
                std::memcpy(&index, &is[16 + row * 8 + i], 4);
                CHECK(is[row * 8 + i] == (float)expected[i].value && index == expected[i].place);
            }
            CHECK(is[row * 8 + k] == -1); /* rows of results take whole blocks */
        }
    }
    /* Of 32 elements, results one behind another, with indices of its own. */
    const auto small = on_chip(std::vector<float>(16), x, none, [](auto &d, auto &u, auto &) {
        LocalTensor<int32_t> index(TPosition::VECCALC, 184320, 64), to(TPosition::VECCALC, 188416, 8);
        for (int i = 0; i < 64; i++)
            index.SetValue(i, 100 + i);
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
        TopK<float, true, false, false, TopKMode::TOPK_NSMALL>(d, to, u, index, LocalTensor<bool>(), 3,
                                                               TopkTiling(), TopKInfo{2, 32, 32});
        for (int i = 0; i < 6; i++)
            d[8].SetValue(i, (float)to.GetValue(i));
    });
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < 3; i++) {
            const auto expected = ranked(&x[row * 32], 32, true);
            CHECK(small[row * 3 + i] == (float)expected[i].value);
            CHECK(small[8 + row * 3 + i] == (float)(100 + row * 32 + expected[i].place));
        }
    /* A row that is done. */
    const auto done = on_chip(std::vector<float>(16), x, none, [](auto &d, auto &u, auto &) {
        LocalTensor<bool> finish(TPosition::VECCALC, 184320, 32);
        finish.SetValue(0, true);
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
        TopK<float, false, true>(d, d[8].template ReinterpretCast<int32_t>(), u, LocalTensor<int32_t>(),
                                 finish, 2, TopkTiling(), TopKInfo{1, 32, 30});
    });
    int32_t index;
    std::memcpy(&index, &done[8], 4);
    CHECK(index == 30);
}

/* The matrix is that of the tensor's own shape, whose last four columns do not count. */
TEST(softmax_by_the_shape_of_a_tensor)
{
    const auto x = drawn<float>(2 * 16, 95, 20);
    const auto is = on_chip(std::vector<float>(32), x, none, [](auto &d, auto &u, auto &) {
        const uint32_t lies[] = {2, 16}, counts[] = {2, 12};
        u.SetShapeInfo(ShapeInfo(2, lies, 2, counts, DataFormat::ND));
        CHECK(u.GetShapeInfo().originalShape[1] == 12 && GetShapeSize(u.GetShapeInfo()) == 32);
        SoftMax(d, u, LocalTensor<uint8_t>(), SoftMaxTiling());
    });
    const auto told = on_chip(std::vector<float>(32), x, none, [](auto &d, auto &u, auto &) {
        SoftMax<float, false, false, false, of_any_shape>(d, u, SoftMaxTiling(),
                                                          SoftMaxShapeInfo{2, 16, 2, 12});
    });
    CHECK_SAME(is, told);
    for (int row = 0; row < 2; row++) {
        double sum = 0;
        for (int i = 0; i < 12; i++)
            sum += std::exp(x[row * 16 + i]);
        for (int i = 0; i < 12; i++)
            CHECK(near(is[row * 16 + i], std::exp(x[row * 16 + i]) / sum));
        CHECK(is[row * 16 + 12] == 0);
    }
}

/* Two blocks of columns, one after the other: what the first gave is scaled to the sum of both. */
TEST(softmax_in_blocks_of_columns)
{
    const auto x = drawn<float>(16, 96, 20);
    const auto is = on_chip(std::vector<float>(64), x, none, [](auto &d, auto &u, auto &) {
        const SoftMaxShapeInfo shape = {1, 8, 1, 8};
        const SoftMaxTiling tiling;
        SoftmaxFlash(d, d[16], d[24], u, d[32], d[16], d[24], tiling, false, shape);
        SoftmaxFlash(d[8], d[40], d[48], u[8], d[32], d[16], d[24], LocalTensor<uint8_t>(), tiling, true,
                     shape);
    });
    double sum = 0;
    for (const float each : x)
        sum += std::exp(each);
    for (int i = 0; i < 8; i++)
        CHECK(near(is[i] * is[32], std::exp(x[i]) / sum) && near(is[8 + i], std::exp(x[8 + i]) / sum));
}

TEST(selection_by_bytes)
{
    const auto x = drawn<half>(2 * 16, 97);
    std::vector<uint8_t> mask(2 * 32);
    for (int i = 0; i < 64; i++)
        mask[i] = i % 3 == 0 ? 2 : 0;
    const auto other = on_chip(std::vector<half>(32), x, mask, [](auto &d, auto &u, auto &m) {
        SelectWithBytesMask(d, u, half(9), m, LocalTensor<uint8_t>(),
                            SelectWithBytesMaskShapeInfo{2, 16, 32});
    });
    const auto first = on_chip(std::vector<half>(32), x, mask, [](auto &d, auto &u, auto &m) {
        SelectWithBytesMask(d, half(9), u, m, LocalTensor<uint8_t>(),
                            SelectWithBytesMaskShapeInfo{2, 16, 32});
    });
    for (int i = 0; i < 32; i++) {
        const bool set = mask[i / 16 * 32 + i % 16] != 0;
        CHECK(other[i] == (set ? half(9) : x[i]) && first[i] == (set ? x[i] : half(9)));
    }
}

TEST(interpolation_of_blocks)
{
    const auto x = drawn<half>(4 * 16, 98, 20);
    /* Two rows of two steps; a step takes blocks 0, 1, 2, 3, 0, 1, 2, 3, the other one backwards. */
    std::vector<uint32_t> offsets(4 * 8);
    for (int i = 0; i < 32; i++)
        offsets[i] = (uint32_t)((i / 8 % 2 ? 7 - i % 8 : i % 8) % 4 * 32);
    for (const bool each : {false, true}) {
        std::vector<uint32_t> arguments = offsets;
        arguments.push_back(each);
        const auto is = on_chip(std::vector<half>(2 * 128), x, arguments, [](auto &d, auto &u, auto &v) {
            const bool mode = v.GetValue(32) != 0;
            LocalTensor<half> factors(TPosition::VECCALC, 184320, 32);
            for (int i = 0; i < 32; i++)
                factors.SetValue(i, half((float)(i + 1) / 4));
            SetFlag<HardEvent::S_V>(EVENT_ID0);
            WaitFlag<HardEvent::S_V>(EVENT_ID0);
            BilinearInterpolation(d, u, v, factors, 128, 2, mode, 1, 128, 2, LocalTensor<uint8_t>());
        });
        for (int i = 0; i < 256; i++) {
            half sum = half(0);
            for (int step = 0; step < 2; step++) {
                const int number = (i / 128 * 2 + step) * 8 + i % 128 / 16;
                const half factor = half((float)((each ? number : number / 8) + 1) / 4);
                sum = sum + x[offsets[number] / 2 + i % 16] * factor;
            }
            CHECK(is[i] == sum);
        }
    }
}

TEST(rows_and_columns_repeated_by_either_name)
{
    const auto x = drawn<float>(8, 99);
    const auto is = on_chip(std::vector<float>(32), x, none, [](auto &d, auto &u, auto &) {
        const uint32_t to[] = {4, 8}, from[] = {1, 8};
        BroadCast<float, 2, 0>(d, u, to, from);
    });
    for (int i = 0; i < 32; i++)
        CHECK(is[i] == x[i % 8]);
}

TEST(swish_of_a_slope)
{
    const auto x = drawn<float>(40, 89, 30);
    const auto is = on_chip(x, x, none, [](auto &d, auto &u, auto &) { Swish(d, u, 40, 1.5f); });
    for (int i = 0; i < 40; i++)
        CHECK(near(is[i], x[i] / (1 + std::exp(-1.5 * x[i]))));
}

TEST(layouts_of_numbers)
{
    const auto layout = MakeLayout(MakeShape(Std::Int<4>{}, 6), MakeStride(6, Std::Int<1>{}));
    CHECK(layout(MakeCoord(2, 3)) == 15 && Crd2Idx(MakeCoord(1, 5), layout) == 11);
    CHECK(Get<1>(layout.GetShape()) == 6 && Get<0>(layout.GetStride()) == 6);
    CHECK(Crd2Idx(5, layout) == 7); /* the first dim counts fastest: (1, 1) */
    const auto nested = MakeLayout(MakeShape(MakeShape(16, 2), MakeShape(8, 3)),
                                   MakeStride(MakeStride(8, 384), MakeStride(1, 128)));
    CHECK(nested(MakeCoord(MakeCoord(3, 1), MakeCoord(5, 2))) == 3 * 8 + 384 + 5 + 256);
    CHECK(nested(MakeCoord(19, 21)) == 3 * 8 + 384 + 5 + 256);
    const Layout<Shape<int, int>, Stride<int, int>> rows(MakeShape(2, 3), MakeStride(3, 1));
    CHECK(rows.layout()(MakeCoord(1, 1)) == 4 && Get<1>(MakeTile(16, 8)) == 8);
    const Shape<int, int> shape = MakeShape(2, 3);
    const Stride<int, int> stride = MakeStride(3, 1);
    CHECK(Crd2Idx(MakeCoord(1, 2), shape, stride) == 5);
    CHECK(Std::max(3, 4u) == 4 && Std::min(2.5f, 3) == 2.5f && Std::abs(-3) == 3);
    CHECK(Std::get<1>(Std::make_tuple(1, 2)) == 2 && Std::is_same_v<int, int>);
    CHECK(CeilDivision(17, 16) == 2 && GetDataBlockSizeInBytes() == 32 && AuxGetC0Size<half>() == 16);
}
