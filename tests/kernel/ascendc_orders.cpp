// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Comparisons, selections, reductions and sorts of AscendC, against the same on the host.
#include "ascendc_support.h"

#include <algorithm>

using namespace AscendC;

static std::vector<uint8_t> bits_of(const std::vector<float> &a, const std::vector<float> &b,
                                    bool (*f)(float, float))
{
    std::vector<uint8_t> bits(a.size() / 8);
    for (size_t i = 0; i < a.size(); i++)
        bits[i / 8] |= (uint8_t)(f(a[i], b[i]) << i % 8);
    return bits;
}

TEST(comparisons_write_a_bit_each)
{
    const auto a = drawn<float>(256, 23, 5), b = drawn<float>(256, 24, 5),
               ones = std::vector<float>(256, 0.25f);
    const auto check_mode = [&](auto f, bool (*g)(float, float)) {
        CHECK_SAME(on_chip(std::vector<uint8_t>(32), a, b, f), bits_of(a, b, g));
    };
    check_mode([](auto &d, auto &u, auto &v) { Compare(d, u, v, CMPMODE::LT, 256); },
               [](float x, float y) { return x < y; });
    check_mode([](auto &d, auto &u, auto &v) { Compare(d, u, v, CMPMODE::GT, 256); },
               [](float x, float y) { return x > y; });
    check_mode([](auto &d, auto &u, auto &v) { Compare(d, u, v, CMPMODE::EQ, 256); },
               [](float x, float y) { return x == y; });
    check_mode([](auto &d, auto &u, auto &v) { Compare(d, u, v, CMPMODE::LE, 256); },
               [](float x, float y) { return x <= y; });
    check_mode([](auto &d, auto &u, auto &v) { Compare(d, u, v, CMPMODE::GE, 256); },
               [](float x, float y) { return x >= y; });
    check_mode(
        [](auto &d, auto &u, auto &v) {
            Compare(d, u, v, CMPMODE::NE, 64, 4, {1, 1, 1, 8, 8, 8});
        },
        [](float x, float y) { return x != y; });
    CHECK_SAME(on_chip(std::vector<uint8_t>(32), a, b,
                       [](auto &d, auto &u, auto &) { CompareScalar(d, u, 0.25f, CMPMODE::GE, 256); }),
               bits_of(a, ones, [](float x, float y) { return x >= y; }));
    CHECK_SAME(on_chip(std::vector<uint8_t>(32), a, b,
                       [](auto &d, auto &u, auto &) {
                           CompareScalar(d, u, 0.25f, CMPMODE::EQ, 64, 4, {1, 1, 8, 8});
                       }),
               bits_of(a, ones, [](float x, float y) { return x == y; }));
    CHECK_SAME(on_chip(std::vector<uint8_t>(32), a, b,
                       [](auto &d, auto &u, auto &) { Compares(d, u, 0.25f, CMPMODE::LT, 256); }),
               bits_of(a, ones, [](float x, float y) { return x < y; }));
}

TEST(selections_by_bits)
{
    const auto a = drawn<float>(256, 25, 5), b = drawn<float>(256, 26, 5);
    const std::vector<float> none(256);
    const auto with = [&](auto f, float (*g)(float, float, int)) {
        std::vector<float> expected(256);
        for (int i = 0; i < 256; i++)
            expected[i] = g(a[i], b[i], i);
        CHECK_SAME(on_chip(none, a, b, f), expected);
    };
    with(
        [](auto &d, auto &u, auto &v) {
            auto bits = v[1024].template ReinterpretCast<uint8_t>();
            Compare(bits, u, v, CMPMODE::LT, 256);
            Select(d, bits, u, v, SELMODE::VSEL_TENSOR_TENSOR_MODE, 256);
        },
        [](float x, float y, int) { return x < y ? x : y; });
    with(
        [](auto &d, auto &u, auto &v) {
            auto bits = v[1024].template ReinterpretCast<uint8_t>();
            CompareScalar(bits, u, 0.0f, CMPMODE::GT, 256);
            Select(d, bits, u, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 256);
        },
        [](float x, float, int) { return x > 0 ? x : -1; });
    with(
        [](auto &d, auto &u, auto &v) {
            auto bits = v[1024].template ReinterpretCast<uint8_t>();
            Compare(bits, u, v, CMPMODE::LT, 256);
            Select(d, bits, u, v, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64, 4, {1, 1, 1, 8, 8, 8});
        },
        [](float x, float y, int) { return x < y ? x : y; });
    with(
        [](auto &d, auto &u, auto &v) {
            auto bits = v[1024].template ReinterpretCast<uint64_t>();
            Duplicate(bits.template ReinterpretCast<int32_t>(), 0x0f0f0f0f, 8);
            Select(d, bits, u, v, SELMODE::VSEL_CMPMASK_SPR, 64, 4, {1, 1, 1, 8, 8, 8});
        },
        [](float x, float y, int i) { return i % 8 < 4 ? x : y; });
    with(
        [](auto &d, auto &u, auto &v) { /* the register has the bits of the first repeat */
                                        Compare(u, v, CMPMODE::GT, 64, {1, 1, 1, 8, 8, 8});
                                        GetCmpMask(v[1024].template ReinterpretCast<uint8_t>());
                                        SetCmpMask(v[1024].template ReinterpretCast<uint8_t>());
                                        Select(d, u, v, 1, {1, 1, 1, 8, 8, 8});
        },
        [](float x, float y, int i) { return i < 64 ? (x > y ? x : y) : 0; });
}

template <typename T> static T tree(std::vector<T> x)
{
    while (x.size() > 1) {
        std::vector<T> next;
        for (size_t i = 0; i < x.size(); i += 2)
            next.push_back(i + 1 < x.size() ? T((float)x[i] + (float)x[i + 1]) : x[i]);
        x = next;
    }
    return x[0];
}

template <typename T> static std::vector<T> part(const std::vector<T> &x, size_t first, size_t count)
{
    return std::vector<T>(x.begin() + first, x.begin() + first + count);
}

template <typename T> static void check_sums()
{
    constexpr int lanes = 256 / sizeof(T), each = 32 / sizeof(T);
    auto a = drawn<T>(3 * lanes, 27);
    for (T &x : a)
        x = T((float)x / 3);
    const std::vector<T> none(3 * lanes);
    const auto whole =
        on_chip(none, a, none, [](auto &d, auto &u, auto &) { WholeReduceSum(d, u, lanes, 3, 1, 1, 8); });
    const auto blocks =
        on_chip(none, a, none, [](auto &d, auto &u, auto &) { BlockReduceSum(d, u, 3, lanes, 1, 1, 8); });
    const auto twos =
        on_chip(none, a, none, [](auto &d, auto &u, auto &) { PairReduceSum(d, u, 3, lanes, 1, 1, 8); });
    const auto all =
        on_chip(none, a, none, [](auto &d, auto &u, auto &v) { ReduceSum(d, u, v, 2 * lanes + 5); });
    const auto some =
        on_chip(none, a, none, [](auto &d, auto &u, auto &v) { ReduceSum<T>(d, u, v, lanes, 3, 8); });
    const auto repeated =
        on_chip(none, a, none, [](auto &d, auto &u, auto &) { RepeatReduceSum(d, u, 3, lanes, 1, 1, 1, 8); });
    std::vector<T> sums;
    for (int repeat = 0; repeat < 3; repeat++) {
        sums.push_back(tree(part(a, repeat * lanes, lanes)));
        CHECK((float)whole[repeat] == (float)sums[repeat] && (float)repeated[repeat] == (float)sums[repeat]);
    }
    for (int i = 0; i < 24; i++)
        CHECK((float)blocks[i] == (float)tree(part(a, i * each, each)));
    for (int i = 0; i < 3 * lanes / 2; i++)
        CHECK((float)twos[i] == (float)T((float)a[2 * i] + (float)a[2 * i + 1]));
    CHECK((float)all[0] == (float)tree<T>({sums[0], sums[1], tree(part(a, 2 * lanes, 5))}));
    CHECK((float)some[0] == (float)tree(sums));
}

TEST(sums_are_trees_of_neighbours)
{
    check_sums<float>();
    check_sums<half>();
}

template <typename T> static void check_extremes()
{
    constexpr int lanes = 256 / sizeof(T), each = 32 / sizeof(T);
    const auto a = drawn<T>(3 * lanes, 28, 400);
    const std::vector<T> none(3 * lanes);
    const auto is =
        on_chip(none, a, none, [](auto &d, auto &u, auto &v) { ReduceMax(d, u, v, 3 * lanes, true); });
    const auto least =
        on_chip(none, a, none, [](auto &d, auto &u, auto &v) { ReduceMin(d, u, v, lanes, 3, 8, true); });
    const auto most = std::max_element(a.begin(), a.end());
    const auto smallest = std::min_element(a.begin(), a.end());
    uint32_t at = 0, at_least = 0;
    std::memcpy(&at, (const void *)&is[1], sizeof(T));
    std::memcpy(&at_least, (const void *)&least[1], sizeof(T));
    CHECK(is[0] == *most && at == most - a.begin() && least[0] == *smallest &&
          at_least == smallest - a.begin());
    const auto whole =
        on_chip(none, a, none, [](auto &d, auto &u, auto &) { WholeReduceMax(d, u, lanes, 3, 1, 1, 8); });
    const auto other = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        WholeReduceMin(d, u, lanes - 1, 3, 2, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    });
    const auto swapped = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        WholeReduceMax(d, u, lanes, 3, 1, 1, 8, ReduceOrder::ORDER_INDEX_VALUE);
    });
    const auto blocks =
        on_chip(none, a, none, [](auto &d, auto &u, auto &) { BlockReduceMax(d, u, 3, lanes, 1, 1, 8); });
    const auto block_least =
        on_chip(none, a, none, [](auto &d, auto &u, auto &) { BlockReduceMin(d, u, 3, lanes, 1, 1, 8); });
    for (int repeat = 0; repeat < 3; repeat++) {
        const auto first = a.begin() + repeat * lanes;
        const auto best = std::max_element(first, first + lanes);
        uint32_t index = 0;
        std::memcpy(&index, (const void *)&whole[repeat * 2 + 1], sizeof(T));
        CHECK(whole[repeat * 2] == *best && index == best - first);
        CHECK(swapped[repeat * 2 + 1] == *best &&
              other[repeat * 2] == *std::min_element(first, first + lanes - 1));
    }
    for (int i = 0; i < 24; i++) {
        CHECK(blocks[i] == *std::max_element(a.begin() + i * each, a.begin() + (i + 1) * each));
        CHECK(block_least[i] == *std::min_element(a.begin() + i * each, a.begin() + (i + 1) * each));
    }
}

TEST(extremes_and_where_they_are)
{
    check_extremes<float>();
    check_extremes<half>();
}

TEST(reductions_by_a_count_that_was_set_before)
{
    const std::vector<float> ones(200, 1), none(16);
    const auto is = on_chip(none, ones, none, [](auto &d, auto &u, auto &v) {
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(0, 150);
        WholeReduceSum<float, false>(d, u, MASK_PLACEHOLDER, 1, 1, 1, 8);
        ReduceSum<float, false>(d[8], u, v, MASK_PLACEHOLDER, 1, 8);
        SetMaskNorm();
        ResetMask();
    });
    CHECK(is[0] == 64 && is[1] == 64 && is[2] == 22 && is[3] == 0 && is[8] == 150);
}

TEST(reductions_of_long_rows_and_columns)
{
    struct Nothing {
    };
    const auto rows =
        on_chip(std::vector<half>(30000), std::vector<half>(30000, half(1)), std::vector<half>(),
                [](auto &d, auto &u, auto &) {
                    SoftMax(d, u, LocalTensor<uint8_t>(), Nothing(), SoftMaxShapeInfo{1, 30000, 1, 30000});
                });
    CHECK_SAME(rows, std::vector<half>(30000, half(1.0f / 30000)));
    const auto columns = on_chip(std::vector<float>(8), std::vector<float>(15000, 1), std::vector<float>(),
                                 [](auto &d, auto &u, auto &) {
                                     const uint32_t shape[] = {15000, 1};
                                     ReduceSum<float, Pattern::Reduce::RA>(d, u, shape, false);
                                 });
    CHECK(columns[0] == 15000);
}

TEST(reductions_of_matrices)
{
    const auto a = drawn<float>(3 * 16, 29);
    const std::vector<float> none(16);
    const auto rows = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        Sum(d, u, SumParams{3, 16, 10});
    });
    const auto along = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        const uint32_t shape[] = {3, 10};
        ReduceMax<float, Pattern::Reduce::AR>(d, u, LocalTensor<uint8_t>(), shape, true);
    });
    const auto across = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        const uint32_t shape[] = {3, 16};
        ReduceSum<float, Pattern::Reduce::RA>(d, u, shape, true);
    });
    const auto least = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        const uint32_t shape[] = {3, 16};
        ReduceMin<float, Pattern::Reduce::RA>(d, u, shape, true);
    });
    for (int row = 0; row < 3; row++) {
        CHECK(rows[row] == tree(part(a, row * 16, 10)));
        CHECK(along[row] == *std::max_element(a.begin() + row * 16, a.begin() + row * 16 + 10));
    }
    for (int column = 0; column < 16; column++) {
        CHECK(across[column] == a[column] + a[16 + column] + a[32 + column]);
        CHECK(least[column] == std::min({a[column], a[16 + column], a[32 + column]}));
    }
}

template <typename T> static void check_sorting()
{
    const auto a = drawn<T>(64, 35, 20);
    std::vector<uint32_t> index(64), order(64);
    for (uint32_t i = 0; i < 64; i++)
        order[i] = index[i] = 1000 + i;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t x, uint32_t y) { return a[x - 1000] > a[y - 1000]; });
    const auto is = on_chip(std::vector<uint32_t>(128), a, index, [](auto &d, auto &u, auto &v) {
        auto entries = d.template ReinterpretCast<T>();
        auto room = v[2048].template ReinterpretCast<T>();
        LocalTensor<T> concat;
        Concat(concat, u, room, 4);
        Sort<T, true>(entries, concat, v, room, 2);
        auto values = v[4096].template ReinterpretCast<T>();
        auto indices = v[6144];
        Extract(values, indices, entries, 2);
        DataCopy(d, indices, 64);
        Cast(d[64].template ReinterpretCast<float>(), values.template ReinterpretCast<T>(),
             RoundMode::CAST_NONE, 0);
    });
    CHECK_SAME(part(is, 0, 64), order);
    const auto merged = on_chip(std::vector<uint32_t>(256), a, index, [](auto &d, auto &u, auto &v) {
        auto entries = v[2048].template ReinterpretCast<T>();
        Sort32(entries, u, v, 2);
        const uint32_t list = GetSortOffset<T>(32);
        uint16_t lengths[4] = {32, 32, 0, 0};
        MrgSort4Info info(lengths, false, 3, 1);
        auto target = d.template ReinterpretCast<T>();
        MrgSort(target, {entries, entries[list], entries, entries}, info);
        uint32_t taken[4];
        MrgSort<T, true>(target[GetSortLen<T>(64)], {entries, entries[list], entries, entries}, lengths,
                         taken, 3, 1);
        uint16_t counts[4];
        GetMrgSortResult(counts[0], counts[1], counts[2], counts[3]);
        d.SetValue(254, taken[0] + taken[1]);
        d.SetValue(255, (uint32_t)counts[0] + counts[1]);
    });
    for (int i = 0; i < 64; i++)
        CHECK(merged[i * 2 + 1] == order[i]);
    CHECK(merged[254] == merged[255] && merged[254] < 64 && merged[254] >= 32);
    for (uint32_t i = 0; i < std::min(merged[254], 63u); i++)
        CHECK(merged[128 + i * 2 + 1] == order[i]);
}

TEST(sorting_keeps_the_order_of_equals)
{
    check_sorting<float>();
    check_sorting<half>();
}

TEST(softmax_of_rows)
{
    const auto a = drawn<float>(32, 36, 30);
    struct Nothing {
    };
    const auto is = on_chip(std::vector<float>(64), a, a, [](auto &d, auto &u, auto &) {
        SoftMax(d, d[32], d[48], u, LocalTensor<uint8_t>(), Nothing(), SoftMaxShapeInfo{2, 16, 2, 16});
    });
    for (int row = 0; row < 2; row++) {
        double sum = 0;
        const float most = *std::max_element(a.begin() + row * 16, a.begin() + row * 16 + 16);
        for (int i = 0; i < 16; i++)
            sum += std::exp((double)a[row * 16 + i] - most);
        for (int i = 0; i < 16; i++)
            CHECK(std::fabs(is[row * 16 + i] - std::exp((double)a[row * 16 + i] - most) / sum) < 1e-6);
        CHECK(is[48 + row * 8 + 7] == most && std::fabs(is[32 + row * 8] - sum) < 1e-5);
    }
    const auto flash = on_chip(std::vector<float>(64), a, a, [](auto &d, auto &u, auto &v) {
        auto sum = v[2048], max = v[2064], factor = v[2080];
        Duplicate(sum, 1.0f, 16);
        Duplicate(max, 100.0f, 16);
        SoftmaxFlashV2<float, true>(d, sum, max, u, factor, sum, max, LocalTensor<uint8_t>(), Nothing(),
                                    SoftMaxShapeInfo{2, 16, 2, 16});
        DataCopy(d[32], sum, 32);
    });
    CHECK(flash[32] >= 1 && flash[32] < 1.0001f && flash[48] == 100);
}
