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

#include "runtime/processor.h"

static void levels_have_the_names_of_the_variable(void **state)
{
    (void)state;
#ifdef __x86_64__
    assert_string_equal(isa_level_name(ISA_BASELINE), "baseline");
    assert_string_equal(isa_level_name(ISA_AVX2), "avx2");
    assert_string_equal(isa_level_name(ISA_AVX512), "avx512");
#endif
    assert_string_equal(isa_level_name((enum isa_level)99), "unknown");
}

static void the_level_is_what_processor_and_system_have(void **state)
{
    (void)state;
#ifdef __x86_64__
    enum isa_level expected = ISA_BASELINE;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        expected = ISA_AVX2;
    if (expected == ISA_AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        expected = ISA_AVX512;
    assert_int_equal(processor_level(), expected);
#else
    assert_int_equal(processor_level(), ISA_BASELINE);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_have_the_names_of_the_variable),
        cmocka_unit_test(the_level_is_what_processor_and_system_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
