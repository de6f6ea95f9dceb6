/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = tanh self, the exact value rounded once; fp32 at the default accuracy is within 1 unit in the last
 * place.
 *
 * +-0 gives itself, +-inf gives +-1. Integers and BOOL are converted to fp32 before. In place, selfRef is
 * self and out. Complex numbers have the formula of simd/loops/complex_functions.h.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/logistic16.h"
#include "simd/loops/map.h"
#include "simd/loops/complex_functions.h"
#include "ops/pointwise/tanh.h"
#include "simd/maths/tanh_fp32.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    return tanh_estimate(input[0]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    struct pair result = pair_tanh(input[0]);
    return round_to_odd(result.high, result.low);
}

/* 16 bits, any number: the exact value rounded once, for each of the 65,536 arguments. */
static INLINE_IF_FUSED vector fast_16(WAY)
{
    return logistic16_function(logistic16_tanh, TANH16_END, input[0], unsettled);
}

/* Within 0.9 units in the last place. */
static INLINE_IF_FUSED vector fast(WAY)
{
    return vector_tanh(input[0], unsettled);
}

MAP_KERNELS(tanh, (.inputs = 1, .doubles = estimate, .settle = settle), (.fast = fast, .fast_decides = true),
            (.fast = fast_16), (.fast = fast_16))

/* tanh of complex numbers, within 2^-48 of the result's absolute value. */
static inline void of_complex(bool is_wide, doubles (*input)[PARTS], doubles *result, const void *prepared)
{
    (void)is_wide, (void)prepared;
    complex_tanh(input[0], result);
}

COMPLEX_KERNEL(run_complex64, false, 1, of_complex)
COMPLEX_KERNEL(run_complex128, true, 1, of_complex)
KERNELS(tanh) = {
    MAP_ULP_RUNS(tanh, NULL),
    .exact = {[ARITHMETIC_COMPLEX64] = run_complex64, [ARITHMETIC_COMPLEX128] = run_complex128},
};

#else

/* The contract. */
#include "aclnnop/aclnn_tanh.h"
#include "ops/dtypes.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

enum { SELF };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    result_like(result, call, SELF);
    bool is_computed = dtype_is_in(&dtypes_fp32_fp16_bf16_complex, PRODUCT_950, result->computed);
    if (!is_computed)
        result->computed = ACL_FLOAT;
    result->output[0].dtype = result->computed;
    result->output[0].dtype_rule =
        dtype_is_one_of(result->computed, DTYPES_COMPLEX) ? DTYPE_CASTABLE : DTYPE_ANY;
    return ACLNN_SUCCESS;
}

POINTWISE(tanh, 220, 1200, 140);

ONE_TENSOR(aclnnTanh, OUT, tanh, dtypes_fp32_fp16_bf16_integers_bool_complex, dtypes_fp32_fp16_bf16_complex,
           promise_fp32_ulp1_fp64_ulp2, infer);
IN_PLACE(aclnnInplaceTanh, BOTH, selfRef, tanh, dtypes_fp32_fp16_bf16_complex, promise_fp32_ulp1_fp64_ulp2,
         infer);

#endif
