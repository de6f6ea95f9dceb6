/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * And, or, exclusive or and not of the bits of integers, and of BOOL as truth. A scalar has as many bits as
 * the dtype of the result, its sign being what is above its own.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

#include "simd/formula_integers.h"

static inline int64_t integer_bit_and(const int64_t *x, const int64_t *number)
{
    (void)number;
    return x[0] & x[1];
}

static inline int64_t integer_bit_or(const int64_t *x, const int64_t *number)
{
    (void)number;
    return x[0] | x[1];
}

static inline int64_t integer_bit_xor(const int64_t *x, const int64_t *number)
{
    (void)number;
    return x[0] ^ x[1];
}

static inline int64_t integer_bit_not(const int64_t *x, const int64_t *number)
{
    (void)number;
    return ~x[0];
}

#define BIT_KERNELS(stem, inputs)  \
    FORMULA_INTEGERS(stem, inputs) \
    FORMULA_NATURALS(stem, inputs) \
    FORMULA_BOOL(stem, inputs)     \
    KERNELS(stem) = {.exact = {INTEGERS_OF(stem), NATURALS_OF(stem), BOOL_OF(stem)}};
BIT_KERNELS(bit_and, 2)
BIT_KERNELS(bit_or, 2)
BIT_KERNELS(bit_xor, 2)
BIT_KERNELS(bit_not, 1)

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

/* As wide as out, where that has integers: then no bit of the scalar is lost that out has. */
static aclnnStatus infer_scalar(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    const enum arithmetic out = arithmetic_of(formula_of_out(call));
    if (result->computed != ACL_BOOL && out >= ARITHMETICS && out < ARITHMETIC_BOOL)
        result->computed = formula_of_out(call);
    return ACLNN_SUCCESS;
}

#define BITS(stem)                                                                                \
    FORMULA(stem, .out = DTYPE_CASTABLE, .broadcasts = true);                                     \
    static const struct formula stem##_scalar_formula = {{stem##_kernels, .cost_ps = {200, 200}}, \
                                                         .out = DTYPE_CASTABLE,                   \
                                                         .inputs = 2,                             \
                                                         .dtype = formula_beside_scalar}

#define READ_BITS(name) READ(name, &dtypes_bits, .sample = "2x3:INT32")
#define BOTH_BITS(name) BOTH(name, &dtypes_bits, .sample = "2x3:INT32")
#define OF_BITS(name, stem, formula)                                                        \
    FORM(name, stem, formula, exact, formula_infer,                                         \
         (READ_BITS("self"), READ_BITS("other"), WRITTEN("out", &dtypes_castable_to_fp32)), \
         (const aclTensor *self, const aclTensor *other, aclTensor *out),                   \
         (ARG(self), ARG(other), ARG(out)));
#define OF_BITS_IN_PLACE(name, stem, formula, self)                                         \
    FORM(name, stem, formula, exact, formula_infer, (BOTH_BITS(#self), READ_BITS("other")), \
         (aclTensor * self, const aclTensor *other), (ARG(self), ARG(other)));

/* The four functions of each: with out and in place, of a tensor and a scalar. */
#define BITWISE(name, stem, formula)                                                                    \
    BITS(formula);                                                                                      \
    OF_BITS(name##Tensor, stem##_tensor, formula)                                                       \
    OF_BITS_IN_PLACE(Inplace##name##Tensor, stem##_tensor, formula, selfRef)                            \
    FORM(name##Scalar, stem##_scalar, formula##_scalar, exact, infer_scalar,                            \
         (READ("self", &dtypes_bits, .sample = "2x3:INT32"),                                            \
          SCALAR("other", &dtypes_bits, .usual = "1:INT64"), WRITTEN("out", &dtypes_castable_to_fp32)), \
         (const aclTensor *self, const aclScalar *other, aclTensor *out),                               \
         (ARG(self), ARG(other), ARG(out)));                                                            \
    FORM(Inplace##name##Scalar, stem##_scalar, formula##_scalar, exact, infer_scalar,                   \
         (BOTH("selfRef", &dtypes_bits, .sample = "2x3:INT32"),                                         \
          SCALAR("other", &dtypes_bits, .usual = "1:INT64")),                                           \
         (aclTensor * selfRef, const aclScalar *other), (ARG(selfRef), ARG(other)));

BITWISE(BitwiseAnd, bitwise_and, bit_and)
BITWISE(BitwiseOr, bitwise_or, bit_or)
BITWISE(BitwiseXor, bitwise_xor, bit_xor)

FORMULA(bit_not, .out = DTYPE_EQUAL);
FORM(BitwiseNot, bitwise_not, bit_not, exact, formula_infer,
     (READ_BITS("self"), WRITTEN("out", &dtypes_bits)), (const aclTensor *self, aclTensor *out),
     (ARG(self), ARG(out)));

OF_BITS(BitwiseAndTensorOut, bitwiseand, bit_and)
OF_BITS_IN_PLACE(InplaceBitwiseAndTensorOut, bitwiseand, bit_and, self)

#endif
