/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the maths half of an operator file is written with. The file is compiled once per instruction-set
 * level with KERNEL_PASS set to the level's name; KERNELS(stem) names the table that the pass defines.
 */
#ifndef BELAY_SIMD_VECTOR_KERNEL_H
#define BELAY_SIMD_VECTOR_KERNEL_H

#include "simd/vector/level_table.h"
#include "simd/vector/kernels.h"

#define KERNELS_JOIN(stem, level) stem##_kernels_##level
#define KERNELS_OF(stem, level)   KERNELS_JOIN(stem, level)

#ifdef KERNEL_PASS
/* The definition, in a kernel pass: `KERNELS(silu_backward) = {.run = {...}};` */
#define KERNELS(stem)                                          \
    extern const struct kernels KERNELS_OF(stem, KERNEL_PASS); \
    const struct kernels KERNELS_OF(stem, KERNEL_PASS)

/* A kernel, whose body follows, and how it calls another one. */
#define KERNEL(name)                                                                               \
    static void name(const void *const *input, void *output, size_t count, const void *parameters, \
                     bool non_temporal)
#define KERNEL_ARGUMENTS input, output, count, parameters, non_temporal

/* name_fp32, ... in the table, the same at both accuracies. */
#define KERNELS_OF_FLOATS(name)                                                                            \
    {                                                                                                      \
        [ARITHMETIC_FP32] = name##_fp32, [ARITHMETIC_FP16] = name##_fp16, [ARITHMETIC_BF16] = name##_bf16, \
        [ARITHMETIC_FP64] = name##_fp64                                                                    \
    }
#define SAME_AT_BOTH_ACCURACIES(name) \
    .run = {[ACCURACY_DEFAULT] = KERNELS_OF_FLOATS(name), [ACCURACY_EXACT] = KERNELS_OF_FLOATS(name)}

/* Members of it: kernels of fp32 at the default accuracy and at the exact one, and of the other floats, which
 * are the same at both. */
#define FLOAT_RUNS(fp32, exact_fp32, fp16, bf16, fp64)      \
    .run = {                                                \
        [ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = fp32,     \
                              [ARITHMETIC_FP16] = fp16,     \
                              [ARITHMETIC_BF16] = bf16,     \
                              [ARITHMETIC_FP64] = fp64},    \
        [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = exact_fp32, \
                            [ARITHMETIC_FP16] = fp16,       \
                            [ARITHMETIC_BF16] = bf16,       \
                            [ARITHMETIC_FP64] = fp64},      \
    }
#define FLOAT_KERNELS(fp32, exact_fp32, fp16, bf16)    \
    {                                                  \
        FLOAT_RUNS(fp32, exact_fp32, fp16, bf16, NULL) \
    }
#endif

/* The contract's view of them: `KERNEL_LEVELS(silu_backward);` declares `silu_backward_kernels[ISA_LEVELS]`.
 */
#define KERNEL_LEVELS(stem) LEVEL_TABLE(const struct kernels, stem##_kernels, stem##_kernels)

#endif
