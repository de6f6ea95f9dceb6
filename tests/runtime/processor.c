/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Instruction-set levels: their names, and the detection against what the compiler's own detection says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/processor.h"

static void levels_have_the_names_of_the_variable(void **state)
{
    (void)state;
#ifdef __x86_64__
    assert_string_equal(isa_level_name(ISA_BASELINE), "baseline");
    assert_string_equal(isa_level_name(ISA_AVX2), "avx2");
    assert_string_equal(isa_level_name(ISA_AVX512), "avx512");
    assert_string_equal(isa_level_name(ISA_AVX512_BF16), "avx512_bf16");
#endif
    assert_string_equal(isa_level_name((enum isa_level)99), "unknown");
}

enum { AVX512_OR_LOWER = ISA_HIGHEST < ISA_AVX512 ? ISA_HIGHEST : ISA_AVX512 };

static void the_level_is_what_processor_and_system_have(void **state)
{
    (void)state;
#ifdef BELAY_LEVELS_ABOVE_BASELINE
    enum isa_level expected = ISA_BASELINE;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        expected = ISA_AVX2;
    if (expected == ISA_AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        expected = __builtin_cpu_supports("avx512bf16") ? ISA_HIGHEST : AVX512_OR_LOWER;
    assert_int_equal(processor_level(), expected);
#else
    assert_int_equal(processor_level(), ISA_BASELINE);
#endif
}

static void a_level_needs_each_of_its_instructions_and_their_registers(void **state)
{
    (void)state;
#ifdef __x86_64__
    /* The bits' numbers, as the processors' manuals give them. */
    static const unsigned avx_bits[] = {12, 27, 28, 29};    /* FMA, OSXSAVE, AVX, F16C */
    static const unsigned avx2_bits[] = {5, 8};             /* AVX2, BMI2 */
    static const unsigned avx512_bits[] = {16, 17, 30, 31}; /* F, DQ, BW, VL */
    static const unsigned saved_ymm[] = {1, 2}, saved_zmm[] = {5, 6, 7};
    assert_int_equal(processor_level_of(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX), ISA_AVX512_BF16);
    assert_int_equal(processor_level_of(0, 0, 0, 0), ISA_BASELINE);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(processor_level_of(~(1u << avx_bits[i]), UINT32_MAX, UINT32_MAX, UINT32_MAX),
                         ISA_BASELINE);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(processor_level_of(UINT32_MAX, ~(1u << avx2_bits[i]), UINT32_MAX, UINT32_MAX),
                         ISA_BASELINE);
        assert_int_equal(processor_level_of(UINT32_MAX, UINT32_MAX, UINT32_MAX, ~(1u << saved_ymm[i])),
                         ISA_BASELINE);
    }
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(processor_level_of(UINT32_MAX, ~(1u << avx512_bits[i]), UINT32_MAX, UINT32_MAX),
                         ISA_AVX2);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(processor_level_of(UINT32_MAX, UINT32_MAX, UINT32_MAX, ~(1u << saved_zmm[i])),
                         ISA_AVX2);
    /* These bits and no others. */
    assert_int_equal(processor_level_of(0x38001000, 0x120, 0, 6), ISA_AVX2);
    assert_int_equal(processor_level_of(0x38001000, 0xc0030120, 0, 0xe6), ISA_AVX512);
    assert_int_equal(processor_level_of(0x38001000, 0xc0030120, ~(1u << 5), 0xe6), ISA_AVX512);
    assert_int_equal(processor_level_of(0x38001000, 0xc0030120, 1u << 5, 0xe6), ISA_AVX512_BF16);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_have_the_names_of_the_variable),
        cmocka_unit_test(a_level_needs_each_of_its_instructions_and_their_registers),
        cmocka_unit_test(the_level_is_what_processor_and_system_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
