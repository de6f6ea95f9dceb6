/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The formulas of gated units, for one instruction-set level: halves A and B of a tensor, one of which gates
 * the other. Glu is A s(B), SwiGlu silu(A) B, GeGlu gelu of one half times the other; and their gradients,
 * where g is the gradient of the result. halves_plan.c says which half is which.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS /* there is nothing else */

#include "ops/pointwise/gates.h"
#include "simd/loops/blocks.h"
#include "simd/maths/exponential.h"
#include "simd/loops/map.h"
#include "simd/maths/exponential_fp32.h"
#include "simd/maths/logistic_reach.h"

static inline doubles formula_glu(const doubles *x, const void *prepared)
{
    doubles rest;
    return x[0] * gate_by(maths_exp(-absolute(x[1])), x[1], &rest);
}

/* FLOAT: within 0.95 ulp, with the sign of A. By doubles where A is infinite, of which segments make NaN, and
 * where s(B) is so small that its product with A may be rounded twice. */
static INLINE_IF_FUSED vector fast_glu(WAY)
{
    const vector a = input[0];
    if (unsettled->path == PATH_QUICK) {
        unsettled_small(unsettled, a);
        unsettled_flagged(unsettled, vector_not_finite(a));
    } else {
        unsettled_flagged(unsettled, vector_equal(vector_absolute(a), vector_of(INFINITY)));
        unsettled_flagged(unsettled, vector_greater(vector_absolute(input[1]), vector_of(40)));
    }
    return vector_with_sign_of(logistic_times(a, input[1], vector_of(0), false, unsettled), a);
}

/* 16 bits: within 1.8 ulp of FLOAT; by doubles where s(B) is so small that fp32 has fewer bits of it. */
static inline vector fp32_glu(const vector *x, const void *prepared)
{
    vector size = vector_absolute(x[1]), power = fp32_maths_exp(-size), sum = 1 + power;
    vector above = vector_choose(vector_greater(vector_of(0), x[1]), power, vector_of(1));
    vector inverse = 1 / sum, gate = above * inverse;
    vector rest = fused_from(gate, (1 - sum) + power, fused_from(gate, sum, above));
    vector value = x[0] * fused(rest, inverse, gate);
    const flags is_far = vector_above((vector_bits)size, 0x42a00000); /* 80 */
    if (__builtin_expect(!vector_any_flag(is_far), 1))
        return value;
    return vector_choose(is_far, fp32_by_doubles(x, 2, formula_glu, prepared), value);
}

/* x: g, A, B. */
static inline doubles formula_glu_gate(const doubles *x, const void *prepared)
{
    doubles rest, gate = gate_of(x[2], &rest);
    return x[0] * x[1] * gate * rest;
}

static inline doubles formula_glu_gate_wide(const doubles *x, const void *prepared)
{
    doubles rest, gate = gate_by(maths_exp(-absolute(x[2])), x[2], &rest);
    return x[0] * x[1] * gate * rest;
}

static inline doubles formula_swiglu(const doubles *x, const void *prepared)
{
    return silu(x[0]) * x[1];
}

/* x: g, A, B; s(A) (1 + A (1 - s(A))) cancels nothing but at its root. */
static inline doubles formula_swiglu_gate(const doubles *x, const void *prepared)
{
    doubles rest, gate = gate_of(x[1], &rest);
    return x[0] * x[2] * (gate * (1 + x[1] * rest));
}

/* g B, where the formula's number is not 0; g silu(B) elsewhere. */
static inline doubles formula_times(const doubles *x, const void *prepared)
{
    return x[0] * x[1];
}

static inline doubles formula_times_silu(const doubles *x, const void *prepared)
{
    return x[0] * silu(x[1]);
}

static inline doubles formula_gelu_of(const doubles *x, const void *prepared)
{
    return gelu(x[0], prepared);
}

static inline doubles formula_geglu(const doubles *x, const void *prepared)
{
    return gelu(x[0], prepared) * x[1];
}

/* x: g, the half that is not activated, and that which is. */
static inline doubles formula_geglu_gate(const doubles *x, const void *prepared)
{
    return x[0] * x[1] * gelu_slope(x[2], prepared);
}

static const struct formula glu_of_floats = {
    .inputs = 2, .doubles = formula_glu, .fast = fast_glu, .fast_decides = true, .pairs = 2};
MAP_KERNEL(map_glu_fp32, ARITHMETIC_FP32, glu_of_floats)
FORMULA_BLOCKS(glu, 2, .doubles = formula_glu, .floats = fp32_glu)
KERNELS(glu) = {FLOAT_RUNS(map_glu_fp32, map_glu_fp32, glu_fp16, glu_bf16, glu_fp64)};

FORMULA_KERNELS(glu_gate, 3, .doubles = formula_glu_gate, .wide = formula_glu_gate_wide)
FORMULA_KERNELS(swiglu, 2, .doubles = formula_swiglu)
FORMULA_KERNELS(swiglu_gate, 3, .doubles = formula_swiglu_gate)
FORMULA_KERNELS(times, 2, .doubles = formula_times)
FORMULA_KERNELS(times_silu, 2, .doubles = formula_times_silu)
FORMULA_KERNELS(gelu_of, 1, .doubles = formula_gelu_of)
FORMULA_KERNELS(geglu, 2, .doubles = formula_geglu)
FORMULA_KERNELS(geglu_gate, 3, .doubles = formula_geglu_gate)

#endif
