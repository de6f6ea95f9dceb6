// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Elementwise instructions against the same steps on the host: each by a count, by a mask and repeats with strides, and
// by a mask of bits.
#include "ascendc_support.h"

using namespace AscendC;

namespace
{
constexpr int MANY = 1000; /* no whole repeat at the end */

#define OF_TWO(name, T, expression)                                                                      \
    {                                                                                                    \
        const auto a = drawn<T>(MANY, 1), b = drawn<T>(MANY, 2);                                         \
        const auto is =                                                                                  \
            on_chip(std::vector<T>(MANY), a, b, [](auto &d, auto &u, auto &v) { name(d, u, v, MANY); }); \
        const auto expected = mapped<T>(a, b, [](T s, T t) {                                             \
            const auto x = (computed<T>)s, y = (computed<T>)t;                                           \
            return (T)(expression);                                                                      \
        });                                                                                              \
        CHECK_SAME(is, expected);                                                                        \
        const auto bits = on_chip(std::vector<T>(512), a, b, [](auto &d, auto &u, auto &v) {             \
            uint64_t mask[2] = {0x8000000000000005, 0};                                                  \
            name(d, u, v, mask, 2, {2, 1, 1, 16, 8, 0});                                                 \
        });                                                                                              \
        std::vector<T> few(512);                                                                         \
        constexpr int each = 32 / sizeof(T), lanes = 256 / sizeof(T);                                    \
        for (int repeat = 0; repeat < 2; repeat++)                                                       \
            for (int lane : {0, 2, 63})                                                                  \
                if (lane < lanes) {                                                                      \
                    const auto x = (computed<T>)a[repeat * lanes + lane], y = (computed<T>)b[lane];      \
                    few[repeat * 16 * each + lane / each * 2 * each + lane % each] = (T)(expression);    \
                }                                                                                        \
        CHECK_SAME(bits, few);                                                                           \
    }

/* Whatever lies in the way of strides stays: a mask of 5 lanes, every other block, two repeats that read the same. */
template <typename T, typename F, typename G> void check_strides(F instruction, G formula)
{
    const auto a = drawn<T>(MANY, 3), b = drawn<T>(MANY, 4), d = drawn<T>(512, 5);
    constexpr int each = 32 / sizeof(T);
    const auto is = on_chip(d, a, b, instruction);
    auto expected = d;
    for (int repeat = 0; repeat < 2; repeat++)
        for (int lane = 0; lane < each + 3; lane++) {
            const int to = repeat * 8 * each + lane / each * 2 * each + lane % each;
            const int from = lane / each * 3 * each + lane % each;
            expected[to] = formula(a[from], b[repeat * each * 8 + lane]);
        }
    CHECK_SAME(is, expected);
}

template <typename T> void check_two()
{
    OF_TWO(Add, T, x + y)
    OF_TWO(Sub, T, x - y)
    OF_TWO(Mul, T, x * y)
    OF_TWO(Max, T, x > y ? x : y)
    OF_TWO(Min, T, x < y ? x : y)
    /* No lanes: the rest of a loop where none is left. */
    const auto before = drawn<T>(MANY, 1), x = drawn<T>(MANY, 2);
    const uint64_t none = 0;
    CHECK_SAME(on_chip(before, x, x,
                       [none](auto &d, auto &u, auto &v) {
                           Add(d, u, v, none, 1, {1, 1, 1, 8, 8, 8});
                       }),
               before);
    check_strides<T>(
        [](auto &d, auto &u, auto &v) {
            Add(d, u, v, 32 / sizeof(T) + 3, 2, {2, 3, 1, 8, 0, 8});
        },
        [](T x, T y) { return (T)((computed<T>)x + (computed<T>)y); });
    check_strides<T>(
        [](auto &d, auto &u, auto &v) {
            Mul(d, u, v, 32 / sizeof(T) + 3, 2, {2, 3, 1, 8, 0, 8});
        },
        [](T x, T y) { return (T)((computed<T>)x * (computed<T>)y); });
}
} // namespace

TEST(two_tensors_of_each_type)
{
    check_two<float>();
    check_two<half>();
    check_two<int16_t>();
    check_two<int32_t>();
    OF_TWO(Div, float, x / y)
    OF_TWO(Div, half, x / y)
    OF_TWO(And, int16_t, x & y)
    OF_TWO(Or, uint16_t, x | y)
    OF_TWO(Xor, int16_t, x ^ y)
    OF_TWO(AddRelu, float, x + y < 0 ? 0 : x + y)
    OF_TWO(SubRelu, half, x - y < 0 ? 0 : x - y)
}

TEST(integers_wrap_and_nan_stays)
{
    const std::vector<int32_t> a = {2147483647, -2147483647 - 1}, b = {1, -1};
    CHECK_SAME(on_chip(a, a, b, [](auto &d, auto &u, auto &v) { Add(d, u, v, 2); }),
               std::vector<int32_t>{-2147483647 - 1, 2147483647});
    const std::vector<float> x = {NAN, 1, NAN}, y = {1, NAN, NAN};
    const auto most = on_chip(x, x, y, [](auto &d, auto &u, auto &v) { Max(d, u, v, 3); });
    CHECK(most[0] != most[0] && most[1] != most[1] && most[2] != most[2]);
}

TEST(operators_of_tensors_take_all_of_the_destination)
{
    const auto a = drawn<float>(64, 6), b = drawn<float>(64, 7);
    const auto f = [](auto &d, auto &u, auto &v) {
        d.SetSize(64);
        d = u + v;
        d = d * u;
        d = d - v;
    };
    const auto g = [](float x, float y) { return (x + y) * x - y; };
    CHECK_SAME(on_chip(std::vector<float>(64), a, b, f), mapped<float>(a, b, g));
}

TEST(an_address_is_moved_by_elements)
{
    const auto a = drawn<float>(64, 8);
    const auto is = on_chip(std::vector<float>(64), a, a, [](auto &d, auto &u, auto &) {
        LocalTensor<float> behind = d, from = u;
        behind.SetAddr(16);
        from.SetAddr(8);
        Muls(behind, from, 2.0f, 32);
    });
    for (int i = 0; i < 64; i++)
        CHECK(is[i] == (i >= 16 && i < 48 ? 2 * a[i - 8] : 0));
}

TEST(a_product_is_rounded_before_the_sum)
{
    /* 1 + 2^-10 squared, less 1: what is lost by rounding the product to half is seen. */
    const half x = half::of_bits(0x3c01);
    const std::vector<half> a(200, x), d(200, half(-1));
    const half expected = half((float)half((float)x * (float)x) - 1);
    CHECK_SAME(on_chip(d, a, a, [](auto &r, auto &u, auto &v) { MulAddDst(r, u, v, 200); }),
               std::vector<half>(200, expected));
    CHECK_SAME(on_chip(d, a, a, [](auto &r, auto &u, auto &) { Axpy(r, u, half::of_bits(0x3c01), 200); }),
               std::vector<half>(200, expected));
    /* In one step: u * dst + v. */
    const half one = half((float)x * (float)x - 1);
    CHECK_SAME(on_chip(a, a, d, [](auto &r, auto &u, auto &v) { FusedMulAdd(r, u, v, 200); }),
               std::vector<half>(200, one));
    const auto f = drawn<float>(200, 8), g = drawn<float>(200, 9);
    CHECK_SAME(on_chip(f, f, g, [](auto &r, auto &u, auto &v) { FusedMulAddRelu(r, u, v, 200); }),
               mapped<float>(f, g, [](float u, float v) { return u * u + v < 0 ? 0 : u * u + v; }));
    /* A float's sum of halves, and by repeats. */
    CHECK_SAME(on_chip(f, std::vector<half>(200, x), g,
                       [](auto &r, auto &u, auto &) {
                           Axpy(r, u, half(2), 64, 3, {1, 1, 8, 4});
                       }),
               [&] {
                   auto sum = f;
                   for (int i = 0; i < 192; i++)
                       sum[i] += 2 * (float)x;
                   return sum;
               }());
}

TEST(scalars_may_be_of_any_type)
{
    const auto a = drawn<float>(MANY, 10);
    const std::vector<float> none;
    const auto with = [&](auto f, auto g) {
        CHECK_SAME(on_chip(std::vector<float>(MANY), a, none, f), mapped<float>(a, g));
    };
    with([](auto &d, auto &u, auto &) { Adds(d, u, 3, MANY); }, [](float x) { return x + 3; });
    with([](auto &d, auto &u, auto &) { Subs(d, u, 0.5, MANY); }, [](float x) { return x - 0.5f; });
    with([](auto &d, auto &u, auto &) { Muls(d, u, 0.3f, MANY); }, [](float x) { return x * 0.3f; });
    with([](auto &d, auto &u, auto &) { Divs(d, u, 3, MANY); }, [](float x) { return x / 3; });
    with([](auto &d, auto &u, auto &) { Maxs(d, u, 1, MANY); }, [](float x) { return x > 1 ? x : 1; });
    with([](auto &d, auto &u, auto &) { Mins(d, u, half(1), MANY); }, [](float x) { return x < 1 ? x : 1; });
    with([](auto &d, auto &u, auto &) { LeakyRelu(d, u, 0.25f, MANY); },
         [](float x) { return x >= 0 ? x : x * 0.25f; });
    with([](auto &d, auto &u, auto &) { ClampMax(d, u, LocalTensor<uint8_t>(), 2.0f, MANY); },
         [](float x) { return x < 2 ? x : 2; });
    with([](auto &d, auto &u, auto &) { ClampMin(d, u, LocalTensor<uint8_t>(), 2.0f, MANY); },
         [](float x) { return x > 2 ? x : 2; });
    const auto b = drawn<int32_t>(MANY, 11);
    const std::vector<int32_t> nothing;
    const auto by = [&](auto f, auto g) {
        CHECK_SAME(on_chip(std::vector<int32_t>(MANY), b, nothing, f), mapped<int32_t>(b, g));
    };
    by([](auto &d, auto &u, auto &) { ShiftLeft(d, u, 3, MANY); },
       [](int32_t x) { return (int32_t)((uint32_t)x << 3); });
    by([](auto &d, auto &u, auto &) { ShiftRight(d, u, 2, MANY); }, [](int32_t x) { return x >> 2; });
    by([](auto &d, auto &u, auto &) { ShiftLefts(d, u, 40, MANY); }, [](int32_t) { return 0; });
    by([](auto &d, auto &u, auto &) { ShiftRights(d, u, 40, MANY); },
       [](int32_t x) { return x < 0 ? -1 : 0; });
    by([](auto &d, auto &u, auto &) { Ands(d, u, 6, MANY); }, [](int32_t x) { return x & 6; });
    by([](auto &d, auto &u, auto &) { Ors(d, u, 6, MANY); }, [](int32_t x) { return x | 6; });
}

TEST(one_tensor_of_each_type)
{
    const auto a = drawn<float>(MANY, 12);
    const auto h = drawn<half>(MANY, 13);
    const auto i = drawn<int16_t>(MANY, 14);
    CHECK_SAME(on_chip(a, a, a, [](auto &d, auto &u, auto &) { Abs(d, u, MANY); }),
               mapped<float>(a, [](float x) { return std::fabs(x); }));
    CHECK_SAME(on_chip(h, h, h, [](auto &d, auto &u, auto &) { Relu(d, u, MANY); }),
               mapped<half>(h, [](half x) { return x > 0 ? x : half(0); }));
    CHECK_SAME(on_chip(i, i, i, [](auto &d, auto &u, auto &) { Not(d, u, MANY); }),
               mapped<int16_t>(i, [](int16_t x) { return (int16_t)~x; }));
    CHECK_SAME(on_chip(a, a, a, [](auto &d, auto &u, auto &) { Neg(d, u, MANY); }),
               mapped<float>(a, [](float x) { return -x; }));
    CHECK_SAME(on_chip(a, a, a, [](auto &d, auto &u, auto &) { Reciprocal(d, u, MANY); }),
               mapped<float>(a, [](float x) { return 1 / x; }));
    CHECK_SAME(on_chip(std::vector<half>(128), h, h,
                       [](auto &d, auto &u, auto &) {
                           Abs(d, u, 128, 1, {1, 1, 8, 8});
                       }),
               mapped<half>(std::vector<half>(h.begin(), h.begin() + 128),
                            [](half x) { return half(std::fabs((float)x)); }));
}

/* Belay's own functions: within an ulp of the true value, which is rounded from a double here. */
template <typename T>
void check_near(const std::vector<T> &is, const std::vector<double> &expected, double ulps)
{
    for (size_t i = 0; i < is.size(); i++) {
        const double x = (float)is[i], unit = std::ldexp(1, std::ilogb(expected[i] ? expected[i] : 1) -
                                                                (sizeof(T) == 4 ? 23 : 10));
        check(std::fabs(x - expected[i]) <= ulps * unit, "near the true value", __FILE__, (int)i);
    }
}

TEST(functions_are_near_the_true_values)
{
    auto a = drawn<float>(200, 15, 30);
    const auto positive = mapped<float>(a, [](float x) { return std::fabs(x) + 0.125f; });
    const auto halves = mapped<half>(positive, [](float x) { return half(x); });
    const auto near = [&](auto f, double (*g)(double), double ulps) {
        check_near(on_chip(std::vector<float>(200), positive, a, f),
                   mapped<double>(positive, [g](float x) { return g(x); }), ulps);
    };
    near([](auto &d, auto &u, auto &) { Exp(d, u, 200); }, std::exp, 1.01);
    near([](auto &d, auto &u, auto &) { Ln(d, u, 200); }, std::log, 1.01);
    near([](auto &d, auto &u, auto &) { Sqrt(d, u, 200); }, std::sqrt, 0.51);
    near([](auto &d, auto &u, auto &) { Rsqrt(d, u, 200); }, [](double x) { return 1 / std::sqrt(x); }, 0.52);
    near([](auto &d, auto &u, auto &) { Log(d, u, 200); }, std::log, 1.01);
    near([](auto &d, auto &u, auto &) { Log2(d, u, 200); }, std::log2, 1.01);
    near([](auto &d, auto &u, auto &) { Log10(d, u, 200); }, std::log10, 1.01);
    near([](auto &d, auto &u, auto &) { Sin(d, u, 200); }, std::sin, 0.51);
    near([](auto &d, auto &u, auto &) { Cos(d, u, 200); }, std::cos, 0.51);
    near([](auto &d, auto &u, auto &) { Tan(d, u, 200); }, std::tan, 0.51);
    near([](auto &d, auto &u, auto &) { Atan(d, u, 200); }, std::atan, 0.51);
    near([](auto &d, auto &u, auto &) { Sinh(d, u, 200); }, std::sinh, 0.51);
    near([](auto &d, auto &u, auto &) { Cosh(d, u, 200); }, std::cosh, 0.51);
    near([](auto &d, auto &u, auto &) { Tanh(d, u, 200); }, std::tanh, 0.51);
    near([](auto &d, auto &u, auto &) { Asinh(d, u, 200); }, std::asinh, 0.51);
    near([](auto &d, auto &u, auto &) { Erf(d, u, 200); }, std::erf, 0.51);
    near([](auto &d, auto &u, auto &) { Sigmoid(d, u, 200); },
         [](double x) { return 1 / (1 + std::exp(-x)); }, 0.51);
    near([](auto &d, auto &u, auto &) { Silu(d, u, 200); }, [](double x) { return x / (1 + std::exp(-x)); },
         0.51);
    near([](auto &d, auto &u, auto &) { Gelu(d, u, 200); },
         [](double x) { return x / (1 + std::exp(-1.5957691216057308 * (x + 0.044715 * x * x * x))); }, 4);
    near([](auto &d, auto &u, auto &) { FasterGelu(d, u, 200); },
         [](double x) { return x / (1 + std::exp(-1.702 * x)); }, 4);
    near([](auto &d, auto &u, auto &) { Power(d, u, 2.5f, 200); }, [](double x) { return std::pow(x, 2.5); },
         0.51);
    check_near(on_chip(std::vector<half>(200), halves, a, [](auto &d, auto &u, auto &) { Exp(d, u, 200); }),
               mapped<double>(halves, [](half x) { return std::exp((double)x); }), 0.51);
    const auto unit = mapped<float>(a, [](float x) { return x / 4; });
    check_near(on_chip(unit, unit, a, [](auto &d, auto &u, auto &) { Asin(d, u, 200); }),
               mapped<double>(unit, [](float x) { return std::asin((double)x); }), 0.51);
    check_near(on_chip(unit, unit, a, [](auto &d, auto &u, auto &) { Acos(d, u, 200); }),
               mapped<double>(unit, [](float x) { return std::acos((double)x); }), 0.51);
    check_near(
        on_chip(unit, unit, a, [](auto &d, auto &u, auto &) { Atanh(d, u, LocalTensor<uint8_t>(), 200); }),
        mapped<double>(unit, [](float x) { return std::atanh((double)x); }), 0.51);
    check_near(on_chip(unit, unit, a, [](auto &d, auto &u, auto &) { Erfc(d, u, 200); }),
               mapped<double>(unit, [](float x) { return std::erfc((double)x); }), 0.51);
    const auto over = mapped<float>(positive, [](float x) { return x + 1; });
    check_near(on_chip(over, over, a, [](auto &d, auto &u, auto &) { Acosh(d, u, 200); }),
               mapped<double>(over, [](float x) { return std::acosh((double)x); }), 0.51);
    check_near(on_chip(a, positive, positive, [](auto &d, auto &u, auto &v) { Power(d, u, v, 200); }),
               mapped<double>(positive, [](float x) { return std::pow((double)x, (double)x); }), 0.51);
    check_near(on_chip(a, positive, positive, [](auto &d, auto &u, auto &v) { SwiGLU(d, u, v, 1.0f, 200); }),
               mapped<double>(positive, [](float x) { return (double)x * x / (1 + std::exp(-(double)x)); }),
               2);
}

TEST(whole_numbers_and_signs)
{
    const std::vector<float> a = {-2.5f, -1.5f, -0.5f, -0.25f, 0.5f, 1.5f, 2.5f, 8388609.0f};
    const auto with = [&](auto f, std::vector<float> expected) { CHECK_SAME(on_chip(a, a, a, f), expected); };
    with([](auto &d, auto &u, auto &) { Round(d, u, 8); }, {-2, -2, -0.0f, -0.0f, 0, 2, 2, 8388609});
    with([](auto &d, auto &u, auto &) { Trunc(d, u, 8); }, {-2, -1, -0.0f, -0.0f, 0, 1, 2, 8388609});
    with([](auto &d, auto &u, auto &) { Floor(d, u, 8); }, {-3, -2, -1, -1, 0, 1, 2, 8388609});
    with([](auto &d, auto &u, auto &) { Ceil(d, u, 8); }, {-2, -1, -0.0f, -0.0f, 1, 2, 3, 8388609});
    with([](auto &d, auto &u, auto &) { Frac(d, u, 8); }, {-0.5f, -0.5f, -0.5f, -0.25f, 0.5f, 0.5f, 0.5f, 0});
    with([](auto &d, auto &u, auto &) { Sign(d, u, 8); }, {-1, -1, -1, -1, 1, 1, 1, 1});
}

TEST(duplicates_and_copies_by_strides)
{
    const std::vector<float> none(256);
    CHECK_SAME(on_chip(none, none, none, [](auto &d, auto &, auto &) { Duplicate(d, 2, 100); }), [] {
        std::vector<float> x(256);
        std::fill_n(x.begin(), 100, 2.0f);
        return x;
    }());
    CHECK_SAME(on_chip(none, none, none, [](auto &d, auto &, auto &) { Duplicate(d, 3.0f, 10, 2, 2, 16); }),
               [] {
                   std::vector<float> x(256);
                   for (int repeat = 0; repeat < 2; repeat++)
                       for (int lane = 0; lane < 10; lane++)
                           x[repeat * 128 + lane / 8 * 16 + lane % 8] = 3;
                   return x;
               }());
    const auto a = drawn<float>(256, 16);
    CHECK_SAME(on_chip(none, a, none,
                       [](auto &d, auto &u, auto &) {
                           Copy(d, u, 64, 2, {2, 1, 16, 0});
                       }),
               [&] {
                   std::vector<float> x(256);
                   for (int repeat = 0; repeat < 2; repeat++)
                       for (int lane = 0; lane < 64; lane++)
                           if (repeat * 128 + lane / 8 * 16 + lane % 8 < 256)
                               x[repeat * 128 + lane / 8 * 16 + lane % 8] = a[lane];
                   return x;
               }());
}

TEST(masks_that_are_set_before)
{
    const auto a = drawn<float>(256, 17);
    const std::vector<float> none(256);
    const auto counted = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(0, 150);
        Adds<float, false>(d, u, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        SetMaskNorm();
        ResetMask();
    });
    const auto first = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        SetVectorMask<float>(0, 7);
        Muls<float, false>(d, u, 2.0f, MASK_PLACEHOLDER, 2, {1, 1, 8, 8});
        AscendCUtils::ResetMask();
    });
    for (int i = 0; i < 256; i++) {
        CHECK(counted[i] == (i < 150 ? a[i] + 1 : 0));
        CHECK(first[i] == (i < 128 && i % 64 < 3 ? a[i] * 2 : 0));
    }
}

TEST(what_overlaps_is_read_before_it_is_written_repeat_by_repeat)
{
    auto a = drawn<float>(256, 18);
    const auto is = on_chip(a, a, a, [](auto &d, auto &u, auto &) {
        DataCopy(d, u, 256);
        Adds(d[8], d, 1.0f, 128); /* the second repeat reads what the first one wrote */
    });
    auto expected = a;
    for (int repeat = 0; repeat < 2; repeat++) {
        auto before = expected;
        for (int i = repeat * 64; i < repeat * 64 + 64; i++)
            expected[i + 8] = before[i] + 1;
    }
    CHECK_SAME(is, expected);
}
