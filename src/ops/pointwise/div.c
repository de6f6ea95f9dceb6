/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self / other, where other is a tensor or a scalar.
 *
 * Rounded once; x / 0 is an infinity, 0 / 0 NaN. Integers and BOOL give a float: their exact quotient rounded
 * once to fp32. Of complex numbers (ac + bd) / m + ((bc - ad) / m)i with m = c * c + d * d, each part within
 * 1 unit in the last place of COMPLEX64, 4 of COMPLEX128 (simd/complex.h), and NaN where m is 0.
 */
#include "ops/pointwise/arithmetic.h"
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/complex.h"
#include "simd/integer_quotient.h"
#include "simd/map.h"

/* No quotient of 24 bits by 24 lies so near to a tie that its rounding to 53 bits could reach that. */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] / input[1];
}

static inline doubles scalar_estimate(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return input[0] / broadcast(parameters->other[0]);
}

/* Nor one of 11 bits by 11, or 8 by 8, to 24 bits, or the fewer that subnormal numbers have. */
static inline __attribute__((always_inline)) vector fast(const vector *input, const void *prepared,
                                                         struct unsettled *unsettled)
{
    (void)prepared;
    (void)unsettled;
    return vector_canonical(input[0] / input[1]);
}

/* A scalar has 24 bits: for a tensor of 16 bits the remainder tells on which side the quotient lies. */
static inline __attribute__((always_inline)) vector scalar_fast(const vector *input, const void *prepared,
                                                                struct unsettled *unsettled)
{
    const struct arithmetic_parameters *parameters = prepared;
    const vector divisor = vector_of((float)parameters->other[0]);
    vector quotient = input[0] / divisor;
    if (unsettled->dtype != ARITHMETIC_FP32) {
        vector rest = fused_from(quotient, divisor, input[0]);
        quotient = vector_round_to_odd(quotient, parameters->other[0] < 0 ? -rest : rest);
        if (unsettled->dtype == ARITHMETIC_BF16)
            unsettled_small(unsettled, input[0]);
    }
    return vector_canonical(quotient);
}

/* By what a quotient of normal size may become subnormal, or a remainder be lost. */
static inline bool is_extreme(double divisor)
{
    double magnitude = divisor < 0 ? -divisor : divisor;
    return !(magnitude > 0x1p-40 && magnitude < 0x1p40);
}

static inline __attribute__((always_inline)) void run(enum arithmetic dtype, const void *const *input,
                                                      void *output, size_t count, const void *prepared,
                                                      bool non_temporal)
{
    static const struct evaluation tensors = {.inputs = 2, .estimate = estimate, .fast = fast};
    static const struct evaluation scalar = {.inputs = 1, .estimate = scalar_estimate, .fast = scalar_fast};
    static const struct evaluation extreme = {.inputs = 1, .estimate = scalar_estimate};
    const struct arithmetic_parameters *parameters = prepared;
    if (!parameters->has_scalar)
        map(dtype, &tensors, input, output, count, prepared, non_temporal);
    else if (dtype == ARITHMETIC_FP32 || dtype == ARITHMETIC_FP64 || !is_extreme(parameters->other[0]))
        map(dtype, &scalar, input, output, count, prepared, non_temporal);
    else
        map(dtype, &extreme, input, output, count, prepared, non_temporal);
}

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(ARITHMETIC_FP32, input, output, count, parameters, non_temporal);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(ARITHMETIC_FP16, input, output, count, parameters, non_temporal);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(ARITHMETIC_BF16, input, output, count, parameters, non_temporal);
}

static void run_fp64(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(ARITHMETIC_FP64, input, output, count, parameters, non_temporal);
}

/* What these two write are FLOAT and DOUBLE, see quotient_dtype(). second is NULL where other is a scalar.
 */
static inline __attribute__((always_inline)) void int32_lanes(const char *first, const char *second,
                                                              int32_t scalar, char *target, size_t count)
{
    vector_ints self = (vector_ints){0}, other = (vector_ints){0} + scalar;
    memcpy(&self, first, count * sizeof(int32_t));
    if (second != NULL)
        memcpy(&other, second, count * sizeof(int32_t));
    vector result = vector_quotient(self, other);
    memcpy(target, &result, count * sizeof(float));
}

static inline __attribute__((always_inline)) void int64_lanes(const char *first, const char *second,
                                                              int64_t scalar, char *target, size_t count)
{
    longs self = (longs){0}, other = (longs){0} + scalar;
    memcpy(&self, first, count * sizeof(int64_t));
    if (second != NULL)
        memcpy(&other, second, count * sizeof(int64_t));
    doubles result = quotient_of_longs(self, other);
    memcpy(target, &result, count * sizeof(double));
}

static void run_int32(const void *const *input, void *output, size_t count, const void *prepared,
                      bool non_temporal)
{
    (void)non_temporal;
    const struct arithmetic_parameters *parameters = prepared;
    const int32_t scalar = (int32_t)(uint32_t)parameters->other_bits;
    const char *first = input[0], *second = parameters->has_scalar ? NULL : input[1];
    char *target = output;
    const size_t step = sizeof(vector_ints);
    for (; count >= VECTOR_LANES; count -= VECTOR_LANES) {
        int32_lanes(first, second, scalar, target, VECTOR_LANES);
        first += step;
        second += second != NULL ? step : 0;
        target += step;
    }
    int32_lanes(first, second, scalar, target, count);
}

static void run_int64(const void *const *input, void *output, size_t count, const void *prepared,
                      bool non_temporal)
{
    (void)non_temporal;
    const struct arithmetic_parameters *parameters = prepared;
    const int64_t scalar = (int64_t)parameters->other_bits;
    const char *first = input[0], *second = parameters->has_scalar ? NULL : input[1];
    char *target = output;
    const size_t step = sizeof(longs);
    for (; count >= LANES; count -= LANES) {
        int64_lanes(first, second, scalar, target, LANES);
        first += step;
        second += second != NULL ? step : 0;
        target += step;
    }
    int64_lanes(first, second, scalar, target, count);
}

static inline __attribute__((always_inline)) void divide_complex(bool is_wide, doubles (*input)[PARTS],
                                                                 doubles *result, const void *prepared)
{
    (void)prepared;
    complex_quotient(is_wide, input[0], input[1], result);
}

COMPLEX_SCALAR_KERNEL(run_complex64, false, divide_complex)
COMPLEX_SCALAR_KERNEL(run_complex128, true, divide_complex)

KERNELS(div) = {
    .run = {[ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = run_fp32,
                                  [ARITHMETIC_FP16] = run_fp16,
                                  [ARITHMETIC_BF16] = run_bf16,
                                  [ARITHMETIC_FP64] = run_fp64},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_fp32,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16,
                                [ARITHMETIC_FP64] = run_fp64}},
    .exact = {[ARITHMETIC_INT32] = run_int32,
              [ARITHMETIC_INT64] = run_int64,
              [ARITHMETIC_COMPLEX64] = run_complex64,
              [ARITHMETIC_COMPLEX128] = run_complex128},
};

#else

/* The contract. */
#include "aclnnop/aclnn_div.h"

enum { OUT = OTHER + 1 };

KERNEL_LEVELS(div);
static const struct elementwise elementwise = {div_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 120};

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_arithmetic),
    [OTHER] = READ("other", &dtypes_arithmetic),
    [OUT] = WRITTEN("out", &dtypes_quotients),
};

FUNCTION(aclnnDiv, (const aclTensor *self, const aclTensor *other, aclTensor *out),
         (ARG(self), ARG(other), ARG(out)), .stem = "div", PARAMETERS(parameters), .promise = &promise_exact,
         ELEMENTWISE(&elementwise), .infer = quotient_infer, .plan = quotient_plan);

static const struct parameter parameters_of_scalar[] = {
    [SELF] = READ("self", &dtypes_arithmetic),
    [OTHER] = SCALAR("other", &dtypes_arithmetic),
    [OUT] = WRITTEN("out", &dtypes_quotients),
};

FUNCTION(aclnnDivs, (const aclTensor *self, const aclScalar *other, aclTensor *out),
         (ARG(self), ARG(other), ARG(out)), .stem = "div", PARAMETERS(parameters_of_scalar),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = quotient_scalar_infer,
         .plan = quotient_scalar_plan);

static const struct parameter in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_own_quotients),
    [OTHER] = READ("other", &dtypes_arithmetic),
};

FUNCTION(aclnnInplaceDiv, (aclTensor * selfRef, const aclTensor *other), (ARG(selfRef), ARG(other)),
         .stem = "div", PARAMETERS(in_place), .promise = &promise_exact, ELEMENTWISE(&elementwise),
         .infer = quotient_infer, .plan = quotient_plan);

static const struct parameter in_place_scalar[] = {
    [SELF] = BOTH("selfRef", &dtypes_own_quotients),
    [OTHER] = SCALAR("other", &dtypes_arithmetic),
};

FUNCTION(aclnnInplaceDivs, (aclTensor * selfRef, const aclScalar *other), (ARG(selfRef), ARG(other)),
         .stem = "div", PARAMETERS(in_place_scalar), .promise = &promise_exact, ELEMENTWISE(&elementwise),
         .infer = quotient_scalar_infer, .plan = quotient_scalar_plan);

#endif
