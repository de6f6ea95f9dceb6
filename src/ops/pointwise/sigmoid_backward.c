/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * output * (1 - output), the gradient of aclnnSigmoid from its result: the exact
 * value rounded once, of fp64 within 2 units in the last place. Of a complex output the conjugate of output *
 * (1 - output) is taken, and the formula's steps are made in doubles.
 *
 * An output outside of [0, 1] is taken as it is. It is a real multiplication: inf * 0 and 0 * inf are NaN,
 * and a finite negative gradient times 0 is -0.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/complex.h"
#include "simd/loops/map.h"
#include "simd/loops/result_gradient.h"

/* The product of two numbers of 24 bits is a double. */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    return input[0] * input[1] * (1 - input[1]);
}

/*
 * A value cut to 48 bits is off by less than a unit of its last place, so no tie lies between it and the
 * exact one; the sign of the difference, all of whose terms are exact, tells the side.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    doubles cut = leading(value, 48), product = input[0] * input[1];
    struct pair cubic = two_product(product, input[1]);
    const doubles difference[] = {product, -cubic.high, -cubic.low, -cut};
    return round_to_odd(cut, sign_of_sum(difference, 4));
}

/* g y times 1 - y, each with what it lost. */
static VECTOR_WAY fast(WAY)
{
    vector g = input[0], y = input[1];
    const flags is_plain = unsettled->path == PATH_ANY ? is_not_finite(g, y) : vector_greater(g, g);
    const flags is_small = vector_greater(vector_of(0x1p-40F), vector_absolute(g));
    if (unsettled->path == PATH_ANY) {
        g = vector_choose(is_plain, vector_of(1), g);
        y = vector_choose(is_plain, vector_of(1), y);
        g = vector_any_product(g, vector_choose(is_small, vector_of(fine_scale), vector_of(1)));
    } else {
        unsettled_small(unsettled, g);
    }
    unsettled_small(unsettled, y);
    unsettled_above(unsettled, (vector_bits)y + (vector_bits)y, 2 * 0x49800000U); /* 2^20 */
    vector product = g * y, factor = 1 - y;
    vector lost = (1 - factor) - y; /* exact: 1 is a multiple of the last place of y */
    vector rest = fused(fused_from(g, y, product), factor, fused_from(product, lost, vector_of(0)));
    if (unsettled->path == PATH_QUICK)
        return fine_product(product, factor, rest, vector_of(fine_rest), unsettled);
    vector plain = vector_any_product(vector_any_product(input[0], input[1]), 1 - input[1]);
    return vector_choose(is_plain, plain, scaled_fine_product(product, factor, rest, is_small, unsettled));
}

/* (c + d i) times the conjugate of p + q i = y (1 - y), where y = a + b i: p = a - a^2 + b^2, q = b - 2 a b.
 * Doubles lose some 2^-50 of the terms' magnitudes. */
static inline __attribute__((always_inline)) void complex_gradient(bool is_wide, doubles (*input)[PARTS],
                                                                   doubles *result, const void *prepared)
{
    const doubles a = input[1][REAL], b = input[1][IMAGINARY], c = input[0][REAL], d = input[0][IMAGINARY];
    const doubles p = a * (1 - a) + b * b, q = b * (1 - 2 * a);
    result[REAL] = c * p + d * q;
    result[IMAGINARY] = d * p - c * q;
}

COMPLEX_KERNEL(run_complex64, false, 2, complex_gradient)
COMPLEX_KERNEL(run_complex128, true, 2, complex_gradient)

/* The gradient g y (1 - y) in fp64 is within 2 units in the last place for outputs y from 0 to 1: there are
 * three roundings, of 1 - y and of two products, and nothing cancels. */
static const bool is_sigmoid = true;
MAP_KERNELS(sigmoid_backward, (.inputs = 2, .doubles = estimate, .settle = settle, .constant = &is_sigmoid),
            (.fast = fast), (.fast = result_gradient_any, .lanes16 = result_gradient_quick),
            (.fast = result_gradient_any, .lanes16 = result_gradient_quick))
KERNELS(sigmoid_backward) = {
    MAP_RUNS(sigmoid_backward, map_sigmoid_backward_fp64),
    .exact = {[ARITHMETIC_COMPLEX64] = run_complex64, [ARITHMETIC_COMPLEX128] = run_complex128},
};

#else

/* The contract. */
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

POINTWISE(sigmoid_backward, 100, 100, 0);

GRADIENT(aclnnSigmoidBackward, output, OUT, gradInput, sigmoid_backward, dtypes_floats_complex,
         promise_fp64_ulp2, elementwise_infer_together);

#endif
