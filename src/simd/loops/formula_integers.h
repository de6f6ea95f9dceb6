/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of formulas in integers: elements are widened to int64, given to the formula, and their low bits
 * kept, which is arithmetic that wraps in every dtype.
 *
 *     static inline int64_t integer_maximum(const int64_t *x, const int64_t *number) { ... }
 *     FORMULA_INTEGERS(maximum, 2)     of two inputs; then .exact = INTEGERS_OF(maximum)
 */
#ifndef BELAY_SIMD_LOOPS_FORMULA_INTEGERS_H
#define BELAY_SIMD_LOOPS_FORMULA_INTEGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/loops/formula_numbers.h"

/* What input k is: elements, or NULL and a scalar, which may be beyond what the dtype has. */
struct formula_source {
    const void *from[FORMULA_INPUTS_MAX];
    int64_t scalar[FORMULA_INPUTS_MAX];
};

/* Sorts the inputs of a call: tensors come in their order, scalars from where place says. */
static inline void formula_source(struct formula_source *source, int inputs, const void *const *input,
                                  const struct formula_numbers *numbers)
{
    for (int k = 0, tensor = 0; k < inputs; k++) {
        const uint8_t place = numbers->place[k];
        source->scalar[k] = place != 0 ? numbers->int64[place - 1] : 0;
        source->from[k] = place != 0 ? NULL : input[tensor++];
    }
}

typedef int64_t formula_in_integers(const int64_t *x, const int64_t *number);

/* Reads element i of an array as the formula sees it, and writes a result as the dtype keeps it. */
typedef int64_t element_seen(const void *from, size_t i);
typedef void element_kept(void *to, size_t i, int64_t value);

static inline __attribute__((always_inline)) void
formula_each_integer(formula_in_integers *formula, int inputs, element_seen *seen, element_kept *keep,
                     const void *const *input, void *output, size_t count, const void *parameters)
{
    const struct formula_numbers *numbers = parameters;
    struct formula_source source;
    formula_source(&source, inputs, input, numbers);
    for (size_t i = 0; i < count; i++) {
        int64_t x[FORMULA_INPUTS_MAX] __attribute__((uninitialized));
        for (int k = 0; k < inputs; k++)
            x[k] = source.from[k] == NULL ? source.scalar[k] : seen(source.from[k], i);
        keep(output, i, formula(x, numbers->int64));
    }
}

#define FORMULA_INTEGER(stem, inputs, type, SEEN, KEPT)                                                     \
    static inline int64_t stem##_##type##_seen(const void *from, size_t i)                                  \
    {                                                                                                       \
        return (int64_t)SEEN(((const type *)from)[i]);                                                      \
    }                                                                                                       \
    static inline void stem##_##type##_keep(void *to, size_t i, int64_t value)                              \
    {                                                                                                       \
        ((type *)to)[i] = (type)KEPT(value);                                                                \
    }                                                                                                       \
    static void stem##_##type(const void *const *input, void *output, size_t count, const void *parameters, \
                              bool non_temporal)                                                            \
    {                                                                                                       \
        (void)non_temporal;                                                                                 \
        formula_each_integer(integer_##stem, inputs, stem##_##type##_seen, stem##_##type##_keep, input,     \
                             output, count, parameters);                                                    \
    }

#define FORMULA_ITSELF(x) (x)
#define FORMULA_TRUTH(x)  ((x) != 0)
#define FORMULA_LOW(x)    ((x)&1)
typedef uint8_t truth_t;

#define FORMULA_INTEGERS(stem, inputs)                                     \
    FORMULA_INTEGER(stem, inputs, int8_t, FORMULA_ITSELF, FORMULA_ITSELF)  \
    FORMULA_INTEGER(stem, inputs, int16_t, FORMULA_ITSELF, FORMULA_ITSELF) \
    FORMULA_INTEGER(stem, inputs, int32_t, FORMULA_ITSELF, FORMULA_ITSELF) \
    FORMULA_INTEGER(stem, inputs, int64_t, FORMULA_ITSELF, FORMULA_ITSELF) \
    FORMULA_INTEGER(stem, inputs, uint8_t, FORMULA_ITSELF, FORMULA_ITSELF)

/* UINT64 is computed as if it were signed. BOOL is 0 or 1, and of its result the lowest bit is kept. */
#define FORMULA_NATURALS(stem, inputs)                                      \
    FORMULA_INTEGER(stem, inputs, uint16_t, FORMULA_ITSELF, FORMULA_ITSELF) \
    FORMULA_INTEGER(stem, inputs, uint32_t, FORMULA_ITSELF, FORMULA_ITSELF) \
    FORMULA_INTEGER(stem, inputs, uint64_t, FORMULA_ITSELF, FORMULA_ITSELF)
#define FORMULA_BOOL(stem, inputs) FORMULA_INTEGER(stem, inputs, truth_t, FORMULA_TRUTH, FORMULA_LOW)

#define INTEGERS_OF(stem)                                                     \
    [ARITHMETIC_INT8] = stem##_int8_t, [ARITHMETIC_INT16] = stem##_int16_t,   \
    [ARITHMETIC_INT32] = stem##_int32_t, [ARITHMETIC_INT64] = stem##_int64_t, \
    [ARITHMETIC_UINT8] = stem##_uint8_t
#define NATURALS_OF(stem)                                                         \
    [ARITHMETIC_UINT16] = stem##_uint16_t, [ARITHMETIC_UINT32] = stem##_uint32_t, \
    [ARITHMETIC_UINT64] = stem##_uint64_t
#define BOOL_OF(stem) [ARITHMETIC_BOOL] = stem##_truth_t

#endif
