/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of formulas in integers: elements are widened to int64, given to the formula, and their low bits
 * kept, which is arithmetic that wraps in every dtype.
 *
 *     static inline int64_t integer_maximum(const int64_t *x, const int64_t *number) { ... }
 *     FORMULA_INTEGERS(maximum, 2)     of two inputs; then .exact = INTEGERS_OF(maximum)
 */
#ifndef BELAY_SIMD_FORMULA_INTEGERS_H
#define BELAY_SIMD_FORMULA_INTEGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/formula_numbers.h"

#define FORMULA_INTEGER(stem, inputs, type)                                                                 \
    static void stem##_##type(const void *const *input, void *output, size_t count, const void *parameters, \
                              bool non_temporal)                                                            \
    {                                                                                                       \
        const struct formula_numbers *numbers = parameters;                                                 \
        (void)non_temporal;                                                                                 \
        for (size_t i = 0; i < count; i++) {                                                                \
            int64_t x[inputs];                                                                              \
            for (int k = 0; k < (inputs); k++)                                                              \
                x[k] = ((const type *)input[k])[i];                                                         \
            ((type *)output)[i] = (type)integer_##stem(x, numbers->int64);                                  \
        }                                                                                                   \
    }

#define FORMULA_INTEGERS(stem, inputs)     \
    FORMULA_INTEGER(stem, inputs, int8_t)  \
    FORMULA_INTEGER(stem, inputs, int16_t) \
    FORMULA_INTEGER(stem, inputs, int32_t) \
    FORMULA_INTEGER(stem, inputs, int64_t) \
    FORMULA_INTEGER(stem, inputs, uint8_t)

#define INTEGERS_OF(stem)                                                     \
    [ARITHMETIC_INT8] = stem##_int8_t, [ARITHMETIC_INT16] = stem##_int16_t,   \
    [ARITHMETIC_INT32] = stem##_int32_t, [ARITHMETIC_INT64] = stem##_int64_t, \
    [ARITHMETIC_UINT8] = stem##_uint8_t

#endif
