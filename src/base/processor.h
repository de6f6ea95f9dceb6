/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The instruction-set levels that kernels are compiled for, lowest first.
 */
#ifndef BELAY_BASE_PROCESSOR_H
#define BELAY_BASE_PROCESSOR_H

#include <stdint.h>

#include "base/export.h"

/* On x86-64: baseline is SSE2, avx2 adds FMA and F16C, avx512 adds F, BW, DQ and VL, avx512_bf16 the products of
 * pairs of BFLOAT16. On AArch64: baseline is NEON. Kernels are compiled for the first three; the last one has
 * avx512's, and what takes the products of pairs asks for it by name. */
enum isa_level { ISA_BASELINE, ISA_AVX2, ISA_AVX512, ISA_AVX512_BF16, ISA_LEVELS };
enum { ISA_KERNEL_LEVELS = ISA_AVX512_BF16 };

/* Defined where there are kernels for levels above baseline. A build for tests of threads or memory needs no
 * more than one. */
#if defined(__x86_64__) && !defined(BELAY_BASELINE_ALONE)
#define BELAY_LEVELS_ABOVE_BASELINE 1
#endif

/* The highest level that there is, and the name of what its kernels are given where avx512's would stand: a
 * build for tests on a processor without AVX-512 leaves out its kernels, a fifth of what a compiler works, and has
 * avx2's in their places, which nothing calls. */
#ifdef BELAY_WITHOUT_AVX512
#define ISA_HIGHEST       ISA_AVX2
#define AVX512_NAME(name) name##_avx2
#else
#define ISA_HIGHEST       ISA_AVX512_BF16
#define AVX512_NAME(name) name##_avx512
#endif

/* The highest level that the processor has and the operating system saves the registers of (CPUID and XCR0),
 * of those that there are kernels for. */
enum isa_level processor_level(void) SHARED(processor_level);

/* Of those that kernels are compiled for: what tests of kernels go through. */
static inline enum isa_level processor_kernel_level(void)
{
    const enum isa_level level = processor_level();
    return level < ISA_AVX512 ? level : ISA_AVX512;
}

#ifdef __x86_64__
/* The level of a processor with these words from CPUID (ECX of leaf 1, EBX of leaf 7, EAX of its first
 * sub-leaf) and XCR0. */
enum isa_level processor_level_of(uint32_t leaf1_ecx, uint32_t leaf7_ebx, uint32_t leaf7_1_eax,
                                  uint32_t saved);
#endif

/* "baseline" ("neon" on AArch64), "avx2", "avx512", "avx512_bf16". */
const char *isa_level_name(enum isa_level level) SHARED(isa_level_name);

#endif
