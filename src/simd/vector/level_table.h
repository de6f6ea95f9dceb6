/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is compiled once for each instruction-set level, as the rest of the library sees it.
 */
#ifndef BELAY_SIMD_VECTOR_LEVEL_TABLE_H
#define BELAY_SIMD_VECTOR_LEVEL_TABLE_H

#include "base/processor.h"

/* In what is compiled for one level: its own name. */
#define LEVEL_JOIN(name, level) name##_##level
#define LEVEL_NAME(name, level) LEVEL_JOIN(name, level)
#define AT_LEVEL(name)          LEVEL_NAME(name, KERNEL_PASS)

/* Declares name_baseline, ... of this type, functions or constants, and a table of their addresses. */
#ifdef BELAY_LEVELS_ABOVE_BASELINE
#define LEVEL_TABLE(type, table, name)                           \
    extern type name##_baseline, name##_avx2, AVX512_NAME(name); \
    static type *const table[ISA_LEVELS] = {                     \
        [ISA_BASELINE] = &name##_baseline,                       \
        [ISA_AVX2] = &name##_avx2,                               \
        [ISA_AVX512] = &AVX512_NAME(name),                       \
        [ISA_AVX512_BF16] = &AVX512_NAME(name),                  \
    }
#else
#define LEVEL_TABLE(type, table, name) \
    extern type name##_baseline;       \
    static type *const table[ISA_LEVELS] = {[ISA_BASELINE] = &name##_baseline}
#endif

#endif
