/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the processor can execute, from CPUID, and what the system saves at a context switch, from XCR0.
 */
#include "runtime/processor.h"

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
    XCR0_XMM_YMM = 0x06,     /* both halves of the 256-bit registers */
    XCR0_XMM_YMM_ZMM = 0xe6, /* and masks, upper halves of zmm0-15, zmm16-31 */
    AVX_BITS = LEAF1_ECX_FMA | LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX | LEAF1_ECX_F16C,
    AVX2_BITS = LEAF7_EBX_AVX2 | LEAF7_EBX_BMI2,
    AVX512_BITS = LEAF7_EBX_AVX512F | LEAF7_EBX_AVX512DQ | LEAF7_EBX_AVX512BW
};
static const uint32_t LEAF7_EBX_AVX512VL = 1u << 31;

enum isa_level processor_level(void)
{
    uint32_t eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & AVX_BITS) != AVX_BITS)
        return ISA_BASELINE;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (ebx & AVX2_BITS) != AVX2_BITS)
        return ISA_BASELINE;

    /* XGETBV exists because OSXSAVE is set. */
    uint32_t saved, saved_high;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(saved_high) : "c"(0));
    if ((saved & XCR0_XMM_YMM) != XCR0_XMM_YMM)
        return ISA_BASELINE;
    if ((ebx & AVX512_BITS) != AVX512_BITS || (ebx & LEAF7_EBX_AVX512VL) == 0 ||
        (saved & XCR0_XMM_YMM_ZMM) != XCR0_XMM_YMM_ZMM)
        return ISA_AVX2;
    return ISA_AVX512;
}

const char *isa_level_name(enum isa_level level)
{
    static const char *const names[ISA_LEVELS] = {"baseline", "avx2", "avx512"};
    return (unsigned)level < ISA_LEVELS ? names[level] : "unknown";
}

#else

enum isa_level processor_level(void)
{
    return ISA_BASELINE;
}

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
