/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = 0 for self <= -3, self (self + 3) / 6 between, self for self >= 3.
 *
 * What is 0 below is +0, for -inf too; -0 gives -0, +inf itself. In place, self is out too.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/vector/exact.h"
#include "simd/loops/map.h"

/* 6 out / x, exactly: x + 3 below the upper end, 6 above. */
static inline doubles factor_by_six(doubles x)
{
    /* Doubles hold x + 3 for every x of 24 bits down to 2^-28. A smaller one only decides, by its sign, to
     * which side a result that is nearly x / 2 rounds if x / 2 is a tie. */
    doubles factor = keep_off_zero(x, 0x1p-28) + 3;
    return choose(x >= 3, broadcast(6), factor);
}

static inline doubles estimate(const doubles *input, const void *prepared)
{
    doubles x = input[0];
    return choose(x <= -3, broadcast(0), x * factor_by_six(x) / 6);
}

/*
 * x has 24 bits, the factor 53: with the factor in two parts both products are exact. A quotient cut to 48
 * bits is off by more than the estimate was, yet not by a whole unit of its last place, so no tie lies
 * between it and the exact one; 6 times it is exact, and the remainder's sign tells the side.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    doubles factor = factor_by_six(input[0]), high = leading(factor, 26);
    doubles quotient = leading(value, 48);
    const doubles remainder[] = {input[0] * high, input[0] * (factor - high), -6 * quotient};
    return round_to_odd(quotient, sign_of_sum(remainder, 3));
}

/*
 * x (x + 3) / 6, with the sum exactly as a pair: 3 is a multiple of the last place of every smaller x. The quick
 * way needs no limit for small numbers: below 2^-50 all but x^2 / 6 is exact, which decides nothing but ties
 * of x / 2 that are subnormal, and those are in doubt, as the corrected quotients lie on both their sides. From
 * 3 on the sum is 6, and the result x; what is no number or overflows is in doubt.
 */
static inline __attribute__((always_inline)) vector quick(vector x, struct unsettled *unsettled)
{
    vector inner = vector_least(x, vector_of(3)), sum = inner + 3, difference;
    struct vector_pair factor = {sum, inner - (sum - 3)};
    vector result = ordinary_quotient(x, factor, vector_divisor_of(6, true), &difference);
    unsettled_differing(unsettled, (vector_bits)difference);
    return vector_choose(vector_greater(x, vector_of(-3)), result, vector_of(0));
}

/* Of any number what is not within both limits becomes 1 and then its known result, x / 2 below 2^-50. */
static VECTOR_WAY fast(WAY)
{
    vector x = input[0];
    if (unsettled->path == PATH_QUICK)
        return quick(x, unsettled);
    vector size = vector_absolute(x);
    flags is_small = vector_greater(vector_of(0x1p-50F), size);
    vector inner = vector_choose(is_small | ~vector_greater(vector_of(3), size), vector_of(1), x);
    vector sum = inner + 3;
    struct vector_pair factor = {sum, inner - (sum - 3)};
    vector result = multiply_divide(inner, factor, vector_divisor_of(6, true), unsettled);
    result = vector_choose(is_small, vector_half_up(x), result);
    result = vector_choose(vector_greater(vector_of(3), x), result, x);
    return vector_choose(vector_greater(x, vector_of(-3)), result,
                         vector_choose(vector_is_nan(x), x, vector_of(0)));
}

/* In 16 bits, before they are widened: +0 for all from -3 down, whose bits are given, and for -NaN. */
static inline lanes16 inner_argument(lanes16 x, uint16_t end)
{
    return lanes16_choose(lanes16_below(x, lanes16_of(end)), x, lanes16_of(0));
}

/*
 * The next two: all 2^16 results are right. What is added last is less than half of the least number and
 * tells a tie of subnormal numbers that the exact result, x / 2 and a bit, lies above it. Nothing else is
 * changed by it but the sign of -0, which is put back.
 */
static LANES_WAY lanes_fp16(WAY_16)
{
    const lanes16 x = lanes16_load(source[0]), inner = inner_argument(x, 0xc200);
    vector pair[2] __attribute__((uninitialized));
    vectors_of_lanes16(ARITHMETIC_FP16, inner, pair);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        /* The sum is the multipliers' work: converting takes the adders. */
        vector sum = fused(pair[i], vector_of(1), vector_of(3)),
               product = pair[i] * vector_least(vector_of(6), sum);
        pair[i] = fused(product, vector_of(1.0F / 6), vector_of(0x1p-48F));
    }
    lanes16 result = lanes16_of_vectors(ARITHMETIC_FP16, pair) | (inner & 0x8000);
    if (unsettled->path == PATH_ANY)
        return lanes16_nan_where(ARITHMETIC_FP16, x, result);
    unsettled_lanes16_above(unsettled, x + x, 2 * 0x7c00);
    return result;
}

/* With 1/2 less its last bit no product is a tie, and each lies on the side to which the exact one rounds. */
static LANES_WAY lanes_bf16(WAY_16)
{
    const lanes16 x = lanes16_load(source[0]), inner = inner_argument(x, 0xc040);
    vector pair[2] __attribute__((uninitialized));
    vectors_of_lanes16(ARITHMETIC_BF16, inner, pair);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        vector factor =
            vector_least(vector_of(1), fused(pair[i], vector_of(1.0F / 6), vector_of(0x1.fffffep-2F)));
        pair[i] = fused(pair[i], factor, vector_of(0x1p-149F));
    }
    return lanes16_nan_where(ARITHMETIC_BF16, x, lanes16_off_ties(pair) | (inner & 0x8000));
}

MAP_KERNELS(hardswish, (.inputs = 1, .doubles = estimate, .settle = settle), (.fast = fast),
            (.lanes16 = lanes_fp16), (.lanes16 = lanes_bf16))
KERNELS(hardswish) = {MAP_RUNS(hardswish, NULL)};

#else

/* The contract. */
#include "aclnnop/aclnn_hardswish.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

/* The dtypes may differ, and there is no limit to the rank but that of tensors. */
static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(elementwise_infer_like(call, result));
    result->output[0].dtype_rule = DTYPE_ANY;
    return ACLNN_SUCCESS;
}

POINTWISE(hardswish, 100, 100, 0);

ONE_TENSOR(aclnnHardswish, CONST_OUT, hardswish, dtypes_fp32_fp16_bf16, dtypes_fp32_fp16_bf16, promise_exact,
           infer);
IN_PLACE(aclnnInplaceHardswish, CONST_BOTH, self, hardswish, dtypes_fp32_fp16_bf16, promise_exact, infer);

#endif
