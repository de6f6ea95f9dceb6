/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * (1 - output^2), the gradient of aclnnTanh from its result: the exact value rounded
 * once, of fp64 within 2 units in the last place.
 *
 * An output outside of [-1, 1] is taken as it is. It is a real multiplication: inf * 0 and 0 * inf are NaN,
 * and a finite negative gradient times 0 is -0. Of complex numbers the conjugate of 1 - output^2 is taken.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/complex.h"
#include "simd/vector/exact.h"
#include "simd/loops/map.h"
#include "simd/loops/result_gradient.h"

/* The square of a number of 24 bits is a double. */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    return input[0] * (1 - input[1] * input[1]);
}

/*
 * A value cut to 48 bits is off by less than a unit of its last place, so no tie lies between it and the
 * exact one; the sign of the difference, all of whose terms are exact, tells the side.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    doubles cut = leading(value, 48);
    struct pair cubic = two_product(input[0] * input[1], input[1]);
    const doubles difference[] = {input[0], -cubic.high, -cubic.low, -cut};
    return round_to_odd(cut, sign_of_sum(difference, 4));
}

/* g times 1 - y^2, which is a float and what that lost. */
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
    /* Numbers to 2^20 have a last place of which 1 is a multiple: what a difference from 1 lost is exact. */
    vector factor = fused_from(y, y, vector_of(1)), square = 1 - factor;
    vector lost = fused_from(y, y, square) + ((1 - square) - factor);
    unsettled_above(unsettled, (vector_bits)square, 0x49800000);
    vector rest = fused_from(g, lost, vector_of(0));
    if (unsettled->path == PATH_QUICK)
        return fine_product(g, factor, rest, vector_of(fine_rest), unsettled);
    vector plain = vector_any_product(input[0], 1 - input[1] * input[1]);
    return vector_choose(is_plain, plain, scaled_fine_product(g, factor, rest, is_small, unsettled));
}

/* Within 2 units in the last place for outputs from -1 to 1: next to these 1 - |y| is exact and (1 - |y|)
 * (1 + |y|) does not cancel; next to 0 what y^2 loses is little beside 1. */
static inline doubles estimate_fp64(const doubles *input, const void *prepared)
{
    const doubles g = input[0], size = absolute(input[1]);
    return choose(size < 0.5, g * (1 - size * size), (g * (1 - size)) * (1 + size));
}

/* gradOutput times the conjugate of 1 - output^2. */
static inline void of_complex(bool is_wide, doubles (*input)[PARTS], doubles *result, const void *prepared)
{
    const doubles one[PARTS] = {broadcast(1), broadcast(0)}, none[PARTS] = {broadcast(-0.0), broadcast(-0.0)};
    doubles factor[PARTS];
    (void)prepared;
    complex_product(is_wide, one, -1, input[1], input[1], factor);
    factor[IMAGINARY] = -factor[IMAGINARY];
    complex_product(true, none, 1, input[0], factor, result);
}

COMPLEX_KERNEL(run_complex64, false, 2, of_complex)
COMPLEX_KERNEL(run_complex128, true, 2, of_complex)
static const bool is_sigmoid = false;
MAP_KERNELS(tanh_backward,
            (.inputs = 2, .doubles = estimate, .wide = estimate_fp64, .settle = settle,
             .constant = &is_sigmoid),
            (.fast = fast), (.fast = result_gradient_any, .lanes16 = result_gradient_quick),
            (.fast = result_gradient_any, .lanes16 = result_gradient_quick))
KERNELS(tanh_backward) = {
    MAP_RUNS(tanh_backward, map_tanh_backward_fp64),
    .exact = {[ARITHMETIC_COMPLEX64] = run_complex64, [ARITHMETIC_COMPLEX128] = run_complex128},
};

#else

/* The contract. */
#include "aclnnop/aclnn_tanh_backward.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

enum { GRAD_OUTPUT, OUTPUT_OF_TANH };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, OUTPUT_OF_TANH};
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, OUTPUT_OF_TANH));
    TRY(check_same_dtype(call, OUTPUT_OF_TANH, GRAD_OUTPUT, NULL));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, OUTPUT_OF_TANH));
    result->computed = call->tensor[GRAD_OUTPUT].dtype;
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_EQUAL);
}

POINTWISE(tanh_backward, 100, 100, 0);

GRADIENT(aclnnTanhBackward, output, OUT, gradInput, tanh_backward, dtypes_floats_complex, promise_fp64_ulp2,
         infer);

#endif
