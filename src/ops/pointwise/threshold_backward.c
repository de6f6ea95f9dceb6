/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = +0 where self <= threshold, gradOutput elsewhere: where self is NaN too.
 *
 * The threshold is rounded to fp32; a complex one is 0. The comparison is exact, of integers too; a threshold
 * of NaN lets every gradient pass. Gradients that are NaN become the canonical one.
 */
#include "simd/kernel.h"

struct threshold_parameters {
    double threshold; /* of fp32 */
};

#ifdef KERNEL_PASS

/* The maths: self and the threshold are compared as integers in the order of the dtype. */
#include "simd/lines.h"
#include "simd/memory.h"
#include "simd/rounding.h"

/* Of the integers that self is compared with, the greatest that is not above the threshold. */
struct threshold_limit {
    int64_t value;
};

/* Below all integers that stand for numbers. */
static int64_t limit_of_float(enum arithmetic dtype, double threshold)
{
    if (threshold != threshold)
        return dtype == ARITHMETIC_FP32 ? INT32_MIN : INT16_MIN;
    uint32_t bits = round_bits(dtype, broadcast(threshold))[0];
    char element[sizeof(uints)] = {0};
    memcpy(element, &bits, sizeof bits);                 /* the low half alone, for 16 bits */
    bool is_above = load(dtype, element)[0] > threshold; /* of 16 bits alone: fp32 has it */
    int32_t order = dtype == ARITHMETIC_FP32 ? (int32_t)bits : (int16_t)bits;
    const int32_t mask = dtype == ARITHMETIC_FP32 ? 0x7fffffff : 0x7fff;
    if (!is_above && (order & mask) == 0)
        return 0; /* of -0: +0 is not above it */
    return (order < 0 ? order ^ mask : order) - is_above;
}

/* The integers of the dtype are not above greatest, and more than -greatest - 2. */
static int64_t limit_of_integer(double threshold, double greatest)
{
    double limit = threshold > greatest ? greatest : threshold < -greatest - 2 ? -greatest - 2 : threshold;
    int64_t whole = (int64_t)limit;
    return whole - ((double)whole > limit);
}

static inline line pass_fp32(const line *input, const void *prepared)
{
    const struct threshold_limit *limit = prepared;
    line_int32 gradient = (line_int32)input[0], x = (line_int32)input[1];
    line_int32 is_nan = (x & 0x7fffffff) > 0x7f800000;
    line_int32 passes = (order_of_32_bits(x) > (int32_t)limit->value) | is_nan;
    return (line)canonical_32_bits(gradient & passes);
}

static inline line pass_16_bits(const line *input, const struct threshold_limit *limit, int16_t infinity,
                                int16_t nan)
{
    line_int16 gradient = (line_int16)input[0], x = (line_int16)input[1];
    line_int16 is_nan = (x & 0x7fff) > infinity;
    line_int16 passes = (order_of_16_bits(x) > (int16_t)limit->value) | is_nan;
    return (line)canonical_16_bits(gradient & passes, infinity, nan);
}

static inline line pass_fp16(const line *input, const void *prepared)
{
    return pass_16_bits(input, prepared, 0x7c00, 0x7e00);
}

static inline line pass_bf16(const line *input, const void *prepared)
{
    return pass_16_bits(input, prepared, 0x7f80, 0x7fc0);
}

static inline line pass_int8(const line *input, const void *prepared)
{
    const struct threshold_limit *limit = prepared;
    return (line)((line_int8)input[0] & ((line_int8)input[1] > (int8_t)limit->value));
}

/* 128 less than self is a signed number. */
static inline line pass_uint8(const line *input, const void *prepared)
{
    const struct threshold_limit *limit = prepared;
    line_int8 x = (line_int8)input[1] ^ INT8_MIN;
    return (line)((line_int8)input[0] & (x > (int8_t)(limit->value - 128)));
}

static inline line pass_int32(const line *input, const void *prepared)
{
    const struct threshold_limit *limit = prepared;
    return (line)((line_int32)input[0] & ((line_int32)input[1] > (int32_t)limit->value));
}

static inline line pass_int64(const line *input, const void *prepared)
{
    const struct threshold_limit *limit = prepared;
    return input[0] & (input[1] > limit->value);
}

/* Defines the kernel of one of these functions; limit is made of threshold. */
#define THRESHOLD_KERNEL(name, function, element_bytes, limit)                                     \
    static void name(const void *const *input, void *output, size_t count, const void *parameters, \
                     bool non_temporal)                                                            \
    {                                                                                              \
        const double threshold = ((const struct threshold_parameters *)parameters)->threshold;     \
        const struct threshold_limit greatest = {limit};                                           \
        map_lines(function, 2, element_bytes, input, output, count, &greatest, non_temporal);      \
    }
THRESHOLD_KERNEL(run_fp32, pass_fp32, 4, limit_of_float(ARITHMETIC_FP32, threshold))
THRESHOLD_KERNEL(run_fp16, pass_fp16, 2, limit_of_float(ARITHMETIC_FP16, threshold))
THRESHOLD_KERNEL(run_bf16, pass_bf16, 2, limit_of_float(ARITHMETIC_BF16, threshold))
THRESHOLD_KERNEL(map_int8, pass_int8, 1, limit_of_integer(threshold, INT8_MAX))
THRESHOLD_KERNEL(map_uint8, pass_uint8, 1, limit_of_integer(threshold, UINT8_MAX))
THRESHOLD_KERNEL(map_int32, pass_int32, 4, limit_of_integer(threshold, INT32_MAX))

/* Where no integer is below the threshold, which is below the least of them or NaN, all gradients pass. */
static void run_integers(kernel_function *map, double least, uint32_t element_bytes, const void *const *input,
                         void *output, size_t count, const void *parameters, bool non_temporal)
{
    const struct copy_parameters copy = {.element_bytes = element_bytes};
    if (((const struct threshold_parameters *)parameters)->threshold >= least)
        map(input, output, count, parameters, non_temporal);
    else
        copy_elements(input, output, count, &copy, non_temporal);
}

static void run_int8(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run_integers(map_int8, INT8_MIN, 1, input, output, count, parameters, non_temporal);
}

static void run_uint8(const void *const *input, void *output, size_t count, const void *parameters,
                      bool non_temporal)
{
    run_integers(map_uint8, 0, 1, input, output, count, parameters, non_temporal);
}

static void run_int32(const void *const *input, void *output, size_t count, const void *parameters,
                      bool non_temporal)
{
    run_integers(map_int32, INT32_MIN, 4, input, output, count, parameters, non_temporal);
}

/* The threshold is 0. */
static void run_int64(const void *const *input, void *output, size_t count, const void *parameters,
                      bool non_temporal)
{
    (void)parameters;
    const struct threshold_limit limit = {0};
    map_lines(pass_int64, 2, 8, input, output, count, &limit, non_temporal);
}

KERNELS(threshold_backward) = {
    .run = {[ACCURACY_DEFAULT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16},
            [ACCURACY_EXACT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16}},
    .exact = {[ARITHMETIC_INT8] = run_int8,
              [ARITHMETIC_UINT8] = run_uint8,
              [ARITHMETIC_INT32] = run_int32,
              [ARITHMETIC_INT64] = run_int64},
};

#else

/* The contract. */
#include "aclnnop/aclnn_threshold_backward.h"
#include "ops/check.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

enum { GRAD_OUTPUT, SELF, THRESHOLD, OUT };

KERNEL_LEVELS(threshold_backward);
static const struct elementwise elementwise = {threshold_backward_kernels, .cost_ps = {120, 120}};

static double threshold_of(const struct scalar_value *scalar)
{
    bool is_complex = scalar->dtype == ACL_COMPLEX64 || scalar->dtype == ACL_COMPLEX128;
    return is_complex ? 0 : scalar_to_fp32(scalar);
}

/* fp32 could not tell most numbers of INT64 apart. */
static aclnnStatus check_int64_threshold(const struct call *call, double threshold)
{
    if (call->tensor[SELF].dtype == ACL_INT64 && threshold != 0)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: threshold is %g with self of INT64; 0 is expected",
                    call->function->operation.name, threshold);
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

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_threshold),
    [SELF] = READ("self", &dtypes_threshold),
    [THRESHOLD] = SCALAR("threshold", &dtypes_all, .usual = "0"),
    [OUT] = WRITTEN("out", &dtypes_threshold),
};

FUNCTION(aclnnThresholdBackward,
         (const aclTensor *gradOutput, const aclTensor *self, const aclScalar *threshold, aclTensor *out),
         (ARG(gradOutput), ARG(self), ARG(threshold), ARG(out)), .stem = "threshold_backward",
         PARAMETERS(parameters), .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = plan);

#endif
