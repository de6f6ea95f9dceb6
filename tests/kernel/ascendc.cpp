// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Runs the tests of AscendC's instructions, and tests half and bfloat16_t. An argument names the one test to run.
#include "ascendc_support.h"

#include "acl/acl.h"

Case *Case::first;
int Case::failures;

/* The next number of the same sign. */
static half after(half x)
{
    return half::of_bits((uint16_t)(x.bits + 1));
}

TEST(each_half_is_itself_again)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const half x = half::of_bits((uint16_t)bits), again = half((float)x);
        const bool is_nan = (bits & 0x7fff) > 0x7c00;
        CHECK(is_nan ? (float)again != (float)again : again.bits == bits);
        const double size = (bits & 0x7c00) ? std::ldexp(1024 + (bits & 0x3ff), (int)(bits >> 10 & 31) - 25)
                                            : std::ldexp(bits & 0x3ff, -24);
        if ((bits & 0x7c00) != 0x7c00)
            CHECK((double)(float)x == (bits & 0x8000 ? -size : size));
    }
}

TEST(what_is_between_two_halves_goes_to_the_nearer_and_ties_to_even)
{
    for (uint32_t bits = 0; bits < 0x7bff; bits++) {
        const half low = half::of_bits((uint16_t)bits), high = after(low);
        const float middle = (float)(((double)low + (double)high) / 2);
        CHECK(half(middle).bits == (bits % 2 ? high.bits : low.bits));
        CHECK(half(std::nextafter(middle, 1e9f)).bits == high.bits);
        CHECK(half(std::nextafter(middle, -1e9f)).bits == low.bits);
        CHECK(half(-middle).bits == (0x8000 | (bits % 2 ? high.bits : low.bits)));
    }
    CHECK(half(65519.0f).bits == 0x7bff && half(65520.0f).bits == 0x7c00 && half(-1e30f).bits == 0xfc00);
}

TEST(bfloat16_rounds_to_even)
{
    for (uint32_t bits = 0; bits < 0x7f7f; bits += 7) {
        const float low = bfloat16_t::of_bits((uint16_t)bits);
        const float middle = belay_kernel::float_of(bits << 16 | 0x8000);
        CHECK(bfloat16_t(low).bits == bits);
        CHECK(bfloat16_t(middle).bits == (bits % 2 ? bits + 1 : bits));
        CHECK(bfloat16_t(std::nextafter(middle, INFINITY)).bits == bits + 1);
    }
    CHECK((float)bfloat16_t(NAN) != (float)bfloat16_t(NAN));
}

TEST(half_is_a_number_of_the_language)
{
    half a = 3, b = -1.5f;
    CHECK(a + b == 1.5f && a - b == half(4.5) && a * b == -4.5 && a / 2 == half(1.5) && -a == half(-3));
    CHECK(a > b && b < 0 && a >= 3 && 3 <= a && a != b);
    a += b;
    CHECK(a == 1.5f);
    a *= 2;
    CHECK((int)a == 3 && (bool)(a == half(3)));
    CHECK(std::is_same_v<decltype(a * b), half> && std::is_same_v<decltype(a * 1.0f), float>);
    CHECK(static_cast<half>(-1.0f / 0.0f).bits == 0xfc00);
    constexpr half zero = 0;
    CHECK(zero.bits == 0 && std::numeric_limits<half>::max() == 65504.0f);
    CHECK((float)std::numeric_limits<half>::epsilon() == 0x1p-10f);
    CHECK((float)std::numeric_limits<bfloat16_t>::epsilon() == 0x1p-7f);
    CHECK(std::numeric_limits<bfloat16_t>::quiet_NaN().bits == 0x7fc0);
    AscendC::DataCopyPadExtParams<bfloat16_t> pad{false, 0, 0, 0};
    CHECK(pad.paddingValue.bits == 0);
}

int main(int count, char **arguments)
{
    if (count > 1 && std::string(arguments[1]) == "--list") {
        for (const Case *each = Case::first; each; each = each->next)
            std::printf("%s\n", each->name);
        return 0;
    }
    int ran = 0;
    if (aclInit(nullptr) != ACL_SUCCESS)
        return 1;
    for (const Case *each = Case::first; each; each = each->next) {
        if (count > 1 && std::string(arguments[1]) != each->name)
            continue;
        const int before = Case::failures;
        each->run();
        if (Case::failures > before)
            std::fprintf(stderr, "failed: %s\n", each->name);
        ran++;
    }
    std::printf("%d tests, %d failures\n", ran, Case::failures);
    return Case::failures || !ran ? 1 : 0;
}
