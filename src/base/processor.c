/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the processor can execute, from CPUID, and what the system saves at a context switch, from XCR0.
 */
#include "base/processor.h"

#ifdef __x86_64__

#include <cpuid.h>
#include <stdint.h>

enum {
    LEAF1_ECX_FMA = 1u << 12,
    LEAF1_ECX_OSXSAVE = 1u << 27,
    LEAF1_ECX_AVX = 1u << 28,
    LEAF1_ECX_F16C = 1u << 29,
    LEAF7_EBX_AVX2 = 1u << 5,
    LEAF7_EBX_BMI2 = 1u << 8,
    LEAF7_EBX_AVX512F = 1u << 16,
    LEAF7_EBX_AVX512DQ = 1u << 17,
    LEAF7_EBX_AVX512BW = 1u << 30,
    LEAF7_1_EAX_AVX512_BF16 = 1u << 5,
    XCR0_XMM_YMM = 0x06,     /* both halves of the 256-bit registers */
    XCR0_XMM_YMM_ZMM = 0xe6, /* and masks, upper halves of zmm0-15, zmm16-31 */
    AVX_BITS = LEAF1_ECX_FMA | LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX | LEAF1_ECX_F16C,
    AVX2_BITS = LEAF7_EBX_AVX2 | LEAF7_EBX_BMI2,
    AVX512_BITS = LEAF7_EBX_AVX512F | LEAF7_EBX_AVX512DQ | LEAF7_EBX_AVX512BW
};
static const uint32_t LEAF7_EBX_AVX512VL = 1u << 31;

enum isa_level processor_level_of(uint32_t leaf1_ecx, uint32_t leaf7_ebx, uint32_t leaf7_1_eax,
                                  uint32_t saved)
{
    if ((leaf1_ecx & AVX_BITS) != AVX_BITS || (leaf7_ebx & AVX2_BITS) != AVX2_BITS ||
        (saved & XCR0_XMM_YMM) != XCR0_XMM_YMM)
        return ISA_BASELINE;
    if ((leaf7_ebx & AVX512_BITS) != AVX512_BITS || (leaf7_ebx & LEAF7_EBX_AVX512VL) == 0 ||
        (saved & XCR0_XMM_YMM_ZMM) != XCR0_XMM_YMM_ZMM)
        return ISA_AVX2;
    return (leaf7_1_eax & LEAF7_1_EAX_AVX512_BF16) == 0 ? ISA_AVX512 : ISA_AVX512_BF16;
}

#ifdef BELAY_LEVELS_ABOVE_BASELINE
enum isa_level processor_level(void)
{
    /* A leaf that is not there leaves the zeros. */
    uint32_t eax, ebx, ecx, edx, leaf1_ecx = 0, leaf7_ebx = 0, subleaves = 0, leaf7_1_eax = 0, saved = 0,
                                 saved_high;
    __get_cpuid(1, &eax, &ebx, &leaf1_ecx, &edx);
    __get_cpuid_count(7, 0, &subleaves, &leaf7_ebx, &ecx, &edx);
    if (subleaves >= 1)
        __get_cpuid_count(7, 1, &leaf7_1_eax, &ebx, &ecx, &edx);
    if ((leaf1_ecx & LEAF1_ECX_OSXSAVE) != 0)
        __asm__ volatile("xgetbv" : "=a"(saved), "=d"(saved_high) : "c"(0));
    const enum isa_level level = processor_level_of(leaf1_ecx, leaf7_ebx, leaf7_1_eax, saved);
    return level < ISA_HIGHEST ? level : ISA_HIGHEST;
}
#endif

const char *isa_level_name(enum isa_level level)
{
    static const char *const names[ISA_LEVELS] = {"baseline", "avx2", "avx512", "avx512_bf16"};
    return (unsigned)level < ISA_LEVELS ? names[level] : "unknown";
}

#else

const char *isa_level_name(enum isa_level level)
{
#ifdef __aarch64__
    const char *baseline = "neon";
#else
    const char *baseline = "baseline";
#endif
    return level == ISA_BASELINE ? baseline : "unknown";
}

#endif

#ifndef BELAY_LEVELS_ABOVE_BASELINE
enum isa_level processor_level(void)
{
    return ISA_BASELINE;
}
#endif
