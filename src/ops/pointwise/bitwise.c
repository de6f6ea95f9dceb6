/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions and, or, exclusive or and not: of the bits of integers, and of BOOL as truth. A scalar has as
 * many bits as the dtype of the result, its sign being what is above its own.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "simd/loops/formula_integers.h"

/* Writes element i, made of one of x and one of y. */
typedef void bits_at(const void *x, size_t x_at, const void *y, size_t y_at, void *to, size_t i);

/* Either operand may be a scalar. Each of these has a loop of its own, which becomes vector code. */
static inline __attribute__((always_inline)) void
map_bits(bits_at *make, int inputs, const void *const *input, void *to, size_t count, const void *parameters)
{
    struct formula_source source;
    formula_source(&source, inputs, input, parameters);
    const void *x = source.from[0], *y = inputs == 2 ? source.from[1] : x;
    unsigned char first[sizeof(int64_t)], second[sizeof(int64_t)]; /* the low bytes are the first ones */
    memcpy(first, &source.scalar[0], sizeof first);
    memcpy(second, &source.scalar[inputs - 1], sizeof second);
    for (size_t i = 0; x && y && i < count; i++)
        make(x, i, y, i, to, i);
    for (size_t i = 0; x && !y && i < count; i++)
        make(x, i, second, 0, to, i);
    for (size_t i = 0; !x && y && i < count; i++)
        make(first, 0, y, i, to, i);
    for (size_t i = 0; !x && !y && i < count; i++)
        make(first, 0, second, 0, to, i);
}

#define BIT_KERNEL(name, type, SEEN, bits_of, inputs)                                                        \
    static inline void name##_at(const void *x, size_t x_at, const void *y, size_t y_at, void *to, size_t i) \
    {                                                                                                        \
        type first, second;                                                                                  \
        memcpy(&first, (const char *)x + x_at * sizeof first, sizeof first);                                 \
        memcpy(&second, (const char *)y + y_at * sizeof second, sizeof second);                              \
        ((type *)to)[i] = (type)bits_of(SEEN(first, type), SEEN(second, type));                              \
    }                                                                                                        \
    KERNEL(name)                                                                                             \
    {                                                                                                        \
        (void)non_temporal;                                                                                  \
        map_bits(name##_at, inputs, input, output, count, parameters);                                       \
    }

#define BITS_SEEN(x, type)  ((type)(x))
#define TRUTH_SEEN(x, type) ((type)((x) != 0))

#define BIT_KERNELS(stem, inputs, bits_of, of_truth)               \
    BIT_KERNEL(stem##_8, uint8_t, BITS_SEEN, bits_of, inputs)      \
    BIT_KERNEL(stem##_16, uint16_t, BITS_SEEN, bits_of, inputs)    \
    BIT_KERNEL(stem##_32, uint32_t, BITS_SEEN, bits_of, inputs)    \
    BIT_KERNEL(stem##_64, uint64_t, BITS_SEEN, bits_of, inputs)    \
    BIT_KERNEL(stem##_bool, uint8_t, TRUTH_SEEN, of_truth, inputs) \
    KERNELS(stem) = {.exact = {[ARITHMETIC_INT8] = stem##_8,       \
                               [ARITHMETIC_UINT8] = stem##_8,      \
                               [ARITHMETIC_INT16] = stem##_16,     \
                               [ARITHMETIC_UINT16] = stem##_16,    \
                               [ARITHMETIC_INT32] = stem##_32,     \
                               [ARITHMETIC_UINT32] = stem##_32,    \
                               [ARITHMETIC_INT64] = stem##_64,     \
                               [ARITHMETIC_UINT64] = stem##_64,    \
                               [ARITHMETIC_BOOL] = stem##_bool}};
#define AND(x, y)          ((x) & (y))
#define OR(x, y)           ((x) | (y))
#define XOR(x, y)          ((x) ^ (y))
#define NOT(x, y)          (~(x))
#define NOT_OF_TRUTH(x, y) ((x) ^ 1)

BIT_KERNELS(bit_and, 2, AND, AND)
BIT_KERNELS(bit_or, 2, OR, OR)
BIT_KERNELS(bit_xor, 2, XOR, XOR)
BIT_KERNELS(bit_not, 1, NOT, NOT_OF_TRUTH)

#else

/* The contract. */
#include "aclnnop/aclnn_bitwise_and_scalar.h"
#include "aclnnop/aclnn_bitwise_and_tensor.h"
#include "aclnnop/aclnn_bitwise_not.h"
#include "aclnnop/aclnn_bitwise_or_scalar.h"
#include "aclnnop/aclnn_bitwise_or_tensor.h"
#include "aclnnop/aclnn_bitwise_xor_scalar.h"
#include "aclnnop/aclnn_bitwise_xor_tensor.h"
#include "aclnnop/aclnn_bitwiseand.h"
#include "ops/pointwise/forms.h"

/* The result is computed as wide as out is, where that has integers: then no bit of the scalar is lost that
 * out has. */
static aclnnStatus infer_scalar(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    const enum arithmetic out = arithmetic_of(formula_of_out(call));
    if (result->computed != ACL_BOOL && out >= ARITHMETICS && out < ARITHMETIC_BOOL)
        result->computed = formula_of_out(call);
    return ACLNN_SUCCESS;
}

#define BITS(stem)                                            \
    FORMULA(stem, .out = DTYPE_CASTABLE, .broadcasts = true); \
    FORMULA_BY(stem##_scalar, stem, 200, .out = DTYPE_CASTABLE, .inputs = 2, .dtype = formula_beside_scalar)

#define READ_BITS(name) (IN, name, &dtypes_integers_naturals_bool, .sample = "2x3:INT32")
#define BOTH_BITS(name) (BOTH, name, &dtypes_integers_naturals_bool, .sample = "2x3:INT32")
#define OF_BITS(name, stem, formula)                                                   \
    FORM(name, stem, formula, exact, formula_infer, READ_BITS(self), READ_BITS(other), \
         (OUT, out, &dtypes_all));
#define OF_BITS_IN_PLACE(name, stem, formula, self) \
    FORM(name, stem, formula, exact, formula_infer, BOTH_BITS(self), READ_BITS(other));

/* The form of a function of the bits of a tensor and a scalar. */
#define OF_BITS_AND_SCALAR(name, stem, formula)                              \
    FORM(name, stem, formula##_scalar, exact, infer_scalar, READ_BITS(self), \
         (SCALAR, other, &dtypes_integers_naturals_bool, .usual = "1:INT64"), (OUT, out, &dtypes_all));
#define OF_BITS_AND_SCALAR_IN_PLACE(name, stem, formula)                        \
    FORM(name, stem, formula##_scalar, exact, infer_scalar, BOTH_BITS(selfRef), \
         (SCALAR, other, &dtypes_integers_naturals_bool, .usual = "1:INT64"));

BITS(bit_and);
OF_BITS(aclnnBitwiseAndTensor, bitwise_and_tensor, bit_and)
OF_BITS_IN_PLACE(aclnnInplaceBitwiseAndTensor, bitwise_and_tensor, bit_and, selfRef)
OF_BITS_AND_SCALAR(aclnnBitwiseAndScalar, bitwise_and_scalar, bit_and)
OF_BITS_AND_SCALAR_IN_PLACE(aclnnInplaceBitwiseAndScalar, bitwise_and_scalar, bit_and)

BITS(bit_or);
OF_BITS(aclnnBitwiseOrTensor, bitwise_or_tensor, bit_or)
OF_BITS_IN_PLACE(aclnnInplaceBitwiseOrTensor, bitwise_or_tensor, bit_or, selfRef)
OF_BITS_AND_SCALAR(aclnnBitwiseOrScalar, bitwise_or_scalar, bit_or)
OF_BITS_AND_SCALAR_IN_PLACE(aclnnInplaceBitwiseOrScalar, bitwise_or_scalar, bit_or)

BITS(bit_xor);
OF_BITS(aclnnBitwiseXorTensor, bitwise_xor_tensor, bit_xor)
OF_BITS_IN_PLACE(aclnnInplaceBitwiseXorTensor, bitwise_xor_tensor, bit_xor, selfRef)
OF_BITS_AND_SCALAR(aclnnBitwiseXorScalar, bitwise_xor_scalar, bit_xor)
OF_BITS_AND_SCALAR_IN_PLACE(aclnnInplaceBitwiseXorScalar, bitwise_xor_scalar, bit_xor)

FORMULA(bit_not, .out = DTYPE_EQUAL);
FORM(aclnnBitwiseNot, bitwise_not, bit_not, exact, formula_infer, READ_BITS(self),
     (OUT, out, &dtypes_integers_naturals_bool));

OF_BITS(aclnnBitwiseAndTensorOut, bitwiseand, bit_and)
OF_BITS_IN_PLACE(aclnnInplaceBitwiseAndTensorOut, bitwiseand, bit_and, self)

#endif
