/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of one tensor that pointwise/unary.h lists: kernels for every line of the table.
 *
 * Floats are computed in doubles and rounded once. Limits, zeros and NaN are those of C99's functions of the
 * same name, with the exceptions that a formula names.
 */
#include "ops/pointwise/unary.h"
#include "simd/kernel.h"

#ifdef KERNEL_PASS

#include "ops/pointwise/unary_integers.h"
#include "simd/maths_arc.h"
#include "simd/maths_circle.h"
#include "simd/maths_error_function.h"
#include "simd/maths_logarithm.h"
#include "simd/maths_map.h"
#include "simd/maths_simple.h"

#define FLOAT_KERNEL(stem, dtype, arithmetic)                                                                \
    static void stem##_##dtype(const void *const *input, void *output, size_t count, const void *parameters, \
                               bool streams)                                                                 \
    {                                                                                                        \
        (void)parameters;                                                                                    \
        map_maths(arithmetic, stem##_block, input, output, count, streams);                                  \
    }

/* Results are the same at every accuracy. */
#define FLOAT_KERNELS(stem)                                                                                \
    {                                                                                                      \
        [ARITHMETIC_FP32] = stem##_fp32, [ARITHMETIC_FP16] = stem##_fp16, [ARITHMETIC_BF16] = stem##_bf16, \
        [ARITHMETIC_FP64] = stem##_fp64                                                                    \
    }

#define UNARY_KERNELS(name, stem, self, out, rule, integers, reference)                            \
    MATHS_BLOCK(stem)                                                                              \
    FLOAT_KERNEL(stem, fp32, ARITHMETIC_FP32)                                                      \
    FLOAT_KERNEL(stem, fp16, ARITHMETIC_FP16)                                                      \
    FLOAT_KERNEL(stem, bf16, ARITHMETIC_BF16)                                                      \
    FLOAT_KERNEL(stem, fp64, ARITHMETIC_FP64)                                                      \
    KERNELS(stem) = {                                                                              \
        .run = {[ACCURACY_DEFAULT] = FLOAT_KERNELS(stem), [ACCURACY_EXACT] = FLOAT_KERNELS(stem)}, \
        .exact = {integers},                                                                       \
    };

UNARY_FUNCTIONS(UNARY_KERNELS)

#endif
