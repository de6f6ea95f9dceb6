/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Relu: out = self where self > 0, +0 elsewhere; and the gradient with a threshold: out = +0 where self <=
 * threshold, gradOutput elsewhere, where self is NaN too. Relu is its own gradient's: a threshold of 0.
 *
 * The threshold is rounded to fp32; a complex one is 0. The comparison is exact, of integers too; a threshold
 * of NaN lets every gradient pass. What is NaN and passes becomes the canonical one. In place, selfRef is
 * self and out.
 */
#include "simd/vector/kernel.h"

struct threshold_parameters {
    double threshold; /* of fp32 */
};

#ifdef KERNEL_PASS

/* The maths: self and the threshold are compared as integers in the order of the dtype. */
#include "ops/pointwise/lines.h"
#include "simd/vector/memory.h"
#include "simd/vector/rounding.h"
#include "simd/vector/vector_fp32.h"

/* What self, as integers, is compared with: the greatest integer that is not above the threshold; or nothing
 * is compared, and all elements pass. */
struct limit {
    int64_t value, all; /* all: every bit is set, or none */
};

static struct limit limit_of_float(enum arithmetic dtype, double threshold)
{
    if (threshold != threshold)
        return (struct limit){0, -1};
    uint32_t bits = round_bits(dtype, broadcast(threshold))[0];
    char element[sizeof(uints)] = {0};
    memcpy(element, &bits, sizeof bits);                 /* the low half alone, for 16 bits */
    bool is_above = load(dtype, element)[0] > threshold; /* of 16 bits alone: fp32 has it */
    int32_t order = dtype == ARITHMETIC_FP32 ? (int32_t)bits : (int16_t)bits;
    const int32_t mask = dtype == ARITHMETIC_FP32 ? 0x7fffffff : 0x7fff;
    if (!is_above && (order & mask) == 0)
        return (struct limit){0}; /* of -0: +0 is not above it */
    return (struct limit){(order < 0 ? order ^ mask : order) - is_above, 0};
}

static struct limit limit_of_integer(double threshold, double least, double greatest)
{
    double limit = threshold > greatest ? greatest : threshold >= least ? threshold : least;
    int64_t whole = (int64_t)limit;
    return (struct limit){whole - ((double)whole > limit), threshold >= least ? 0 : -1};
}

/* The bits of floats in their order, where some may be negative; others are in it as they are. */
static inline line_int16 ordered_16_bits(line_int16 bits, bool has_negative)
{
    return has_negative ? order_of_16_bits(bits) : bits;
}

static inline line_int32 ordered_32_bits(line_int32 bits, bool has_negative)
{
    return has_negative ? order_of_32_bits(bits) : bits;
}

/* Floats above the threshold pass, and NaN does. Below a threshold that is not negative no float needs to be
 * in its order: what is negative is below it either way. */
#define PASS_FLOATS(name, type, sign_less, ordered, canonical, infinity, ...)                      \
    static inline line name(const line *input, const void *prepared)                               \
    {                                                                                              \
        const struct limit *limit = prepared;                                                      \
        line_##type x = (line_##type)input[1];                                                     \
        line_##type passes = (ordered(x, limit->value < 0) > (type##_t)limit->value) |             \
                             ((x & sign_less) > infinity) | (line_##type)(limit->all + (line){0}); \
        return (line)canonical((line_##type)input[0] & passes __VA_ARGS__);                        \
    }
PASS_FLOATS(pass_fp32, int32, 0x7fffffff, ordered_32_bits, canonical_32_bits, 0x7f800000, )
PASS_FLOATS(pass_fp16, int16, 0x7fff, ordered_16_bits, canonical_16_bits, 0x7c00, , 0x7c00, 0x7e00)
PASS_FLOATS(pass_bf16, int16, 0x7fff, ordered_16_bits, canonical_16_bits, 0x7f80, , 0x7f80, 0x7fc0)

/* Integers above the threshold pass. zero: what their 0 is as a signed number. */
#define PASS_INTEGERS(name, type, zero)                                                 \
    static inline line name(const line *input, const void *prepared)                    \
    {                                                                                   \
        const struct limit *limit = prepared;                                           \
        line_##type x = (line_##type)input[1] ^ (zero);                                 \
        return input[0] & ((line)(x > (type##_t)(limit->value + (zero))) | limit->all); \
    }
PASS_INTEGERS(pass_int8, int8, 0)
PASS_INTEGERS(pass_uint8, int8, INT8_MIN)
PASS_INTEGERS(pass_int32, int32, 0)
PASS_INTEGERS(pass_int64, int64, 0)

/* Relu of floats needs no order: the greatest of two is the second one, 0, where they are equal or one is NaN. */
static inline line relu_fp32(const line *input, const void *prepared)
{
    (void)prepared;
    const vector x = (vector)input[0], above = vector_greatest(x, vector_of(0));
    return (line)vector_choose(vector_is_nan(x), (vector)vector_bits_of(0x7fc00000), above);
}

/* Relu of other dtypes is the threshold at 0. */
#define RELU(dtype)                                                          \
    static inline line relu_##dtype(const line *input, const void *prepared) \
    {                                                                        \
        const line twice[] = {input[0], input[0]};                           \
        return pass_##dtype(twice, prepared);                                \
    }
RELU(fp16)
RELU(bf16)
RELU(int8)
RELU(uint8)
RELU(int32)
RELU(int64)

/* Kernels of one such function: that of the threshold, whose limit is made of it, and relu's, at 0. */
#define THRESHOLD_KERNELS(dtype, element_bytes, limit_of)                                      \
    static void pass_##dtype##_kernel(const void *const *input, void *output, size_t count,    \
                                      const void *parameters, bool non_temporal)               \
    {                                                                                          \
        const double threshold = ((const struct threshold_parameters *)parameters)->threshold; \
        const struct limit limit = limit_of;                                                   \
        map_lines(pass_##dtype, 2, element_bytes, input, output, count, &limit, non_temporal); \
    }                                                                                          \
    static void relu_##dtype##_kernel(const void *const *input, void *output, size_t count,    \
                                      const void *parameters, bool non_temporal)               \
    {                                                                                          \
        static const struct limit zero = {0};                                                  \
        (void)parameters;                                                                      \
        map_lines(relu_##dtype, 1, element_bytes, input, output, count, &zero, non_temporal);  \
    }
THRESHOLD_KERNELS(fp32, 4, limit_of_float(ARITHMETIC_FP32, threshold))
THRESHOLD_KERNELS(fp16, 2, limit_of_float(ARITHMETIC_FP16, threshold))
THRESHOLD_KERNELS(bf16, 2, limit_of_float(ARITHMETIC_BF16, threshold))
THRESHOLD_KERNELS(int8, 1, limit_of_integer(threshold, INT8_MIN, INT8_MAX))
THRESHOLD_KERNELS(uint8, 1, limit_of_integer(threshold, 0, UINT8_MAX))
THRESHOLD_KERNELS(int32, 4, limit_of_integer(threshold, INT32_MIN, INT32_MAX))
THRESHOLD_KERNELS(int64, 8, limit_of_integer(threshold, 0, 0)) /* the threshold is 0 */

#define TABLE(kind)                                                                                       \
    {                                                                                                     \
        FLOAT_RUNS(kind##_fp32_kernel, kind##_fp32_kernel, kind##_fp16_kernel, kind##_bf16_kernel, NULL), \
            .exact = {                                                                                    \
                [ARITHMETIC_INT8] = kind##_int8_kernel,                                                   \
                [ARITHMETIC_UINT8] = kind##_uint8_kernel,                                                 \
                [ARITHMETIC_INT32] = kind##_int32_kernel,                                                 \
                [ARITHMETIC_INT64] = kind##_int64_kernel                                                  \
            }                                                                                             \
    }
KERNELS(relu) = TABLE(relu);
KERNELS(threshold_backward) = TABLE(pass);

#else

/* The contract. */
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "ops/pointwise/contract.h"
#include "ops/scalar.h"
#include "ops/loops/elementwise.h"
#include "tensor/dtype.h"

POINTWISE(relu, 100, 100, 0);
POINTWISE(threshold_backward, 120, 120, 0);

ONE_TENSOR(aclnnRelu, CONST_OUT, relu, dtypes_fp32_fp16_bf16_int8_int32_int64_uint8,
           dtypes_fp32_fp16_bf16_int8_int32_int64_uint8, promise_exact, elementwise_infer_ranked);
IN_PLACE(aclnnInplaceRelu, BOTH, selfRef, relu, dtypes_fp32_fp16_bf16_int8_int32_int64_uint8, promise_exact,
         elementwise_infer_ranked);

enum { GRAD_OUTPUT, SELF, THRESHOLD };

static double threshold_of(const struct scalar_value *scalar)
{
    bool is_complex = scalar->dtype == ACL_COMPLEX64 || scalar->dtype == ACL_COMPLEX128;
    return is_complex ? 0 : scalar_to_fp32(scalar);
}

/* fp32 could not tell most numbers of INT64 apart. */
static aclnnStatus check_int64_threshold(const struct call *call, double threshold)
{
    if (call->tensor[SELF].dtype == ACL_INT64 && threshold != 0)
        return refuse(call, "threshold is %g with self of INT64; 0 is expected", threshold);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, THRESHOLD));
    TRY(check_int64_threshold(call, threshold_of(&call->scalar[THRESHOLD])));
    TRY(check_same_dtype(call, GRAD_OUTPUT, SELF, NULL));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    result->computed = call->tensor[SELF].dtype;
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_EQUAL);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct threshold_parameters parameters = {.threshold = threshold_of(&call->scalar[THRESHOLD])};
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

FUNCTION_WITH(aclnnThresholdBackward,
              ((IN, gradOutput, &dtypes_fp32_fp16_bf16_int8_int32_uint8_on_950_int64),
               (IN, self, &dtypes_fp32_fp16_bf16_int8_int32_uint8_on_950_int64),
               (SCALAR, threshold, &dtypes_all, .usual = "0"),
               (OUT, out, &dtypes_fp32_fp16_bf16_int8_int32_uint8_on_950_int64)),
              POINTWISE_FUNCTION(threshold_backward, promise_exact, infer, plan));

#endif
