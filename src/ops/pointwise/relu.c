/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self where self > 0, +0 elsewhere.
 *
 * -0 gives +0, NaN stays NaN, +inf itself. UINT8 gives itself. In place, selfRef is self and out.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths: the sign of a 16-bit float is the one of its bits. */
#include "simd/lines.h"
#include "simd/vector_fp32.h"

_Static_assert(sizeof(line) == sizeof(vector), "both are registers");

static inline line relu_fp32(const line *input, const void *prepared)
{
    (void)prepared;
    vector x = (vector)input[0];
    /* +0 is the second one: what is chosen of two zeros, and beside NaN. */
    return (line)vector_choose(vector_is_nan(x), (vector)vector_bits_of(0x7fc00000),
                               vector_greatest(x, vector_of(0)));
}

static inline line relu_16_bits(line input, int16_t infinity, int16_t nan)
{
    line_int16 x = (line_int16)input;
    line_int16 is_nan = (x & 0x7fff) > infinity;
    return (line)canonical_16_bits(x & ((x > 0) | is_nan), infinity, nan);
}

static inline line relu_fp16(const line *input, const void *prepared)
{
    (void)prepared;
    return relu_16_bits(input[0], 0x7c00, 0x7e00);
}

static inline line relu_bf16(const line *input, const void *prepared)
{
    (void)prepared;
    return relu_16_bits(input[0], 0x7f80, 0x7fc0);
}

static inline line relu_int8(const line *input, const void *prepared)
{
    (void)prepared;
    line_int8 x = (line_int8)input[0];
    return (line)(x & (x > 0));
}

static inline line relu_int32(const line *input, const void *prepared)
{
    (void)prepared;
    line_int32 x = (line_int32)input[0];
    return (line)(x & (x > 0));
}

static inline line relu_int64(const line *input, const void *prepared)
{
    (void)prepared;
    return input[0] & (input[0] > 0);
}

LINE_KERNEL(run_fp32, relu_fp32, 1, 4)
LINE_KERNEL(run_fp16, relu_fp16, 1, 2)
LINE_KERNEL(run_bf16, relu_bf16, 1, 2)
LINE_KERNEL(run_int8, relu_int8, 1, 1)
LINE_KERNEL(run_int32, relu_int32, 1, 4)
LINE_KERNEL(run_int64, relu_int64, 1, 8)

static void run_uint8(const void *const *input, void *output, size_t count, const void *parameters,
                      bool non_temporal)
{
    (void)parameters;
    const struct copy_parameters copy = {.element_bytes = 1};
    copy_elements(input, output, count, &copy, non_temporal);
}

KERNELS(relu) = {
    .run = {[ACCURACY_DEFAULT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16},
            [ACCURACY_EXACT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16}},
    .exact = {[ARITHMETIC_INT8] = run_int8,
              [ARITHMETIC_INT32] = run_int32,
              [ARITHMETIC_INT64] = run_int64,
              [ARITHMETIC_UINT8] = run_uint8},
};

#else

/* The contract. */
#include "aclnnop/aclnn_relu.h"
#include "ops/check.h"

enum { SELF, OUT };

KERNEL_LEVELS(relu);
static const struct elementwise elementwise = {relu_kernels, .cost_ps = {100, 100}};

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_relu),
    [OUT] = WRITTEN("out", &dtypes_relu),
};

FUNCTION(aclnnRelu, (const aclTensor *self, const aclTensor *out), (ARG(self), ARG(out)), .stem = "relu",
         PARAMETERS(parameters), .promise = &promise_exact, ELEMENTWISE(&elementwise),
         .infer = elementwise_infer_ranked, .plan = elementwise_plan_plain);

static const struct parameter in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_relu),
};

FUNCTION(aclnnInplaceRelu, (aclTensor * selfRef), (ARG(selfRef)), .stem = "relu", PARAMETERS(in_place),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = elementwise_infer_ranked,
         .plan = elementwise_plan_plain);

#endif
