/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is compiled once for each instruction-set level, as the rest of the library sees it.
 */
#ifndef BELAY_SIMD_LEVEL_TABLE_H
#define BELAY_SIMD_LEVEL_TABLE_H

#include "runtime/processor.h"

/* In what is compiled for one level: its own name. */
#define LEVEL_JOIN(name, level) name##_##level
#define LEVEL_NAME(name, level) LEVEL_JOIN(name, level)
#define AT_LEVEL(name)          LEVEL_NAME(name, KERNEL_PASS)

/* A build for tests may leave avx2's kernels out; the lowest level's take their place. */
#ifdef BELAY_WITHOUT_AVX2
#define LEVEL_AVX2(name) name##_baseline
#else
#define LEVEL_AVX2(name) name##_avx2
#endif

/* Declares name_baseline, ... of this type, functions or constants, and a table of their addresses. */
#ifdef BELAY_LEVELS_ABOVE_BASELINE
#define LEVEL_TABLE(type, table, name)                            \
    extern type name##_baseline, LEVEL_AVX2(name), name##_avx512; \
    static type *const table[ISA_LEVELS] = {                      \
        [ISA_BASELINE] = &name##_baseline,                        \
        [ISA_AVX2] = &LEVEL_AVX2(name),                           \
        [ISA_AVX512] = &name##_avx512,                            \
    }
#else
#define LEVEL_TABLE(type, table, name) \
    extern type name##_baseline;       \
    static type *const table[ISA_LEVELS] = {[ISA_BASELINE] = &name##_baseline}
#endif

#endif
